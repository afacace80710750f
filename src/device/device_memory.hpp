// Memory where the engine puts its arrays: what is free, what they hold, and what failed to fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nfold::device {

class DevicesOfJob;
struct HeldOfName;

struct FreeMemory {
  bool on_gpu = false;
  std::int64_t device_bytes = 0;  ///< of this rank's device; without a GPU the same as host_bytes
  std::int64_t host_bytes = 0;
};

/// Whether this build keeps its arrays on a GPU.
[[nodiscard]] bool computes_on_gpu();

/// What this rank may take now: its fair_share() of its device and of its host among the ranks of
/// the job that use the same, and no more than limit_device_memory() leaves. Needs a
/// ComputeEnvironment. Where the system does not tell, 2^62.
[[nodiscard]] FreeMemory free_memory(const DevicesOfJob& devices);

/// Whether this rank's device has room for so many bytes more beside what lists may still need.
/// devices: null where the rank is alone.
[[nodiscard]] bool has_room_beside_lists(std::int64_t bytes, const DevicesOfJob* devices);

/// An even share of what was free when the job started, without what the rank holds of it already;
/// or of what is free now, if that is more, as where another program has ended. Never more than is
/// free. Others that have taken theirs so leave a rank its own share whole.
struct SharedMemory {
  std::int64_t free_now = 0, free_at_start = 0;
  int ranks = 1;
  std::int64_t held = 0;
};
[[nodiscard]] std::int64_t fair_share(const SharedMemory& memory);

/// Of a device or of the host, for all that use it; 2^62 where the system does not tell.
struct MemorySize {
  std::int64_t free_bytes = 0, total_bytes = 0;
  const char* limit = "";  ///< what allows no more than total_bytes: "by 'ulimit -v'"; "": the host
};
/// Within the limits of this process and of its control groups.
[[nodiscard]] MemorySize host_memory();
/// The same without the limits of this process: what all ranks of the node have together.
[[nodiscard]] MemorySize host_memory_of_all();
/// Of the GPU; in a build for CPUs as host_memory().
[[nodiscard]] MemorySize device_memory();
/// "1.2 GiB of 16 GiB", and by which limit.
[[nodiscard]] std::string stock_words(const MemorySize& memory);

/// Of this process in its host's memory, the most at one time; 0 where the system does not tell.
[[nodiscard]] std::int64_t resident_bytes_peak();

/// "12.3 GiB": as people read it.
[[nodiscard]] std::string memory_text(std::int64_t bytes);

/// An array found no room on the device. The text says which array, how much it asked for, what is
/// free, what nfold holds already and what would fit. Thrown by the rank whose device is full.
class DeviceMemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All arrays of this process together may take so many bytes of its device; 0: all that is free.
void limit_device_memory(std::int64_t bytes);

/// ", for the limit given is 20 KiB"; empty without one.
[[nodiscard]] std::string limit_words();

/// For whom arrays are taken from now on; only DeviceMemoryError tells of it.
struct DeviceLoad {
  std::int64_t residues = 0;  ///< owned by this rank; 0: not known
  int ranks = 1;              ///< that share the system
};
void tell_device_load(const DeviceLoad& load);

/// Bytes of all arrays of this process on its device: now, and the most since the start.
[[nodiscard]] std::int64_t device_bytes_held();
[[nodiscard]] std::int64_t device_bytes_peak();

/// All arrays of one name together.
struct ArrayMemory {
  std::string name;
  std::int64_t held_bytes = 0, peak_bytes = 0;
};
/// Of every name that an array had since the peaks were forgotten, by name.
[[nodiscard]] std::vector<ArrayMemory> device_arrays();
/// What is held now counts as the most, as where another run begins in this process.
void forget_device_peaks();

/// One array's part of them, given back at the end of its life.
class DeviceShare {
 public:
  DeviceShare() = default;
  /// Throws DeviceMemoryError beyond the limit; where the device is the host, also beyond what is
  /// free, for a host promises more than it has.
  DeviceShare(const std::string& array, std::int64_t bytes);
  ~DeviceShare();
  DeviceShare(DeviceShare&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), of_name_(std::exchange(other.of_name_, nullptr)) {}
  DeviceShare& operator=(DeviceShare&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(of_name_, other.of_name_);
    return *this;
  }
  /// Gives it back now.
  void end();

 private:
  std::int64_t bytes_ = 0;
  HeldOfName* of_name_ = nullptr;
};

/// What to throw where the device itself refuses an array, whose share has ended.
[[nodiscard]] DeviceMemoryError refused_by_device(const std::string& array, std::int64_t bytes);

}  // namespace nfold::device

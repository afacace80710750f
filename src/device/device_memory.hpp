// Memory for the engine's arrays: free bytes, bytes held, and out-of-memory errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.hpp"
#include "device/array_use.hpp"

namespace nfold::device {

class JobDevices;
struct ArrayAccount;

struct FreeMemory {
  bool on_gpu = false;
  std::int64_t device_bytes = 0;  ///< this rank's device; host_bytes without a GPU
  std::int64_t host_bytes = 0;
};

/// True if this build keeps its arrays on a GPU.
[[nodiscard]] bool computes_on_gpu();

/// Returns the memory available to new arrays of this rank: its fair_share() of its device and host
/// among the ranks of the job that share them, limited by limit_device_memory(). 2^62 if the system
/// does not report it. Needs a ComputeEnvironment.
[[nodiscard]] FreeMemory free_memory(const JobDevices& devices);

/// True if this rank's device has capacity for `bytes` more in addition to the growth of neighbour
/// lists. devices: null if the rank is alone.
[[nodiscard]] bool fits_with_list_growth(std::int64_t bytes, const JobDevices* devices);

/// Arguments of fair_share() [bytes].
/// Returns an even share of the memory free at the start of the job, less what the rank holds
/// already; or of the memory free now if that is more, for instance after another program has
/// ended. At most what is free. Each rank that takes no more leaves the others their full share.
struct SharedMemory {
  std::int64_t free_now = 0, free_at_start = 0;
  int ranks = 1;
  std::int64_t held = 0;
};
[[nodiscard]] std::int64_t fair_share(const SharedMemory& memory);

/// Memory of a device or host, for all its users [bytes]; 2^62 if the system does not report it.
struct MemorySize {
  std::int64_t free_bytes = 0, total_bytes = 0;
  const char* limit = "";  ///< source of the limit: "by 'ulimit -v'"; "": the host itself
};
/// Returns the host's memory within the limits of this process and its control groups.
[[nodiscard]] MemorySize host_memory();
/// Returns the host's memory within the limits of the control groups alone, which all ranks of the
/// node share.
[[nodiscard]] MemorySize host_memory_of_all();
/// Returns the memory of the GPU; host_memory() in a build for CPUs.
[[nodiscard]] MemorySize device_memory();
/// Returns text like "1.2 GiB of 16 GiB", with the limit that applies.
[[nodiscard]] std::string describe_memory_size(const MemorySize& memory);

/// Returns the peak resident set size of this process [bytes]; 0 if the system does not report it.
[[nodiscard]] std::int64_t resident_bytes_peak();

/// Out of device memory for an array. The message holds the array's name and size, the free memory,
/// the memory held by nfold and the size that would fit. Thrown on the rank whose device is full.
class DeviceMemoryError : public core::Failure {
 public:
  explicit DeviceMemoryError(const std::string& message)
      : core::Failure(message, core::Outcome::memory) {}
};

/// Limits the device memory of all arrays of this process together; 0: all that is free.
void limit_device_memory(std::int64_t bytes);

/// Returns text like ", for the limit given is 20 KiB"; empty without a limit.
[[nodiscard]] std::string describe_memory_limit();

/// Places arrays of the first `uses` of moving_order in host memory from now on; arrays that exist
/// stay where they are.
void set_moved_uses(std::size_t uses);
/// True if new arrays of this use stand in host memory.
[[nodiscard]] bool is_in_host_memory(ArrayUse use);

/// System that arrays are allocated for, used in the message of DeviceMemoryError only.
struct DeviceLoad {
  std::int64_t residues = 0;  ///< owned by this rank; 0: unknown
  int ranks = 1;              ///< ranks that share the system
};
void set_device_load(const DeviceLoad& load);

/// Bytes of all arrays of this process on its device, without those moved to the host: held now,
/// and the peak since the start.
[[nodiscard]] std::int64_t device_bytes_held();
[[nodiscard]] std::int64_t device_bytes_peak();

/// Memory of all arrays of one name.
struct ArrayMemory {
  std::string name;
  std::int64_t held_bytes = 0, peak_bytes = 0;
};
/// Returns an entry for each name of an array since the last reset of the peaks, in order of names.
[[nodiscard]] std::vector<ArrayMemory> device_arrays();
/// Resets the peaks to the bytes held now, at the start of another run in this process.
void forget_device_peaks();

/// Memory of the GPU that is reserved for arrays of this process, except those that MPI libraries
/// read, which come from the driver. Reserves nothing on a CPU.
class MemoryPool {
 public:
  /// Throws DeviceMemoryError if the GPU has fewer bytes free.
  explicit MemoryPool(std::int64_t bytes);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  /// Returns the peak of the bytes that arrays used, which may exceed the reserved ones.
  [[nodiscard]] std::int64_t peak_bytes() const;
};

/// Account of one array's bytes, released at the end of its life.
class DeviceShare {
 public:
  DeviceShare() = default;
  /// Throws DeviceMemoryError beyond the limit. If the device is the host, also beyond the free
  /// memory, since a host overcommits.
  DeviceShare(const std::string& array, std::int64_t bytes);
  ~DeviceShare();
  DeviceShare(DeviceShare&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), of_name_(std::exchange(other.of_name_, nullptr)) {}
  DeviceShare& operator=(DeviceShare&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(of_name_, other.of_name_);
    return *this;
  }
  /// Releases the bytes now.
  void end();

 private:
  std::int64_t bytes_ = 0;
  ArrayAccount* of_name_ = nullptr;
};

/// Returns the error to throw if the device refuses an array. The array's DeviceShare must have
/// ended.
[[nodiscard]] DeviceMemoryError make_refusal_error(const std::string& array, std::int64_t bytes);
/// Returns the error to throw if the host refuses an array that was moved there.
[[nodiscard]] DeviceMemoryError make_pinned_error(const std::string& array, std::int64_t bytes);

}  // namespace nfold::device

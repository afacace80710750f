// Free memory of device and host, and accounting of the memory held by arrays.
// SPDX-License-Identifier: BSD-3-Clause

#include "device/device_memory.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>

#include "core/telemetry/progress.hpp"
#include "device/job_devices.hpp"
#include "device/memory_limits.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/pooled_memory.hpp"
#endif

namespace nfold::device {

/// Memory held by arrays of one name.
struct ArrayAccount {
  std::int64_t held_bytes = 0, peak_bytes = 0;
};

namespace {

constexpr std::int64_t unknown_bytes = std::int64_t{1} << 62U;
/// Array size from which free host memory is checked.
constexpr std::int64_t large_bytes = std::int64_t{1} << 26U;

#ifdef KOKKOS_ENABLE_CUDA
constexpr bool is_gpu = true;
#else
constexpr bool is_gpu = false;
#endif

std::atomic<std::int64_t> held_bytes{0}, set_limit_bytes{0};
std::atomic<std::size_t> moved_uses{0};
// Set by engines of several threads.
std::mutex load_mutex;
DeviceLoad device_load;

/// Memory held by arrays, by name. Thread-safe, since engines of several threads make arrays;
/// entries keep their addresses.
class ArrayAccounts {
 public:
  ArrayAccount* take(const std::string& name, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    auto& one = names_[name];
    one.held_bytes += bytes;
    one.peak_bytes = std::max(one.peak_bytes, one.held_bytes);
    held_bytes += bytes;
    peak_bytes_ = std::max(peak_bytes_, std::int64_t{held_bytes});
    return &one;
  }
  void give_back(ArrayAccount& one, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    one.held_bytes -= bytes;
    held_bytes -= bytes;
  }
  void forget_peaks() {
    const std::lock_guard lock(mutex_);
    peak_bytes_ = held_bytes;
    for (auto& [name, one] : names_) one.peak_bytes = one.held_bytes;
  }
  [[nodiscard]] std::int64_t peak_bytes() {
    const std::lock_guard lock(mutex_);
    return peak_bytes_;
  }
  [[nodiscard]] std::vector<ArrayMemory> all() {
    const std::lock_guard lock(mutex_);
    std::vector<ArrayMemory> arrays;
    for (const auto& [name, one] : names_) {
      if (one.peak_bytes > 0) arrays.push_back({name, one.held_bytes, one.peak_bytes});
    }
    return arrays;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, ArrayAccount> names_;
  std::int64_t peak_bytes_ = 0;
};

/// Returns the accounts, which outlive every array, including those of static objects.
ArrayAccounts& by_name() {
  static auto* const all = new ArrayAccounts;
  return *all;
}

/// Returns the memory of the device with that of a MemoryPool which no array uses as free.
MemorySize memory_for_arrays() {
  auto memory = device_memory();
#ifdef KOKKOS_ENABLE_CUDA
  if (memory.free_bytes < unknown_bytes) memory.free_bytes += unused_pool_bytes();
#endif
  return memory;
}

/// Returns the bytes still available to arrays.
std::int64_t available_bytes(const MemorySize& device) {
  const std::int64_t limit = set_limit_bytes;
  if (limit == 0) return device.free_bytes;
  return std::min(device.free_bytes, std::max<std::int64_t>(0, limit - held_bytes));
}

std::string describe_free_memory(const MemorySize& device) {
  std::string text;
  if (device.total_bytes < unknown_bytes) {
    text = fmt::format("{} are free", describe_memory_size(device));
  }
  if (set_limit_bytes != 0) {
    text += fmt::format("{}the limit given is {}", text.empty() ? "" : ", ",
                        telemetry::format_bytes(set_limit_bytes));
  }
  return text.empty() ? "how much is free is not known" : text;
}

/// Returns the remedy for a message. Further arrays may follow this one, so the fitting size is an
/// upper bound.
std::string advice(const MemorySize& device, std::int64_t wanted_bytes) {
  const std::string device_name = is_gpu ? "GPU" : "node";
  const DeviceLoad load = [] {
    const std::lock_guard lock(load_mutex);
    return device_load;
  }();
  const auto all = static_cast<double>(held_bytes + wanted_bytes);
  const auto usable_bytes = static_cast<double>(held_bytes + available_bytes(device));
  if (load.residues < 1 || available_bytes(device) >= unknown_bytes) {
    return fmt::format("use more {}s or a smaller system", device_name);
  }
  const double bytes_per_residue = all / static_cast<double>(load.residues);
  const auto fitting =
      std::min(static_cast<std::int64_t>(usable_bytes / bytes_per_residue), load.residues - 1);
  constexpr double most = 1e6;
  const auto ranks = std::max(
      load.ranks + 1, static_cast<int>(std::min(most, std::ceil(load.ranks * all / usable_bytes))));
  return fmt::format(
      "with {:.0f} bytes a residue by now, at most {} of this rank's {} residues fit: use more {}s "
      "(mpirun -np {} or more) or a smaller system",
      bytes_per_residue, fitting, load.residues, device_name, ranks);
}

DeviceMemoryError make_memory_error(const std::string& array, std::int64_t bytes) {
  const MemorySize device = memory_for_arrays();
  return DeviceMemoryError(
      fmt::format("out of {} memory: array '{}' asks for {}; {}, nfold's arrays hold {}; {}",
                  is_gpu ? "GPU" : "host", array, telemetry::format_bytes(bytes),
                  describe_free_memory(device), telemetry::format_bytes(held_bytes),
                  (*device.limit == '\0' ? "" : "raise that limit, or ") + advice(device, bytes)));
}

}  // namespace

MemorySize host_memory() { return host_memory_within(process_limits(), "/"); }
MemorySize host_memory_of_all() { return host_memory_within({}, "/"); }

std::string describe_memory_size(const MemorySize& memory) {
  const std::string text = fmt::format("{} of {}", telemetry::format_bytes(memory.free_bytes),
                                       telemetry::format_bytes(memory.total_bytes));
  return *memory.limit == '\0' ? text : fmt::format("{} allowed {}", text, memory.limit);
}

MemorySize device_memory() {
#ifdef KOKKOS_ENABLE_CUDA
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return {unknown_bytes, unknown_bytes};
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
#else
  return host_memory();
#endif
}

bool computes_on_gpu() { return is_gpu; }

std::int64_t fair_share(const SharedMemory& memory) {
  const std::int64_t of_start = memory.free_at_start / memory.ranks - memory.held;
  return std::min(memory.free_now, std::max(of_start, memory.free_now / memory.ranks));
}

FreeMemory free_memory(const JobDevices& devices) {
  const auto& sharing = devices.sharing();
  const auto share = [](std::int64_t now, std::int64_t at_start, int ranks, std::int64_t held) {
    return now == unknown_bytes ? unknown_bytes : fair_share({now, at_start, ranks, held});
  };
  FreeMemory memory;
  memory.on_gpu = is_gpu;
  // A limit of the process applies to this rank alone; memory of the host or of a control group is
  // shared by its ranks.
  memory.host_bytes =
      std::min(host_memory().free_bytes,
               share(host_memory_of_all().free_bytes, devices.free_host_bytes_at_start(),
                     sharing.of_node, is_gpu ? 0 : std::int64_t{held_bytes}));
  const MemorySize device = memory_for_arrays();
  memory.device_bytes = std::min(
      share(device.free_bytes, devices.free_device_bytes_at_start(), sharing.of_device, held_bytes),
      available_bytes(device));
  if (!is_gpu) memory.device_bytes = std::min(memory.device_bytes, memory.host_bytes);
  return memory;
}

bool fits_with_list_growth(std::int64_t bytes, const JobDevices* devices) {
  constexpr std::int64_t part_left = 20;  // divisor of the bytes held: accuracy of estimates
  const auto free_bytes =
      devices != nullptr ? free_memory(*devices).device_bytes : memory_for_arrays().free_bytes;
  return free_bytes >= bytes + held_bytes / part_left;
}

void limit_device_memory(std::int64_t bytes) { set_limit_bytes = std::max<std::int64_t>(0, bytes); }
std::string describe_memory_limit() {
  return set_limit_bytes == 0
             ? ""
             : fmt::format(", for the limit given is {}", telemetry::format_bytes(set_limit_bytes));
}
void set_moved_uses(std::size_t uses) { moved_uses = std::min(uses, moving_order.size()); }
bool is_in_host_memory(ArrayUse use) { return to_index(use) < moved_uses; }
void set_device_load(const DeviceLoad& load) {
  const std::lock_guard lock(load_mutex);
  device_load = load;
}
std::int64_t device_bytes_held() { return held_bytes; }
std::int64_t device_bytes_peak() { return by_name().peak_bytes(); }
std::vector<ArrayMemory> device_arrays() { return by_name().all(); }
void forget_device_peaks() { by_name().forget_peaks(); }

#ifdef KOKKOS_ENABLE_CUDA
MemoryPool::MemoryPool(std::int64_t bytes) {
  const auto before = device_memory();
  if (bytes <= before.free_bytes && reserve_pool(bytes)) return;
  release_pool();
  throw DeviceMemoryError(fmt::format(
      "devices.memory_pool_mb: {} are to be reserved on the GPU, of which {} are free; give a "
      "smaller number, or 0 to reserve nothing",
      telemetry::format_bytes(bytes), describe_memory_size(before)));
}
MemoryPool::~MemoryPool() { release_pool(); }
std::int64_t MemoryPool::peak_bytes() const { return pool_bytes_peak(); }
#else
MemoryPool::MemoryPool(std::int64_t) {}
MemoryPool::~MemoryPool() = default;
std::int64_t MemoryPool::peak_bytes() const { return 0; }
#endif

DeviceShare::DeviceShare(const std::string& array, std::int64_t bytes) {
  const std::int64_t limit = set_limit_bytes;
  const bool beyond_limit = limit != 0 && held_bytes + bytes > limit;
  const bool beyond_host = !is_gpu && bytes >= large_bytes && bytes > host_memory().free_bytes;
  if (beyond_limit || beyond_host) throw make_memory_error(array, bytes);
  bytes_ = bytes;
  of_name_ = by_name().take(array, bytes);
}
DeviceShare::~DeviceShare() { end(); }
void DeviceShare::end() {
  if (of_name_ != nullptr) by_name().give_back(*of_name_, bytes_);
  bytes_ = 0;
  of_name_ = nullptr;
}

DeviceMemoryError make_refusal_error(const std::string& array, std::int64_t bytes) {
#ifdef KOKKOS_ENABLE_CUDA
  (void)cudaGetLastError();  // clears the error for later checks
#endif
  return make_memory_error(array, bytes);
}

DeviceMemoryError make_pinned_error(const std::string& array, std::int64_t bytes) {
#ifdef KOKKOS_ENABLE_CUDA
  (void)cudaGetLastError();
#endif
  return DeviceMemoryError(fmt::format(
      "out of host memory: array '{}', which the GPU has no memory for, asks for {} of pinned "
      "memory; {} are free on the host; use more GPUs or fewer ranks on a node",
      array, telemetry::format_bytes(bytes), describe_memory_size(host_memory())));
}

}  // namespace nfold::device

// Memory estimate by array name, before any array is allocated.
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays are counted by the code that allocates them: within MemoryEstimate::count() an array that
// is reserved is added to the estimate under its name, and not allocated. Each owner of arrays has
// a function estimate() that reserves them for estimated counts. A test compares names and bytes
// with the real arrays: an array without an estimate fails there by its name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device_memory.hpp"

namespace nfold::device {

class MemoryEstimate;
/// Returns the estimate that counts the arrays which this thread reserves; null: they are
/// allocated.
inline MemoryEstimate*& counting_estimate() {
  static thread_local MemoryEstimate* estimate = nullptr;
  return estimate;
}

struct EstimatedArray {
  std::string group;  ///< group in the table: "state", "lists"
  std::string name;
  std::int64_t device_bytes = 0;
  std::int64_t host_bytes = 0;
};

/// Memory estimate of one rank.
class MemoryEstimate {
 public:
  /// Estimates for the backend of this build.
  MemoryEstimate() = default;
  /// for_gpu: estimates for a GPU, or for a CPU if false, in any build.
  explicit MemoryEstimate(bool for_gpu) : for_gpu_(for_gpu) {}
  [[nodiscard]] bool is_for_gpu() const { return for_gpu_; }

  /// Sets the group of the arrays added from now on.
  MemoryEstimate& in(std::string group) {
    group_ = std::move(group);
    return *this;
  }
  /// Calls reserve(): arrays that it reserves are added to the current group, and not allocated.
  /// Their elements must not be read or written, except by upload().
  template <class Reserve>
  void count(const Reserve& reserve) {
    struct Scope {
      explicit Scope(MemoryEstimate* now) : before(std::exchange(counting_estimate(), now)) {}
      ~Scope() { counting_estimate() = before; }
      Scope(const Scope&) = delete;
      Scope& operator=(const Scope&) = delete;
      MemoryEstimate* before;
    };
    const Scope scope(this);
    reserve();
  }
  void host(const std::string& name, std::int64_t bytes) { add(name, 0, bytes); }
  void device(const std::string& name, std::int64_t bytes) { add(name, bytes, 0); }

  /// Marks part of the device bytes as optional: allocated only if there is enough memory.
  void mark_optional(std::int64_t device_bytes) { optional_device_bytes_ += device_bytes; }

  /// Adds all arrays of another estimate, `times` over.
  void add(const MemoryEstimate& other, std::int64_t times = 1) {
    for (const auto& one : other.arrays_) {
      merge({one.group, one.name, one.device_bytes * times, one.host_bytes * times});
    }
    optional_device_bytes_ += other.optional_device_bytes_ * times;
  }

  /// Returns the estimate without host memory.
  [[nodiscard]] MemoryEstimate on_device() const {
    MemoryEstimate estimate(for_gpu_);
    for (const auto& one : arrays_) {
      if (one.device_bytes > 0) estimate.merge({one.group, one.name, one.device_bytes, 0});
    }
    estimate.optional_device_bytes_ = optional_device_bytes_;
    return estimate;
  }

  /// Returns the arrays in the order in which groups and names were first added.
  [[nodiscard]] const std::vector<EstimatedArray>& arrays() const { return arrays_; }
  [[nodiscard]] std::int64_t device_bytes() const {
    std::int64_t sum = 0;
    for (const auto& one : arrays_) sum += one.device_bytes;
    return sum;
  }
  /// Returns the device bytes without optional ones.
  [[nodiscard]] std::int64_t needed_device_bytes() const {
    return device_bytes() - optional_device_bytes_;
  }
  [[nodiscard]] std::int64_t host_bytes() const {
    std::int64_t sum = 0;
    for (const auto& one : arrays_) sum += one.host_bytes;
    return sum;
  }
  /// Returns null if there is no such array.
  [[nodiscard]] const EstimatedArray* find(std::string_view name) const {
    const auto at = std::find_if(arrays_.begin(), arrays_.end(),
                                 [name](const EstimatedArray& one) { return one.name == name; });
    return at == arrays_.end() ? nullptr : &*at;
  }

 private:
  void add(const std::string& name, std::int64_t device_bytes, std::int64_t host_bytes) {
    merge({group_, name, device_bytes, host_bytes});
  }
  /// Adds to the entry of the same group and name, since several arrays may share a name.
  void merge(EstimatedArray added) {
    for (auto& one : arrays_) {
      if (one.name != added.name || one.group != added.group) continue;
      one.device_bytes += added.device_bytes;
      one.host_bytes += added.host_bytes;
      return;
    }
    arrays_.push_back(std::move(added));
  }

  bool for_gpu_ = computes_on_gpu();
  std::string group_ = "other";
  std::vector<EstimatedArray> arrays_;
  std::int64_t optional_device_bytes_ = 0;
};

/// True if the arrays that this thread reserves are on a GPU, or are counted for one.
[[nodiscard]] inline bool reserves_on_gpu() {
  const auto* const estimate = counting_estimate();
  return estimate != nullptr ? estimate->is_for_gpu() : computes_on_gpu();
}

}  // namespace nfold::device

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

#include "device/array_use.hpp"
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
  ArrayUse use = ArrayUse::steps;
};

/// True if arrays of `estimated` bytes fit, with a twentieth to spare for errors of the estimate.
[[nodiscard]] constexpr bool fits_with_margin(std::int64_t estimated, std::int64_t free_bytes) {
  return estimated + estimated / 20 <= free_bytes;
}

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
  void host(const std::string& name, std::int64_t bytes) { merge({group_, name, 0, bytes}); }
  void device(const std::string& name, std::int64_t bytes, ArrayUse use = ArrayUse::steps) {
    merge({group_, name, bytes, 0, use});
  }

  /// Marks part of the device bytes as optional: allocated only if there is enough memory.
  void mark_optional(std::int64_t device_bytes) { optional_device_bytes_ += device_bytes; }

  /// Adds all arrays of another estimate, `times` over.
  void add(const MemoryEstimate& other, std::int64_t times = 1) {
    for (const auto& one : other.arrays_) {
      merge({one.group, one.name, one.device_bytes * times, one.host_bytes * times, one.use});
    }
    optional_device_bytes_ += other.optional_device_bytes_ * times;
  }

  /// Returns the estimate without host memory.
  [[nodiscard]] MemoryEstimate on_device() const {
    MemoryEstimate estimate(for_gpu_);
    for (const auto& one : arrays_) {
      if (one.device_bytes > 0) estimate.merge({one.group, one.name, one.device_bytes, 0, one.use});
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
  /// Returns the device bytes of arrays of the first `uses` of moving_order; 0 on a CPU, where the
  /// device is the host.
  [[nodiscard]] std::int64_t movable_bytes(std::size_t uses) const {
    std::int64_t sum = 0;
    for (const auto& one : arrays_) sum += is_movable(one, uses) ? one.device_bytes : 0;
    return sum;
  }
  /// Returns the device bytes that neither are optional nor can move to the host.
  [[nodiscard]] std::int64_t least_device_bytes() const {
    return needed_device_bytes() - movable_bytes(moving_order.size());
  }
  /// Returns the least number of uses of moving_order to move to the host, so that the needed
  /// arrays fit_with_margin() on the device. Only as many as the host holds; all of them even if
  /// that is not enough.
  [[nodiscard]] std::size_t count_uses_to_move(std::int64_t free_device_bytes,
                                               std::int64_t free_host_bytes) const {
    std::size_t uses = 0;
    const auto fits = [&] {
      return fits_with_margin(needed_device_bytes() - movable_bytes(uses), free_device_bytes);
    };
    while (uses < moving_order.size() && !fits() && movable_bytes(uses + 1) <= free_host_bytes) {
      ++uses;
    }
    return movable_bytes(uses) > 0 ? uses : 0;
  }
  /// Returns the estimate with arrays of the first `uses` of moving_order in host memory.
  [[nodiscard]] MemoryEstimate with_moved(std::size_t uses) const {
    auto estimate = *this;
    for (auto& one : estimate.arrays_) {
      if (is_movable(one, uses)) one.host_bytes += std::exchange(one.device_bytes, 0);
    }
    return estimate;
  }
  /// Returns null if there is no such array.
  [[nodiscard]] const EstimatedArray* find(std::string_view name) const {
    const auto at = std::find_if(arrays_.begin(), arrays_.end(),
                                 [name](const EstimatedArray& one) { return one.name == name; });
    return at == arrays_.end() ? nullptr : &*at;
  }

 private:
  [[nodiscard]] bool is_movable(const EstimatedArray& one, std::size_t uses) const {
    return for_gpu_ && to_index(one.use) < std::min(uses, moving_order.size());
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

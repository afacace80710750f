// Memory estimate by array name, before any array is allocated.
// SPDX-License-Identifier: BSD-3-Clause
//
// Each owner of an array has a function plan() next to it, which adds the array under its name with
// the number of elements that the allocating code uses for the same counts (array_capacity.hpp). A
// test compares names and bytes with the real arrays: an array without an estimate fails there by
// its name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/array_capacity.hpp"
#include "device/device_memory.hpp"

namespace nfold::device {

struct PlannedArray {
  std::string group;  ///< group in the table: "state", "lists"
  std::string name;
  std::int64_t device_bytes = 0;
  std::int64_t host_bytes = 0;
};

/// Memory estimate of one rank. An array has at least one element, like DeviceArray.
class MemoryPlan {
 public:
  /// Estimates for the backend of this build.
  MemoryPlan() = default;
  /// for_gpu: estimates for a GPU, or for a CPU if false, in any build.
  explicit MemoryPlan(bool for_gpu) : for_gpu_(for_gpu) {}
  [[nodiscard]] bool is_for_gpu() const { return for_gpu_; }

  /// Sets the group of the arrays added from now on.
  MemoryPlan& in(std::string group) {
    group_ = std::move(group);
    return *this;
  }
  template <class T>
  void array(const std::string& name, std::int64_t elements) {
    add(name, bytes_of<T>(elements), 0);
  }
  /// Adds DeviceColumns.
  template <class T>
  void columns(const std::string& name, std::int64_t elements) {
    for (const char* const axis : {".x", ".y", ".z"}) array<T>(name + axis, elements);
  }
  /// Adds a StagedArray: on a GPU with a copy in host memory.
  template <class T>
  void staged(const std::string& name, std::int64_t elements) {
    const std::int64_t bytes = bytes_of<T>(add_quarter(elements));
    add(name, bytes, for_gpu_ ? bytes : 0);
  }
  void host(const std::string& name, std::int64_t bytes) { add(name, 0, bytes); }
  /// Adds device memory that is no DeviceArray.
  void device(const std::string& name, std::int64_t bytes) { add(name, bytes, 0); }

  /// Marks part of the device bytes as optional: allocated only if there is enough memory.
  void mark_optional(std::int64_t device_bytes) { optional_device_bytes_ += device_bytes; }

  /// Adds all arrays of another estimate, `times` over.
  void add(const MemoryPlan& other, std::int64_t times = 1) {
    for (const auto& one : other.arrays_) {
      merge({one.group, one.name, one.device_bytes * times, one.host_bytes * times});
    }
    optional_device_bytes_ += other.optional_device_bytes_ * times;
  }

  /// Returns the estimate without host memory.
  [[nodiscard]] MemoryPlan on_device() const {
    MemoryPlan plan(for_gpu_);
    for (const auto& one : arrays_) {
      if (one.device_bytes > 0) plan.merge({one.group, one.name, one.device_bytes, 0});
    }
    plan.optional_device_bytes_ = optional_device_bytes_;
    return plan;
  }

  /// Returns the arrays in the order in which groups and names were first added.
  [[nodiscard]] const std::vector<PlannedArray>& arrays() const { return arrays_; }
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
  [[nodiscard]] const PlannedArray* find(std::string_view name) const {
    const auto at = std::find_if(arrays_.begin(), arrays_.end(),
                                 [name](const PlannedArray& one) { return one.name == name; });
    return at == arrays_.end() ? nullptr : &*at;
  }

 private:
  template <class T>
  static std::int64_t bytes_of(std::int64_t elements) {
    return std::max<std::int64_t>(1, elements) * static_cast<std::int64_t>(sizeof(T));
  }
  void add(const std::string& name, std::int64_t device_bytes, std::int64_t host_bytes) {
    merge({group_, name, device_bytes, host_bytes});
  }
  /// Adds to the entry of the same group and name, since several arrays may share a name.
  void merge(PlannedArray added) {
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
  std::vector<PlannedArray> arrays_;
  std::int64_t optional_device_bytes_ = 0;
};

}  // namespace nfold::device

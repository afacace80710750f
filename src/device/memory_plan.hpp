// What arrays will take, by their names, before any of them is made.
// SPDX-License-Identifier: BSD-3-Clause
//
// Who has an array has a function plan() beside it, which adds the array under its name with as
// many elements as the code that allocates takes for these counts (array_room.hpp). A test holds
// the names and bytes of real arrays against it: one that nobody planned fails there by its name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/array_room.hpp"
#include "device/device_memory.hpp"

namespace nfold::device {

struct PlannedArray {
  std::string group;  ///< of the table: "state", "lists"
  std::string name;
  std::int64_t device_bytes = 0;
  std::int64_t host_bytes = 0;
};

/// Of one rank. An array has room for one element at least, as DeviceArray has.
class MemoryPlan {
 public:
  /// Of where engines of this build are.
  MemoryPlan() = default;
  /// of_gpu: of arrays on a GPU, which a build for CPUs may plan as well; and the other way round.
  explicit MemoryPlan(bool of_gpu) : of_gpu_(of_gpu) {}
  [[nodiscard]] bool is_of_gpu() const { return of_gpu_; }

  /// What is added from now on belongs to this group.
  MemoryPlan& in(std::string group) {
    group_ = std::move(group);
    return *this;
  }
  template <class T>
  void array(const std::string& name, std::int64_t elements) {
    add(name, bytes_of<T>(elements), 0);
  }
  /// DeviceColumns.
  template <class T>
  void columns(const std::string& name, std::int64_t elements) {
    for (const char* const axis : {".x", ".y", ".z"}) array<T>(name + axis, elements);
  }
  /// StagedArray: of a GPU with a twin in the host's memory.
  template <class T>
  void staged(const std::string& name, std::int64_t elements) {
    const std::int64_t bytes = bytes_of<T>(and_a_quarter(elements));
    add(name, bytes, of_gpu_ ? bytes : 0);
  }
  void host(const std::string& name, std::int64_t bytes) { add(name, 0, bytes); }
  /// What is on the device, but no DeviceArray.
  void device(const std::string& name, std::int64_t bytes) { add(name, bytes, 0); }

  /// Of the arrays on the device, what is only taken where there is room for it.
  void can_spare(std::int64_t device_bytes) { spare_device_bytes_ += device_bytes; }

  /// So many of what another plan has.
  void add(const MemoryPlan& other, std::int64_t times = 1) {
    for (const auto& one : other.arrays_) {
      merge({one.group, one.name, one.device_bytes * times, one.host_bytes * times});
    }
    spare_device_bytes_ += other.spare_device_bytes_ * times;
  }

  /// The same without what is on the host.
  [[nodiscard]] MemoryPlan on_device() const {
    MemoryPlan plan(of_gpu_);
    for (const auto& one : arrays_) {
      if (one.device_bytes > 0) plan.merge({one.group, one.name, one.device_bytes, 0});
    }
    plan.spare_device_bytes_ = spare_device_bytes_;
    return plan;
  }

  /// In the order in which groups and names came first.
  [[nodiscard]] const std::vector<PlannedArray>& arrays() const { return arrays_; }
  [[nodiscard]] std::int64_t device_bytes() const {
    std::int64_t sum = 0;
    for (const auto& one : arrays_) sum += one.device_bytes;
    return sum;
  }
  /// Without what can be spared.
  [[nodiscard]] std::int64_t needed_device_bytes() const {
    return device_bytes() - spare_device_bytes_;
  }
  [[nodiscard]] std::int64_t host_bytes() const {
    std::int64_t sum = 0;
    for (const auto& one : arrays_) sum += one.host_bytes;
    return sum;
  }
  /// Null where there is no such array.
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
  /// Several arrays may have one name.
  void merge(PlannedArray added) {
    for (auto& one : arrays_) {
      if (one.name != added.name || one.group != added.group) continue;
      one.device_bytes += added.device_bytes;
      one.host_bytes += added.host_bytes;
      return;
    }
    arrays_.push_back(std::move(added));
  }

  bool of_gpu_ = computes_on_gpu();
  std::string group_ = "other";
  std::vector<PlannedArray> arrays_;
  std::int64_t spare_device_bytes_ = 0;
};

}  // namespace nfold::device

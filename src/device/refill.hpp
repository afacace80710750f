// Growth rules of arrays: headroom of arrays that grow or are refilled during a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/device_array.hpp"

namespace nfold::device {

[[nodiscard]] constexpr std::int64_t add_eighth(std::int64_t n) { return n + n / 8; }
[[nodiscard]] constexpr std::int64_t add_quarter(std::int64_t n) { return n + n / 4; }

/// Array: DeviceArray or DeviceColumns. Reserves an eighth more than n if the array is smaller than
/// n, and loses its elements. Returns true if it was reallocated.
template <class Array>
bool grow_by_eighth(Array& array, std::int64_t n) {
  return n > array.size() && array.reserve(add_eighth(n));
}

/// Like grow_by_eighth() with a quarter; an array that was never reserved gets at least one
/// element.
template <class Array>
bool grow_by_quarter(Array& array, std::int64_t n) {
  return (n > array.size() || array.size() == 0) && array.reserve(add_quarter(n));
}
/// Reserves n elements at first, later as grow_by_eighth(), since a rank that gains residues may
/// gain more.
template <class Array>
bool reserve_for_refill(Array& array, std::int64_t n) {
  return array.size() == 0 ? array.reserve(n) : grow_by_eighth(array, n);
}
template <class T>
void refill(DeviceArray<T>& array, const std::vector<T>& values) {
  reserve_for_refill(array, static_cast<std::int64_t>(values.size()));
  array.upload(values);
}

}  // namespace nfold::device

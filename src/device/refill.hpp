// Arrays that are refilled during a run, with headroom once they have to grow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/array_capacity.hpp"
#include "device/device_array.hpp"

namespace nfold::device {

/// Returns the capacity for n elements of an array of capacity `there`: exact at first, then with
/// an eighth of headroom, since a rank that gains residues may gain more.
[[nodiscard]] constexpr std::int64_t refilled(std::int64_t there, std::int64_t n) {
  return there == 0 || n <= there ? n : add_eighth(n);
}
/// Array: DeviceArray or DeviceColumns. Loses all elements if it grows.
template <class Array>
bool reserve_for_refill(Array& array, std::int64_t n) {
  return array.reserve(refilled(array.size(), n));
}
template <class T>
void refill(DeviceArray<T>& array, const std::vector<T>& values) {
  reserve_for_refill(array, static_cast<std::int64_t>(values.size()));
  array.upload(values);
}

}  // namespace nfold::device

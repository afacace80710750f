// Arrays that are filled anew while a run goes on: where one must grow, it gets room for more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/array_room.hpp"
#include "device/device_array.hpp"

namespace nfold::device {

/// Room for n elements where there is room for `there`: exactly so at first, then an eighth more,
/// since who gets residues once may get some again.
[[nodiscard]] constexpr std::int64_t refilled(std::int64_t there, std::int64_t n) {
  return there == 0 || n <= there ? n : and_an_eighth(n);
}
/// Array: DeviceArray or DeviceColumns. No element is kept where it grows.
template <class Array>
bool reserve_anew(Array& array, std::int64_t n) {
  return array.reserve(refilled(array.size(), n));
}
template <class T>
void refill(DeviceArray<T>& array, const std::vector<T>& values) {
  reserve_anew(array, static_cast<std::int64_t>(values.size()));
  array.upload(values);
}

}  // namespace nfold::device

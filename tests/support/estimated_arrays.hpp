// Comparison of allocated arrays with their memory estimate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "device/memory_estimate.hpp"

namespace nfold::test {

/// Expects that the estimate has each array since device::forget_device_peaks() by name, and the
/// bytes of large ones within 5 %.
inline void expect_estimated(const device::MemoryEstimate& estimate, const std::string& what) {
  constexpr std::int64_t large_bytes = 96 << 10;  // below this, one more layer of cells is 5 %
  constexpr double slack = 0.05;
  const auto expect_near = [&](const std::string& name, std::int64_t estimated, std::int64_t peak) {
    EXPECT_NEAR(static_cast<double>(estimated), static_cast<double>(peak),
                slack * static_cast<double>(peak))
        << what << ": " << name;
  };
  std::int64_t largest_bytes = 0;
  for (const auto& array : device::device_arrays()) {
    const auto* const estimated = estimate.find(array.name);
    if (estimated == nullptr) {
      ADD_FAILURE() << what << ": array '" << array.name << "' is in no estimate";
      continue;
    }
    largest_bytes = std::max(largest_bytes, array.peak_bytes);
    if (array.peak_bytes >= large_bytes) {
      expect_near(array.name, estimated->device_bytes, array.peak_bytes);
    }
  }
  EXPECT_GE(largest_bytes, large_bytes) << what << " is too small a system to tell anything";
  expect_near("all arrays", estimate.device_bytes(), device::device_bytes_peak());
}

}  // namespace nfold::test

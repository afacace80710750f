// Comparison of allocated arrays with the memory plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "device/memory_plan.hpp"

namespace nfold::test {

/// Expects that the plan has each array since device::forget_device_peaks() by name, and the bytes
/// of large ones within 5 %.
inline void expect_planned(const device::MemoryPlan& plan, const std::string& what) {
  constexpr std::int64_t large_bytes = 96 << 10;  // below this, one more layer of cells is 5 %
  constexpr double slack = 0.05;
  const auto expect_near = [&](const std::string& name, std::int64_t planned, std::int64_t peak) {
    EXPECT_NEAR(static_cast<double>(planned), static_cast<double>(peak),
                slack * static_cast<double>(peak))
        << what << ": " << name;
  };
  std::int64_t largest_bytes = 0;
  for (const auto& array : device::device_arrays()) {
    const auto* const planned = plan.find(array.name);
    if (planned == nullptr) {
      ADD_FAILURE() << what << ": array '" << array.name << "' is in no plan";
      continue;
    }
    largest_bytes = std::max(largest_bytes, array.peak_bytes);
    if (array.peak_bytes >= large_bytes) {
      expect_near(array.name, planned->device_bytes, array.peak_bytes);
    }
  }
  EXPECT_GE(largest_bytes, large_bytes) << what << " is too small a system to tell anything";
  expect_near("all arrays", plan.device_bytes(), device::device_bytes_peak());
}

}  // namespace nfold::test

// Small kernel with a known result.
// SPDX-License-Identifier: BSD-3-Clause

#include "device/device_test.hpp"

#include <Kokkos_Core.hpp>
#include <exception>

#include "device/device_array.hpp"

namespace nfold::device {
namespace {

struct Sum {
  KOKKOS_FUNCTION void operator()(int item, int& sum) const { sum += item; }
};

}  // namespace

bool device_computes() {
  constexpr int items = 1024;
  try {
    int sum = 0;
    Kokkos::parallel_reduce("device_test", Kokkos::RangePolicy<Space>(0, items), Sum{}, sum);
    return sum == items * (items - 1) / 2;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace nfold::device

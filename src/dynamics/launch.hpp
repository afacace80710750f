// Launching a kernel on the execution space; on one CPU thread a plain loop, which costs nothing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "dynamics/device_array.hpp"

namespace nfold::dynamics {

/// A CPU thread takes every so manieth item, so that unequal kinds of items spread evenly.
template <class Loop>
struct StridedLoop {
  Loop loop;
  int items, stride;
  KOKKOS_FUNCTION void operator()(int thread) const {
    const Loop own = loop;
    for (int item = thread; item < items; item += stride) own(item);
  }
};

template <class Loop>
void launch(const char* label, int items, const Loop& loop) {
  if (items <= 0) return;
  if constexpr (on_host) {
    const int threads = std::min(Space().concurrency(), items);
    const StridedLoop<Loop> strided{loop, items, threads};
    if (threads == 1) {
      strided(0);
    } else {
      Kokkos::parallel_for(
          label, Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(0, threads), strided);
    }
  } else {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(0, items), loop);
  }
}

/// Exact sum of what the loop adds.
template <class Loop>
[[nodiscard]] std::int64_t sum_over(const char* label, int items, const Loop& loop) {
  std::int64_t sum = 0;
  if (items > 0) Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Space>(0, items), loop, sum);
  return sum;
}

inline void fence() {
  if constexpr (!on_host) Space().fence();
}

}  // namespace nfold::dynamics

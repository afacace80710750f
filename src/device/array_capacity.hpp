// Growth rule of arrays, shared by the code that allocates and by memory estimates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::device {

[[nodiscard]] constexpr std::int64_t add_eighth(std::int64_t n) { return n + n / 8; }
[[nodiscard]] constexpr std::int64_t add_quarter(std::int64_t n) { return n + n / 4; }

/// Returns the capacity after a reservation for `first` and then for `later` elements, by one of
/// the rules above. An array never shrinks.
[[nodiscard]] constexpr std::int64_t grown_capacity(std::int64_t (*initial_capacity)(std::int64_t),
                                                    std::int64_t first, std::int64_t later) {
  const std::int64_t there = initial_capacity(first);
  return later > there ? initial_capacity(later) : there;
}

}  // namespace nfold::device

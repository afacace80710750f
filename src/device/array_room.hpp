// How many elements an array that grows gets: the one rule of those that allocate and of plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::device {

[[nodiscard]] constexpr std::int64_t and_an_eighth(std::int64_t n) { return n + n / 8; }
[[nodiscard]] constexpr std::int64_t and_a_quarter(std::int64_t n) { return n + n / 4; }

/// What is there after room for `first` and then for `later`, by one of the rules above: what was
/// enough stays.
[[nodiscard]] constexpr std::int64_t grown(std::int64_t (*room)(std::int64_t), std::int64_t first,
                                           std::int64_t later) {
  const std::int64_t there = room(first);
  return later > there ? room(later) : there;
}

}  // namespace nfold::device

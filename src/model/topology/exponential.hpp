// Exponential function from sums and products, with the same bits on every machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace nfold::topology {

/// Returns exp(x), relative error below 1e-15, for -700 <= x <= 700, to which x is limited: x = k
/// ln 2 + r and the Taylor series of exp(r). libm may differ by a bit between hosts, and so would
/// the terms that follow from it.
[[nodiscard]] inline double exponential(double x) {
  constexpr double largest = 700;
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr int terms = 14;  // r^15/15! is below 1e-19 for r <= ln(2)/2
  x = std::clamp(x, -largest, largest);
  const double k = std::nearbyint(x / (ln2_high + ln2_low));
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1;
  for (int n = terms; n > 0; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace nfold::topology

// Incomplete gamma function, and chi-square quantiles by bisection.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/chi_square.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace nfold::analysis {
namespace {

constexpr double smallest = std::numeric_limits<double>::epsilon();

/// Computes the series for P without its prefactor.
double series(double shape, double x) {
  double term = 1 / shape, sum = term;
  for (double n = 1; term > sum * smallest; n += 1) {
    term *= x / (shape + n);
    sum += term;
  }
  return sum;
}

/// Computes the continued fraction for 1 - P without its prefactor, by Lentz's method.
double continued_fraction(double shape, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - shape, c = 1 / tiny, d = 1 / b, value = d, change = 0;
  for (double n = 1; std::abs(change - 1) > smallest && n < 1e6; n += 1) {
    const double a = -n * (n - shape);
    b += 2;
    d = a * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + a / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    change = c * d;
    value *= change;
  }
  return value;
}

}  // namespace

double regularised_gamma(double shape, double x) {
  if (!(shape > 0) || !(x >= 0)) throw std::invalid_argument("gamma of no shape or below 0");
  if (x == 0) return 0;
  const double factor = std::exp(shape * std::log(x) - x - std::lgamma(shape));
  return x < shape + 1 ? factor * series(shape, x) : 1 - factor * continued_fraction(shape, x);
}

double chi_square_quantile(double probability, double degrees) {
  if (!(probability > 0) || !(probability < 1) || !(degrees > 0)) {
    throw std::invalid_argument("a quantile of chi-square outside 0 to 1, or without freedom");
  }
  double low = 0, high = degrees + 1;
  while (regularised_gamma(degrees / 2, high / 2) < probability) high *= 2;
  while (high - low > 4 * smallest * high) {
    const double middle = low + (high - low) / 2;
    (regularised_gamma(degrees / 2, middle / 2) < probability ? low : high) = middle;
  }
  return high;
}

}  // namespace nfold::analysis

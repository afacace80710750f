// Piecewise polynomials in bins that divide octaves evenly.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace nfold::pair_forms {

/// Returns the polynomial's coefficients, constant first, through the values of f at Chebyshev
/// nodes between from and to.
template <std::size_t size, class Function>
std::array<double, size> fit(const Function& f, double from, double to, std::size_t used = size) {
  std::array<double, size> x{}, c{};
  for (std::size_t k = 0; k < used; ++k) {
    const double angle =
        std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(used);
    x.at(k) = 0.5 * (from + to) - 0.5 * (to - from) * std::cos(angle);
    c.at(k) = f(x.at(k));
  }
  for (std::size_t order = 1; order < used; ++order) {  // divided differences
    for (std::size_t k = used - 1; k >= order; --k) {
      c.at(k) = (c.at(k) - c.at(k - 1)) / (x.at(k) - x.at(k - order));
    }
  }
  std::array<double, size> power{};
  power[0] = used > 0 ? c.at(used - 1) : 0;
  for (std::size_t k = used - 1; k-- > 0;) {  // multiplies by (t - x_k) and adds c_k
    for (std::size_t n = used - 1; n > 0; --n)
      power.at(n) = power.at(n - 1) - x.at(k) * power.at(n);
    power[0] = c.at(k) - x.at(k) * power[0];
  }
  return power;
}

template <class Coefficients>
double polynomial(const Coefficients& c, double t) {
  double sum = 0;
  for (std::size_t k = std::size(c); k-- > 0;) sum = sum * t + c[k];
  return sum;
}
template <class Coefficients>
double derivative(const Coefficients& c, double t) {
  double sum = 0;
  for (std::size_t k = std::size(c); k-- > 1;) sum = sum * t + static_cast<double>(k) * c[k];
  return sum;
}

/// Bins of one row: octaves from the first on, each in even parts.
struct Bins {
  int first_octave, octaves_log2, bins_log2;
  [[nodiscard]] int octaves() const { return 1 << octaves_log2; }
  [[nodiscard]] int per_octave() const { return 1 << bins_log2; }
  [[nodiscard]] std::size_t count() const { return std::size_t{1} << (octaves_log2 + bins_log2); }
  struct Range {
    double from, to;
    std::size_t place;
  };
  /// Calls visit(Range, octave) for each bin, in ascending order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int octave = first_octave; octave < first_octave + octaves(); ++octave) {
      for (int part = 0; part < per_octave(); ++part) {
        const double from = std::ldexp(1 + std::ldexp(part, -bins_log2), octave);
        visit(Range{from, from + std::ldexp(1, octave - bins_log2), place(octave, part)});
      }
    }
  }
  /// Kernels take the low bits of a float's exponent, which is biased by 127 or 1023.
  [[nodiscard]] std::size_t place(int octave, int part) const {
    const auto row = static_cast<std::size_t>((octave + 127) & (octaves() - 1));
    return (row << bins_log2) + static_cast<std::size_t>(part);
  }
  [[nodiscard]] Range range_of(double q) const {
    const int octave = std::ilogb(q);
    const int part = static_cast<int>(std::ldexp(std::ldexp(q, -octave) - 1, bins_log2));
    const double from = std::ldexp(1 + std::ldexp(part, -bins_log2), octave);
    return {from, from + std::ldexp(1, octave - bins_log2), place(octave, part)};
  }
};

/// Number of coefficients that a part of a bin determines; all are expressed in the whole bin.
inline std::size_t coefficients_for(double share, std::size_t all, double digits) {
  if (share > 0.999) return all;
  const double lost = -std::log10(std::max(share, 1e-300));
  return std::clamp<std::size_t>(1 + static_cast<std::size_t>(digits / lost), 1, all);
}

/// One table of all rows. coefficients: per bin; begin: value of t at the lower end of a bin, whose
/// length in t is 1.
template <std::size_t coefficients>
class Table {
 public:
  Table(const Bins& bins, double begin, std::size_t rows)
      : bins_(bins), begin_(begin), values_(rows * bins.count() * coefficients) {}
  /// Fits f(q) to a row between two limits, and continues it by lines beyond them.
  template <class Function>
  void fill(std::size_t row, double lowest_q, double highest_q, double digits, const Function& f) {
    bins_.for_each([&](const Bins::Range& bin) {
      const double low = std::max(bin.from, lowest_q), high = std::min(bin.to, highest_q);
      const double length = bin.to - bin.from;
      if (!(low < high)) return;
      const auto t = [&](double q) { return begin_ + (q - bin.from) / length; };
      // A sliver of a bin takes some of the next bin's curve along, since it has no slope alone;
      // the curve may have a break at q = 1.
      const double first_q = low < 1 ? lowest_q : std::max(lowest_q, 1.0);
      const double last_q = high > 1 ? highest_q : std::min(highest_q, 1.0);
      const double from = std::max(first_q, std::min(low, high - length / 2));
      const double to = std::min(last_q, std::max(high, from + length / 2));
      const auto used = coefficients_for((to - from) / length, coefficients, digits);
      const auto c = fit<coefficients>(
          [&](double at) { return f(bin.from + (at - begin_) * length); }, t(from), t(to), used);
      std::ranges::copy(c, this->bin(row, bin.place));
    });
    // Rounding of q may lead into the next bin.
    const double ends[2] = {lowest_q, highest_q};
    const auto first = bins_.range_of(lowest_q);
    const auto last = bins_.range_of(std::nextafter(highest_q, 0));
    const double value[2] = {at(row, lowest_q), at_in(row, last, highest_q)};
    const double slope[2] = {slope_at(row, lowest_q), slope_in(row, last, highest_q)};
    bins_.for_each([&](const Bins::Range& bin) {
      if (bin.to > first.from && bin.from < last.to) return;
      const std::size_t side = bin.to <= first.from ? 0 : 1;
      const double length = bin.to - bin.from;
      const double line = slope[side] * length;
      auto* const c = this->bin(row, bin.place);
      c[0] = value[side] + line * (0 - begin_) + slope[side] * (bin.from - ends[side]);
      c[1] = line;
    });
  }
  [[nodiscard]] double at(std::size_t row, double q) const {
    return at_in(row, bins_.range_of(q), q);
  }
  [[nodiscard]] double slope_at(std::size_t row, double q) const {
    return slope_in(row, bins_.range_of(q), q);
  }
  /// Rounds the coefficients to single precision.
  void round() {
    for (double& c : values_) c = static_cast<float>(c);
  }
  [[nodiscard]] const Bins& bins() const { return bins_; }
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] std::vector<double> take() { return std::move(values_); }
  [[nodiscard]] std::span<double> row(std::size_t row) {
    const auto size = bins_.count() * coefficients;
    return std::span(values_).subspan(row * size, size);
  }

 private:
  double* bin(std::size_t row, std::size_t place) {
    return values_.data() + (row * bins_.count() + place) * coefficients;
  }
  [[nodiscard]] std::span<const double> bin(std::size_t row, std::size_t place) const {
    return std::span(values_).subspan((row * bins_.count() + place) * coefficients, coefficients);
  }
  [[nodiscard]] double at_in(std::size_t row, const Bins::Range& range, double q) const {
    return polynomial(bin(row, range.place), begin_ + (q - range.from) / (range.to - range.from));
  }
  [[nodiscard]] double slope_in(std::size_t row, const Bins::Range& range, double q) const {
    const double length = range.to - range.from;
    return derivative(bin(row, range.place), begin_ + (q - range.from) / length) / length;
  }

  Bins bins_;
  double begin_;
  std::vector<double> values_;
};

}  // namespace nfold::pair_forms

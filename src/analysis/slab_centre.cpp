// Slab centre by circular mean, then circular median.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/slab_centre.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace nfold::analysis {
namespace {

constexpr std::size_t coarse = 64;

// Computes cos(2 pi k / 64) by halving angles. Square roots only: the bits must not depend on libm.
std::array<double, coarse> cosines() {
  std::array<double, coarse> cosine{};
  double c = 0, s = 1;  // quarter turn, halved until it is a 64th
  for (std::size_t n = 4; n < coarse; n *= 2) {
    const double half = std::sqrt((1 + c) / 2);
    s = s / (2 * half);
    c = half;
  }
  double x = 1, y = 0;
  for (auto& value : cosine) {
    value = x;
    const double turned = c * x - s * y;
    y = s * x + c * y;
    x = turned;
  }
  return cosine;
}

double wrapped(double position_nm, double length_nm) {
  const double inside = position_nm - length_nm * std::floor(position_nm / length_nm);
  return inside < length_nm ? inside : 0;
}

double coarse_centre_nm(std::span<const double> positions_nm, double length_nm) {
  static const auto cosine = cosines();
  std::array<double, coarse> count{};
  for (const double position : positions_nm) {
    const auto bin = static_cast<std::size_t>(wrapped(position, length_nm) / length_nm * coarse);
    count[std::min(bin, coarse - 1)] += 1;
  }
  std::size_t best = 0;
  double highest = 0;
  for (std::size_t c = 0; c < coarse; ++c) {
    double wave = 0;
    for (std::size_t k = 0; k < coarse; ++k) wave += count[k] * cosine[(k + coarse - c) % coarse];
    if (c == 0 || wave > highest) {
      best = c;
      highest = wave;
    }
  }
  return (static_cast<double>(best) + 0.5) * length_nm / coarse;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

double slab_centre_nm(std::span<const double> positions_nm, double length_nm) {
  constexpr int most_rounds = 20;
  double centre = coarse_centre_nm(positions_nm, length_nm);
  std::vector<double> distances(positions_nm.size());
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i < positions_nm.size(); ++i) {
      const double d = positions_nm[i] - centre;
      distances[i] = d - length_nm * std::nearbyint(d / length_nm);
    }
    const double shift = median(distances);
    centre += shift;
    if (std::abs(shift) <= 1e-9 * length_nm) break;
  }
  return wrapped(centre, length_nm);
}

}  // namespace nfold::analysis

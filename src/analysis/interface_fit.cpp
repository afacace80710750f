// Least squares: linear in the densities, on ever finer grids in thickness and width.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/interface_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace nfold::analysis {
namespace {

constexpr double least_width_nm = 0.05;

/// Computes tanh from its series at x / 64 and six doublings.
double steady_tanh(double x) {
  constexpr double saturated = 20;
  if (std::abs(x) > saturated) return x > 0 ? 1 : -1;
  constexpr int doublings = 6;
  const double y = x / (1 << doublings), s = y * y;
  double t = y * (1 - s / 3 * (1 - s * 2 / 5 * (1 - s * 17 / 42)));
  for (int k = 0; k < doublings; ++k) t = 2 * t / (1 + t * t);
  return t;
}

/// Share of the dense phase.
double dense_share(double distance, double half, double width) {
  return 0.5 - 0.5 * steady_tanh((distance - half) / width);
}

struct Fit {
  Interface interface;
  double squares;
};

/// Returns the best densities for an interface of this place and width.
Fit fit_densities(std::span<const double> distance, std::span<const double> density, double half,
                  double width) {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, yy = 0;
  for (std::size_t k = 0; k < distance.size(); ++k) {
    const double a = dense_share(distance[k], half, width), b = 1 - a, y = density[k];
    aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y, yy += y * y;
  }
  const auto squares = [&](double dense, double dilute) {
    return yy - 2 * (dense * ay + dilute * by) + dense * dense * aa + 2 * dense * dilute * ab +
           dilute * dilute * bb;
  };
  const double determinant = aa * bb - ab * ab;
  double dense = 0, dilute = 0;
  if (determinant > 1e-12 * aa * bb) {
    dense = (ay * bb - by * ab) / determinant;
    dilute = (by * aa - ay * ab) / determinant;
  }
  if (!(determinant > 1e-12 * aa * bb) || dilute < 0) {
    dense = aa > 0 ? ay / aa : 0, dilute = 0;
  } else if (dense < 0) {
    dense = 0, dilute = by / bb;
  }
  return {{dense, dilute, half, width}, squares(dense, dilute)};
}

}  // namespace

double density_at(const Interface& interface, double distance_nm) {
  const double share = dense_share(distance_nm, interface.half_nm, interface.width_nm);
  return share * interface.dense + (1 - share) * interface.dilute;
}

Interface fit_interface(std::span<const double> distance_nm, std::span<const double> density) {
  if (distance_nm.size() < 2 || distance_nm.size() != density.size()) {
    throw std::invalid_argument("a profile of fewer than two slices");
  }
  constexpr int first_points = 25, points = 7, zooms = 14;
  const double longest = distance_nm.back(), widest = std::max(longest, 2 * least_width_nm);
  // Widths are a geometric series; its ratio is halved by a square root at each zoom.
  double low_half = 0.02 * longest, high_half = 0.98 * longest;
  double low_width = least_width_nm, high_width = widest;
  Fit best{{}, std::numeric_limits<double>::infinity()};
  for (int zoom = 0; zoom < zooms; ++zoom) {
    const int count = zoom == 0 ? first_points : points;
    const double step = (high_half - low_half) / (count - 1);
    double ratio = high_width / low_width;
    // The ratio of neighbours: its 8th root for 9 widths, and so its square root thrice.
    constexpr int widths = 9;
    for (int k = 0; k < 3; ++k) ratio = std::sqrt(ratio);
    for (int i = 0; i < count; ++i) {
      double width = low_width;
      for (int j = 0; j < widths; ++j, width *= ratio) {
        const auto fit = fit_densities(distance_nm, density, low_half + i * step, width);
        if (fit.squares < best.squares) best = fit;
      }
    }
    const auto& found = best.interface;
    low_half = std::max(found.half_nm - step, 0.0);
    high_half = std::min(found.half_nm + step, longest);
    low_width = std::max(found.width_nm / ratio, least_width_nm);
    high_width = std::min(found.width_nm * ratio, widest);
  }
  return best.interface;
}

}  // namespace nfold::analysis

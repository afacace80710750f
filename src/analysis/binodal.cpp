// Weighted straight lines of the order parameter and of the mean concentration.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/binodal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace nfold::analysis {
namespace {

constexpr double value_missing = std::numeric_limits<double>::quiet_NaN();

struct Line {
  double middle, at_middle, slope;
  double slope_variance;
  double squares;

  [[nodiscard]] double at(double x) const { return at_middle + slope * (x - middle); }
};

Line fit_line(std::span<const double> x, std::span<const double> y, std::span<const double> error) {
  double weights = 0, sum_x = 0, sum_y = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double weight = 1 / (error[k] * error[k]);
    weights += weight, sum_x += weight * x[k], sum_y += weight * y[k];
  }
  Line line{sum_x / weights, sum_y / weights, 0, 0, 0};
  double xx = 0, xy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double weight = 1 / (error[k] * error[k]), dx = x[k] - line.middle;
    xx += weight * dx * dx, xy += weight * dx * y[k];
  }
  line.slope = xy / xx;
  line.slope_variance = 1 / xx;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double deviation = (y[k] - line.at(x[k])) / error[k];
    line.squares += deviation * deviation;
  }
  return line;
}

/// Lines of the order parameter to the power 1/beta and of the mean concentration.
struct Laws {
  Line order, diameter;

  [[nodiscard]] double critical_kelvin() const {
    return order.middle - order.at_middle / order.slope;
  }
  [[nodiscard]] double critical_concentration() const { return diameter.at(critical_kelvin()); }
};

Laws fit_laws(std::span<const CoexistencePoint> points) {
  constexpr double power = 1 / order_parameter_exponent;
  std::vector<double> kelvin, order, order_error, mean, mean_error;
  for (const auto& point : points) {
    const double difference = std::max(point.dense - point.dilute, 0.0);
    const double error = std::hypot(point.dense_error, point.dilute_error);
    kelvin.push_back(point.temperature_kelvin);
    order.push_back(std::pow(difference, power));
    order_error.push_back(power * std::pow(difference, power - 1) * error);
    mean.push_back(0.5 * (point.dense + point.dilute));
    mean_error.push_back(0.5 * error);
  }
  return {fit_line(kelvin, order, order_error), fit_line(kelvin, mean, mean_error)};
}

}  // namespace

CriticalPoint fit_critical_point(std::span<const CoexistencePoint> points) {
  CriticalPoint found{value_missing,
                      value_missing,
                      value_missing,
                      value_missing,
                      value_missing,
                      value_missing,
                      value_missing,
                      0,
                      {}};
  if (points.size() < static_cast<std::size_t>(fewest_temperatures)) {
    found.obstacle = fmt::format("two phases are known at {} of the {} temperatures that it needs",
                                 points.size(), fewest_temperatures);
    return found;
  }
  double hottest = 0;
  for (const auto& point : points) {
    hottest = std::max(hottest, point.temperature_kelvin);
    if (point.dense > point.dilute) continue;
    found.obstacle = fmt::format("the phases do not differ at {:g} K", point.temperature_kelvin);
    return found;
  }
  const auto laws = fit_laws(points);
  // The law ends at a higher temperature only if the order parameter falls, beyond its error.
  if (!(laws.order.slope < -2 * std::sqrt(laws.order.slope_variance))) {
    found.obstacle = "the difference of the phases does not fall with temperature beyond its error";
    return found;
  }
  const double critical = laws.critical_kelvin();
  if (critical <= hottest) {
    found.obstacle = fmt::format(
        "its law ends at {:.4g} K, where the phases still differ; temperatures further below it "
        "or smaller errors would help",
        critical);
    return found;
  }
  found.temperature_kelvin = critical;
  found.concentration = laws.critical_concentration();
  found.amplitude = std::pow(-laws.order.slope * critical, order_parameter_exponent);
  found.slope = -laws.diameter.slope;
  found.squares = laws.order.squares + laws.diameter.squares;
  found.freedom = 2 * static_cast<int>(points.size()) - 4;
  // Errors by moving each concentration by its own error: both laws share them.
  double kelvin_variance = 0, concentration_variance = 0;
  std::vector<CoexistencePoint> moved(points.begin(), points.end());
  for (auto& point : moved) {
    for (const auto& [value, error] : {std::pair(&CoexistencePoint::dense, point.dense_error),
                                       std::pair(&CoexistencePoint::dilute, point.dilute_error)}) {
      const double before = point.*value;
      point.*value = before + error;
      const auto above = fit_laws(moved);
      point.*value = before - error;
      const auto below = fit_laws(moved);
      point.*value = before;
      kelvin_variance += std::pow((above.critical_kelvin() - below.critical_kelvin()) / 2, 2);
      concentration_variance +=
          std::pow((above.critical_concentration() - below.critical_concentration()) / 2, 2);
    }
  }
  const double scale = std::max(1.0, found.squares / found.freedom);
  found.temperature_error_kelvin = std::sqrt(scale * kelvin_variance);
  found.concentration_error = std::sqrt(scale * concentration_variance);
  return found;
}

}  // namespace nfold::analysis

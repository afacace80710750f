// Chebyshev nodes and barycentric interpolation.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/screening_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace nfold::thermodynamics {
namespace {

constexpr std::size_t most_nodes = 64;

/// Returns an error bound of the polynomial through this many nodes, on an interval of this half
/// width, for exp(-kappa r) with kappa above `lowest`: the largest derivative over the factorial,
/// times the product of the nodes.
double interpolation_error(std::size_t nodes, double half_width, double lowest, double r) {
  const auto n = static_cast<double>(nodes);
  return std::exp(n * std::log(half_width * r) - lowest * r - std::lgamma(n + 1) -
                  (n - 1) * std::numbers::ln2);
}

}  // namespace

ScreeningNodes::ScreeningNodes(const std::vector<system::ThermodynamicState>& states,
                               double cutoff_nm) {
  if (states.empty()) return;
  const auto differ = [&](double system::ThermodynamicState::*number) {
    return std::any_of(states.begin(), states.end(),
                       [&](const auto& state) { return state.*number != states.front().*number; });
  };
  if (!differ(&system::ThermodynamicState::coulomb_kj_mol_nm) &&
      !differ(&system::ThermodynamicState::kappa_per_nm)) {
    return;
  }
  const auto [least, most] = std::minmax_element(
      states.begin(), states.end(),
      [](const auto& a, const auto& b) { return a.kappa_per_nm < b.kappa_per_nm; });
  const double lowest = least->kappa_per_nm, highest = most->kappa_per_nm;
  if (!std::isfinite(lowest) || !std::isfinite(highest) || lowest < 0 || !(cutoff_nm > 0)) {
    throw std::invalid_argument("the screening of a state is not a finite number >= 0");
  }
  const double middle = 0.5 * (lowest + highest), half = 0.5 * (highest - lowest);
  std::size_t nodes = 1;
  while (nodes < most_nodes && interpolation_error(nodes, half, lowest, cutoff_nm) > tolerance) {
    ++nodes;
  }
  if (half == 0) {
    kappa_ = {lowest};
    barycentric_ = {1};
    return;
  }
  constexpr double grid = 0x1p40;
  for (std::size_t k = 0; k < nodes; ++k) {
    const double angle =
        std::numbers::pi * (static_cast<double>(nodes - k) - 0.5) / static_cast<double>(nodes);
    kappa_.push_back(std::round((middle + half * std::cos(angle)) * grid) / grid);
  }
  for (std::size_t k = 0; k < nodes; ++k) {
    double product = 1;
    for (std::size_t other = 0; other < nodes; ++other) {
      // Scaled to keep the product of many factors in the range of a double.
      if (other != k) product *= 2 * (kappa_[k] - kappa_[other]) / half;
    }
    barycentric_.push_back(1 / product);
  }
}

std::vector<double> ScreeningNodes::weights(double kappa_per_nm) const {
  std::vector<double> weight(kappa_.size());
  const auto at = std::find(kappa_.begin(), kappa_.end(), kappa_per_nm);
  if (at != kappa_.end()) {
    weight[static_cast<std::size_t>(at - kappa_.begin())] = 1;
    return weight;
  }
  double sum = 0;
  for (std::size_t k = 0; k < weight.size(); ++k) {
    weight[k] = barycentric_[k] / (kappa_per_nm - kappa_[k]);
    sum += weight[k];
  }
  for (double& one : weight) one /= sum;
  return weight;
}

}  // namespace nfold::thermodynamics

// Means over reweighted samples along a ladder, with bootstrap errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/ladder_curves.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>

#include "analysis/thermodynamics/chosen_samples.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr int curve_grid_points = 61;

struct Means {
  std::vector<double> energy;                   // (grid)
  std::vector<std::vector<double>> quantities;  // (columns), (grid) each
};

Means means_along(const std::vector<system::ThermodynamicState>& grid, const StateReweighting& mbar,
                  const ChosenSamples& chosen, int threads) {
  const auto& columns = chosen.quantities;
  Means means{std::vector<double>(grid.size()),
              std::vector(columns.size(), std::vector<double>(grid.size()))};
  const auto add = [&](std::size_t k) {
    const StatePotential potential(grid[k], mbar.screening());
    const auto weights = mbar.weights(grid[k]);
    for (std::size_t n = 0; n < weights.size(); ++n) {
      means.energy[k] += weights[n] * potential(chosen.energy[n]);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        means.quantities[c][k] += weights[n] * columns[c][n];
      }
    }
  };
  device::for_each_on_node_threads(grid.size(), add, threads);
  return means;
}

/// Returns estimates (grid) from the means of all samples and of each bootstrap set. which(means):
/// selects the quantity.
template <class Which>
std::vector<Estimate> estimates(const Means& all, const std::vector<Means>& again,
                                const Which& which) {
  const std::vector<double>& means = which(all);
  std::vector<Estimate> along;
  along.reserve(means.size());
  for (std::size_t k = 0; k < means.size(); ++k) {
    along.push_back({means[k], error_of(again, [&](const Means& set) { return which(set)[k]; })});
  }
  return along;
}

}  // namespace

std::vector<double> coordinates_along(const LadderPath& path, int points) {
  if (path.lowest() == path.highest()) return {path.lowest()};
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(points));
  for (int k = 0; k < points; ++k) {
    all.push_back(path.lowest() + (path.highest() - path.lowest()) * k / (points - 1));
  }
  return all;
}

LadderCurves ladder_curves(const FoldingSamples& samples, std::uint64_t seed) {
  const auto& columns = samples.quantities;
  const bool has_columns =
      !columns.empty() && std::ranges::all_of(columns, [&](const auto& column) {
        return column.size() == samples.size();
      });
  if (!samples.are_whole() || !has_columns) {
    throw std::invalid_argument("no samples, or not of all replicas, or without quantities");
  }
  const auto chosen = thinned(samples);
  const auto mbar = reweight_on_all_threads(samples, chosen);
  LadderCurves found;
  found.samples_used = chosen.energy.size();
  found.reduced_free_energy = mbar.free_energies();
  const LadderPath path(samples.states);
  for (const double x : coordinates_along(path, curve_grid_points))
    found.grid.push_back(path.at(x));
  const auto means = means_along(found.grid, mbar, chosen, device::node_thread_count());
  const auto again = for_bootstrap_sets(samples, seed, found.reduced_free_energy,
                                        [&](const auto& other, const auto& drawn) {
                                          return means_along(found.grid, other, drawn, 1);
                                        });
  found.potential_kj_mol = estimates(means, again, std::mem_fn(&Means::energy));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    found.quantities.push_back(estimates(
        means, again, [c](const Means& one) -> const auto& { return one.quantities[c]; }));
  }
  return found;
}

}  // namespace nfold::thermodynamics

// Means over reweighted samples along a ladder, and their errors by resampling.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/ladder_curves.hpp"

#include <cstddef>
#include <stdexcept>

#include "thermodynamics/chosen_samples.hpp"
#include "thermodynamics/state_overlap.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr int grid_points = 61;

struct Means {
  std::vector<double> energy, radius;  // (grid)
};

Means means_along(const std::vector<replicas::ThermodynamicState>& grid,
                  const StateReweighting& mbar, const ChosenSamples& chosen, int threads) {
  Means means{std::vector<double>(grid.size()), std::vector<double>(grid.size())};
  const auto add = [&](std::size_t k) {
    const PotentialIn potential(grid[k], mbar.screening());
    const auto weights = mbar.weights(grid[k]);
    double energy = 0, radius = 0;
    for (std::size_t n = 0; n < weights.size(); ++n) {
      energy += weights[n] * potential(chosen.energy[n]);
      radius += weights[n] * chosen.radius_of_gyration_nm[n];
    }
    means.energy[k] = energy;
    means.radius[k] = radius;
  };
  device::on_threads_alone(grid.size(), add, threads);
  return means;
}

/// (grid) from the means of all samples and those of each time they were drawn again.
std::vector<Estimate> estimates(const std::vector<double>& means, const std::vector<Means>& again,
                                const std::vector<double> Means::*which) {
  std::vector<Estimate> found;
  found.reserve(means.size());
  for (std::size_t k = 0; k < means.size(); ++k) {
    std::vector<double> values;
    values.reserve(again.size());
    for (const auto& one : again) values.push_back((one.*which)[k]);
    found.push_back({means[k], deviation(values)});
  }
  return found;
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
  if (!samples.are_whole() || samples.radius_of_gyration_nm.size() != samples.size()) {
    throw std::invalid_argument("no samples, or not of all replicas, or without radii");
  }
  const auto chosen = chosen_samples(samples);
  const auto mbar = reweighting_of_all(samples, chosen);
  LadderCurves found;
  found.samples_used = chosen.energy.size();
  found.reduced_free_energy = mbar.free_energies();
  const LadderPath path(samples.states);
  for (const double x : coordinates_along(path, grid_points)) found.grid.push_back(path.at(x));
  const auto means = means_along(found.grid, mbar, chosen, device::host_threads_alone());
  const auto again = for_resamplings(chosen, mbar, seed, [&](const auto& other) {
    return means_along(found.grid, other, chosen, 1);
  });
  found.potential_kj_mol = estimates(means.energy, again, &Means::energy);
  found.radius_of_gyration_nm = estimates(means.radius, again, &Means::radius);
  return found;
}

}  // namespace nfold::thermodynamics

// Histograms of a variable whose samples are weighed as if no umbrella had been there.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/umbrella_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "thermodynamics/chosen_samples.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr std::size_t bins = 60;
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();

struct Bins {
  double low, width;
  [[nodiscard]] std::size_t of(double variable_nm) const {
    if (!(width > 0)) return 0;
    const auto place = std::max(0.0, (variable_nm - low) / width);
    return std::min(static_cast<std::size_t>(place), bins - 1);
  }
  [[nodiscard]] double centre(std::size_t bin) const {
    return low + width * (static_cast<double>(bin) + 0.5);
  }
};

struct Profile {
  std::vector<double> weight, q;  // (bins)
};
Profile profile_of(const StateReweighting& mbar, const ChosenSamples& chosen,
                   const replicas::ThermodynamicState& state, const Bins& in) {
  const auto weights = mbar.weights(state);
  Profile found{std::vector<double>(bins), std::vector<double>(bins)};
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const auto bin = in.of(chosen.energy[n].variable_nm);
    found.weight[bin] += weights[n];
    found.q[bin] += weights[n] * chosen.q[n];
  }
  for (std::size_t bin = 0; bin < bins; ++bin) {
    found.q[bin] = found.weight[bin] > 0 ? found.q[bin] / found.weight[bin] : not_seen;
  }
  return found;
}

/// -kT ln p of each bin, where it was seen.
std::vector<double> free_energy(const std::vector<double>& weight, double beta) {
  std::vector<double> f;
  f.reserve(bins);
  for (const double w : weight) f.push_back(w > 0 ? -std::log(w) / beta : infinite);
  return f;
}

}  // namespace

UmbrellaProfile umbrella_profile(const FoldingSamples& samples, std::uint64_t seed) {
  if (!samples.are_whole() || samples.variable_nm.size() != samples.size()) {
    throw std::invalid_argument(
        "no samples, or not of all replicas, or without what umbrellas act on");
  }
  const auto chosen = thinned(samples);
  const auto mbar = reweighting_alone(samples, chosen);
  auto free_state = samples.states.front();
  free_state.umbrella_k_kj_mol_nm2 = 0;
  const double beta = beta_of(free_state);
  const auto [low, high] =
      std::minmax_element(samples.variable_nm.begin(), samples.variable_nm.end());
  const Bins in{*low, (*high - *low) / static_cast<double>(bins)};
  const auto whole = profile_of(mbar, chosen, free_state, in);
  UmbrellaProfile found;
  found.reduced_free_energy = mbar.free_energies();
  found.native_fraction = whole.q;
  found.free_energy_kj_mol = free_energy(whole.weight, beta);
  const double lowest =
      *std::min_element(found.free_energy_kj_mol.begin(), found.free_energy_kj_mol.end());
  for (double& f : found.free_energy_kj_mol) f -= lowest;
  for (std::size_t bin = 0; bin < bins; ++bin) found.variable_nm.push_back(in.centre(bin));

  const auto drawn_again = for_resamplings(
      samples, seed, found.reduced_free_energy, [&](const auto& other, const auto& drawn) {
        return free_energy(profile_of(other, drawn, free_state, in).weight, beta);
      });
  std::vector<std::vector<double>> again(bins);
  for (const auto& f : drawn_again) {
    // A constant is free: the mean over what was seen is that of the whole.
    double shift = 0, seen = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (!std::isfinite(f[bin]) || !std::isfinite(found.free_energy_kj_mol[bin])) continue;
      shift += f[bin] - found.free_energy_kj_mol[bin];
      seen += 1;
    }
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (std::isfinite(f[bin])) again[bin].push_back(f[bin] - shift / seen);
    }
  }
  found.error_kj_mol.reserve(bins);
  for (const auto& values : again) found.error_kj_mol.push_back(deviation(values));
  return found;
}

}  // namespace nfold::thermodynamics

// Histograms of a variable, reweighted to the state without umbrella.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/umbrella_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "analysis/thermodynamics/chosen_samples.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr std::size_t profile_bins = 60;
constexpr double profile_infinity = std::numeric_limits<double>::infinity();
constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();

struct Bins {
  double low, width;
  [[nodiscard]] std::size_t of(double variable_nm) const {
    if (!(width > 0)) return 0;
    const auto bin = std::max(0.0, (variable_nm - low) / width);
    return std::min(static_cast<std::size_t>(bin), profile_bins - 1);
  }
  [[nodiscard]] double centre(std::size_t bin) const {
    return low + width * (static_cast<double>(bin) + 0.5);
  }
};

struct Profile {
  std::vector<double> weight, q;  // (bins)
};
Profile profile_of(const StateReweighting& mbar, const ChosenSamples& chosen,
                   const system::ThermodynamicState& state, const Bins& in) {
  const auto weights = mbar.weights(state);
  Profile found{std::vector<double>(profile_bins), std::vector<double>(profile_bins)};
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const auto bin = in.of(chosen.energy[n].variable_nm);
    found.weight[bin] += weights[n];
    found.q[bin] += weights[n] * chosen.q[n];
  }
  for (std::size_t bin = 0; bin < profile_bins; ++bin) {
    found.q[bin] = found.weight[bin] > 0 ? found.q[bin] / found.weight[bin] : not_seen;
  }
  return found;
}

/// Returns -kT ln p of each bin, infinity for unsampled bins.
std::vector<double> free_energy(const std::vector<double>& weight, double beta) {
  std::vector<double> f;
  f.reserve(profile_bins);
  for (const double w : weight) f.push_back(w > 0 ? -std::log(w) / beta : profile_infinity);
  return f;
}

/// Profile over the windows of one piece, up to a constant, with standard errors.
struct Piece {
  std::vector<double> reduced_free_energy;   // (states of the piece)
  std::vector<double> f, error, q, samples;  // (bins)
};

/// Returns standard errors of f (bins). The free constant of each bootstrap set is chosen to give
/// the mean of f over the sampled bins.
std::vector<double> errors_of(const std::vector<double>& f,
                              const std::vector<std::vector<double>>& drawn_again) {
  std::vector<std::vector<double>> again(profile_bins);
  for (const auto& other : drawn_again) {
    double shift = 0, seen = 0;
    for (std::size_t bin = 0; bin < profile_bins; ++bin) {
      if (!std::isfinite(other[bin]) || !std::isfinite(f[bin])) continue;
      shift += other[bin] - f[bin];
      seen += 1;
    }
    for (std::size_t bin = 0; bin < profile_bins; ++bin) {
      if (std::isfinite(other[bin])) again[bin].push_back(other[bin] - shift / seen);
    }
  }
  std::vector<double> errors;
  errors.reserve(profile_bins);
  for (const auto& values : again) errors.push_back(deviation(values));
  return errors;
}

Piece piece_of(const FoldingSamples& samples, const Bins& in, std::uint64_t seed) {
  const auto chosen = thinned(samples);
  const auto mbar = reweight_on_all_threads(samples, chosen);
  auto free_state = samples.states.front();
  free_state.umbrella_k_kj_mol_nm2 = 0;
  const double beta = inverse_temperature(free_state);
  auto whole = profile_of(mbar, chosen, free_state, in);
  Piece found{mbar.free_energies(),
              free_energy(whole.weight, beta),
              {},
              std::move(whole.q),
              std::vector<double>(profile_bins, 0)};
  found.error = errors_of(
      found.f, for_bootstrap_sets(samples, seed, found.reduced_free_energy,
                                  [&](const auto& other, const auto& drawn) {
                                    return free_energy(
                                        profile_of(other, drawn, free_state, in).weight, beta);
                                  }));
  for (const auto& one : chosen.energy) found.samples[in.of(one.variable_nm)] += 1;
  return found;
}

/// Adds a piece. A bin touched by two pieces belongs to the one with more samples there. most:
/// (bins) samples of the best piece so far.
void take(const Piece& one, int index, std::vector<double>& most, UmbrellaProfile& found) {
  found.reduced_free_energy.insert(found.reduced_free_energy.end(), one.reduced_free_energy.begin(),
                                   one.reduced_free_energy.end());
  for (std::size_t bin = 0; bin < profile_bins; ++bin) {
    if (one.samples[bin] <= most[bin]) continue;
    most[bin] = one.samples[bin];
    found.piece[bin] = index;
    found.free_energy_kj_mol[bin] = one.f[bin];
    found.error_kj_mol[bin] = one.error[bin];
    found.native_fraction[bin] = one.q[bin];
  }
}

/// Sets the minimum of each piece to 0.
void set_zeros(UmbrellaProfile& found) {
  std::vector<double> lowest(found.pieces.size(), profile_infinity);
  for (std::size_t bin = 0; bin < profile_bins; ++bin) {
    if (found.piece[bin] < 0) continue;
    double& of_piece = lowest[static_cast<std::size_t>(found.piece[bin])];
    of_piece = std::min(of_piece, found.free_energy_kj_mol[bin]);
  }
  for (std::size_t bin = 0; bin < profile_bins; ++bin) {
    if (found.piece[bin] < 0) continue;
    found.free_energy_kj_mol[bin] -= lowest[static_cast<std::size_t>(found.piece[bin])];
  }
}

}  // namespace

UmbrellaProfile umbrella_profile(const FoldingSamples& samples, std::uint64_t seed) {
  if (!samples.are_whole() || samples.variable_nm.size() != samples.size()) {
    throw std::invalid_argument(
        "no samples, or not of all replicas, or without what umbrellas act on");
  }
  const auto [low, high] =
      std::minmax_element(samples.variable_nm.begin(), samples.variable_nm.end());
  const Bins in{*low, (*high - *low) / static_cast<double>(profile_bins)};
  UmbrellaProfile found;
  found.overlap = neighbour_overlaps(samples);
  found.pieces = joined_states(found.overlap);
  found.piece.assign(profile_bins, -1);
  found.free_energy_kj_mol.assign(profile_bins, profile_infinity);
  found.error_kj_mol.assign(profile_bins, not_seen);
  found.native_fraction.assign(profile_bins, not_seen);
  for (std::size_t bin = 0; bin < profile_bins; ++bin) found.variable_nm.push_back(in.centre(bin));
  std::vector<double> most(profile_bins, 0);
  for (std::size_t k = 0; k < found.pieces.size(); ++k) {
    const auto [first, last] = found.pieces[k];
    const bool is_all = found.pieces.size() == 1;
    take(is_all ? piece_of(samples, in, seed) : piece_of(samples.of_states(first, last), in, seed),
         static_cast<int>(k), most, found);
  }
  set_zeros(found);
  return found;
}

}  // namespace nfold::thermodynamics

// Weighted and plain histograms of two coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "device/node_threads.hpp"
#include "replicas/replica_observer.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr int energy_bins = 60;
constexpr double landscape_infinity = std::numeric_limits<double>::infinity();

/// Calls item(n) for each sample, on all threads that this process may use.
template <class Item>
void for_each_sample(const FoldingSamples& samples, const Item& item) {
  constexpr std::size_t at_a_time = 16'384;
  device::for_each_on_node_threads(
      (samples.size() + at_a_time - 1) / at_a_time, [&](std::size_t part) {
        const std::size_t last = std::min((part + 1) * at_a_time, samples.size());
        for (std::size_t n = part * at_a_time; n < last; ++n) item(n);
      });
}

/// Returns ln N_k + f_k of each state; minus infinity without samples.
std::vector<double> log_counts(const FoldingSamples& samples,
                               const std::vector<double>& free_energy) {
  std::vector<double> count(free_energy.size()), log_count(free_energy.size(), -landscape_infinity);
  for (const auto state : samples.state) count[static_cast<std::size_t>(state)] += 1;
  for (std::size_t k = 0; k < count.size(); ++k) {
    if (count[k] > 0) log_count[k] = std::log(count[k]) + free_energy[k];
  }
  return log_count;
}

/// Returns -ln sum_k exp(log_count_k - u_k + u), the logarithm of the weight of a sample in a state
/// where its reduced energy is u.
template <class Reduced>
double log_weight(const std::vector<double>& log_count, double u, const Reduced& reduced) {
  double largest = -landscape_infinity, sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t k = 0; k < log_count.size(); ++k) {
      const double x = log_count[k] - reduced(k) + u;
      if (turn == 0) largest = std::max(largest, x);
      if (turn == 1) sum += std::exp(x - largest);
    }
  }
  return -largest - std::log(sum);
}

/// Table of log_weight() for contacts of strength 1, where it is a function of the energy: linear
/// between equally spaced energies, with an error of 10^-4.
class LogWeights {
 public:
  LogWeights(const FoldingSamples& samples, const std::vector<double>& log_count, double beta,
             double low, double high)
      : low_(low), step_((high - low) / points) {
    value_.reserve(points + 1);
    for (int p = 0; p <= points; ++p) {
      const double energy = low + p * step_;
      value_.push_back(log_weight(log_count, beta * energy, [&](std::size_t k) {
        return inverse_temperature(samples.states[k]) * energy;
      }));
    }
  }
  [[nodiscard]] double operator()(double energy) const {
    if (!(step_ > 0)) return value_.front();
    const double steps = (energy - low_) / step_;
    const auto at = std::min(static_cast<std::size_t>(steps), value_.size() - 2);
    const double part = steps - static_cast<double>(at);
    return (1 - part) * value_[at] + part * value_[at + 1];
  }

 private:
  static constexpr int points = 8192;
  double low_, step_;
  std::vector<double> value_;
};

std::vector<double> centres(int bins, double low, double high) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(bins));
  for (int k = 0; k < bins; ++k) all.push_back(low + (high - low) * (k + 0.5) / bins);
  return all;
}

}  // namespace

FreeEnergySurface energy_surface(const FoldingSamples& samples,
                                 const std::vector<double>& reduced_free_energy,
                                 const system::ThermodynamicState& state) {
  if (samples.size() == 0 || reduced_free_energy.size() != samples.states.size()) {
    throw std::invalid_argument("no samples, or free energies of other states");
  }
  const bool plain = !scales_contacts(samples.states) && !has_umbrellas(samples.states) &&
                     samples.screening.size() == 0 && state.contact_strength == 1;
  const auto potential = samples.state_potential(state);
  std::vector<double> energy(samples.size());
  for_each_sample(samples, [&](std::size_t n) { energy[n] = potential(samples.energy(n)); });
  const auto [low, high] = std::minmax_element(energy.begin(), energy.end());
  const auto log_count = log_counts(samples, reduced_free_energy);
  std::vector<double> logs(energy.size());
  if (plain) {
    const LogWeights weight(samples, log_count, inverse_temperature(state), *low, *high);
    for_each_sample(samples, [&](std::size_t n) { logs[n] = weight(energy[n]); });
  } else {
    std::vector<StatePotential> in_state;
    in_state.reserve(samples.states.size());
    for (const auto& one : samples.states) in_state.push_back(samples.state_potential(one));
    for_each_sample(samples, [&](std::size_t n) {
      const auto parts = samples.energy(n);
      logs[n] = log_weight(log_count, potential.reduced(parts),
                           [&](std::size_t k) { return in_state[k].reduced(parts); });
    });
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  constexpr int q_bins = replicas::ObserverPlan::q_bins;
  FreeEnergySurface surface;
  surface.kelvin = state.temperature_kelvin;
  surface.native_fraction = centres(q_bins, 0, 1);
  surface.other = centres(energy_bins, *low, *high);
  surface.kj_mol.assign(static_cast<std::size_t>(q_bins) * energy_bins, 0);
  for_each_sample(samples, [&](std::size_t n) { logs[n] = std::exp(logs[n] - largest); });
  const double bins_per_kj_mol = *high > *low ? energy_bins / (*high - *low) : 0;
  for (std::size_t n = 0; n < energy.size(); ++n) {
    const auto row =
        static_cast<std::size_t>(replicas::to_q_bin(samples.formed_contacts[n], samples.contacts));
    const auto column = std::min<std::size_t>(
        static_cast<std::size_t>((energy[n] - *low) * bins_per_kj_mol), energy_bins - 1);
    surface.kj_mol[row * energy_bins + column] += logs[n];
  }
  to_free_energy(surface.kj_mol, state.temperature_kelvin);
  return surface;
}

FreeEnergySurface counted_surface(std::span<const std::int64_t> counts, int q_bins, double end,
                                  double kelvin) {
  FreeEnergySurface surface;
  surface.kelvin = kelvin;
  surface.native_fraction = centres(q_bins, 0, 1);
  surface.other = centres(static_cast<int>(counts.size()) / q_bins, 0, end);
  surface.kj_mol.assign(counts.begin(), counts.end());
  to_free_energy(surface.kj_mol, kelvin);
  return surface;
}

}  // namespace nfold::thermodynamics

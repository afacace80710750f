// Histograms of two coordinates, weighted and plain.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dynamics/replica_observer.hpp"
#include "dynamics/units.hpp"

namespace nfold::ensemble {
namespace {

constexpr int energy_bins = 60;
constexpr double infinite = std::numeric_limits<double>::infinity();

double beta_of(double kelvin) { return 1 / (dynamics::k_boltzmann * kelvin); }

/// ln sum_k N_k exp(f_k - beta_k E) + beta E, whose negative is a sample's logarithmic weight, at
/// equally spaced energies: linear between them it is right to 10^-4.
class LogWeights {
 public:
  LogWeights(const FoldingSamples& samples, const std::vector<double>& free_energy, double beta,
             double low, double high)
      : low_(low), step_((high - low) / points) {
    std::vector<double> log_count(free_energy.size(), -infinite);
    std::vector<double> count(free_energy.size());
    for (const auto state : samples.state) count[static_cast<std::size_t>(state)] += 1;
    for (std::size_t k = 0; k < count.size(); ++k) {
      if (count[k] > 0) log_count[k] = std::log(count[k]) + free_energy[k];
    }
    value_.reserve(points + 1);
    for (int p = 0; p <= points; ++p) {
      const double energy = low + p * step_;
      double largest = -infinite, sum = 0;
      for (int turn = 0; turn < 2; ++turn) {
        for (std::size_t k = 0; k < count.size(); ++k) {
          const double u = log_count[k] - (beta_of(samples.temperatures_kelvin[k]) - beta) * energy;
          if (turn == 0) largest = std::max(largest, u);
          if (turn == 1) sum += std::exp(u - largest);
        }
      }
      value_.push_back(-largest - std::log(sum));
    }
  }
  [[nodiscard]] double operator()(double energy) const {
    if (!(step_ > 0)) return value_.front();
    const double place = (energy - low_) / step_;
    const auto at = std::min(static_cast<std::size_t>(place), value_.size() - 2);
    const double part = place - static_cast<double>(at);
    return (1 - part) * value_[at] + part * value_[at + 1];
  }

 private:
  static constexpr int points = 8192;
  double low_, step_;
  std::vector<double> value_;
};

void to_free_energy(std::vector<double>& weight, double kelvin) {
  const double highest = *std::max_element(weight.begin(), weight.end());
  for (double& w : weight) w = w > 0 ? -std::log(w / highest) / beta_of(kelvin) : infinite;
}

std::vector<double> centres(int bins, double low, double high) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(bins));
  for (int k = 0; k < bins; ++k) all.push_back(low + (high - low) * (k + 0.5) / bins);
  return all;
}

}  // namespace

FreeEnergySurface energy_surface(const FoldingSamples& samples,
                                 const std::vector<double>& reduced_free_energy, double kelvin) {
  const auto& energy = samples.potential_kj_mol;
  if (energy.empty() || reduced_free_energy.size() != samples.temperatures_kelvin.size()) {
    throw std::invalid_argument("no samples, or free energies of other states");
  }
  const auto [low, high] = std::minmax_element(energy.begin(), energy.end());
  const LogWeights log_weight(samples, reduced_free_energy, beta_of(kelvin), *low, *high);
  std::vector<double> logs;
  logs.reserve(energy.size());
  for (const double e : energy) logs.push_back(log_weight(e));
  const double largest = *std::max_element(logs.begin(), logs.end());
  constexpr int q_bins = dynamics::ObserverPlan::q_bins;
  FreeEnergySurface surface;
  surface.kelvin = kelvin;
  surface.native_fraction = centres(q_bins, 0, 1);
  surface.other = centres(energy_bins, *low, *high);
  surface.kj_mol.assign(static_cast<std::size_t>(q_bins) * energy_bins, 0);
  const double bins_a_kj_mol = *high > *low ? energy_bins / (*high - *low) : 0;
  for (std::size_t n = 0; n < energy.size(); ++n) {
    const auto row =
        static_cast<std::size_t>(dynamics::q_bin_of(samples.formed_contacts[n], samples.contacts));
    const auto column = std::min<std::size_t>(
        static_cast<std::size_t>((energy[n] - *low) * bins_a_kj_mol), energy_bins - 1);
    surface.kj_mol[row * energy_bins + column] += std::exp(logs[n] - largest);
  }
  to_free_energy(surface.kj_mol, kelvin);
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

}  // namespace nfold::ensemble

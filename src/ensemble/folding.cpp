// Averages over reweighted samples, and their errors by resampling.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "analysis/reweighting.hpp"
#include "dynamics/units.hpp"

namespace nfold::ensemble {
namespace {

constexpr std::size_t most_samples = 60'000;  // for MBAR; more are thinned out evenly
constexpr std::size_t samples_resampled = 15'000;
constexpr int grid_points = 121, coarse_points = 41, q_bins = 50, resamplings = 24;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Some of the samples, as MBAR takes them, with what they are averaged for.
struct Chosen {
  std::vector<EnergyParts> energy;
  std::vector<double> q;
  std::vector<double> count;  // (states)
  void add(const FoldingSamples& from, std::size_t n) {
    energy.push_back(from.energy(n));
    q.push_back(static_cast<double>(from.formed_contacts[n]) /
                static_cast<double>(std::max<std::int64_t>(1, from.contacts)));
    count[static_cast<std::size_t>(from.state[n])] += 1;
  }
};

Chosen thinned(const FoldingSamples& from, std::size_t most) {
  Chosen chosen;
  chosen.count.assign(from.states.size(), 0);
  // A stride that shares no factor with the replicas meets all of them.
  std::size_t stride = (from.size() + most - 1) / most;
  const auto replicas = static_cast<std::size_t>(from.replicas);
  while (stride > 1 && std::gcd(stride, replicas) != 1) ++stride;
  for (std::size_t n = 0; n < from.size(); n += stride) chosen.add(from, n);
  return chosen;
}

/// How a state weighs the features of a sample: the energy at strength 1, or rest and contacts.
struct Features {
  static std::size_t of(const std::vector<ThermodynamicState>& states) {
    return scales_contacts(states) ? 2 : 1;
  }
  static std::vector<double> coefficients(const ThermodynamicState& state, std::size_t features) {
    if (features == 1) return {beta_of(state)};
    return {beta_of(state), beta_of(state) * state.contact_strength};
  }
};

std::vector<double> weights_in(const analysis::Reweighting& mbar, const ThermodynamicState& state) {
  return mbar.weights(Features::coefficients(state, mbar.states().features));
}

analysis::Reweighting reweighting_of(const FoldingSamples& from, const Chosen& chosen,
                                     const std::vector<double>& start = {}) {
  // Where contacts are all of one strength, the whole energy is the only feature.
  analysis::SampledStates states;
  states.features = Features::of(from.states);
  for (const auto& state : from.states) {
    const auto c = Features::coefficients(state, states.features);
    states.coefficient.insert(states.coefficient.end(), c.begin(), c.end());
  }
  states.feature.reserve(states.features * chosen.energy.size());
  for (const auto& energy : chosen.energy) {
    if (states.features == 1) {
      states.feature.push_back(energy.potential({}));
    } else {
      states.feature.insert(states.feature.end(), {energy.rest, energy.contacts});
    }
  }
  states.count = chosen.count;
  return analysis::Reweighting(std::move(states), start);
}

struct Moments {
  double energy = 0, q = 0, heat_capacity = 0;
};

Moments moments_at(const analysis::Reweighting& mbar, const Chosen& chosen,
                   const ThermodynamicState& state, std::int64_t residues) {
  const double kelvin = state.temperature_kelvin;
  const auto weights = weights_in(mbar, state);
  Moments m;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    m.energy += weights[n] * chosen.energy[n].potential(state);
    m.q += weights[n] * chosen.q[n];
  }
  double variance = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double off = chosen.energy[n].potential(state) - m.energy;
    variance += weights[n] * off * off;
  }
  m.heat_capacity = variance / (dynamics::k_boltzmann * kelvin * kelvin) +
                    1.5 * static_cast<double>(residues) * dynamics::k_boltzmann;
  return m;
}

/// Place of the highest value, by the parabola through it and its neighbours.
double peak(const std::vector<double>& x, const std::vector<double>& y) {
  const auto top = static_cast<std::size_t>(std::max_element(y.begin(), y.end()) - y.begin());
  if (top == 0 || top + 1 == y.size()) return x[top];
  const double left = y[top - 1] - y[top], right = y[top + 1] - y[top];
  if (!(left + right < 0)) return x[top];
  return x[top] + 0.5 * (x[top + 1] - x[top]) * (left - right) / (left + right);
}

std::vector<double> profile_at(const analysis::Reweighting& mbar, const Chosen& chosen,
                               const ThermodynamicState& state) {
  const auto weights = weights_in(mbar, state);
  std::vector<double> p(q_bins, 0);
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const auto bin = static_cast<std::size_t>(chosen.q[n] * q_bins);
    p[std::min<std::size_t>(bin, q_bins - 1)] += weights[n];
  }
  const double highest = *std::max_element(p.begin(), p.end());
  for (double& x : p) x = x > 0 ? -std::log(x / highest) / beta_of(state) : infinite;
  return p;
}

/// The pass between the lowest places on both sides, less the higher of these two; 0 without one.
double barrier_of(const std::vector<double>& profile) {
  double best = 0;
  for (std::size_t top = 1; top + 1 < profile.size(); ++top) {
    if (!std::isfinite(profile[top])) continue;
    const auto middle = profile.begin() + static_cast<std::ptrdiff_t>(top);
    const double left = *std::min_element(profile.begin(), middle);
    const double right = *std::min_element(middle + 1, profile.end());
    best = std::max(best, profile[top] - std::max(left, right));
  }
  return std::isfinite(best) ? best : 0;
}

/// Equally spaced coordinates from end to end.
std::vector<double> coordinates_along(const LadderPath& path, int points) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(points));
  for (int k = 0; k < points; ++k) {
    all.push_back(path.lowest() + (path.highest() - path.lowest()) * k / (points - 1));
  }
  return all;
}

/// Coordinate of the highest heat capacity.
double folding_coordinate(const analysis::Reweighting& mbar, const Chosen& chosen,
                          const LadderPath& path, std::int64_t residues) {
  const auto along = coordinates_along(path, coarse_points);
  std::vector<double> capacity;
  capacity.reserve(along.size());
  for (const double x : along) {
    capacity.push_back(moments_at(mbar, chosen, path.at(x), residues).heat_capacity);
  }
  return peak(along, capacity);
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// Stretches of time of each ladder, drawn with replacement.
Chosen resampled(const FoldingSamples& from, std::mt19937_64& random) {
  const auto replicas = static_cast<std::size_t>(from.replicas);
  const std::size_t times = from.size() / replicas;
  const std::size_t states = from.states.size();
  const std::size_t ladders = replicas / states;
  const std::size_t stretches = std::min<std::size_t>(10, times);
  const std::size_t length = times / stretches;
  const std::size_t all = ladders * stretches * length * states;
  const std::size_t stride = std::max<std::size_t>(1, all / samples_resampled);
  Chosen chosen;
  chosen.count.assign(states, 0);
  for (std::size_t draw = 0; draw < ladders * stretches; ++draw) {
    const std::size_t which = random() % (ladders * stretches);
    const std::size_t ladder = which / stretches;
    const std::size_t first = which % stretches * length;
    for (std::size_t t = first; t < first + length; ++t) {
      if ((t - first) % stride != 0 && stride <= length) continue;
      for (std::size_t k = 0; k < states; ++k) {
        chosen.add(from, t * replicas + ladder * states + k);
      }
    }
  }
  return chosen;
}

}  // namespace

EnergyParts FoldingSamples::energy(std::size_t sample) const {
  const auto& in = states[static_cast<std::size_t>(state[sample])];
  const double at_full_strength = contact_kj_mol.empty() ? 0 : contact_kj_mol[sample];
  return {potential_kj_mol[sample] - in.contact_strength * at_full_strength, at_full_strength};
}

StartsCompared compare_starts(const FoldingSamples& samples) {
  const std::size_t states = samples.states.size();
  std::vector<double> sum(2 * states, 0), number(2 * states, 0);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const std::size_t ladder = n % static_cast<std::size_t>(samples.replicas) / states;
    const std::size_t at = ladder % 2 * states + static_cast<std::size_t>(samples.state[n]);
    sum[at] += static_cast<double>(samples.formed_contacts[n]);
    number[at] += 1;
  }
  StartsCompared found;
  for (std::size_t k = 0; k < states; ++k) {
    if (number[k] == 0 || number[states + k] == 0) continue;
    const double difference = std::abs(sum[k] / number[k] - sum[states + k] / number[states + k]) /
                              static_cast<double>(std::max<std::int64_t>(1, samples.contacts));
    if (difference < found.largest_difference) continue;
    found = {difference, k};
  }
  return found;
}

std::vector<StartsCompared> compare_starts_over_time(const FoldingSamples& samples,
                                                     std::size_t stretches) {
  const auto replicas = static_cast<std::size_t>(samples.replicas);
  const std::size_t times = samples.size() / replicas;
  std::vector<StartsCompared> found;
  if (stretches == 0 || times < stretches) return found;
  found.reserve(stretches);
  for (std::size_t k = 0; k < stretches; ++k) {
    const auto first = static_cast<std::ptrdiff_t>(times * k / stretches * replicas);
    const auto last = static_cast<std::ptrdiff_t>(times * (k + 1) / stretches * replicas);
    FoldingSamples part;
    part.states = samples.states;
    part.replicas = samples.replicas;
    part.contacts = samples.contacts;
    part.formed_contacts.assign(samples.formed_contacts.begin() + first,
                                samples.formed_contacts.begin() + last);
    part.state.assign(samples.state.begin() + first, samples.state.begin() + last);
    found.push_back(compare_starts(part));
  }
  return found;
}

double times_as_long_to_agree(const std::vector<StartsCompared>& stretches, double left_out) {
  const auto n = static_cast<double>(stretches.size());
  if (stretches.size() < 2) return infinite;
  const double first = stretches.front().largest_difference;
  const double last = std::max(stretches.back().largest_difference, 1e-6);
  const double decay_per_stretch = std::log(first / last) / (n - 1);
  if (!(decay_per_stretch > 0)) return infinite;
  // In stretches from the first one's beginning: where the difference passes the tolerance.
  const double to_go = std::log(last / StartsCompared::tolerance) / decay_per_stretch;
  const double passes = std::max(0.0, n - 0.5 + to_go);
  // There the averages of the longer run must begin.
  const double whole = n / (1 - left_out);
  const double begins = left_out * whole + passes;
  return std::max(1.0, left_out > 0 ? begins / left_out / whole : begins / whole);
}

FoldingThermodynamics folding_thermodynamics(const FoldingSamples& samples, std::uint64_t seed) {
  if (samples.size() == 0 || samples.replicas <= 0 ||
      samples.size() % static_cast<std::size_t>(samples.replicas) != 0) {
    throw std::invalid_argument("no samples, or not of all replicas");
  }
  const Chosen chosen = thinned(samples, most_samples);
  const auto mbar = reweighting_of(samples, chosen);
  FoldingThermodynamics found;
  found.samples_used = chosen.energy.size();
  found.reduced_free_energy = mbar.free_energies();
  const LadderPath path(samples.states);
  const auto along = coordinates_along(path, grid_points);
  for (const double x : along) {
    found.grid.push_back(path.at(x));
    const auto m = moments_at(mbar, chosen, found.grid.back(), samples.residues);
    found.heat_capacity_kj_mol_kelvin.push_back(m.heat_capacity);
    found.mean_energy_kj_mol.push_back(m.energy);
    found.mean_native_fraction.push_back(m.q);
  }
  const double folds_at = peak(along, found.heat_capacity_kj_mol_kelvin);
  const auto folding = path.at(folds_at);
  found.folding_kelvin.value = folding.temperature_kelvin;
  found.folding_contact_strength.value = folding.contact_strength;
  found.maximum_is_inside = folds_at > path.lowest() && folds_at < path.highest();
  for (int bin = 0; bin < q_bins; ++bin) found.native_fraction.push_back((bin + 0.5) / q_bins);
  for (const auto& state : samples.states) {
    const auto profile = profile_at(mbar, chosen, state);
    found.free_energy_kj_mol.insert(found.free_energy_kj_mol.end(), profile.begin(), profile.end());
  }
  found.at_folding_kj_mol = profile_at(mbar, chosen, folding);
  found.barrier_kt.value = barrier_of(found.at_folding_kj_mol) * beta_of(folding);

  std::mt19937_64 random(seed);
  std::vector<double> places, barriers;
  for (int k = 0; k < resamplings; ++k) {
    const Chosen again = resampled(samples, random);
    if (*std::min_element(again.count.begin(), again.count.end()) == 0) continue;
    const auto other = reweighting_of(samples, again, found.reduced_free_energy);
    places.push_back(folding_coordinate(other, again, path, samples.residues));
    barriers.push_back(barrier_of(profile_at(other, again, folding)) * beta_of(folding));
  }
  (path.is_of_temperature() ? found.folding_kelvin : found.folding_contact_strength).error =
      deviation(places);
  found.barrier_kt.error = deviation(barriers);
  return found;
}

}  // namespace nfold::ensemble

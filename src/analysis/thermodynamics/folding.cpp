// Averages over reweighted samples, with bootstrap errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/folding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "analysis/thermodynamics/chosen_samples.hpp"
#include "analysis/thermodynamics/ladder_curves.hpp"
#include "analysis/thermodynamics/state_reweighting.hpp"
#include "engine/temperature.hpp"
#include "system/units.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr int coarse_every = 3, coarse_points = 41, folding_q_bins = 50;
constexpr int folding_grid_points = (coarse_points - 1) * coarse_every + 1;
constexpr double folding_infinity = std::numeric_limits<double>::infinity();

struct Moments {
  double energy = 0, q = 0, heat_capacity = 0;
};

Moments moments_at(const StateReweighting& mbar, const ChosenSamples& chosen,
                   const system::ThermodynamicState& state, std::int64_t residues) {
  const StatePotential potential(state, mbar.screening());
  const double kelvin = state.temperature_kelvin;
  const auto weights = mbar.weights(state);
  Moments m;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    m.energy += weights[n] * potential(chosen.energy[n]);
    m.q += weights[n] * chosen.q[n];
  }
  double variance = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const double off = potential(chosen.energy[n]) - m.energy;
    variance += weights[n] * off * off;
  }
  m.heat_capacity = variance / (system::k_boltzmann * kelvin * kelvin) +
                    0.5 * static_cast<double>(engine::thermostat_degrees_of_freedom(residues)) *
                        system::k_boltzmann;
  return m;
}

/// Returns the position of the maximum, by a parabola through the highest value and its neighbours.
double find_peak(const std::vector<double>& x, const std::vector<double>& y) {
  const auto top = static_cast<std::size_t>(std::max_element(y.begin(), y.end()) - y.begin());
  if (top == 0 || top + 1 == y.size()) return x[top];
  const double left = y[top - 1] - y[top], right = y[top + 1] - y[top];
  if (!(left + right < 0)) return x[top];
  return x[top] + 0.5 * (x[top + 1] - x[top]) * (left - right) / (left + right);
}

std::size_t q_bin_index(double q) {
  return std::min(static_cast<std::size_t>(q * folding_q_bins), std::size_t{folding_q_bins} - 1);
}

/// Returns the range of bins in the middle third between both fractions that contacts can fill but
/// no sample has.
QRange find_unsampled_range(double unfolded, double native, const std::vector<double>& profile,
                            std::int64_t contacts) {
  std::vector<char> can_be(folding_q_bins);
  for (std::int64_t c = 0; contacts > 0 && c <= contacts; ++c) {
    can_be[q_bin_index(static_cast<double>(c) / static_cast<double>(contacts))] = 1;
  }
  const double third = (native - unfolded) / 3;
  QRange unseen{1, 0};
  for (std::size_t bin = 0; bin < folding_q_bins; ++bin) {
    const double from = static_cast<double>(bin) / folding_q_bins, to = from + 1.0 / folding_q_bins;
    if (from < unfolded + third || to > native - third) continue;
    if (can_be[bin] == 0 || std::isfinite(profile[bin])) continue;
    unseen = {std::min(unseen.from, from), std::max(unseen.to, to)};
  }
  return unseen;
}

std::vector<double> profile_at(const StateReweighting& mbar, const ChosenSamples& chosen,
                               const system::ThermodynamicState& state) {
  const auto weights = mbar.weights(state);
  std::vector<double> p(folding_q_bins, 0);
  for (std::size_t n = 0; n < weights.size(); ++n) {
    p[q_bin_index(chosen.q[n])] += weights[n];
  }
  to_free_energy(p, state.temperature_kelvin);
  return p;
}

/// Results of one bootstrap set on the maximum found from all samples.
struct BootstrapPeak {
  double coordinate = 0;  ///< position of this set's own maximum
  double over_lower_end = 0, over_upper_end = 0;
  bool is_at_lower_end = false, is_at_upper_end = false;
  double barrier_kt = 0, native_fraction = 0;
  std::vector<double> heat_capacity, mean_native_fraction;  ///< (coarse points)
  std::vector<double> profile_kj_mol;                       ///< (bins) at the folding state
};

BootstrapPeak bootstrap_peak(const StateReweighting& mbar, const ChosenSamples& chosen,
                             const LadderPath& path, const system::ThermodynamicState& folding,
                             std::int64_t residues) {
  const auto along = coordinates_along(path, coarse_points);
  std::vector<double> capacity, q;
  for (const double x : along) {
    const auto moments = moments_at(mbar, chosen, path.at(x), residues);
    capacity.push_back(moments.heat_capacity);
    q.push_back(moments.q);
  }
  const auto there = moments_at(mbar, chosen, folding, residues);
  const auto top = std::max_element(capacity.begin(), capacity.end());
  auto profile = profile_at(mbar, chosen, folding);
  return {find_peak(along, capacity),
          there.heat_capacity - capacity.front(),
          there.heat_capacity - capacity.back(),
          top == capacity.begin(),
          top + 1 == capacity.end(),
          find_barrier(profile).height * inverse_temperature(folding),
          there.q,
          capacity,
          q,
          std::move(profile)};
}

/// Returns errors (grid): at the coarse points, linear in between. The grid of a ladder of one
/// state is a single point.
std::vector<double> errors_along(const std::vector<BootstrapPeak>& again,
                                 std::vector<double> BootstrapPeak::*const values,
                                 std::size_t grid_points) {
  std::vector<double> errors(grid_points);
  for (std::size_t k = 0; k * coarse_every < grid_points; ++k) {
    errors[k * coarse_every] = error_of(again, [&](const auto& set) { return (set.*values)[k]; });
  }
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const std::size_t beyond = k % coarse_every;
    if (beyond == 0) continue;
    const double share = static_cast<double>(beyond) / coarse_every;
    const double left = errors[k - beyond], right = errors[k - beyond + coarse_every];
    errors[k] = (1 - share) * left + share * right;
  }
  return errors;
}
/// Returns errors (bins).
std::vector<double> profile_errors(const std::vector<BootstrapPeak>& again) {
  std::vector<double> errors;
  for (std::size_t bin = 0; bin < folding_q_bins; ++bin) {
    std::vector<double> seen;
    for (const auto& set : again) {
      if (std::isfinite(set.profile_kj_mol[bin])) seen.push_back(set.profile_kj_mol[bin]);
    }
    errors.push_back(2 * seen.size() >= again.size() ? deviation(seen) : folding_infinity);
  }
  return errors;
}
template <class Is>
double share_of(const std::vector<BootstrapPeak>& again, const Is& is) {
  if (again.empty()) return 0;
  return static_cast<double>(std::ranges::count_if(again, is)) / static_cast<double>(again.size());
}

/// Compares the maximum with the ends of the ladder. heat_capacity: at the maximum.
Peak compare_with_ends(double heat_capacity, double lower_end, double upper_end,
                       const std::vector<BootstrapPeak>& again) {
  return {{heat_capacity - lower_end, error_of(again, &BootstrapPeak::over_lower_end)},
          {heat_capacity - upper_end, error_of(again, &BootstrapPeak::over_upper_end)},
          share_of(again, &BootstrapPeak::is_at_lower_end),
          share_of(again, &BootstrapPeak::is_at_upper_end)};
}

/// Adds the curves along the ladder, and the state at the maximum of the heat capacity.
void add_curves(const StateReweighting& mbar, const ChosenSamples& chosen, const LadderPath& path,
                std::int64_t residues, FoldingThermodynamics& found) {
  const auto along = coordinates_along(path, folding_grid_points);
  for (const double x : along) found.grid.push_back(path.at(x));
  std::vector<Moments> moments(along.size());
  device::for_each_on_node_threads(along.size(), [&](std::size_t k) {
    moments[k] = moments_at(mbar, chosen, found.grid[k], residues);
  });
  for (const auto& m : moments) {
    found.heat_capacity_kj_mol_kelvin.push_back(m.heat_capacity);
    found.mean_energy_kj_mol.push_back(m.energy);
    found.mean_native_fraction.push_back(m.q);
  }
  found.folding_coordinate.value = find_peak(along, found.heat_capacity_kj_mol_kelvin);
  found.folding_state = path.at(found.folding_coordinate.value);
}

/// Adds the free energy along Q in each state and in the folding state.
void add_profiles(const StateReweighting& mbar, const ChosenSamples& chosen,
                  const std::vector<system::ThermodynamicState>& states,
                  FoldingThermodynamics& found) {
  for (int bin = 0; bin < folding_q_bins; ++bin)
    found.native_fraction.push_back((bin + 0.5) / folding_q_bins);
  std::vector<std::vector<double>> profiles(states.size());
  device::for_each_on_node_threads(
      profiles.size(), [&](std::size_t k) { profiles[k] = profile_at(mbar, chosen, states[k]); });
  for (const auto& profile : profiles) {
    found.free_energy_kj_mol.insert(found.free_energy_kj_mol.end(), profile.begin(), profile.end());
  }
  found.at_folding_kj_mol = profile_at(mbar, chosen, found.folding_state);
  found.barrier_kt.value =
      find_barrier(found.at_folding_kj_mol).height * inverse_temperature(found.folding_state);
}

/// Adds the errors over the bootstrap sets. there: moments in the folding state.
void add_errors(const std::vector<BootstrapPeak>& again, const Moments& there,
                FoldingThermodynamics& found) {
  found.heat_capacity_error_kj_mol_kelvin =
      errors_along(again, &BootstrapPeak::heat_capacity, found.grid.size());
  found.native_fraction_error =
      errors_along(again, &BootstrapPeak::mean_native_fraction, found.grid.size());
  found.at_folding_error_kj_mol = profile_errors(again);
  found.folding_coordinate.error = error_of(again, &BootstrapPeak::coordinate);
  found.barrier_kt.error = error_of(again, &BootstrapPeak::barrier_kt);
  found.native_fraction_at_folding = {there.q, error_of(again, &BootstrapPeak::native_fraction)};
  found.peak = compare_with_ends(there.heat_capacity, found.heat_capacity_kj_mol_kelvin.front(),
                                 found.heat_capacity_kj_mol_kelvin.back(), again);
}

/// Adds the position of the peak, transitions and unsampled range, and withdraws what too few
/// samples support.
void judge_peak(const FoldingSamples& samples, const LadderPath& path,
                FoldingThermodynamics& found) {
  const double peak = found.folding_coordinate.value;
  found.peak_position = peak <= path.lowest()    ? PeakPosition::at_lower_end
                        : peak >= path.highest() ? PeakPosition::at_upper_end
                                                 : found.peak.position();
  const auto [unfolded, native] =
      std::minmax(found.mean_native_fraction.front(), found.mean_native_fraction.back());
  found.transitions = count_transitions(samples, unfolded, native);
  found.unseen = find_unsampled_range(unfolded, native, found.at_folding_kj_mol, samples.contacts);
  if (!found.unseen.is_empty()) {
    found.barrier_kt = {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::quiet_NaN()};
  }
  if (found.maximum_is_inside() && !found.transitions.are_enough()) {
    found.peak_position = PeakPosition::too_few_transitions;
  }
}

}  // namespace

PeakPosition Peak::position() const {
  // False also if the error is NaN, with fewer than two bootstrap sets.
  const auto stands_out = [](const Estimate& over_end, double share_at_end) {
    return over_end.value > fewest_errors * over_end.error && share_at_end <= largest_share;
  };
  const bool over_lower = stands_out(over_lower_end, share_at_lower_end);
  const bool over_upper = stands_out(over_upper_end, share_at_upper_end);
  if (over_lower) return over_upper ? PeakPosition::inside : PeakPosition::at_upper_end;
  return over_upper ? PeakPosition::at_lower_end : PeakPosition::nowhere;
}

void to_free_energy(std::vector<double>& weight, double kelvin) {
  const double highest = *std::max_element(weight.begin(), weight.end());
  const double beta = inverse_temperature(system::ThermodynamicState{kelvin});
  for (double& w : weight) w = w > 0 ? -std::log(w / highest) / beta : folding_infinity;
}

Barrier find_barrier(const std::vector<double>& profile) {
  Barrier barrier;
  for (std::size_t top = 1; top + 1 < profile.size(); ++top) {
    if (!std::isfinite(profile[top])) continue;
    const auto middle = profile.begin() + static_cast<std::ptrdiff_t>(top);
    const auto left = std::min_element(profile.begin(), middle);
    const auto right = std::min_element(middle + 1, profile.end());
    const double height = profile[top] - std::max(*left, *right);
    if (!(height > barrier.height)) continue;
    barrier = {height, static_cast<int>(top), static_cast<int>(left - profile.begin()),
               static_cast<int>(right - profile.begin())};
  }
  return barrier;
}

EnergyParts FoldingSamples::energy(std::size_t sample) const {
  EnergyParts parts{0, contact_kj_mol.empty() ? 0 : contact_kj_mol[sample],
                    variable_nm.empty() ? 0 : variable_nm[sample]};
  const auto nodes = static_cast<std::ptrdiff_t>(screening.size());
  if (nodes > 0) {
    const auto first = screened.begin() + static_cast<std::ptrdiff_t>(sample) * nodes;
    parts.screened.assign(first, first + nodes);
  }
  return state_potential(states[static_cast<std::size_t>(state[sample])])
      .with_rest(std::move(parts), potential_kj_mol[sample]);
}

FoldingSamples FoldingSamples::of_states(std::size_t first, std::size_t last) const {
  FoldingSamples part;
  part.states.assign(states.begin() + static_cast<std::ptrdiff_t>(first),
                     states.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  const auto ladders = static_cast<std::size_t>(replicas) / states.size();
  part.replicas = static_cast<std::int64_t>(ladders * part.states.size());
  part.contacts = contacts;
  part.residues = residues;
  part.screening = screening;
  part.quantities.resize(quantities.size());
  const auto nodes = screening.size();
  for (std::size_t n = 0; n < size(); ++n) {
    const auto k = static_cast<std::size_t>(state[n]);
    if (k < first || k > last) continue;
    part.state.push_back(static_cast<std::int32_t>(k - first));
    part.potential_kj_mol.push_back(potential_kj_mol[n]);
    part.formed_contacts.push_back(formed_contacts[n]);
    if (!contact_kj_mol.empty()) part.contact_kj_mol.push_back(contact_kj_mol[n]);
    if (!variable_nm.empty()) part.variable_nm.push_back(variable_nm[n]);
    for (std::size_t s = 0; s < quantities.size(); ++s) {
      part.quantities[s].push_back(quantities[s][n]);
    }
    const auto from = screened.begin() + static_cast<std::ptrdiff_t>(n * nodes);
    part.screened.insert(part.screened.end(), from, from + static_cast<std::ptrdiff_t>(nodes));
  }
  return part;
}

StartComparison compare_starts(const FoldingSamples& samples) {
  const std::size_t states = samples.states.size();
  std::vector<double> sum(2 * states, 0), number(2 * states, 0);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const std::size_t ladder = n % static_cast<std::size_t>(samples.replicas) / states;
    const std::size_t at = ladder % 2 * states + static_cast<std::size_t>(samples.state[n]);
    sum[at] += static_cast<double>(samples.formed_contacts[n]);
    number[at] += 1;
  }
  StartComparison found;
  for (std::size_t k = 0; k < states; ++k) {
    if (number[k] == 0 || number[states + k] == 0) continue;
    const double difference = std::abs(sum[k] / number[k] - sum[states + k] / number[states + k]) /
                              static_cast<double>(std::max<std::int64_t>(1, samples.contacts));
    if (difference < found.largest_difference) continue;
    found = {difference, k};
  }
  return found;
}

std::vector<StartComparison> compare_starts_over_time(const FoldingSamples& samples,
                                                      std::size_t stretches) {
  const auto replicas = static_cast<std::size_t>(samples.replicas);
  const std::size_t times = samples.size() / replicas;
  std::vector<StartComparison> found;
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

double run_length_factor(const std::vector<StartComparison>& stretches, double left_out) {
  const auto n = static_cast<double>(stretches.size());
  if (stretches.size() < 2) return folding_infinity;
  const double first = stretches.front().largest_difference;
  const double last = std::max(stretches.back().largest_difference, 1e-6);
  const double decay_per_stretch = std::log(first / last) / (n - 1);
  if (!(decay_per_stretch > 0)) return folding_infinity;
  // In units of an interval, from the beginning of the first: where the difference passes the
  // tolerance.
  const double to_go = std::log(last / StartComparison::tolerance) / decay_per_stretch;
  const double passes = std::max(0.0, n - 0.5 + to_go);
  // The averages of the longer run must begin there.
  const double whole = n / (1 - left_out);
  const double begins = left_out * whole + passes;
  return std::max(1.0, left_out > 0 ? begins / left_out / whole : begins / whole);
}

Transitions count_transitions(const FoldingSamples& samples, double unfolded_fraction,
                              double native_fraction) {
  const auto contacts = static_cast<double>(std::max<std::int64_t>(1, samples.contacts));
  const double third = (native_fraction - unfolded_fraction) / 3;
  const auto replicas = static_cast<std::size_t>(samples.replicas);
  Transitions found;
  if (!(third > 0)) return found;
  enum class Basin { unknown, unfolded, native };
  for (std::size_t r = 0; r < replicas; ++r) {
    auto basin = Basin::unknown;
    for (std::size_t n = r; n < samples.size(); n += replicas) {
      const double q = static_cast<double>(samples.formed_contacts[n]) / contacts;
      const auto now = q >= native_fraction - third     ? Basin::native
                       : q <= unfolded_fraction + third ? Basin::unfolded
                                                        : basin;
      if (basin == Basin::unfolded && now == Basin::native) ++found.foldings;
      if (basin == Basin::native && now == Basin::unfolded) ++found.unfoldings;
      basin = now;
    }
  }
  return found;
}

FoldingThermodynamics folding_thermodynamics(const FoldingSamples& samples, std::uint64_t seed) {
  if (!samples.are_whole()) {
    throw std::invalid_argument("no samples, or not of all replicas");
  }
  const auto chosen = thinned(samples);
  const auto mbar = reweight_on_all_threads(samples, chosen);
  const LadderPath path(samples.states);
  FoldingThermodynamics found;
  found.samples_used = chosen.energy.size();
  found.reduced_free_energy = mbar.free_energies();
  add_curves(mbar, chosen, path, samples.residues, found);
  add_profiles(mbar, chosen, samples.states, found);
  const auto again = for_bootstrap_sets(
      samples, seed, found.reduced_free_energy, [&](const auto& other, const auto& drawn) {
        return bootstrap_peak(other, drawn, path, found.folding_state, samples.residues);
      });
  add_errors(again, moments_at(mbar, chosen, found.folding_state, samples.residues), found);
  judge_peak(samples, path, found);
  return found;
}

}  // namespace nfold::thermodynamics

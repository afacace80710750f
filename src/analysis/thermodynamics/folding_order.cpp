// Windows of F(Q) and contact averages over them.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/folding_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "system/units.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr double phi_not_defined = std::numeric_limits<double>::quiet_NaN();

/// Extends a window from a bin to both sides while `belongs` holds; unsampled bins may lie in
/// between.
template <class Belongs>
QWindow around(const std::vector<double>& profile, int middle, int low, int high,
               const Belongs& belongs) {
  QWindow window{middle, middle};
  const auto extend = [&](int step, int end, int& border) {
    for (int bin = middle + step; bin != end + step; bin += step) {
      const double f = profile[static_cast<std::size_t>(bin)];
      if (!std::isfinite(f)) continue;
      if (!belongs(f)) return;
      border = bin;
    }
  };
  extend(-1, low, window.first);
  extend(1, high, window.last);
  return window;
}

/// Returns the two states nearest to one along the ladder and all within 3 % of it.
std::vector<int> states_near(const LadderPath& path, const system::ThermodynamicState& near) {
  std::vector<int> states(path.states().size());
  std::iota(states.begin(), states.end(), 0);
  const auto distance = [&](int k) {
    return std::abs(path.coordinate(path.states()[static_cast<std::size_t>(k)]) -
                    path.coordinate(near));
  };
  std::stable_sort(states.begin(), states.end(),
                   [&](int a, int b) { return distance(a) < distance(b); });
  std::size_t count = std::min<std::size_t>(2, states.size());
  while (count < states.size() && distance(states[count]) <= 0.03 * path.coordinate(near)) ++count;
  states.resize(count);
  std::sort(states.begin(), states.end());
  return states;
}

/// Contact counts in each bin, summed over some states.
struct InBins {
  std::vector<double> samples;  // (bins)
  std::vector<double> formed;   // (bins, contacts)
};

InBins pooled(const replicas::ObservedCounts& counts, const std::vector<int>& states,
              std::size_t contacts) {
  constexpr auto bins = static_cast<std::size_t>(replicas::ObserverPlan::q_bins);
  InBins all{std::vector<double>(bins), std::vector<double>(bins * contacts)};
  for (const int state : states) {
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::size_t cell = static_cast<std::size_t>(state) * bins + bin;
      all.samples[bin] += static_cast<double>(counts.samples[cell]);
      for (std::size_t c = 0; c < contacts; ++c) {
        all.formed[bin * contacts + c] += static_cast<double>(counts.contacts[cell * contacts + c]);
      }
    }
  }
  return all;
}

/// Returns (residues) the mean fraction of formed contacts in a window; empty without a sample
/// there.
std::vector<double> mean_fraction(const InBins& in, const QWindow& window,
                                  const std::vector<double>& profile, double kt,
                                  const std::vector<replicas::ObservedContact>& contacts,
                                  const std::vector<double>& native_contacts) {
  std::vector<double> sum(native_contacts.size());
  double weights = 0;
  for (int b = window.first; b <= window.last; ++b) {
    const auto bin = static_cast<std::size_t>(b);
    if (in.samples[bin] == 0 || !std::isfinite(profile[bin])) continue;
    const double weight = std::exp(-profile[bin] / kt);
    weights += weight;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const double share = weight * in.formed[bin * contacts.size() + c] / in.samples[bin];
      sum[static_cast<std::size_t>(contacts[c].i)] += share;
      sum[static_cast<std::size_t>(contacts[c].j)] += share;
    }
  }
  if (weights == 0) return {};
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = native_contacts[i] > 0 ? sum[i] / (weights * native_contacts[i]) : phi_not_defined;
  }
  return sum;
}

}  // namespace

std::optional<FoldingWindows> folding_windows(const std::vector<double>& profile, double kelvin) {
  const double kt = system::k_boltzmann * kelvin;
  const int bins = static_cast<int>(profile.size());
  const auto [height, top, left, right] = find_barrier(profile);
  if (top < 0 || height < 0.5 * kt) return std::nullopt;
  const auto at = [&profile](int bin) { return profile[static_cast<std::size_t>(bin)]; };
  const auto within = [kt](double lowest) { return [=](double f) { return f <= lowest + kt; }; };
  const double lowest_top = at(top) - 0.5 * kt;
  FoldingWindows windows;
  windows.unfolded = around(profile, left, 0, top - 1, within(at(left)));
  windows.native = around(profile, right, top + 1, bins - 1, within(at(right)));
  windows.transition = around(profile, top, windows.unfolded.last + 1, windows.native.first - 1,
                              [=](double f) { return f >= lowest_top; });
  return windows;
}

std::optional<FoldingOrder> folding_order(const FoldingThermodynamics& found,
                                          const std::vector<system::ThermodynamicState>& states,
                                          const replicas::ObservedCounts& counts,
                                          const std::vector<replicas::ObservedContact>& contacts,
                                          int residues) {
  const double kelvin = found.folding_state.temperature_kelvin;
  const auto& profile = found.at_folding_kj_mol;
  if (profile.size() != static_cast<std::size_t>(replicas::ObserverPlan::q_bins)) return {};
  const auto windows = folding_windows(profile, kelvin);
  if (!windows) return std::nullopt;
  FoldingOrder order;
  order.windows = *windows;
  order.states = states_near(LadderPath(states), found.folding_state);
  order.native_contacts.resize(static_cast<std::size_t>(residues));
  for (const auto& c : contacts) {
    order.native_contacts[static_cast<std::size_t>(c.i)] += 1;
    order.native_contacts[static_cast<std::size_t>(c.j)] += 1;
  }
  const auto in = pooled(counts, order.states, contacts.size());
  for (std::size_t w = 0; w < 3; ++w) {
    order.fraction[w] = mean_fraction(in, windows->all()[w], profile, system::k_boltzmann * kelvin,
                                      contacts, order.native_contacts);
    if (order.fraction[w].empty()) return std::nullopt;
  }
  constexpr double least_change = 0.05;
  const auto& [unfolded, transition, native] = order.fraction;
  order.phi.reserve(native.size());
  for (std::size_t i = 0; i < native.size(); ++i) {
    const double change = native[i] - unfolded[i];
    order.phi.push_back(std::abs(change) >= least_change ? (transition[i] - unfolded[i]) / change
                                                         : phi_not_defined);
  }
  return order;
}

}  // namespace nfold::thermodynamics

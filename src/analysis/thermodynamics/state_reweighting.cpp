// Reduced potentials as linear combinations of features for analysis::Reweighting.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/state_reweighting.hpp"

#include <cstddef>
#include <utility>

namespace nfold::thermodynamics {
namespace {

/// Returns the coefficients of the features: the part common to all states; contacts, if their
/// strengths differ from 1; square of the variable, variable and 1, for umbrellas; the energy at
/// each screening.
std::vector<double> coefficients(const system::ThermodynamicState& state, bool contacts,
                                 bool umbrellas, const ScreeningNodes& nodes) {
  const double beta = inverse_temperature(state);
  std::vector<double> c{beta};
  if (contacts) c.push_back(beta * state.contact_strength);
  if (umbrellas) {
    const double half = 0.5 * beta * state.umbrella_k_kj_mol_nm2;
    const double centre = state.umbrella_centre_nm;
    c.insert(c.end(), {half, -2 * half * centre, half * centre * centre});
  }
  const StatePotential potential(state, nodes);
  for (const double weight : potential.screening()) c.push_back(beta * weight);
  return c;
}

analysis::SampledStates sampled(const std::vector<system::ThermodynamicState>& states,
                                const std::vector<EnergyParts>& energy,
                                const std::vector<double>& count, bool contacts, bool umbrellas,
                                const ScreeningNodes& nodes) {
  analysis::SampledStates all;
  for (const auto& state : states) {
    const auto c = coefficients(state, contacts, umbrellas, nodes);
    all.features = c.size();
    all.coefficient.insert(all.coefficient.end(), c.begin(), c.end());
  }
  all.feature.reserve(all.features * energy.size());
  for (const auto& one : energy) {
    if (contacts) {
      all.feature.insert(all.feature.end(), {one.rest, one.contacts});
    } else {
      all.feature.push_back(one.rest + one.contacts);
    }
    if (umbrellas) {
      const double d = one.variable_nm;
      all.feature.insert(all.feature.end(), {d * d, d, 1});
    }
    all.feature.insert(all.feature.end(), one.screened.begin(), one.screened.end());
  }
  all.count = count;
  return all;
}

}  // namespace

StateReweighting::StateReweighting(const std::vector<system::ThermodynamicState>& states,
                                   const std::vector<EnergyParts>& energy,
                                   const std::vector<double>& count, ScreeningNodes nodes,
                                   std::vector<double> start, const analysis::Loop& loop)
    : contacts_(scales_contacts(states)),
      umbrellas_(has_umbrellas(states)),
      nodes_(std::move(nodes)),
      mbar_(sampled(states, energy, count, contacts_, umbrellas_, nodes_), std::move(start), loop) {
}

std::vector<double> StateReweighting::weights(const system::ThermodynamicState& state) const {
  return mbar_.weights(coefficients(state, contacts_, umbrellas_, nodes_));
}

}  // namespace nfold::thermodynamics

// Reduced potentials, and coordinates along a ladder.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/reduced_potential.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>

#include "system/units.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr auto temperature_member = &system::ThermodynamicState::temperature_kelvin;
constexpr auto strength = &system::ThermodynamicState::contact_strength;
constexpr auto salt = &system::ThermodynamicState::ionic_strength_molar;
constexpr auto centre = &system::ThermodynamicState::umbrella_centre_nm;

double system::ThermodynamicState::*member_of(Varies varies) {
  switch (varies) {
    case Varies::temperature:
      return temperature_member;
    case Varies::contact_strength:
      return strength;
    case Varies::ionic_strength:
      return salt;
    case Varies::umbrella_centre:
      break;
  }
  return centre;
}

/// True if each state's member precedes that of the next one.
template <class Precedes>
bool is_ordered(const std::vector<system::ThermodynamicState>& states,
                double system::ThermodynamicState::*member, const Precedes& precedes) {
  return std::adjacent_find(states.begin(), states.end(), [&](const auto& a, const auto& b) {
           return !precedes(a.*member, b.*member);
         }) == states.end();
}

system::ThermodynamicState between(const system::ThermodynamicState& a,
                                   const system::ThermodynamicState& b, double share) {
  system::ThermodynamicState found;
  for (const auto member :
       {temperature_member, strength, centre, &system::ThermodynamicState::umbrella_k_kj_mol_nm2,
        salt, &system::ThermodynamicState::coulomb_kj_mol_nm}) {
    found.*member = (1 - share) * a.*member + share * b.*member;
  }
  found.kappa_per_nm = std::sqrt((1 - share) * a.kappa_per_nm * a.kappa_per_nm +
                                 share * b.kappa_per_nm * b.kappa_per_nm);
  return found;
}

}  // namespace

double inverse_temperature(const system::ThermodynamicState& state) {
  return 1 / (system::k_boltzmann * state.temperature_kelvin);
}

StatePotential::StatePotential(const system::ThermodynamicState& state, const ScreeningNodes& nodes)
    : state_(state),
      beta_(inverse_temperature(state)),
      screening_(nodes.weights(state.kappa_per_nm)) {
  for (double& weight : screening_) weight *= state.coulomb_kj_mol_nm;
}

double StatePotential::operator()(const EnergyParts& energy) const {
  const double off = energy.variable_nm - state_.umbrella_centre_nm;
  double sum = energy.rest + state_.contact_strength * energy.contacts +
               0.5 * state_.umbrella_k_kj_mol_nm2 * off * off;
  for (std::size_t k = 0; k < screening_.size(); ++k) {
    sum += screening_[k] * energy.screened.at(k);
  }
  return sum;
}

EnergyParts StatePotential::with_rest(EnergyParts energy, double potential_kj_mol) const {
  energy.rest = 0;
  energy.rest = potential_kj_mol - (*this)(energy);
  return energy;
}

bool LadderPath::is_path(const std::vector<system::ThermodynamicState>& states) {
  const bool positive =
      !states.empty() && std::all_of(states.begin(), states.end(), [](const auto& state) {
        return state.temperature_kelvin > 0 && state.contact_strength > 0;
      });
  if (!positive) return false;
  if (is_ordered(states, temperature_member, std::less<>())) return true;
  for (const auto member : {temperature_member, strength, salt, centre}) {
    if (is_ordered(states, member, std::equal_to<>())) continue;
    return member != temperature_member && (is_ordered(states, member, std::less<>()) ||
                                            is_ordered(states, member, std::greater<>()));
  }
  return false;
}

LadderPath::LadderPath(std::vector<system::ThermodynamicState> states)
    : states_(std::move(states)), varies_(Varies::temperature) {
  if (!is_path(states_)) {
    throw std::invalid_argument(
        "a ladder's temperatures must be positive and ascend, or be one with contact strengths, "
        "ionic strengths or umbrellas' centres that all rise or all fall");
  }
  for (const auto one : {Varies::temperature, Varies::contact_strength, Varies::ionic_strength,
                         Varies::umbrella_centre}) {
    if (states_.front().*member_of(one) == states_.back().*member_of(one)) continue;
    varies_ = one;
    return;
  }
}

double state_coordinate(const system::ThermodynamicState& state, Varies what) {
  return state.*member_of(what);
}

double LadderPath::coordinate(const system::ThermodynamicState& state) const {
  return state_coordinate(state, varies_);
}
double LadderPath::lowest() const {
  return std::min(coordinate(states_.front()), coordinate(states_.back()));
}
double LadderPath::highest() const {
  return std::max(coordinate(states_.front()), coordinate(states_.back()));
}

std::string LadderPath::describe(std::size_t state) const {
  const double at = coordinate(states_[state]);
  switch (varies_) {
    case Varies::temperature:
      return fmt::format("{:.1f} K", at);
    case Varies::contact_strength:
      return fmt::format("contact strength {:.3g}", at);
    case Varies::ionic_strength:
      return fmt::format("{:.3g} mol/l of salt", at);
    case Varies::umbrella_centre:
      break;
  }
  return fmt::format("umbrella at {:.3g} nm", at);
}

system::ThermodynamicState LadderPath::at(double coordinate_wanted) const {
  const double wanted = std::clamp(coordinate_wanted, lowest(), highest());
  for (std::size_t k = 0; k + 1 < states_.size(); ++k) {
    const double here = coordinate(states_[k]), next = coordinate(states_[k + 1]);
    if (wanted < std::min(here, next) || wanted > std::max(here, next)) continue;
    const double share = (wanted - here) / (next - here);
    auto found = between(states_[k], states_[k + 1], share);
    found.*member_of(varies_) = wanted;
    return found;
  }
  return states_.front();
}

bool has_umbrellas(const std::vector<system::ThermodynamicState>& states) {
  return std::any_of(states.begin(), states.end(),
                     [](const auto& state) { return state.umbrella_k_kj_mol_nm2 != 0; });
}

bool scales_contacts(const std::vector<system::ThermodynamicState>& states) {
  return std::any_of(states.begin(), states.end(),
                     [](const auto& state) { return state.contact_strength != 1; });
}

}  // namespace nfold::thermodynamics

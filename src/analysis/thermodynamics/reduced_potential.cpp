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

using State = system::ThermodynamicState;

struct Coordinate {
  Varies varies;
  double State::*member;
  const char* name;
};
constexpr Coordinate coordinates[] = {
    {Varies::temperature, &State::temperature_kelvin, "{:.1f} K"},
    {Varies::contact_strength, &State::contact_strength, "contact strength {:.3g}"},
    {Varies::ionic_strength, &State::ionic_strength_molar, "{:.3g} mol/l of salt"},
    {Varies::umbrella_centre, &State::umbrella_centre_nm, "umbrella at {:.3g} nm"}};

const Coordinate& coordinate_of(Varies varies) {
  return *std::ranges::find(coordinates, varies, &Coordinate::varies);
}

/// True if each state's member precedes that of the next one.
template <class Precedes>
bool is_ordered(const std::vector<State>& states, double State::*member, const Precedes& precedes) {
  return std::ranges::adjacent_find(states, std::not_fn(precedes), member) == states.end();
}

State between(const State& a, const State& b, double share) {
  State state;
  for (const auto member :
       {&State::temperature_kelvin, &State::contact_strength, &State::umbrella_centre_nm,
        &State::umbrella_k_kj_mol_nm2, &State::ionic_strength_molar, &State::coulomb_kj_mol_nm}) {
    state.*member = (1 - share) * a.*member + share * b.*member;
  }
  state.kappa_per_nm = std::sqrt((1 - share) * a.kappa_per_nm * a.kappa_per_nm +
                                 share * b.kappa_per_nm * b.kappa_per_nm);
  return state;
}

}  // namespace

double inverse_temperature(const State& state) {
  return 1 / (system::k_boltzmann * state.temperature_kelvin);
}

StatePotential::StatePotential(const State& state, const ScreeningNodes& nodes)
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

bool LadderPath::is_path(const std::vector<State>& states) {
  const bool is_positive = !states.empty() && std::ranges::all_of(states, [](const State& state) {
    return state.temperature_kelvin > 0 && state.contact_strength > 0;
  });
  if (!is_positive) return false;
  for (const auto& [varies, member, name] : coordinates) {
    if (is_ordered(states, member, std::equal_to<>())) continue;
    return is_ordered(states, member, std::less<>()) ||
           (varies != Varies::temperature && is_ordered(states, member, std::greater<>()));
  }
  return states.size() == 1;
}

LadderPath::LadderPath(std::vector<State> states)
    : states_(std::move(states)), varies_(Varies::temperature) {
  if (!is_path(states_)) {
    throw std::invalid_argument(
        "a ladder's temperatures must be positive and ascend, or be one with contact strengths, "
        "ionic strengths or umbrellas' centres that all rise or all fall");
  }
  const auto* const first_varied =
      std::ranges::find_if(coordinates, [this](const Coordinate& each) {
        return states_.front().*each.member != states_.back().*each.member;
      });
  if (first_varied != std::end(coordinates)) varies_ = first_varied->varies;
}

double state_coordinate(const State& state, Varies what) {
  return state.*coordinate_of(what).member;
}

double LadderPath::coordinate(const State& state) const { return state_coordinate(state, varies_); }
double LadderPath::lowest() const {
  return std::min(coordinate(states_.front()), coordinate(states_.back()));
}
double LadderPath::highest() const {
  return std::max(coordinate(states_.front()), coordinate(states_.back()));
}

std::string LadderPath::describe(std::size_t state) const {
  return fmt::format(fmt::runtime(coordinate_of(varies_).name), coordinate(states_[state]));
}

State LadderPath::at(double coordinate_wanted) const {
  const double wanted = std::clamp(coordinate_wanted, lowest(), highest());
  for (std::size_t k = 0; k + 1 < states_.size(); ++k) {
    const double here = coordinate(states_[k]), next = coordinate(states_[k + 1]);
    if (wanted < std::min(here, next) || wanted > std::max(here, next)) continue;
    const double share = (wanted - here) / (next - here);
    auto state = between(states_[k], states_[k + 1], share);
    state.*coordinate_of(varies_).member = wanted;
    return state;
  }
  return states_.front();
}

bool has_umbrellas(const std::vector<State>& states) {
  return std::ranges::any_of(states,
                             [](const auto& state) { return state.umbrella_k_kj_mol_nm2 != 0; });
}

bool scales_contacts(const std::vector<State>& states) {
  return std::ranges::any_of(states, [](const auto& state) { return state.contact_strength != 1; });
}

}  // namespace nfold::thermodynamics

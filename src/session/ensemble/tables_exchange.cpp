// Exchanges since the last change of the ladder, as tables and text.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/tables_exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace nfold::ensemble {
namespace {

constexpr double undefined_value = std::numeric_limits<double>::quiet_NaN();

/// Number of each state, and its tables.
struct StateNumber {
  const char *name, *name_of_all, *unit, *help;
  double system::ThermodynamicState::*member;
};

std::vector<StateNumber> numbers_of(const std::vector<system::ThermodynamicState>& ladder) {
  using State = system::ThermodynamicState;
  std::vector<StateNumber> numbers{
      {"exchange/temperature", "exchange/ladders", "K", "(states) the ladder",
       &State::temperature_kelvin},
      {"exchange/contact_strength", "exchange/ladder_contact_strengths", "",
       "(states) factor of the native contacts' energies", &State::contact_strength}};
  if (thermodynamics::has_umbrellas(ladder)) {
    numbers.push_back({"exchange/umbrella_centre", "exchange/ladder_umbrella_centres", "nm",
                       "(states) centre of each umbrella", &State::umbrella_centre_nm});
  }
  const bool has_charges = std::any_of(ladder.begin(), ladder.end(), [](const State& state) {
    return state.coulomb_kj_mol_nm != 0;
  });
  if (has_charges) {
    numbers.push_back({"exchange/ionic_strength", "exchange/ladder_ionic_strengths", "mol L-1",
                       "(states) of the salt", &State::ionic_strength_molar});
    numbers.push_back({"exchange/inverse_debye_length", "exchange/ladder_inverse_debye_lengths",
                       "nm-1", "(states) kappa of the charges' screening", &State::kappa_per_nm});
    numbers.push_back({"exchange/coulomb", "exchange/ladder_coulombs", "kJ mol-1 nm",
                       "(states) ke/eps_r, two charges' energy times their distance",
                       &State::coulomb_kj_mol_nm});
  }
  return numbers;
}

/// Returns the time of all replicas together per round trip [ps].
double round_trip_ps(const EnsembleSnapshot& snapshot) {
  const auto trips = snapshot.exchange.round_trips();
  if (trips == 0) return undefined_value;
  const auto steps = static_cast<double>(snapshot.step - snapshot.exchange.history().back().step);
  return steps * snapshot.settings.dynamics.time_step_ps * snapshot.exchange.replicas() /
         static_cast<double>(trips);
}

}  // namespace

std::vector<double> state_column(const std::vector<system::ThermodynamicState>& states,
                                 double system::ThermodynamicState::*member) {
  std::vector<double> values;
  values.reserve(states.size());
  for (const auto& state : states) values.push_back(state.*member);
  return values;
}

void add_exchange(const EnsembleSnapshot& snapshot, common::Tables& tables) {
  const auto& exchange = snapshot.exchange;
  std::vector<double> acceptance, flow;
  std::vector<std::int64_t> since;
  acceptance.reserve(exchange.pairs().size());
  for (const auto& pair : exchange.pairs()) acceptance.push_back(pair.acceptance());
  flow.reserve(exchange.flow().size());
  for (const auto& here : exchange.flow()) {
    const auto seen = static_cast<double>(here.from_first + here.from_last);
    flow.push_back(seen > 0 ? static_cast<double>(here.from_first) / seen : undefined_value);
  }
  since.reserve(exchange.history().size());
  for (const auto& ladder : exchange.history()) since.push_back(ladder.step);
  for (const auto& number : numbers_of(exchange.ladder())) {
    tables.add_column(number.name, number.unit, number.help,
                      state_column(exchange.ladder(), number.member));
    std::vector<double> all;
    for (const auto& ladder : exchange.history()) {
      const auto one = state_column(ladder.states, number.member);
      all.insert(all.end(), one.begin(), one.end());
    }
    tables.add(number.name_of_all, number.unit,
               "(ladders, states) the same of all ladders in turn, the current one last",
               {std::ssize(since), exchange.states()}, std::move(all));
  }
  tables.add_column(
      "exchange/ladder_since_step", "",
      "(ladders) step after whose exchange each ladder began; what follows counts from the last",
      since);
  tables.add_column("exchange/acceptance", "",
                    "(states - 1) share of attempts between neighbours that were accepted",
                    acceptance);
  tables.add_column("exchange/flow", "",
                    "(states) of replicas there that have been at an end, the share whose last one "
                    "was the first; a straight line from 1 to 0 is best (Katzgraber et al., J. "
                    "Stat. Mech. P03018 (2006))",
                    flow);
  tables.add_column("exchange/round_trips", "",
                    "(replicas) ways from the first state to the last and back",
                    exchange.replica_round_trips());
  tables.add_number("exchange/round_trip_time", "ps",
                    "time of all replicas together over all their round trips; not a number "
                    "without any",
                    round_trip_ps(snapshot));
}

std::vector<std::string> describe_exchange(const EnsembleSnapshot& snapshot) {
  const auto& exchange = snapshot.exchange;
  if (exchange.attempts() == 0 || exchange.pairs().empty()) return {};
  const auto [least, most] = std::minmax_element(
      exchange.pairs().begin(), exchange.pairs().end(),
      [](const auto& a, const auto& b) { return a.acceptance() < b.acceptance(); });
  const auto trips = exchange.round_trips();
  auto text = fmt::format(
      "exchange: {:.0f} to {:.0f} % of attempts between neighbours accepted, "
      "{} round trips of {} replicas",
      100 * least->acceptance(), 100 * most->acceptance(), trips, exchange.replicas());
  if (trips > 0) {
    text += fmt::format(", each replica one in {:.3g} ns", round_trip_ps(snapshot) / 1000);
  }
  return {text};
}

}  // namespace nfold::ensemble

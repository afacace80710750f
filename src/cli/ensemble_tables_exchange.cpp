// What is known of exchanges since the ladder last changed, as tables and in words.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/ensemble_tables_exchange.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace nfold::cli {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::int64_t size_of(const std::vector<double>& values) {
  return static_cast<std::int64_t>(values.size());
}

/// Time that all replicas together spent for a round trip [ps].
double round_trip_ps(const EnsembleSoFar& so_far) {
  const auto trips = so_far.exchange.round_trips();
  if (trips == 0) return unknown;
  const auto steps = static_cast<double>(so_far.step - so_far.exchange.history().back().step);
  return steps * so_far.settings.dynamics.time_step_ps * so_far.exchange.replicas() /
         static_cast<double>(trips);
}

}  // namespace

void add_exchange(const EnsembleSoFar& so_far, std::vector<io::ObservedTable>& tables) {
  const auto& exchange = so_far.exchange;
  const auto add = [&tables](const char* name, const char* unit, const char* help,
                             std::vector<std::int64_t> extent, std::vector<double> values) {
    tables.push_back({name, unit, help, std::move(extent), std::move(values)});
  };
  const std::int64_t states = exchange.states();
  std::vector<double> acceptance, flow, since, ladders, ladder_strengths, ladder_centres, kelvin,
      strength, centre;
  for (const auto& state : exchange.ladder()) {
    kelvin.push_back(state.temperature_kelvin);
    strength.push_back(state.contact_strength);
    centre.push_back(state.umbrella_centre_nm);
  }
  acceptance.reserve(exchange.pairs().size());
  for (const auto& pair : exchange.pairs()) acceptance.push_back(pair.acceptance());
  flow.reserve(exchange.flow().size());
  for (const auto& here : exchange.flow()) {
    const auto seen = static_cast<double>(here.from_first + here.from_last);
    flow.push_back(seen > 0 ? static_cast<double>(here.from_first) / seen : unknown);
  }
  for (const auto& ladder : exchange.history()) {
    since.push_back(static_cast<double>(ladder.step));
    for (const auto& state : ladder.states) {
      ladders.push_back(state.temperature_kelvin);
      ladder_strengths.push_back(state.contact_strength);
      ladder_centres.push_back(state.umbrella_centre_nm);
    }
  }
  add("exchange/temperature", "K", "(states) the ladder", {states}, std::move(kelvin));
  add("exchange/contact_strength", "", "(states) factor of the native contacts' energies", {states},
      std::move(strength));
  const auto changes = size_of(since);
  add("exchange/ladders", "K", "(ladders, states) all ladders in turn, the current one last",
      {changes, states}, std::move(ladders));
  add("exchange/ladder_contact_strengths", "", "(ladders, states) the same of contact strengths",
      {changes, states}, std::move(ladder_strengths));
  if (ensemble::has_umbrellas(exchange.ladder())) {
    add("exchange/umbrella_centre", "nm", "(states) centre of each umbrella", {states},
        std::move(centre));
    add("exchange/ladder_umbrella_centres", "nm", "(ladders, states) the same of all ladders",
        {changes, states}, std::move(ladder_centres));
  }
  add("exchange/ladder_since_step", "",
      "(ladders) step after whose exchange each ladder began; what follows counts from the last",
      {changes}, std::move(since));
  add("exchange/acceptance", "",
      "(states - 1) share of attempts between neighbours that were accepted", {states - 1},
      std::move(acceptance));
  add("exchange/flow", "",
      "(states) of replicas there that have been at an end, the share whose last one was the "
      "first; a straight line from 1 to 0 is best (Katzgraber et al., J. Stat. Mech. P03018 "
      "(2006))",
      {states}, std::move(flow));
  const auto& trips = exchange.round_trips_of();
  add("exchange/round_trips", "", "(replicas) ways from the first state to the last and back",
      {static_cast<std::int64_t>(trips.size())}, {trips.begin(), trips.end()});
  add("exchange/round_trip_time", "ps",
      "time of all replicas together over all their round trips; not a number without any", {},
      {round_trip_ps(so_far)});
}

std::vector<std::string> exchange_in_words(const EnsembleSoFar& so_far) {
  const auto& exchange = so_far.exchange;
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
    text += fmt::format(", each replica one in {:.3g} ns", round_trip_ps(so_far) / 1000);
  }
  return {text};
}

}  // namespace nfold::cli

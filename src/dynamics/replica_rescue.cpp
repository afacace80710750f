// Smaller steps where one would explode.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/replica_rescue.hpp"

#include <fmt/format.h>

#include <optional>

#include "dynamics/replica_set_resident.hpp"

namespace nfold::dynamics {
namespace {

/// One step from `from`, of smaller ones; none if all attempts explode.
std::optional<system::State> small_steps(const topology::Topology& topology,
                                         EngineSettings settings, const ReplicaStart& from) {
  const std::int64_t step = from.state.step;
  settings.time_step_ps /= steps_for_one;
  for (int attempt = 1; attempt <= rescue_attempts; ++attempt) {
    auto start = from;
    // Streams of noise that nobody else draws from: another key, and steps of their own.
    settings.seed += 0x9E3779B97F4A7C15U;
    start.state.step = step * steps_for_one;
    try {
      auto engine = engine_alone(topology, settings, start);
      engine.advance(steps_for_one);
      auto state = engine.owned_state();
      state.step = step + 1;
      return state;
    } catch (const ExplosionError&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace

void advance_with_rescues(const topology::Topology& topology, const EngineSettings& settings,
                          std::uint32_t number, const ThermodynamicState& thermodynamic,
                          std::int64_t steps, Engine& engine, std::int64_t& last_rescue,
                          std::int64_t& rescues) {
  const std::int64_t last = engine.step() + steps;
  while (engine.step() < last) {
    try {
      engine.advance(last - engine.step());
    } catch (const ExplosionError& error) {
      const std::int64_t step = engine.step();
      const auto refuse = [&](const std::string& why) {
        throw ExplosionError(fmt::format("replica {}: {}{}", number, error.what(), why));
      };
      if (last_rescue >= 0 && step - last_rescue < fewest_steps_between_rescues) {
        refuse(fmt::format("; it was saved from that in step {} already", last_rescue + 1));
      }
      auto state = small_steps(topology, settings, {number, thermodynamic, engine.owned_state()});
      if (!state) refuse(fmt::format("; steps of a {}th do not help", steps_for_one));
      last_rescue = step;
      ++rescues;
      engine = engine_alone(topology, settings, {number, thermodynamic, std::move(*state)});
    }
  }
}

}  // namespace nfold::dynamics

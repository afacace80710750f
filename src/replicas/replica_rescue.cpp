// Smaller steps where one would explode, or none.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/replica_rescue.hpp"

#include <fmt/format.h>

#include <optional>

namespace nfold::replicas {
namespace {

/// Whether steps of the engine's own length lead on from a state.
bool leads_on(const EngineAlone& engine, const system::State& state) {
  const auto& settings = engine.settings();
  try {
    engine.with_other_steps(settings.time_step_ps, settings.seed, state)->advance(steps_ahead);
    return true;
  } catch (const dynamics::ExplosionError&) {
    return false;
  }
}

/// One step from the engine's state, of smaller ones; none if all attempts explode, or soon would.
std::optional<system::State> small_steps(const EngineAlone& engine) {
  const auto from = engine->owned_state();
  std::uint64_t seed = engine.settings().seed;
  for (int attempt = 1; attempt <= rescue_attempts; ++attempt) {
    auto start = from;
    // Streams of noise that nobody else draws from: another key, and steps of their own.
    seed += 0x9E3779B97F4A7C15U;
    start.step = from.step * steps_for_one;
    try {
      const auto small =
          engine.with_other_steps(engine.settings().time_step_ps / steps_for_one, seed, start);
      small->advance(steps_for_one);
      auto state = small->owned_state();
      state.step = from.step + 1;
      if (leads_on(engine, state)) return state;
    } catch (const dynamics::ExplosionError&) {
      // The next attempt has other noise.
    }
  }
  return std::nullopt;
}

/// Instead of a step.
system::State turned_round(const EngineAlone& engine) {
  auto state = engine->owned_state();
  ++state.step;
  for (auto& v : state.velocity) v = {-v[0], -v[1], -v[2]};
  return state;
}

}  // namespace

void advance_with_rescues(EngineAlone& engine, std::int64_t steps, std::int64_t& last_rescue,
                          std::int64_t& rescues) {
  const std::int64_t last = engine->step() + steps;
  while (engine->step() < last) {
    try {
      engine->advance(last - engine->step());
    } catch (const dynamics::ExplosionError& error) {
      const std::int64_t step = engine->step();
      if (last_rescue >= 0 && step - last_rescue < fewest_steps_between_rescues) {
        throw dynamics::ExplosionError(fmt::format(
            "replica {}: {}; steps of a {}th, or turning round, did not help in step {}",
            engine.number(), error.what(), steps_for_one, last_rescue + 1));
      }
      const auto state = small_steps(engine);
      last_rescue = step;
      ++rescues;
      engine.restart(state ? *state : turned_round(engine));
    }
  }
}

}  // namespace nfold::replicas

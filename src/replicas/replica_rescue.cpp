// Rescue of exploding steps: smaller steps, or reversed velocities.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/replica_rescue.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nfold::replicas {
namespace {

/// True if steps of normal length succeed for a while after a state. The engine is then some steps
/// after it, not beyond `last`.
bool continues_safely(EngineAlone& engine, const system::State& state, std::int64_t last) {
  const std::int64_t tried = state.step + steps_ahead;
  engine.restart(state);
  try {
    engine->advance(std::min(tried, last) - state.step);
    if (tried <= last) return true;
    const auto end = engine->owned_state();
    engine->advance(tried - last);
    engine.restart(end);
    return true;
  } catch (const engine::ExplosionError&) {
    return false;
  }
}

/// Replaces one step by smaller ones, and checks the steps after it. Returns false if all attempts
/// explode, or soon would; the engine's state is undefined then.
bool make_small_steps(EngineAlone& engine, const system::State& from, std::int64_t last) {
  std::uint64_t seed = engine.settings().seed;
  for (int attempt = 1; attempt <= rescue_attempts; ++attempt) {
    auto start = from;
    // Noise streams that are used nowhere else: another key and other step numbers.
    seed += 0x9E3779B97F4A7C15U;
    start.step = from.step * small_steps_per_step;
    try {
      const auto small =
          engine.with_time_step(engine.settings().time_step_ps / small_steps_per_step, seed, start);
      small->advance(small_steps_per_step);
      auto state = small->owned_state();
      state.step = from.step + 1;
      if (continues_safely(engine, state, last)) return true;
    } catch (const engine::ExplosionError&) {
      // The next attempt has other noise.
    }
  }
  return false;
}

/// Replaces a step: positions stay, velocities are reversed.
system::State reverse_velocities(system::State state) {
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
    } catch (const engine::ExplosionError& error) {
      const std::int64_t step = engine->step();
      if (last_rescue >= 0 && step - last_rescue < fewest_steps_between_rescues) {
        throw engine::ExplosionError(fmt::format(
            "replica {}: {}; steps of a {}th, or turning round, did not help in step {}",
            engine.number(), error.what(), small_steps_per_step, last_rescue + 1));
      }
      const auto from = engine->owned_state();
      last_rescue = step;
      ++rescues;
      if (!make_small_steps(engine, from, last)) engine.restart(reverse_velocities(from));
    }
  }
}

}  // namespace nfold::replicas

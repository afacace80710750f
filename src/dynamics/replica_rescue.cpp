// Smaller steps where one would explode.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/replica_rescue.hpp"

#include <fmt/format.h>

#include <optional>

namespace nfold::dynamics {
namespace {

/// One step from the engine's state, of smaller ones; none if all attempts explode.
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
      return state;
    } catch (const ExplosionError&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace

void advance_with_rescues(EngineAlone& engine, std::int64_t steps, std::int64_t& last_rescue,
                          std::int64_t& rescues) {
  const std::int64_t last = engine->step() + steps;
  while (engine->step() < last) {
    try {
      engine->advance(last - engine->step());
    } catch (const ExplosionError& error) {
      const std::int64_t step = engine->step();
      const auto refuse = [&](const std::string& why) {
        throw ExplosionError(fmt::format("replica {}: {}{}", engine.number(), error.what(), why));
      };
      if (last_rescue >= 0 && step - last_rescue < fewest_steps_between_rescues) {
        refuse(fmt::format("; it was saved from that in step {} already", last_rescue + 1));
      }
      const auto state = small_steps(engine);
      if (!state) refuse(fmt::format("; steps of a {}th do not help", steps_for_one));
      last_rescue = step;
      ++rescues;
      engine.restart(*state);
    }
  }
}

}  // namespace nfold::dynamics

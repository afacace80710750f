// Warning of starts at a minimum of the energy.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/cold_start.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "engine/temperature.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

/// At a minimum half of the drawn kinetic energy becomes potential energy. The deficit decays as
/// exp(-friction t): a twentieth is left after this many relaxation times.
constexpr double relaxation_times = 3;

/// Returns the key that makes the start a minimum, with its value; empty if it is none.
std::string find_minimum_key(const input::Settings& settings) {
  const auto& start = settings.start;
  if (start.from == input::StartFrom::checkpoint) return {};
  if (start.minimise_steps > 0) {
    return fmt::format("start.minimise_steps = {}", start.minimise_steps);
  }
  // Only in a go model is the native structure a minimum.
  const bool is_go = settings.force_field.model == input::ForceFieldModel::go;
  if (settings.ensemble.is_enabled() &&
      settings.ensemble.starts == input::EnsembleStarts::both_ends) {
    return "ensemble.starts = both-ends";
  }
  return is_go && start.from == input::StartFrom::native ? "start.from = native" : "";
}

struct AveragingStart {
  const char* key = nullptr;  ///< key of the first averaged step; null: no averages
  std::int64_t first_step = 0;
};
AveragingStart averaging_start(const input::Settings& settings) {
  if (settings.ensemble.is_enabled()) {
    return {"ensemble.equilibration_steps", settings.ensemble.equilibration_steps};
  }
  if (settings.observables.every_steps == 0) return {};
  return {"observables.equilibration_steps", settings.observables.equilibration_steps};
}

}  // namespace

std::string cold_start_warning(const input::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  const std::string minimum = find_minimum_key(settings);
  const bool has_velocities = settings.ensemble.is_enabled() || dynamics.temperature_kelvin > 0;
  if (minimum.empty() || !has_velocities || dynamics.steps == 0) return {};
  const bool has_thermostat = !engine::conserves_momentum(engine_settings(settings));
  if (!has_thermostat) {
    return fmt::format(
        "warning: {} begins at a minimum of the energy, and no thermostat heats it: the "
        "temperature falls by up to a half of that of the first velocities. Begin from a "
        "checkpoint of a run with friction (start.checkpoint), or raise "
        "dynamics.temperature_kelvin",
        minimum);
  }
  const auto averages = averaging_start(settings);
  const double time_ps = 1 / dynamics.friction_per_ps;
  const auto enough =
      static_cast<std::int64_t>(std::ceil(relaxation_times * time_ps / dynamics.time_step_ps));
  if (averages.key == nullptr || averages.first_step >= enough) return {};
  return fmt::format(
      "warning: {} begins at a minimum of the energy, where the temperature falls by up to a half. "
      "The Langevin thermostat restores it within a few times 1/friction = {:.3g} ps ({:.0f} "
      "steps), and averages begin at step {}. Set {} to at least {} ({:.0f} times that)",
      minimum, time_ps, std::ceil(time_ps / dynamics.time_step_ps), averages.first_step,
      averages.key, enough, relaxation_times);
}

}  // namespace nfold::setup

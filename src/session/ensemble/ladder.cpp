// Geometric, given or tuned ladders; rank 0's numbers count, since pow() is the C library's.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "core/refusal.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/potentials.hpp"
#include "session/setup/schedule.hpp"

namespace nfold::ensemble {
namespace {

using Ladder = std::vector<system::ThermodynamicState>;

Ladder from_root(const comm::Communicator& communicator, Ladder ladder) {
  if (communicator.size() == 1) return ladder;
  const auto all = communicator.all_gather(std::span<const system::ThermodynamicState>(ladder));
  std::copy_n(all.begin(), ladder.size(), ladder.begin());
  return ladder;
}

/// Returns the unit behind a ladder's coordinates.
const char* coordinate_unit(thermodynamics::Varies varies) {
  switch (varies) {
    case thermodynamics::Varies::temperature:
      return " K";
    case thermodynamics::Varies::contact_strength:
      return " of the contacts' strength";
    case thermodynamics::Varies::ionic_strength:
      return " mol/l";
    case thermodynamics::Varies::umbrella_centre:
      break;
  }
  return " nm";
}

/// Throws InputError if pair terms other than charges differ between the states.
void check_pair_terms(const input::ForceField& field, const std::vector<double>& kelvin,
                      const std::vector<double>& salt) {
  if (field.uses_temperature && kelvin.front() != kelvin.back()) {
    core::refuse("ensemble.temperatures",
                 "several temperatures, but pair terms of this force field depend on temperature",
                 "run each temperature alone, or take another force field");
  }
  if (field.uses_ionic_strength && salt.size() > 1) {
    core::refuse("ensemble.ionic_strengths_molar",
                 "several ionic strengths, but pair terms of this force field depend on salt",
                 "run each alone, or take another force field");
  }
}

/// Sets the electrostatics of each state by its temperature and salt. model: null for a model
/// without charges, which leaves them 0. Throws InputError if a temperature has no dielectric
/// constant.
void set_charges(const topology::ResidueModel* model, Ladder& ladder) {
  if (model == nullptr) return;
  auto in_state = *model;
  for (auto& state : ladder) {
    in_state.temperature_kelvin = state.temperature_kelvin;
    in_state.options.ionic_strength_molar = state.ionic_strength_molar;
    in_state.evaluate_numbers();
    try {
      const auto charges = topology::make_electrostatics(in_state);
      state.coulomb_kj_mol_nm = charges.coulomb_kj_mol_nm;
      state.kappa_per_nm = charges.kappa_per_nm;
    } catch (const structure::StructureError&) {
      core::refuse("ensemble.temperatures",
                   fmt::format("water at {:g} K has no dielectric constant by the model's formula",
                               state.temperature_kelvin),
                   "take temperatures from 273 to 373 K, or give force_field.dielectric_constant");
    }
  }
}

}  // namespace

const topology::ResidueModel* charge_model(const setup::SystemSetup& system) {
  if (!system.model) return nullptr;
  const auto& field = system.model->force_field;
  const bool depends =
      system.topology.electrostatics.acts() || field.uses_temperature || field.uses_ionic_strength;
  return depends ? &*system.model : nullptr;
}

Ladder first_ladder(const input::EnsembleSettings& settings, const topology::ResidueModel* model) {
  const auto& salt = settings.ionic_strengths_molar;
  if (!salt.empty() && model == nullptr) {
    core::refuse("ensemble.ionic_strengths_molar", "ionic strengths of a system without charges",
                 "leave them out");
  }
  if (!salt.empty() && model->options.inverse_debye_length_per_nm > 0) {
    core::refuse("ensemble.ionic_strengths_molar",
                 "ionic strengths, but the table fixes the Debye length whatever the salt",
                 "leave them out, or take a table without inverse_debye_length_per_nm");
  }

  const auto kelvin =
      settings.temperatures_kelvin.empty()
          ? ensemble::geometric_ladder(settings.lowest_kelvin, settings.highest_kelvin,
                                       settings.temperatures)
          : settings.temperatures_kelvin;
  if (model != nullptr) check_pair_terms(model->force_field, kelvin, salt);
  const auto& strength = settings.contact_strengths;
  // A list with one entry is used for all entries of the other.
  const auto of_state = [](const std::vector<double>& list, std::size_t k) {
    return list.size() == 1 ? list.front() : list[k];
  };
  Ladder ladder(static_cast<std::size_t>(settings.states()));
  for (std::size_t k = 0; k < ladder.size(); ++k) {
    ladder[k] = {of_state(kelvin, k), strength.empty() ? 1 : of_state(strength, k)};
    if (model != nullptr) {
      ladder[k].ionic_strength_molar =
          salt.empty() ? model->options.ionic_strength_molar : of_state(salt, k);
    }
    if (settings.umbrella_centres_nm.empty()) continue;
    ladder[k].umbrella_centre_nm = of_state(settings.umbrella_centres_nm, k);
    ladder[k].umbrella_k_kj_mol_nm2 = settings.umbrella_k_kj_mol_nm2;
  }
  set_charges(model, ladder);
  return ladder;
}

Ladder first_ladder(const comm::Communicator& communicator, const input::EnsembleSettings& settings,
                    const topology::ResidueModel* model) {
  return from_root(communicator, first_ladder(settings, model));
}

std::string describe(const Ladder& ladder) {
  const auto& first = ladder.front();
  const auto& last = ladder.back();
  const bool of_temperature = first.temperature_kelvin < last.temperature_kelvin;
  const auto strengths =
      first.contact_strength != last.contact_strength
          ? fmt::format("{:g} to {:g}", first.contact_strength, last.contact_strength)
          : fmt::format("{:g}", first.contact_strength);
  if (of_temperature) {
    return fmt::format("{} temperatures from {:g} to {:g} K", ladder.size(),
                       first.temperature_kelvin, last.temperature_kelvin) +
           (thermodynamics::scales_contacts(ladder) ? ", contacts times " + strengths : "");
  }
  if (first.contact_strength == last.contact_strength &&
      first.ionic_strength_molar != last.ionic_strength_molar) {
    return fmt::format("{} ionic strengths from {:g} to {:g} mol/l at {:g} K", ladder.size(),
                       first.ionic_strength_molar, last.ionic_strength_molar,
                       first.temperature_kelvin);
  }
  if (first.umbrella_centre_nm != last.umbrella_centre_nm) {
    return fmt::format("{} umbrellas from {:g} to {:g} nm at {:g} K", ladder.size(),
                       first.umbrella_centre_nm, last.umbrella_centre_nm, first.temperature_kelvin);
  }
  if (ladder.size() > 1) {
    return fmt::format("{} contact strengths from {} at {:g} K", ladder.size(), strengths,
                       first.temperature_kelvin);
  }
  return fmt::format("{:g} K", first.temperature_kelvin) +
         (thermodynamics::scales_contacts(ladder) ? ", contacts times " + strengths : "");
}

bool is_tuning_step(const input::EnsembleSettings& settings, std::int64_t step) {
  const auto every = settings.exchange_every_steps;
  if (settings.tuning_steps == 0 || !setup::is_due(step, every) || step == 0) return false;
  const std::array moments{settings.tuning_steps / 4, settings.tuning_steps / 2,
                           settings.tuning_steps};
  return std::any_of(moments.begin(), moments.end(),
                     [&](std::int64_t moment) { return step <= moment && moment < step + every; });
}

std::string tune_ladder(const comm::Communicator& communicator, std::int64_t step,
                        const topology::ResidueModel* model, ensemble::StateExchange& exchange) {
  const auto [least, most] = std::minmax_element(
      exchange.pairs().begin(), exchange.pairs().end(),
      [](const auto& a, const auto& b) { return a.acceptance() < b.acceptance(); });
  const auto before =
      fmt::format("ladder tuned at step {}, where neighbours had accepted {:.0f} to {:.0f} %", step,
                  100 * least->acceptance(), 100 * most->acceptance());
  auto tuned = exchange.tuned_ladder();
  set_charges(model, tuned);
  exchange.change_ladder(step, from_root(communicator, std::move(tuned)));
  const thermodynamics::LadderPath path(exchange.ladder());
  std::vector<double> along;
  along.reserve(path.states().size());
  for (const auto& state : path.states()) along.push_back(path.coordinate(state));
  constexpr std::size_t most_shown = 32;
  const auto shown = std::span(along).first(std::min(along.size(), most_shown));
  const bool of_temperature = path.varies() == thermodynamics::Varies::temperature;
  const auto list = of_temperature ? fmt::format("{:.2f}", fmt::join(shown, " "))
                                   : fmt::format("{:.4f}", fmt::join(shown, " "));
  const char* const unit = coordinate_unit(path.varies());
  return fmt::format("{}; now {}{}{}", before, list, along.size() > most_shown ? " ..." : "", unit);
}

}  // namespace nfold::ensemble

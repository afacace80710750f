// Rules of `ensemble`: ladders, umbrellas, starts, and what an ensemble excludes.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "input/consistency.hpp"

namespace nfold::input {

using document::SectionReader;
namespace {

bool has_native_contacts(const ForceFieldSettings& field) {
  return field.model == ForceFieldModel::go || field.condensate.domains == FoldedDomains::go;
}

/// Completes `ensemble`. A list of temperatures sets their number and ends, whose keys may only
/// repeat it. One temperature needs no second end; by default it is the thermostat's. Tuning counts
/// as equilibration. phase_locking is off without native contacts, because its tables are large.
void complete_ensemble(Settings& settings, SectionReader& reader) {
  auto& ensemble = settings.ensemble;
  if (!reader.given().contains("ensemble.analysis.phase_locking")) {
    ensemble.analysis.phase_locking = has_native_contacts(settings.force_field);
  }
  if (const auto& list = ensemble.temperatures_kelvin; !list.empty()) {
    const auto follow = [&](std::string_view key, auto& value, auto from_list) {
      if (reader.given().contains(key) && value != from_list) {
        reader.complain(key, fmt::format("{} = {} beside ensemble.temperatures_kelvin", key, value),
                        fmt::format("these are {} from {} to {} K: leave it out", list.size(),
                                    list.front(), list.back()));
      }
      value = from_list;
    };
    follow("ensemble.temperatures", ensemble.temperatures, static_cast<int>(list.size()));
    follow("ensemble.lowest_kelvin", ensemble.lowest_kelvin, list.front());
    follow("ensemble.highest_kelvin", ensemble.highest_kelvin, list.back());
  }
  if (!reader.given().contains("ensemble.equilibration_steps")) {
    ensemble.equilibration_steps = ensemble.tuning_steps;
  }
  if (ensemble.temperatures != 1) return;
  if (ensemble.temperatures_kelvin.empty() && !reader.given().contains("ensemble.lowest_kelvin")) {
    ensemble.lowest_kelvin = settings.dynamics.temperature_kelvin;
  }
  if (!reader.given().contains("ensemble.highest_kelvin")) {
    ensemble.highest_kelvin = ensemble.lowest_kelvin;
  }
}

/// Fewest exchanges per tuning: each change of the ladder uses five of each pair and ladder.
constexpr std::int64_t fewest_exchanges_to_tune = 40;

/// True if the list is strictly monotonic.
bool rises_or_falls(const std::vector<double>& list) {
  const auto is_ordered = [&list](const auto& unordered) {
    return std::adjacent_find(list.begin(), list.end(), unordered) == list.end();
  };
  return is_ordered(std::greater_equal<>()) || is_ordered(std::less_equal<>());
}

/// Checks a list with one value per temperature, or the ladder itself if there is one temperature.
void check_states(std::string_view key, std::string_view what, const std::vector<double>& list,
                  const EnsembleSettings& ensemble, SectionReader& reader) {
  if (list.size() <= 1 || static_cast<int>(list.size()) == ensemble.temperatures) return;
  if (ensemble.temperatures != 1) {
    reader.complain(
        key, fmt::format("{} {} beside {} temperatures", list.size(), what, ensemble.temperatures),
        "give one for each temperature, or one temperature for all of them");
    return;
  }
  if (!rises_or_falls(list)) {
    reader.complain(key, fmt::format("{} neither rise nor fall throughout", key),
                    fmt::format("neighbours in the list trade: sort the {}, none twice", what));
  }
}

void check_contact_strengths(const EnsembleSettings& ensemble, SectionReader& reader) {
  const auto& list = ensemble.contact_strengths;
  if (!list.empty() && *std::min_element(list.begin(), list.end()) <= 0) {
    reader.complain("ensemble.contact_strengths", "ensemble.contact_strengths has a 0",
                    "give factors above 0; contacts that do not act at all are another model");
    return;
  }
  check_states("ensemble.contact_strengths", "contact strengths", list, ensemble, reader);
}

void check_ionic_strengths(const Settings& settings, SectionReader& reader) {
  const auto& ensemble = settings.ensemble;
  const auto& list = ensemble.ionic_strengths_molar;
  if (list.empty()) return;
  const auto refuse = [&](std::string problem, std::string remedy) {
    reader.complain("ensemble.ionic_strengths_molar", std::move(problem), std::move(remedy));
  };
  if (settings.force_field.model == ForceFieldModel::go) {
    refuse("ionic strengths of the go model, which has no charges",
           "take a condensate model, or leave them out");
    return;
  }
  if (settings.force_field.condensate.inverse_debye_length_per_nm > 0) {
    refuse("ionic strengths, but the Debye length is fixed whatever the salt",
           "leave them out, or take a model whose Debye length comes from the salt, such as "
           "calvados2, and no force_field.inverse_debye_length_per_nm");
    return;
  }
  if (list.size() > 1 && ensemble.temperatures == 1 && ensemble.contact_strengths.size() > 1) {
    refuse("several ionic strengths beside several contact strengths",
           "give several of one kind: neighbours in a ladder differ in one thing");
    return;
  }
  check_states("ensemble.ionic_strengths_molar", "ionic strengths", list, ensemble, reader);
}

void check_umbrellas(const EnsembleSettings& ensemble, SectionReader& reader) {
  const auto& list = ensemble.umbrella_centres_nm;
  const auto refuse = [&](std::string_view key, std::string problem, std::string remedy) {
    reader.complain(key, std::move(problem), std::move(remedy));
  };
  if (list.empty()) {
    if (ensemble.umbrella_residues.empty()) return;
    refuse("ensemble.umbrella_residues", "umbrella residues, but no ensemble.umbrella_centres_nm",
           "give centres, or leave the residues out");
    return;
  }
  if (ensemble.umbrella_residues.empty()) {
    bias::with_variable(ensemble.umbrella_variable, [&](auto variable) {
      refuse("ensemble.umbrella_residues", "umbrellas on no residues",
             fmt::format("give {}", variable.takes));
    });
  }
  if (ensemble.temperatures != 1 || ensemble.contact_strengths.size() > 1 ||
      ensemble.ionic_strengths_molar.size() > 1) {
    refuse("ensemble.umbrella_centres_nm",
           "umbrellas beside several temperatures, contact strengths or ionic strengths",
           "give one temperature and at most one strength: windows are the ladder");
  }
  if (list.size() > 1 && !rises_or_falls(list)) {
    refuse("ensemble.umbrella_centres_nm",
           "ensemble.umbrella_centres_nm neither rise nor fall throughout",
           "neighbours in the list trade: sort the centres, none twice");
  }
}

void check_ladder(const Settings& settings, SectionReader& reader) {
  const auto& ensemble = settings.ensemble;
  const auto& list = ensemble.temperatures_kelvin;
  const auto falls =
      std::adjacent_find(list.begin(), list.end(), [](double a, double b) { return !(a < b); });
  if (falls != list.end()) {
    reader.complain(
        "ensemble.temperatures_kelvin",
        fmt::format("ensemble.temperatures_kelvin has {} before {}", *falls, *std::next(falls)),
        "sort the temperatures, none twice");
  }
  check_contact_strengths(ensemble, reader);
  check_ionic_strengths(settings, reader);
  check_umbrellas(ensemble, reader);
  if (ensemble.tuning_steps == 0) return;
  const auto refuse = [&](std::string problem, std::string remedy) {
    reader.complain("ensemble.tuning_steps",
                    fmt::format("ensemble.tuning_steps = {} {}", ensemble.tuning_steps, problem),
                    std::move(remedy));
  };
  if (!ensemble.exchanges() || ensemble.states() < 3) {
    refuse("without a ladder to tune",
           "give at least three states that are exchanged, or leave it out");
  } else if (ensemble.tuning_steps / fewest_exchanges_to_tune < ensemble.exchange_every_steps) {
    refuse(fmt::format("with exchange every {} steps", ensemble.exchange_every_steps),
           fmt::format("give at least {} or leave it out",
                       fewest_exchanges_to_tune * ensemble.exchange_every_steps));
  }
  if (ensemble.tuning_steps > ensemble.equilibration_steps) {
    refuse(fmt::format("beyond ensemble.equilibration_steps = {}", ensemble.equilibration_steps),
           "no average may count what is of other states: equilibrate at least as long");
  }
}

/// Each trajectory keeps three files open, and the usual limit of a process is 1,024.
constexpr std::size_t most_trajectories = 256;

void check_trajectory_replicas(const Settings& settings, SectionReader& reader) {
  const auto& chosen = settings.ensemble.trajectory_replicas;
  if (chosen.empty()) return;
  const auto refuse = [&reader](std::string problem, std::string remedy) {
    reader.complain("ensemble.trajectory_replicas", std::move(problem), std::move(remedy));
  };
  const std::int64_t replicas = settings.ensemble.replicas();
  if (const auto highest = *std::max_element(chosen.begin(), chosen.end()); highest >= replicas) {
    refuse(fmt::format("ensemble.trajectory_replicas has {}, of {} replicas", highest, replicas),
           fmt::format("they are numbered from 0 to {}", replicas - 1));
  }
  const auto falls = std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>());
  if (falls != chosen.end()) {
    refuse(fmt::format("ensemble.trajectory_replicas has {} before {}", *falls, *std::next(falls)),
           "sort the numbers, none twice");
  }
  if (chosen.size() > most_trajectories) {
    refuse(fmt::format("ensemble.trajectory_replicas names {} replicas", chosen.size()),
           fmt::format("choose at most {}", most_trajectories));
  }
  if (settings.output.trajectory_every_steps == 0) {
    refuse("ensemble.trajectory_replicas, but output.trajectory_every_steps = 0",
           "give an interval, or leave the replicas out");
  }
}

/// Checks that nothing of an ensemble is given without one.
void check_without_ensemble(const EnsembleSettings& ensemble, SectionReader& reader) {
  if (!ensemble.contact_strengths.empty()) {
    reader.complain("ensemble.contact_strengths", "contact strengths without an ensemble",
                    "give ensemble.temperatures_kelvin, one temperature for all of them or one "
                    "for each, or leave them out");
  }
  if (!ensemble.ionic_strengths_molar.empty()) {
    reader.complain("ensemble.ionic_strengths_molar", "ionic strengths without an ensemble",
                    "give one temperature in ensemble.temperatures_kelvin, or take "
                    "force_field.ionic_strength_molar");
  }
  if (!ensemble.umbrella_centres_nm.empty()) {
    reader.complain("ensemble.umbrella_centres_nm", "umbrellas without an ensemble",
                    "give one temperature in ensemble.temperatures_kelvin, or leave them out");
  }
}

void check_temperatures(const EnsembleSettings& ensemble, SectionReader& reader) {
  const bool ascends = ensemble.temperatures == 1
                           ? ensemble.highest_kelvin == ensemble.lowest_kelvin
                           : ensemble.highest_kelvin > ensemble.lowest_kelvin;
  if (ensemble.lowest_kelvin <= 0 || !ascends) {
    reader.complain(
        "ensemble.temperatures",
        fmt::format("{} temperatures from {} to {} K", ensemble.temperatures,
                    ensemble.lowest_kelvin, ensemble.highest_kelvin),
        ensemble.temperatures == 1
            ? "give ensemble.lowest_kelvin above 0 and leave ensemble.highest_kelvin out"
            : "give ensemble.lowest_kelvin above 0 and ensemble.highest_kelvin above that");
  }
}

void check_native_contacts(const Settings& settings, SectionReader& reader) {
  const auto& ensemble = settings.ensemble;
  if (!(ensemble.unfolded_native_fraction < ensemble.folded_native_fraction)) {
    reader.complain(
        "ensemble.unfolded_native_fraction",
        fmt::format("ensemble.unfolded_native_fraction = {}, folded_native_fraction = {}",
                    ensemble.unfolded_native_fraction, ensemble.folded_native_fraction),
        "an unfolded replica has fewer native contacts than a folded one: take less");
  }
  if (!has_native_contacts(settings.force_field)) {
    if (!ensemble.contact_strengths.empty()) {
      reader.complain("ensemble.contact_strengths",
                      "contact strengths of a model without native contacts",
                      "leave them out, or take force_field.domains = go");
    }
    if (ensemble.starts == EnsembleStarts::both_ends) {
      reader.complain("ensemble.starts", "starts from both ends of a model without native contacts",
                      "there is no native end: leave it out");
    }
  }
}

/// Checks the sections whose settings an ensemble restricts.
void check_run(const Settings& settings, SectionReader& reader) {
  const auto& ensemble = settings.ensemble;
  if (settings.dynamics.integrator != system::Integrator::langevin_baoab) {
    reader.complain("dynamics.integrator", "an ensemble without a thermostat",
                    "temperatures need dynamics.integrator = langevin-baoab");
  }
  if (settings.start.from == StartFrom::checkpoint) {
    reader.complain("start.from", "an ensemble that starts from a checkpoint",
                    "one state is no ensemble: take another start, or ensemble.starts = both-ends");
  }
  if (settings.start.from == StartFrom::coordinates) {
    reader.complain("start.from", "an ensemble that starts from coordinates",
                    "one configuration is no ensemble: take another start, or ensemble.starts = "
                    "both-ends");
  }
  if (ensemble.starts == EnsembleStarts::both_ends && settings.start.from != StartFrom::native &&
      settings.start.from != StartFrom::unfolded) {
    reader.complain("ensemble.starts", "starts from both ends beside a start that is neither",
                    "leave start.from or ensemble.starts out");
  }
}

void check_chain(const Settings& settings, SectionReader& reader) {
  const auto& ensemble = settings.ensemble;
  const bool has_box =
      !settings.system.box_nm.empty() || settings.system.concentration_mg_per_ml > 0;
  if (ensemble.analysis.chain && (ensemble.states() > 1 || has_box)) {
    reader.complain("ensemble.analysis.chain",
                    fmt::format("the analysis of a chain in {}",
                                ensemble.states() > 1 ? "several states" : "a box"),
                    "give one temperature and no box, or leave it out");
  }
  if (ensemble.rg_error > 0 && !ensemble.analysis.chain) {
    reader.complain(
        "ensemble.rg_error",
        fmt::format("ensemble.rg_error = {} without the analysis of a chain", ensemble.rg_error),
        "set ensemble.analysis.chain: true, or leave it out");
  }
}

void check_outputs(const Settings& settings, SectionReader& reader) {
  const auto& ensemble = settings.ensemble;
  const bool is_go = settings.force_field.model == ForceFieldModel::go;
  if (ensemble.analysis.residue_energies && !is_go) {
    reader.complain("ensemble.analysis.residue_energies",
                    "residues' energies of a condensate model",
                    "leave them out: they are known of the go model alone");
  }
  if (settings.start.minimise_steps > 0 && is_go) {
    reader.complain("start.minimise_steps", "start.minimise_steps in an ensemble of the go model",
                    "native and unfolded starts need none: leave it out");
  }
  const double at_kelvin = ensemble.analysis.at_kelvin;
  if (at_kelvin > 0 &&
      (at_kelvin < ensemble.lowest_kelvin || at_kelvin > ensemble.highest_kelvin)) {
    reader.complain("ensemble.analysis.at_kelvin",
                    fmt::format("ensemble.analysis.at_kelvin = {}, outside the ladder", at_kelvin),
                    fmt::format("give a temperature from {} to {} K, or 0 for each of them",
                                ensemble.lowest_kelvin, ensemble.highest_kelvin));
  }
  if (settings.observables.every_steps > 0) {
    reader.complain("observables.every_steps", "observables of an ensemble",
                    "leave them out; NAME.ensemble.h5 has what is known of all replicas");
  }
  if (settings.output.dcd) {
    reader.complain(
        "output.dcd", "output.dcd in an ensemble",
        "leave it out; nfold export makes a DCD of what ensemble.trajectory_replicas keeps");
  }
}

}  // namespace

void complete_and_check_ensemble(Settings& settings, SectionReader& reader) {
  complete_ensemble(settings, reader);
  if (!settings.ensemble.is_enabled()) {
    check_without_ensemble(settings.ensemble, reader);
    return;
  }
  check_temperatures(settings.ensemble, reader);
  check_ladder(settings, reader);
  check_trajectory_replicas(settings, reader);
  check_native_contacts(settings, reader);
  check_run(settings, reader);
  check_chain(settings, reader);
  check_outputs(settings, reader);
}

}  // namespace nfold::input

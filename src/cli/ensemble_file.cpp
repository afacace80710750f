// Tables of an ensemble's file, and its results in words.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/ensemble_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "analysis/frame.hpp"
#include "cli/ensemble_ladder.hpp"
#include "cli/ensemble_tables_analysis.hpp"
#include "cli/ensemble_tables_exchange.hpp"
#include "cli/ensemble_tables_kinetics.hpp"
#include "cli/ensemble_tables_scan.hpp"
#include "cli/ensemble_tables_umbrella.hpp"
#include "cli/version.hpp"
#include "ensemble/folding.hpp"
#include "io/observables_file.hpp"

namespace nfold::cli {
namespace {

using Table = io::ObservedTable;

/// Samples as they are, in columns.
struct Columns {
  std::vector<double> step, energy, contacts, distance, q,
      state;  // (samples), then (samples, replicas)
  ensemble::FoldingSamples after_equilibration;
};

Columns read_all(const EnsembleSoFar& so_far, const io::SampleFile& samples) {
  Columns columns;
  auto& kept = columns.after_equilibration;
  kept.states = so_far.exchange.ladder();
  kept.replicas = so_far.exchange.replicas();
  kept.residues = so_far.topology.residue_count();
  kept.contacts = static_cast<std::int64_t>(so_far.topology.contacts_12_10.size() +
                                            so_far.topology.contacts_gaussian.size());
  const auto contacts = static_cast<double>(std::max<std::int64_t>(1, kept.contacts));
  for (std::int64_t row = 0; row < samples.rows(); ++row) {
    const auto now = samples.row(row);
    columns.step.push_back(static_cast<double>(now.step));
    // A start is no sample of any state, and one before a change of the ladder is of another.
    const bool counts = now.step > so_far.exchange.history().back().step &&
                        now.step >= so_far.settings.ensemble.equilibration_steps;
    for (const auto& one : now.replica) {
      columns.energy.push_back(one.potential_kj_mol);
      columns.contacts.push_back(one.contact_kj_mol);
      columns.distance.push_back(one.umbrella_distance_nm);
      columns.q.push_back(one.formed_contacts / contacts);
      columns.state.push_back(one.state);
      if (!counts) continue;
      kept.potential_kj_mol.push_back(one.potential_kj_mol);
      kept.contact_kj_mol.push_back(one.contact_kj_mol);
      kept.distance_nm.push_back(one.umbrella_distance_nm);
      kept.formed_contacts.push_back(one.formed_contacts);
      kept.state.push_back(one.state);
    }
  }
  return columns;
}

std::int64_t size_of(const std::vector<double>& values) {
  return static_cast<std::int64_t>(values.size());
}

void add_samples(const EnsembleSoFar& so_far, Columns& columns, std::vector<Table>& tables) {
  const std::int64_t rows = size_of(columns.step), replicas = so_far.exchange.replicas();
  tables.push_back({"samples/step", "", "(samples) step of each", {rows}, columns.step});
  const auto add = [&](const char* name, const char* unit, const char* help,
                       std::vector<double>& values) {
    tables.push_back({name, unit, help, {rows, replicas}, std::move(values)});
  };
  add("samples/potential_energy", "kJ mol-1",
      "(samples, replicas) potential energy in the state at that step", columns.energy);
  add("samples/contact_energy", "kJ mol-1",
      "(samples, replicas) native contacts' energy at strength 1", columns.contacts);
  if (ensemble::has_umbrellas(so_far.exchange.ladder())) {
    add("samples/umbrella_distance", "nm", "(samples, replicas) of the umbrellas' two residues",
        columns.distance);
  }
  add("samples/native_fraction", "",
      "(samples, replicas) native contacts up to 1.2 times their "
      "distance, over all",
      columns.q);
  add("samples/state", "",
      "(samples, replicas) index of the replica's state, before any exchange at that step; which "
      "state that was: exchange/ladders",
      columns.state);
}

void add_thermodynamics(const ensemble::FoldingThermodynamics& found, std::int64_t states,
                        std::vector<Table>& tables) {
  const std::int64_t grid = static_cast<std::int64_t>(found.grid.size()),
                     bins = size_of(found.native_fraction);
  const auto add = [&](const char* name, const char* unit, const char* help,
                       std::vector<std::int64_t> extent, const std::vector<double>& values) {
    tables.push_back({name, unit, help, std::move(extent), values});
  };
  add("thermodynamics/reduced_free_energy", "", "(states) f = -ln Z by MBAR, the first 0", {states},
      found.reduced_free_energy);
  std::vector<double> kelvin, strength;
  for (const auto& state : found.grid) {
    kelvin.push_back(state.temperature_kelvin);
    strength.push_back(state.contact_strength);
  }
  add("thermodynamics/temperature", "K", "(grid) along the ladder", {grid}, kelvin);
  add("thermodynamics/contact_strength", "", "(grid) along the ladder", {grid}, strength);
  add("thermodynamics/heat_capacity", "kJ mol-1 K-1",
      "(grid) of potential and kinetic energy, by MBAR", {grid}, found.heat_capacity_kj_mol_kelvin);
  add("thermodynamics/potential_energy", "kJ mol-1", "(grid) mean, by MBAR", {grid},
      found.mean_energy_kj_mol);
  add("thermodynamics/native_fraction", "", "(grid) mean, by MBAR", {grid},
      found.mean_native_fraction);
  add("thermodynamics/folding_temperature", "K",
      "(2) where the heat capacity has its maximum, and its standard error by resampling", {2},
      {found.folding_kelvin.value, found.folding_kelvin.error});
  add("thermodynamics/folding_contact_strength", "",
      "(2) the same of the contact strength, where the ladder is one of strengths", {2},
      {found.folding_contact_strength.value, found.folding_contact_strength.error});
  add("free_energy/native_fraction", "", "(bins) centres of the bins of Q", {bins},
      found.native_fraction);
  add("free_energy/of_native_fraction", "kJ mol-1",
      "(states, bins) -kT ln p(Q) at each temperature, the lowest 0", {states, bins},
      found.free_energy_kj_mol);
  add("free_energy/at_folding_temperature", "kJ mol-1",
      "(bins) the same at the folding temperature", {bins}, found.at_folding_kj_mol);
  add("free_energy/barrier", "",
      "(2) barrier at the folding temperature over the higher basin [kT], and its standard error",
      {2}, {found.barrier_kt.value, found.barrier_kt.error});
}

std::string folding_in_words(const ensemble::FoldingThermodynamics& found,
                             const ensemble::LadderPath& path) {
  const bool of_temperature = path.varies() == ensemble::Varies::temperature;
  const auto& at = of_temperature ? found.folding_kelvin : found.folding_contact_strength;
  const char* const what = of_temperature ? "folding temperature" : "folding contact strength";
  if (!found.maximum_is_inside) {
    return fmt::format(
        "the heat capacity is highest at an end of the ladder, {}: no {} within it",
        of_temperature ? fmt::format("{:.1f} K", at.value) : fmt::format("{:.3g}", at.value), what);
  }
  return fmt::format("{} {} (maximum of the heat capacity), barrier {:.2f} +- {:.2f} kT there",
                     what,
                     of_temperature ? fmt::format("{:.2f} +- {:.2f} K", at.value, at.error)
                                    : fmt::format("{:.4f} +- {:.4f}", at.value, at.error),
                     found.barrier_kt.value, found.barrier_kt.error);
}

/// Whether the result hangs on where replicas began; told where both sides are there to compare.
void add_convergence(const EnsembleSoFar& so_far, const ensemble::FoldingSamples& samples,
                     std::vector<Table>& tables, std::vector<std::string>& words) {
  const auto& settings = so_far.settings.ensemble;
  if (settings.starts != config::EnsembleStarts::both_ends || settings.ladders < 2) return;
  constexpr std::int64_t fewest_round_trips = 10;
  const auto starts = ensemble::compare_starts(samples);
  const ensemble::LadderPath path(samples.states);
  const auto place_of = [&](const ensemble::StartsCompared& compared) {
    return path.coordinate(samples.states[compared.at_state]);
  };
  const auto trips = so_far.exchange.round_trips();
  const bool enough = settings.exchange_every_steps == 0 || trips >= fewest_round_trips;
  tables.push_back(
      {"convergence/starts",
       "",
       "(2) largest difference of the mean Q between ladders that began native and "
       "unfolded, and where along the ladder it is: temperature [K], contact strength or "
       "centre of the umbrella [nm], whichever varies",
       {2},
       {starts.largest_difference, place_of(starts)}});
  constexpr std::size_t stretches = 4;
  Table over_time{"convergence/over_time",
                  "",
                  "(stretches, 2) the same of each fourth of the time after equilibration",
                  {0, 2},
                  {}};
  const auto parts = ensemble::compare_starts_over_time(samples, stretches);
  for (const auto& part : parts) {
    over_time.values.insert(over_time.values.end(), {part.largest_difference, place_of(part)});
  }
  over_time.extent[0] = static_cast<std::int64_t>(parts.size());
  tables.push_back(over_time);
  const double left_out = static_cast<double>(settings.equilibration_steps) /
                          static_cast<double>(std::max<std::int64_t>(1, so_far.step));
  const double longer = ensemble::times_as_long_to_agree(parts, left_out);
  tables.push_back({"convergence/times_as_long",
                    "",
                    "how many times as long a run would have to be until both starts agree, by how "
                    "their difference decayed; infinite: it did not",
                    {},
                    {longer}});
  if (starts.agree() && enough) {
    words.push_back(
        fmt::format("converged: native and unfolded starts agree within {:.3f} in Q, {} "
                    "round trips",
                    starts.largest_difference, trips));
  } else if (!starts.agree()) {
    words.push_back(fmt::format(
        "not converged: at {} native and unfolded starts differ by {:.2f} in Q; "
        "run {} as long, or with a ladder whose ends fold and unfold faster",
        in_words(path, starts.at_state), starts.largest_difference,
        std::isfinite(longer) ? fmt::format("{:.2g} times", longer) : std::string("many times")));
  } else {
    words.push_back(fmt::format("not converged: {} round trips of the wanted {}; run longer", trips,
                                fewest_round_trips));
  }
}

}  // namespace

std::vector<std::string> write_ensemble_file(const EnsembleSoFar& so_far,
                                             const io::SampleFile& samples,
                                             const std::filesystem::path& path) {
  auto columns = read_all(so_far, samples);
  std::vector<Table> tables;
  add_exchange(so_far, tables);
  auto words = exchange_in_words(so_far);
  std::optional<EnsembleCounts> counted;
  if (so_far.observation != nullptr && so_far.observation->has_samples()) {
    counted.emplace(so_far.observation->plan(), so_far.observation->totals());
    add_counted_tables(so_far.topology, *counted, tables);
  }
  const auto& kept = columns.after_equilibration;
  add_scan(so_far, kept, tables, words);
  const bool umbrellas = ensemble::has_umbrellas(so_far.exchange.ladder());
  if (kept.size() > 0 && umbrellas) {
    try {
      add_umbrellas(so_far, kept, tables, words);
      if (kept.contacts > 0) add_convergence(so_far, kept, tables, words);
    } catch (const analysis::AnalysisError& error) {
      words.push_back(fmt::format("no free energy of the distance: {}", error.what()));
    } catch (const std::invalid_argument& error) {
      words.push_back(fmt::format("no free energy of the distance: {}", error.what()));
    }
  } else if (kept.size() > 0 && kept.contacts > 0) {
    try {
      const auto found = ensemble::folding_thermodynamics(kept, so_far.settings.dynamics.seed);
      add_thermodynamics(found, so_far.exchange.states(), tables);
      if (so_far.exchange.states() > 1) {
        words.push_back(folding_in_words(found, ensemble::LadderPath(kept.states)));
      }
      for (auto& line : add_folding_tables(so_far.topology, kept, found,
                                           counted ? &*counted : nullptr, tables)) {
        words.push_back(std::move(line));
      }
      add_convergence(so_far, kept, tables, words);
    } catch (const analysis::AnalysisError& error) {
      words.push_back(fmt::format("no thermodynamics: {}", error.what()));
    } catch (const std::invalid_argument& error) {
      words.push_back(fmt::format("no thermodynamics: {}", error.what()));
    }
  }
  if (kept.contacts > 0) add_kinetics(so_far, columns.step, columns.q, tables, words);
  add_samples(so_far, columns, tables);
  io::ObservablesHeader header;
  header.creator_version = version;
  header.frames = samples.rows();
  header.first_step = columns.step.empty() ? 0 : static_cast<std::int64_t>(columns.step.front());
  header.last_step = columns.step.empty() ? 0 : static_cast<std::int64_t>(columns.step.back());
  header.every_steps = so_far.settings.ensemble.sample_every_steps;
  header.time_step_ps = so_far.settings.dynamics.time_step_ps;
  header.box_nm = so_far.topology.box.length_nm;
  io::write_observables(path, header, tables);
  return words;
}

}  // namespace nfold::cli

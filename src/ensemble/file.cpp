// Tables of an ensemble's file, and messages about its results.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "analysis/frame.hpp"
#include "analysis/observables.hpp"
#include "analysis/sampling_limits.hpp"
#include "ensemble/sample_columns.hpp"
#include "ensemble/tables_analysis.hpp"
#include "ensemble/tables_exchange.hpp"
#include "ensemble/tables_kinetics.hpp"
#include "ensemble/tables_scan.hpp"
#include "ensemble/tables_umbrella.hpp"
#include "io/observables_file.hpp"
#include "job/version.hpp"
#include "setup/sampling_record.hpp"
#include "thermodynamics/chosen_samples.hpp"
#include "thermodynamics/folding.hpp"
#include "thermodynamics/ladder_curves.hpp"
#include "thermodynamics/state_overlap.hpp"

namespace nfold::ensemble {
namespace {

using Table = io::ObservedTable;

std::int64_t size_of(const std::vector<double>& values) {
  return static_cast<std::int64_t>(values.size());
}

/// Adds the energies at all screening nodes, if states differ in their electrostatics.
void add_screened(const EnsembleSoFar& so_far, std::int64_t rows, SampleColumns& columns,
                  std::vector<Table>& tables) {
  const auto& kappa = so_far.exchange.screening().kappa_per_nm();
  if (kappa.empty()) return;
  const auto nodes = size_of(kappa);
  tables.push_back({"samples/screening",
                    "nm-1",
                    "(nodes) inverse Debye lengths at which electrostatic energies are kept; "
                    "others follow by the polynomial through them",
                    {nodes},
                    kappa});
  tables.push_back({"samples/screened_energy",
                    "kJ mol-1",
                    "(samples, replicas, nodes) electrostatic energy with that screening and "
                    "ke/eps_r = 1 kJ nm/mol",
                    {rows, so_far.exchange.replicas(), nodes},
                    std::move(columns.screened)});
}

void add_samples(const EnsembleSoFar& so_far, SampleColumns& columns, std::vector<Table>& tables) {
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
  if (thermodynamics::has_umbrellas(so_far.exchange.ladder())) {
    add(("samples/umbrella_" + umbrella_dataset(so_far.settings)).c_str(), "nm",
        "(samples, replicas) what umbrellas act on", columns.variable);
  }
  for (std::size_t s = 0; s < columns.radius.size(); ++s) {
    add(("samples/" + analysis::radius_of_gyration_name(so_far.topology, s)).c_str(), "nm",
        "(samples, replicas) mean over a species' chains of each one's own, weighed by mass",
        columns.radius[s]);
  }
  add_screened(so_far, rows, columns, tables);
  add("samples/native_fraction", "",
      "(samples, replicas) native contacts up to 1.2 times their "
      "distance, over all",
      columns.q);
  add("samples/state", "",
      "(samples, replicas) index of the replica's state, before any exchange at that step; which "
      "state that was: exchange/ladders",
      columns.state);
}

/// Adds the states along the ladder for which means are given.
void add_grid(const std::vector<replicas::ThermodynamicState>& grid, std::vector<Table>& tables) {
  const auto add = [&](const char* name, const char* unit,
                       double replicas::ThermodynamicState::*member) {
    std::vector<double> values;
    values.reserve(grid.size());
    for (const auto& state : grid) values.push_back(state.*member);
    const auto extent = size_of(values);
    tables.push_back({name, unit, "(grid) along the ladder", {extent}, std::move(values)});
  };
  add("thermodynamics/temperature", "K", &replicas::ThermodynamicState::temperature_kelvin);
  add("thermodynamics/contact_strength", "", &replicas::ThermodynamicState::contact_strength);
  add("thermodynamics/ionic_strength", "mol L-1",
      &replicas::ThermodynamicState::ionic_strength_molar);
}

/// Adds the curves of an ensemble without native contacts, which has no folding but chains of some
/// size. Returns the first species' radius of gyration at the lower end.
thermodynamics::Estimate add_curves(const EnsembleSoFar& so_far,
                                    const thermodynamics::FoldingSamples& samples,
                                    std::vector<Table>& tables, std::vector<std::string>& words) {
  const auto found = thermodynamics::ladder_curves(samples, so_far.settings.dynamics.seed);
  tables.push_back({"thermodynamics/reduced_free_energy",
                    "",
                    "(states) f = -ln Z by MBAR, the first 0",
                    {so_far.exchange.states()},
                    found.reduced_free_energy});
  add_grid(found.grid, tables);
  const auto add = [&](const std::string& name, const char* unit,
                       const std::vector<thermodynamics::Estimate>& means) {
    Table table{"thermodynamics/" + name,
                unit,
                "(grid, 2) mean, by MBAR, and its standard error by resampling",
                {static_cast<std::int64_t>(means.size()), 2},
                {}};
    for (const auto& one : means) {
      table.values.insert(table.values.end(), {one.value, one.error});
    }
    tables.push_back(std::move(table));
  };
  add("potential_energy", "kJ mol-1", found.potential_kj_mol);
  const auto& topology = so_far.topology;
  for (std::size_t s = 0; s < topology.species_count(); ++s) {
    add(analysis::radius_of_gyration_name(topology, s), "nm", found.radius_of_gyration_nm[s]);
  }
  const thermodynamics::LadderPath path(samples.states);
  for (const std::size_t state : {std::size_t{0}, samples.states.size() - 1}) {
    const bool at_first = path.coordinate(samples.states[state]) == path.lowest();
    for (std::size_t s = 0; s < topology.species_count(); ++s) {
      const auto& along = found.radius_of_gyration_nm[s];
      const auto& radius = at_first ? along.front() : along.back();
      const auto of = topology.species_count() == 1 ? "" : " of " + topology.species[s].name;
      words.push_back(fmt::format("at {} radius of gyration{} {:.3f} +- {:.3f} nm",
                                  path.describe(state), of, radius.value, radius.error));
    }
    if (samples.states.size() == 1) break;
  }
  return found.radius_of_gyration_nm.front().front();
}

/// Sets the mean that setup::planned_means() lists for an ensemble.
void add_mean(const thermodynamics::Estimate& known, const EnsembleSoFar& so_far,
              std::vector<plan::SampledMean>& means) {
  means = setup::planned_means(so_far.settings, so_far.topology, so_far.step);
  for (auto& mean : means) mean.mean = known.value, mean.standard_error = known.error;
}

void add_thermodynamics(const thermodynamics::FoldingThermodynamics& found,
                        const thermodynamics::LadderPath& path, std::vector<Table>& tables) {
  const auto states = static_cast<std::int64_t>(path.states().size());
  const auto folds_at = [&](thermodynamics::Varies number) -> std::vector<double> {
    return {thermodynamics::coordinate_of(found.folding_state, number),
            path.varies() == number ? found.folds_at.error : 0};
  };
  const std::int64_t grid = static_cast<std::int64_t>(found.grid.size()),
                     bins = size_of(found.native_fraction);
  const auto add = [&](const char* name, const char* unit, const char* help,
                       std::vector<std::int64_t> extent, const std::vector<double>& values) {
    tables.push_back({name, unit, help, std::move(extent), values});
  };
  add("thermodynamics/reduced_free_energy", "", "(states) f = -ln Z by MBAR, the first 0", {states},
      found.reduced_free_energy);
  add_grid(found.grid, tables);
  add("thermodynamics/heat_capacity", "kJ mol-1 K-1",
      "(grid) of potential and kinetic energy, by MBAR", {grid}, found.heat_capacity_kj_mol_kelvin);
  add("thermodynamics/heat_capacity_error", "kJ mol-1 K-1",
      "(grid) its standard error by resampling", {grid}, found.heat_capacity_error_kj_mol_kelvin);
  add("thermodynamics/maximum_over_ends", "kJ mol-1 K-1",
      "(2, 2) the highest heat capacity less that at the lower and at the upper end of the ladder, "
      "and its standard error by resampling",
      {2, 2},
      {found.peak.over_lower_end.value, found.peak.over_lower_end.error,
       found.peak.over_upper_end.value, found.peak.over_upper_end.error});
  add("thermodynamics/maximum_place", "",
      "0: inside the ladder; 1: at its lower end, or not above it within errors; 2: the same of "
      "the "
      "upper end; 3: above neither end within errors; 4: inside, but of too few transitions. "
      "Unless "
      "0, there is no folding temperature, or a bound of it",
      {}, {static_cast<double>(found.peak_place)});
  add("thermodynamics/transitions", "",
      fmt::format(
          "(2) how often replicas folded and unfolded after equilibration, between the mean "
          "Q at both ends of the ladder; a folding temperature needs {} of each",
          analysis::fewest_transitions)
          .c_str(),
      {2},
      {static_cast<double>(found.transitions.foldings),
       static_cast<double>(found.transitions.unfoldings)});
  add("thermodynamics/potential_energy", "kJ mol-1", "(grid) mean, by MBAR", {grid},
      found.mean_energy_kj_mol);
  add("thermodynamics/native_fraction", "", "(grid) mean, by MBAR", {grid},
      found.mean_native_fraction);
  add("thermodynamics/native_fraction_error", "", "(grid) its standard error by resampling", {grid},
      found.native_fraction_error);
  add("thermodynamics/folding_temperature", "K",
      "(2) where the heat capacity has its maximum, and its standard error by resampling", {2},
      folds_at(thermodynamics::Varies::temperature));
  add("thermodynamics/folding_contact_strength", "",
      "(2) the same of the contact strength, where the ladder is one of strengths", {2},
      folds_at(thermodynamics::Varies::contact_strength));
  add("thermodynamics/folding_ionic_strength", "mol L-1",
      "(2) the same of the salt, where the ladder is one of ionic strengths", {2},
      folds_at(thermodynamics::Varies::ionic_strength));
  add("thermodynamics/native_fraction_at_folding", "",
      "(2) mean Q where the heat capacity has its maximum, and its standard error by resampling",
      {2}, {found.native_fraction_there.value, found.native_fraction_there.error});
  add("free_energy/native_fraction", "", "(bins) centres of the bins of Q", {bins},
      found.native_fraction);
  add("free_energy/of_native_fraction", "kJ mol-1",
      "(states, bins) -kT ln p(Q) at each temperature, the lowest 0", {states, bins},
      found.free_energy_kj_mol);
  add("free_energy/at_folding_temperature", "kJ mol-1",
      "(bins) the same at the folding temperature", {bins}, found.at_folding_kj_mol);
  add("free_energy/at_folding_temperature_error", "kJ mol-1",
      "(bins) its standard error by resampling; infinite where less than half of what was drawn "
      "again has samples",
      {bins}, found.at_folding_error_kj_mol);
  add("free_energy/barrier", "",
      "(2) barrier at the folding temperature over the higher basin [kT], and its standard error; "
      "not a number where Q between the basins was not seen",
      {2}, {found.barrier_kt.value, found.barrier_kt.error});
}

std::string folding_in_words(const thermodynamics::FoldingThermodynamics& found,
                             const thermodynamics::LadderPath& path) {
  const auto& at = found.folds_at;
  const bool of_temperature = path.varies() == thermodynamics::Varies::temperature;
  const bool of_salt = path.varies() == thermodynamics::Varies::ionic_strength;
  const char* const what = of_temperature ? "folding temperature"
                           : of_salt      ? "folding ionic strength"
                                          : "folding contact strength";
  if (found.peak_place == thermodynamics::PeakPlace::too_few_transitions) {
    return fmt::format(
        "no {}: replicas folded {} times and unfolded {} times after equilibration, of at least {} "
        "each that it needs; run longer, or with a ladder whose ends fold and unfold faster",
        what, found.transitions.foldings, found.transitions.unfoldings,
        analysis::fewest_transitions);
  }
  if (!found.maximum_is_inside()) {
    const auto in_units = [&](double x) {
      return of_temperature ? fmt::format("{:.1f} K", x) : fmt::format("{:.3g}", x);
    };
    if (at.value <= path.lowest() || at.value >= path.highest()) {
      return fmt::format(
          "the heat capacity is highest at an end of the ladder, {}: no {} within it",
          in_units(at.value), what);
    }
    const bool is_low = found.peak_place == thermodynamics::PeakPlace::at_lower_end;
    const bool is_nowhere = found.peak_place == thermodynamics::PeakPlace::nowhere;
    return fmt::format(
        "the heat capacity is highest at {}, but not by more than its error above that at {}: no "
        "{} "
        "within the ladder",
        in_units(at.value),
        is_nowhere ? "either end" : in_units(is_low ? path.lowest() : path.highest()), what);
  }
  const auto barrier =
      found.unseen.is_empty()
          ? fmt::format("barrier {:.2f} +- {:.2f} kT there", found.barrier_kt.value,
                        found.barrier_kt.error)
          : fmt::format("no barrier: no sample has Q from {:.2f} to {:.2f}, sample more often",
                        found.unseen.from, found.unseen.to);
  return fmt::format("{} {} (maximum of the heat capacity), {}", what,
                     of_temperature ? fmt::format("{:.2f} +- {:.2f} K", at.value, at.error)
                                    : fmt::format("{:.4f} +- {:.4f}{}", at.value, at.error,
                                                  of_salt ? " mol/l" : ""),
                     barrier);
}

/// Compares native and unfolded starts, if both exist: the result should not depend on them.
void add_convergence(const EnsembleSoFar& so_far, const thermodynamics::FoldingSamples& samples,
                     std::vector<Table>& tables, std::vector<std::string>& words) {
  const auto& settings = so_far.settings.ensemble;
  if (settings.starts != config::EnsembleStarts::both_ends || settings.ladders < 2) return;
  const auto starts = thermodynamics::compare_starts(samples);
  const thermodynamics::LadderPath path(samples.states);
  const auto place_of = [&](const thermodynamics::StartsCompared& compared) {
    return path.coordinate(samples.states[compared.at_state]);
  };
  const auto trips = so_far.exchange.round_trips();
  const bool enough = settings.exchange_every_steps == 0 || trips >= analysis::fewest_round_trips;
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
  const auto parts = thermodynamics::compare_starts_over_time(samples, stretches);
  for (const auto& part : parts) {
    over_time.values.insert(over_time.values.end(), {part.largest_difference, place_of(part)});
  }
  over_time.extent[0] = static_cast<std::int64_t>(parts.size());
  tables.push_back(over_time);
  const double left_out = static_cast<double>(settings.equilibration_steps) /
                          static_cast<double>(std::max<std::int64_t>(1, so_far.step));
  const double longer = thermodynamics::times_as_long_to_agree(parts, left_out);
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
        path.describe(starts.at_state), starts.largest_difference,
        std::isfinite(longer) ? fmt::format("{:.2g} times", longer) : std::string("many times")));
  } else {
    words.push_back(fmt::format("not converged: {} round trips of the wanted {}; run longer", trips,
                                analysis::fewest_round_trips));
  }
}

/// Reports that reweighting leaves samples out, where it does.
void add_stride(const thermodynamics::FoldingSamples& samples, std::vector<std::string>& words) {
  if (!samples.are_whole()) return;
  const auto stride = thermodynamics::stride_of_times(samples);
  if (stride == 1) return;
  words.push_back(fmt::format(
      "reweighting takes all replicas at every {}th sampled time: all {} samples would need more "
      "than {} MiB",
      stride, samples.size(), thermodynamics::memory_limit_bytes >> 20U));
}

void add_overlap(const thermodynamics::FoldingSamples& samples, std::vector<Table>& tables) {
  if (!samples.are_whole() || samples.states.size() < 2) return;
  const auto overlaps = thermodynamics::neighbour_overlaps(samples);
  tables.push_back({"convergence/overlap",
                    "",
                    fmt::format("(states - 1) overlap of each state and the next, from 0 to 0.5: "
                                "the element beside the diagonal of the overlap matrix of the two; "
                                "below {} nothing is reweighted from one to the other",
                                analysis::least_overlap),
                    {size_of(overlaps)},
                    overlaps});
}

/// Calls `work`, or reports why it is impossible with these samples.
template <class Work>
void or_say(const char* what_is_missing, std::vector<std::string>& words, const Work& work) {
  const auto say = [&](const std::exception& error) {
    words.push_back(fmt::format("{}: {}", what_is_missing, error.what()));
  };
  try {
    work();
  } catch (const analysis::AnalysisError& error) {
    say(error);
  } catch (const std::invalid_argument& error) {
    say(error);
  }
}

}  // namespace

EnsembleContents ensemble_contents(const EnsembleSoFar& so_far, const io::SampleFile& samples) {
  auto columns = sample_columns(so_far, samples);
  EnsembleContents contents;
  auto& [header, tables, words, means] = contents;
  add_exchange(so_far, tables);
  words = exchange_in_words(so_far);
  std::optional<EnsembleCounts> counted;
  if (so_far.observation != nullptr && so_far.observation->has_samples()) {
    counted.emplace(so_far.observation->plan(), so_far.observation->totals(),
                    so_far.observation->contact_maps());
    add_counted_tables(so_far.topology, *counted, tables);
  }
  const auto& kept = columns.after_equilibration;
  add_scan(so_far, kept, tables, words);
  if (kept.size() == 0) {
    words.push_back(
        fmt::format("no result: no sample counts, for the last step is {}, "
                    "ensemble.equilibration_steps {} and ensemble.sample_every_steps {}",
                    so_far.step, so_far.settings.ensemble.equilibration_steps,
                    so_far.settings.ensemble.sample_every_steps));
  }
  add_stride(kept, words);
  add_overlap(kept, tables);
  const bool umbrellas = thermodynamics::has_umbrellas(so_far.exchange.ladder());
  if (kept.size() > 0 && umbrellas) {
    or_say("no free energy along the umbrellas", words,
           [&] { add_umbrellas(so_far, kept, tables, words); });
  } else if (kept.size() > 0 && kept.contacts > 0) {
    or_say("no thermodynamics", words, [&] {
      const auto found =
          thermodynamics::folding_thermodynamics(kept, so_far.settings.dynamics.seed);
      add_thermodynamics(found, thermodynamics::LadderPath(kept.states), tables);
      if (found.maximum_is_inside()) add_mean(found.native_fraction_there, so_far, means);
      if (so_far.exchange.states() > 1) {
        words.push_back(folding_in_words(found, thermodynamics::LadderPath(kept.states)));
      }
      for (auto& line : add_folding_tables(so_far.topology, kept, found,
                                           counted ? &*counted : nullptr, tables)) {
        words.push_back(std::move(line));
      }
    });
  } else if (kept.size() > 0) {
    or_say("no means along the ladder", words,
           [&] { add_mean(add_curves(so_far, kept, tables, words), so_far, means); });
  }
  if (kept.size() > 0 && kept.contacts > 0) add_convergence(so_far, kept, tables, words);
  if (kept.contacts > 0) add_kinetics(so_far, columns.step, columns.q, tables, words);
  add_samples(so_far, columns, tables);
  header.creator_version = job::version;
  header.frames = samples.rows();
  header.first_step = columns.step.empty() ? 0 : static_cast<std::int64_t>(columns.step.front());
  header.last_step = columns.step.empty() ? 0 : static_cast<std::int64_t>(columns.step.back());
  header.every_steps = so_far.settings.ensemble.sample_every_steps;
  header.time_step_ps = so_far.settings.dynamics.time_step_ps;
  header.box_nm = so_far.topology.box.length_nm;
  return contents;
}

void write_ensemble_file(const EnsembleContents& contents, const std::filesystem::path& path) {
  io::write_observables(path, contents.header, contents.tables);
}

}  // namespace nfold::ensemble

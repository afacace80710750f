// Tables of an ensemble's file, and messages about its results.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "analysis/frame.hpp"
#include "analysis/sampling_limits.hpp"
#include "analysis/thermodynamics/chosen_samples.hpp"
#include "analysis/thermodynamics/folding.hpp"
#include "analysis/thermodynamics/ladder_curves.hpp"
#include "analysis/thermodynamics/state_overlap.hpp"
#include "core/version.hpp"
#include "io/observables_file.hpp"
#include "session/ensemble/sample_columns.hpp"
#include "session/ensemble/tables_analysis.hpp"
#include "session/ensemble/tables_exchange.hpp"
#include "session/ensemble/tables_kinetics.hpp"
#include "session/ensemble/tables_scan.hpp"
#include "session/ensemble/tables_umbrella.hpp"
#include "session/setup/sampling_record.hpp"

namespace nfold::ensemble {
namespace {

/// Adds the states along the ladder for which means are given.
void add_grid(const std::vector<system::ThermodynamicState>& grid, common::Tables& tables) {
  const auto add = [&](const char* name, const char* unit,
                       double system::ThermodynamicState::*member) {
    tables.add_column(name, unit, "(grid) along the ladder", state_column(grid, member));
  };
  add("thermodynamics/temperature", "K", &system::ThermodynamicState::temperature_kelvin);
  add("thermodynamics/contact_strength", "", &system::ThermodynamicState::contact_strength);
  add("thermodynamics/ionic_strength", "mol L-1",
      &system::ThermodynamicState::ionic_strength_molar);
}

/// Adds the curves of an ensemble without native contacts, which has no folding. Returns the first
/// sampled quantity at the lower end.
thermodynamics::Estimate add_curves(const EnsembleSnapshot& snapshot,
                                    const thermodynamics::FoldingSamples& samples,
                                    EnsembleContents& contents) {
  const auto found = thermodynamics::ladder_curves(samples, snapshot.settings.dynamics.seed);
  auto& tables = contents.tables;
  tables.add_column("thermodynamics/reduced_free_energy", "",
                    "(states) f = -ln Z by MBAR, the first 0", found.reduced_free_energy);
  add_grid(found.grid, tables);
  const char* const help = "(grid, 2) mean, by MBAR, and its standard error by resampling";
  tables.add_estimates("thermodynamics/potential_energy", "kJ mol-1", help, found.potential_kj_mol);
  const auto columns = replicas::sampled_columns(snapshot.topology);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    tables.add_estimates("thermodynamics/" + columns[c].name, columns[c].unit, help,
                         found.quantities[c]);
  }
  // The analysis of a chain reports its size with an error of its own.
  if (snapshot.settings.ensemble.analysis.chain) return found.quantities.front().front();
  const thermodynamics::LadderPath path(samples.states);
  for (const std::size_t state : {std::size_t{0}, samples.states.size() - 1}) {
    const bool at_first = path.coordinate(samples.states[state]) == path.lowest();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& [name, unit, quantity, of, definition] = columns[c];
      const auto& along = found.quantities[c];
      const auto& mean = at_first ? along.front() : along.back();
      contents.messages.push_back(fmt::format("at {} {}{} {:.3f} +- {:.3f}{}", path.describe(state),
                                              quantity, of, mean.value, mean.error,
                                              unit.empty() ? "" : " " + unit));
    }
    if (samples.states.size() == 1) break;
  }
  return found.quantities.front().front();
}

/// Sets the mean that setup::planned_means() lists for an ensemble.
void add_mean(const thermodynamics::Estimate& known, const EnsembleSnapshot& snapshot,
              std::vector<estimate::SampledMean>& means) {
  means = setup::planned_means(snapshot.settings, snapshot.topology, snapshot.step);
  for (auto& mean : means) mean.mean = known.value, mean.standard_error = known.error;
}

void add_heat_capacity(const thermodynamics::FoldingThermodynamics& found, common::Tables& tables) {
  tables.add_column("thermodynamics/reduced_free_energy", "",
                    "(states) f = -ln Z by MBAR, the first 0", found.reduced_free_energy);
  add_grid(found.grid, tables);
  tables.add_column("thermodynamics/heat_capacity", "kJ mol-1 K-1",
                    "(grid) of potential and kinetic energy, by MBAR",
                    found.heat_capacity_kj_mol_kelvin);
  tables.add_column("thermodynamics/heat_capacity_error", "kJ mol-1 K-1",
                    "(grid) its standard error by resampling",
                    found.heat_capacity_error_kj_mol_kelvin);
  tables.add_estimates(
      "thermodynamics/maximum_over_ends", "kJ mol-1 K-1",
      "(2, 2) the highest heat capacity less that at the lower and at the upper end of the ladder, "
      "and its standard error by resampling",
      std::array{found.peak.over_lower_end, found.peak.over_upper_end});
  tables.add_whole(
      "thermodynamics/maximum_place",
      "0: inside the ladder; 1: at its lower end, or not above it within errors; 2: the same of "
      "the upper end; 3: above neither end within errors; 4: inside, but of too few transitions. "
      "Unless 0, there is no folding temperature, or a bound of it",
      {}, std::array{static_cast<std::int64_t>(found.peak_position)});
}

void add_folding_state(const thermodynamics::FoldingThermodynamics& found,
                       const thermodynamics::LadderPath& path, common::Tables& tables) {
  const auto add_coordinate = [&](const char* name, const char* unit, const char* help,
                                  thermodynamics::Varies number) {
    tables.add_column(name, unit, help,
                      std::array{thermodynamics::state_coordinate(found.folding_state, number),
                                 path.varies() == number ? found.folding_coordinate.error : 0});
  };
  tables.add_column(
      "thermodynamics/transitions", "",
      fmt::format(
          "(2) how often replicas folded and unfolded after equilibration, between the mean "
          "Q at both ends of the ladder; a folding temperature needs {} of each",
          analysis::fewest_transitions),
      std::array{found.transitions.foldings, found.transitions.unfoldings});
  tables.add_column("thermodynamics/potential_energy", "kJ mol-1", "(grid) mean, by MBAR",
                    found.mean_energy_kj_mol);
  tables.add_column("thermodynamics/native_fraction", "", "(grid) mean, by MBAR",
                    found.mean_native_fraction);
  tables.add_column("thermodynamics/native_fraction_error", "",
                    "(grid) its standard error by resampling", found.native_fraction_error);
  add_coordinate(
      "thermodynamics/folding_temperature", "K",
      "(2) where the heat capacity has its maximum, and its standard error by resampling",
      thermodynamics::Varies::temperature);
  add_coordinate("thermodynamics/folding_contact_strength", "",
                 "(2) the same of the contact strength, where the ladder is one of strengths",
                 thermodynamics::Varies::contact_strength);
  add_coordinate("thermodynamics/folding_ionic_strength", "mol L-1",
                 "(2) the same of the salt, where the ladder is one of ionic strengths",
                 thermodynamics::Varies::ionic_strength);
  const auto& q = found.native_fraction_at_folding;
  tables.add_column(
      "thermodynamics/native_fraction_at_folding", "",
      "(2) mean Q where the heat capacity has its maximum, and its standard error by resampling",
      std::array{q.value, q.error});
}

void add_free_energy(const thermodynamics::FoldingThermodynamics& found, std::int64_t states,
                     common::Tables& tables) {
  tables.add_column("free_energy/native_fraction", "", "(bins) centres of the bins of Q",
                    found.native_fraction);
  tables.add("free_energy/of_native_fraction", "kJ mol-1",
             "(states, bins) -kT ln p(Q) at each temperature, the lowest 0",
             {states, std::ssize(found.native_fraction)}, found.free_energy_kj_mol);
  tables.add_column("free_energy/at_folding_temperature", "kJ mol-1",
                    "(bins) the same at the folding temperature", found.at_folding_kj_mol);
  tables.add_column(
      "free_energy/at_folding_temperature_error", "kJ mol-1",
      "(bins) its standard error by resampling; infinite where less than half of what "
      "was drawn again has samples",
      found.at_folding_error_kj_mol);
  tables.add_column(
      "free_energy/barrier", "",
      "(2) barrier at the folding temperature over the higher basin [kT], and its standard error; "
      "not a number where Q between the basins was not seen",
      std::array{found.barrier_kt.value, found.barrier_kt.error});
}

std::string describe_folding(const thermodynamics::FoldingThermodynamics& found,
                             const thermodynamics::LadderPath& path) {
  const auto& at = found.folding_coordinate;
  const bool of_temperature = path.varies() == thermodynamics::Varies::temperature;
  const bool of_salt = path.varies() == thermodynamics::Varies::ionic_strength;
  const char* const what = of_temperature ? "folding temperature"
                           : of_salt      ? "folding ionic strength"
                                          : "folding contact strength";
  if (found.peak_position == thermodynamics::PeakPosition::too_few_transitions) {
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
    const bool is_low = found.peak_position == thermodynamics::PeakPosition::at_lower_end;
    const bool is_nowhere = found.peak_position == thermodynamics::PeakPosition::nowhere;
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
void add_convergence(const EnsembleSnapshot& snapshot,
                     const thermodynamics::FoldingSamples& samples, EnsembleContents& contents) {
  const auto& settings = snapshot.settings.ensemble;
  auto& [header, tables, messages, means] = contents;
  if (settings.starts != input::EnsembleStarts::both_ends || settings.ladders < 2) return;
  const auto starts = thermodynamics::compare_starts(samples);
  const thermodynamics::LadderPath path(samples.states);
  const auto place_of = [&](const thermodynamics::StartComparison& compared) {
    return path.coordinate(samples.states[compared.at_state]);
  };
  const auto trips = snapshot.exchange.round_trips();
  const bool enough = settings.exchange_every_steps == 0 || trips >= analysis::fewest_round_trips;
  tables.add_column(
      "convergence/starts", "",
      "(2) largest difference of the mean Q between ladders that began native and "
      "unfolded, and where along the ladder it is: temperature [K], contact strength or "
      "centre of the umbrella [nm], whichever varies",
      std::array{starts.largest_difference, place_of(starts)});
  constexpr std::size_t stretches = 4;
  const auto parts = thermodynamics::compare_starts_over_time(samples, stretches);
  std::vector<double> over_time;
  for (const auto& part : parts) {
    over_time.insert(over_time.end(), {part.largest_difference, place_of(part)});
  }
  tables.add("convergence/over_time", "",
             "(stretches, 2) the same of each fourth of the time after equilibration",
             {std::ssize(parts), 2}, std::move(over_time));
  const double left_out = static_cast<double>(settings.equilibration_steps) /
                          static_cast<double>(std::max<std::int64_t>(1, snapshot.step));
  const double longer = thermodynamics::run_length_factor(parts, left_out);
  tables.add_number("convergence/times_as_long", "",
                    "how many times as long a run would have to be until both starts agree, by how "
                    "their difference decayed; infinite: it did not",
                    longer);
  if (starts.agree() && enough) {
    messages.push_back(
        fmt::format("converged: native and unfolded starts agree within {:.3f} in Q, {} "
                    "round trips",
                    starts.largest_difference, trips));
  } else if (!starts.agree()) {
    messages.push_back(fmt::format(
        "not converged: at {} native and unfolded starts differ by {:.2f} in Q; "
        "run {} as long, or with a ladder whose ends fold and unfold faster",
        path.describe(starts.at_state), starts.largest_difference,
        std::isfinite(longer) ? fmt::format("{:.2g} times", longer) : std::string("many times")));
  } else {
    messages.push_back(fmt::format("not converged: {} round trips of the wanted {}; run longer",
                                   trips, analysis::fewest_round_trips));
  }
}

/// Reports that reweighting leaves samples out, where it does.
void add_stride(const thermodynamics::FoldingSamples& samples, std::vector<std::string>& messages) {
  if (!samples.are_whole()) return;
  const auto stride = thermodynamics::time_stride(samples);
  if (stride == 1) return;
  messages.push_back(fmt::format(
      "reweighting takes all replicas at every {}th sampled time: all {} samples would need more "
      "than {} MiB",
      stride, samples.size(), thermodynamics::memory_limit_bytes >> 20U));
}

void add_overlap(const thermodynamics::FoldingSamples& samples, common::Tables& tables) {
  if (!samples.are_whole() || samples.states.size() < 2) return;
  tables.add_column("convergence/overlap", "",
                    fmt::format("(states - 1) overlap of each state and the next, from 0 to 0.5: "
                                "the element beside the diagonal of the overlap matrix of the two; "
                                "below {} nothing is reweighted from one to the other",
                                analysis::least_overlap),
                    thermodynamics::neighbour_overlaps(samples));
}

/// Calls `work`, or reports why it is impossible with these samples.
template <class Work>
void try_or_report(const char* what_is_missing, std::vector<std::string>& messages,
                   const Work& work) {
  const auto report_obstacle = [&](const std::exception& error) {
    messages.push_back(fmt::format("{}: {}", what_is_missing, error.what()));
  };
  try {
    work();
  } catch (const analysis::AnalysisError& error) {
    report_obstacle(error);
  } catch (const std::invalid_argument& error) {
    report_obstacle(error);
  }
}

}  // namespace

EnsembleContents ensemble_contents(const EnsembleSnapshot& snapshot,
                                   const io::SampleFile& samples) {
  auto columns = sample_columns(snapshot, samples);
  EnsembleContents contents;
  auto& [header, tables, messages, means] = contents;
  add_exchange(snapshot, tables);
  messages = describe_exchange(snapshot);
  std::optional<EnsembleCounts> counted;
  if (snapshot.observation != nullptr && snapshot.observation->has_samples()) {
    counted.emplace(snapshot.observation->plan(), snapshot.observation->totals(),
                    snapshot.observation->contact_maps());
    add_counted_tables(snapshot.topology, *counted, tables);
  }
  const auto& kept = columns.after_equilibration;
  add_scan(snapshot, kept, contents);
  if (kept.size() == 0) {
    messages.push_back(
        fmt::format("no result: no sample counts, for the last step is {}, "
                    "ensemble.equilibration_steps {} and ensemble.sample_every_steps {}",
                    snapshot.step, snapshot.settings.ensemble.equilibration_steps,
                    snapshot.settings.ensemble.sample_every_steps));
  }
  add_stride(kept, messages);
  add_overlap(kept, tables);
  const bool umbrellas = thermodynamics::has_umbrellas(snapshot.exchange.ladder());
  if (kept.size() > 0 && umbrellas) {
    try_or_report("no free energy along the umbrellas", messages,
                  [&] { add_umbrellas(snapshot, kept, contents); });
  } else if (kept.size() > 0 && kept.contacts > 0) {
    try_or_report("no thermodynamics", messages, [&] {
      const auto found =
          thermodynamics::folding_thermodynamics(kept, snapshot.settings.dynamics.seed);
      const thermodynamics::LadderPath path(kept.states);
      add_heat_capacity(found, tables);
      add_folding_state(found, path, tables);
      add_free_energy(found, snapshot.exchange.states(), tables);
      if (found.maximum_is_inside()) add_mean(found.native_fraction_at_folding, snapshot, means);
      if (snapshot.exchange.states() > 1) messages.push_back(describe_folding(found, path));
      for (auto& line : add_folding_tables(snapshot.topology, kept, found,
                                           counted ? &*counted : nullptr, tables)) {
        messages.push_back(std::move(line));
      }
    });
  } else if (kept.size() > 0) {
    try_or_report("no means along the ladder", messages,
                  [&] { add_mean(add_curves(snapshot, kept, contents), snapshot, means); });
  }
  if (kept.size() > 0 && kept.contacts > 0) add_convergence(snapshot, kept, contents);
  const auto& step = columns.values("samples/step");
  if (kept.contacts > 0) {
    add_kinetics(snapshot, step, columns.values("samples/native_fraction"), contents);
  }
  header.creator_version = core::version;
  header.frames = samples.rows();
  header.first_step = step.empty() ? 0 : static_cast<std::int64_t>(step.front());
  header.last_step = step.empty() ? 0 : static_cast<std::int64_t>(step.back());
  header.every_steps = snapshot.settings.ensemble.sample_every_steps;
  header.time_step_ps = snapshot.settings.dynamics.time_step_ps;
  header.box_nm = snapshot.topology.box.length_nm;
  for (auto& table : columns.tables) {
    if (table.path == "samples/step" || table.path == "samples/state") {
      tables.add_whole(table.path, table.description, table.extent, table.values);
    } else {
      tables.add(std::move(table));
    }
  }
  return contents;
}

void write_ensemble_file(const EnsembleContents& contents, const std::filesystem::path& path) {
  io::write_observables(path, contents.header, contents.tables.all());
}

}  // namespace nfold::ensemble

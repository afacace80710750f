// Columns of a slab, whether they have converged, and critical points.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/phase_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/binodal.hpp"
#include "analysis/sampling_limits.hpp"
#include "batch/verdict.hpp"
#include "core/csv.hpp"
#include "core/document/scalars.hpp"
#include "core/storage/atomic_file.hpp"
#include "io/tables_file.hpp"

namespace nfold::batch {
namespace {

using analysis::SlabState;

constexpr std::size_t numbers_of_estimate = 3;  // value, error, independent samples

std::vector<double> read_slab_table(const std::filesystem::path& file, const std::string& name) {
  auto table = io::read_table(file, "coexistence/" + name);
  if (!table) {
    throw analysis::AnalysisError(fmt::format(
        "{} has no table coexistence/{}: observables.coexistence or observables.every_steps is off",
        file.string(), name));
  }
  return *std::move(table);
}

struct ReadEstimate {
  double value, error, independent;
  [[nodiscard]] bool has_error() const {
    return std::isfinite(error) && independent >= analysis::fewest_independent_samples;
  }
  [[nodiscard]] double relative() const { return error / value; }
};

ReadEstimate estimate_of(const std::vector<double>& table, std::size_t species) {
  const auto at = species * numbers_of_estimate;
  return {table.at(at), table.at(at + 1), table.at(at + 2)};
}

/// Both phases of one species.
struct SpeciesTable {
  double mass;
  ReadEstimate dense, dilute;
  double bound;  // upper bound of the dilute concentration; NaN: it is known
};

/// Sets COLUMN + unit and COLUMN_error + unit. A mean without its error says nothing.
bool set_with_error(ResultRow& row, const std::string& column, const std::string& unit,
                    const ReadEstimate& estimate, double factor = 1) {
  if (!estimate.has_error()) return false;
  row.set(column + unit, factor * estimate.value);
  row.set(column + "_error" + unit, factor * estimate.error);
  return true;
}

void set_concentrations(const SpeciesTable& of, ResultRow& row) {
  const double molar = 1 / of.mass;  // mg/ml is g/l
  if (set_with_error(row, "dense", "_mg_ml", of.dense)) {
    set_with_error(row, "dense", "_molar", of.dense, molar);
  } else {
    row.add_remark(
        fmt::format("no concentration of the dense phase: {:.0f} independent samples of "
                    "{}",
                    std::isfinite(of.dense.independent) ? of.dense.independent : 0,
                    analysis::fewest_independent_samples));
  }
  row.set("dilute_samples", fmt::format("{:.0f}", of.dilute.independent));
  if (std::isfinite(of.bound)) {
    row.set("dilute_upper_bound_mg_ml", of.bound);
    row.set("dilute_upper_bound_molar", of.bound * molar);
    return;
  }
  set_with_error(row, "dilute", "_mg_ml", of.dilute);
  set_with_error(row, "dilute", "_molar", of.dilute, molar);
}

void set_transfer(const SpeciesTable& of, double kelvin, ResultRow& row) {
  if (!of.dense.has_error()) return;
  const auto energy = [&](double dilute) {
    return analysis::transfer_free_energy_kj_mol(dilute, of.dense.value, kelvin);
  };
  if (std::isfinite(of.bound)) {
    row.set("transfer_free_energy_upper_bound_kj_mol", energy(of.bound));
    return;
  }
  row.set("transfer_free_energy_kj_mol", energy(of.dilute.value));
  // One unit of relative error, since the energy is kT times a logarithm.
  const double kt = energy(std::numbers::e * of.dense.value);
  row.set("transfer_free_energy_error_kj_mol",
          kt * std::hypot(of.dense.relative(), of.dilute.relative()));
}

void set_client(const std::string& name, const SpeciesTable& of, ResultRow& row) {
  row.set("client", name);
  if (!of.dense.has_error()) {
    row.add_remark(fmt::format("no partition of {}: too few independent samples", name));
    return;
  }
  if (std::isfinite(of.bound)) {
    row.set("client_partition_lower_bound", of.dense.value / of.bound);
    return;
  }
  const double partition = of.dense.value / of.dilute.value;
  row.set("client_partition", partition);
  row.set("client_partition_error",
          partition * std::hypot(of.dense.relative(), of.dilute.relative()));
}

/// Sets verdict and reason of two phases.
void judge_dilute(const SpeciesTable& of, double wanted, std::int64_t step, ResultRow& row) {
  if (std::isfinite(of.bound)) {
    row.set("verdict", "not converged");
    row.set("reason",
            fmt::format("too few chains visited the dilute phase in {} steps, {:.0f} times its "
                        "relaxation: the upper bound is that of 95 %; give more dynamics.steps or "
                        "a higher temperature",
                        step, of.dilute.independent));
    return;
  }
  const double error = of.dilute.relative();
  const bool is_converged = error <= wanted;
  row.set("verdict", is_converged ? "converged" : wanted == 0 ? "done" : "not converged");
  row.set("reason", describe_standard_error("the dilute concentration", error, wanted));
}

std::string why_no_phases(SlabState state, std::int64_t step) {
  switch (state) {
    case SlabState::one_phase:
      return "no interface, or one as wide as the box: the temperature is near or above the "
             "critical one, or the protein does not separate";
    case SlabState::thin_slab:
      return "the interfaces leave too little of the slab between them; give more copies";
    case SlabState::short_box:
      return "the interfaces leave too little of the box beyond them; give a longer box";
    case SlabState::no_samples:
    case SlabState::two_phases:
      break;
  }
  return fmt::format("too few samples in {} steps; give more dynamics.steps", step);
}

SlabState read_profile_state(const std::filesystem::path& observables_file) {
  return static_cast<SlabState>(std::lround(read_slab_table(observables_file, "state").at(0)));
}

double number_in(const ResultRow& row, const char* column) {
  return document::to_real(row.get(column)).value_or(std::nan(""));
}

/// Returns the point of a finished slab; none without two phases. A dilute concentration that has
/// an upper bound only counts as half of it, with an error of that size.
std::optional<analysis::CoexistencePoint> point_of(const ResultRow& row) {
  analysis::CoexistencePoint point{
      number_in(row, "temperature_kelvin"), number_in(row, "dense_mg_ml"),
      number_in(row, "dense_error_mg_ml"), number_in(row, "dilute_mg_ml"),
      number_in(row, "dilute_error_mg_ml")};
  const double bound = number_in(row, "dilute_upper_bound_mg_ml");
  if (std::isfinite(bound)) point.dilute = point.dilute_error = bound / 2;
  const bool is_known = point.dense_error > 0 && std::isfinite(point.dilute_error);
  return is_known ? std::optional(point) : std::nullopt;
}

}  // namespace

SlabState read_slab_state(const std::filesystem::path& observables_file) {
  const auto state = read_profile_state(observables_file);
  const double independent = read_slab_table(observables_file, "independent").at(0);
  const bool is_certain =
      state == SlabState::two_phases || independent >= analysis::fewest_independent_samples;
  return is_certain ? state : SlabState::no_samples;
}

bool extend_slab(SlabState state, input::Settings& settings) {
  if (state == SlabState::thin_slab) {
    for (auto& species : settings.system.species) species.copies *= 2;
    return true;
  }
  if (state != SlabState::short_box) return false;
  constexpr double longer = 1.5;
  settings.system.box_nm.at(static_cast<std::size_t>(settings.observables.profile_axis)) *= longer;
  return true;
}

void read_phases(const std::filesystem::path& observables_file, const input::Settings& settings,
                 std::int64_t step, ResultRow& row) {
  const auto read = [&](const char* name) { return read_slab_table(observables_file, name); };
  const auto& species = settings.system.species;
  const auto& dynamics = settings.dynamics;
  row.set("protein", species.empty() ? row.get("target") : species.front().name);
  row.set("temperature_kelvin", dynamics.temperature_kelvin);
  row.set("ionic_strength_molar", settings.force_field.condensate.ionic_strength_molar);
  row.set("ph", settings.force_field.condensate.ph);
  const auto& box = settings.system.box_nm;
  if (box.size() == 3) {
    row.set("box_x_nm", box[0]);
    row.set("box_y_nm", box[1]);
    row.set("box_z_nm", box[2]);
  }
  row.set("steps", std::to_string(step));
  const auto state = read_slab_state(observables_file);
  if (state != SlabState::two_phases) {
    row.set("verdict", state == SlabState::one_phase ? "one phase" : "not converged");
    const auto profile = read_profile_state(observables_file);
    auto reason = why_no_phases(state, step);
    if (state == SlabState::no_samples && profile != state) {
      reason += fmt::format("; so far: {}", analysis::describe(profile));
    }
    row.set("reason", reason);
    return;
  }
  const auto masses = read("chain_mass"), dense = read("dense"), dilute = read("dilute"),
             bounds = read("dilute_upper_bound");
  const auto table_of = [&](std::size_t k) {
    return SpeciesTable{masses.at(k), estimate_of(dense, k), estimate_of(dilute, k), bounds.at(k)};
  };
  const auto protein = table_of(0);
  judge_dilute(protein, settings.observables.dilute_error, step, row);
  set_concentrations(protein, row);
  set_transfer(protein, dynamics.temperature_kelvin, row);
  if (masses.size() > 1 && species.size() > 1) set_client(species[1].name, table_of(1), row);
  constexpr double ns_per_ps = 1e-3;
  const bool has_width =
      set_with_error(row, "interface_width", "_nm", estimate_of(read("interface_width"), 0));
  set_with_error(row, "slab_thickness", "_nm", estimate_of(read("half_thickness"), 0), 2);
  const bool has_tension =
      set_with_error(row, "surface_tension", "_mn_m", estimate_of(read("surface_tension"), 0));
  if (!has_width || !has_tension) {
    row.add_remark(
        fmt::format("columns are empty for lack of samples: an error needs {} "
                    "independent ones",
                    analysis::fewest_independent_samples));
  }
  row.set("equilibration_steps", std::to_string(std::llround(read("first_frame").at(0)) *
                                                settings.observables.every_steps));
  row.set("relaxation_time_ns", ns_per_ps * read("relaxation_time").at(0));
}

void write_binodal(const BatchFolder& folder, const input::BatchFile& list) {
  // Protein, salt and pH, client; then the points by temperature.
  std::map<std::vector<std::string>, std::vector<analysis::CoexistencePoint>> points_of;
  for (const auto& target : list.targets) {
    const auto row = ResultRow::read(folder.result(target.name));
    if (!row) continue;
    auto& points = points_of[{row->get("protein"), row->get("ionic_strength_molar"), row->get("ph"),
                              row->get("client")}];
    if (const auto point = point_of(*row)) points.push_back(*point);
  }
  std::string text =
      "protein,ionic_strength_molar,ph,client,temperatures,critical_temperature_kelvin,"
      "critical_temperature_error_kelvin,critical_concentration_mg_ml,"
      "critical_concentration_error_mg_ml,amplitude_mg_ml,diameter_slope_mg_ml_kelvin,chi_squared,"
      "degrees_of_freedom,reason\n";
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string();
  };
  for (auto& [key, points] : points_of) {
    std::ranges::sort(points, {}, &analysis::CoexistencePoint::temperature_kelvin);
    const auto found = analysis::fit_critical_point(points);
    const bool is_known = found.obstacle.empty();
    text += core::csv_row(key[0], key[1], key[2], key[3], points.size(),
                          number(found.temperature_kelvin), number(found.temperature_error_kelvin),
                          number(found.concentration), number(found.concentration_error),
                          number(found.amplitude), number(found.slope), number(found.squares),
                          is_known ? std::to_string(found.freedom) : std::string(),
                          is_known ? "" : "no critical point: " + found.obstacle) +
            "\n";
  }
  storage::write_file_atomically(folder.binodal(), text);
}

}  // namespace nfold::batch

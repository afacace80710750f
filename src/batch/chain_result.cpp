// Columns of a chain, and whether its size has converged.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/chain_result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/chain_statistics.hpp"
#include "analysis/frame.hpp"
#include "analysis/sampling_limits.hpp"
#include "batch/verdict.hpp"
#include "io/tables_file.hpp"

namespace nfold::batch {
namespace {

std::vector<double> read_chain_table(const std::filesystem::path& file, const std::string& name) {
  auto table = io::read_table(file, "chain/" + name);
  if (!table) {
    throw analysis::AnalysisError(
        fmt::format("{} has no table chain/{}: no sample counts, or ensemble.analysis.chain is off",
                    file.string(), name));
  }
  return *std::move(table);
}

}  // namespace

void read_chain(const std::filesystem::path& ensemble_file, const input::Settings& settings,
                std::int64_t step, ResultRow& row) {
  const auto read = [&](const char* name) { return read_chain_table(ensemble_file, name); };
  const auto charges = read("charges");
  row.set("net_charge_e", charges.at(0));
  row.set("positive_fraction", charges.at(1));
  row.set("negative_fraction", charges.at(2));
  row.set("charge_decoration_e2", charges.at(3));
  if (charges.size() > 4 && std::isfinite(charges[4])) row.set("charge_segregation", charges[4]);
  row.set("temperature_kelvin", settings.ensemble.lowest_kelvin);
  row.set("steps", std::to_string(step));

  // Columns COLUMN + unit, COLUMN_error + unit and COLUMN_samples. An error needs enough
  // independent samples, and a mean without its error says nothing.
  const auto set = [&](const std::string& column, const std::string& unit,
                       const std::vector<double>& estimate) {
    if (!(estimate.at(2) >= analysis::fewest_independent_samples)) return false;
    row.set(column + unit, estimate[0]);
    row.set(column + "_error" + unit, estimate[1]);
    row.set(column + "_samples", fmt::format("{:.0f}", estimate[2]));
    return true;
  };
  const auto radius = read("radius_of_gyration");
  if (!set("radius_of_gyration", "_nm", radius)) {
    row.set("verdict", "not converged");
    row.set("reason",
            fmt::format("{:.0f} independent samples of the radius of gyration in {} steps, of the "
                        "{} that an error needs; give more dynamics.steps",
                        std::isfinite(radius.at(2)) ? radius[2] : 0, step,
                        analysis::fewest_independent_samples));
    return;
  }
  const double error = radius[1] / radius[0], wanted = settings.ensemble.rg_error;
  const bool is_converged = error <= wanted;
  row.set("verdict", is_converged ? "converged" : "not converged");
  row.set("reason", describe_standard_error("the radius of gyration", error, wanted));
  const auto first_step = std::llround(read("first_step").at(0));
  row.set("equilibration_steps", std::to_string(first_step));
  // 1 + 2 tau in samples. A time below their interval is not resolved.
  constexpr double ns_per_ps = 1e-3, shortest = 3;
  const double inefficiency = read("inefficiency").at(0);
  if (inefficiency >= shortest) {
    row.set("correlation_time_ns", 0.5 * (inefficiency - 1) * ns_per_ps *
                                       settings.dynamics.time_step_ps *
                                       static_cast<double>(settings.ensemble.sample_every_steps));
  }
  bool has_all = set("end_to_end", "_nm", read("end_to_end"));
  has_all = set("hydrodynamic_radius", "_nm", read("hydrodynamic_radius")) && has_all;
  has_all = set("asphericity", "", read("asphericity")) && has_all;
  has_all = set("shape_anisotropy", "", read("shape_anisotropy")) && has_all;
  if (!has_all) {
    row.add_remark(
        fmt::format("columns are empty for lack of samples: an error needs {} "
                    "independent ones, of at least {} replicas",
                    analysis::fewest_independent_samples, analysis::fewest_blocks));
  }
  const auto exponent = read("scaling_exponent");
  if (std::isfinite(exponent.at(1))) {
    const auto range = read("scaling_range");
    row.set("scaling_exponent", exponent[0]);
    row.set("scaling_exponent_error", exponent[1]);
    row.set("scaling_from", range.at(0));
    row.set("scaling_to", range.at(1));
  } else {
    row.add_remark(fmt::format("no scaling exponent: its fit needs {} residues and {} replicas",
                               analysis::ChainStatistics::fewest_residues_to_fit,
                               analysis::fewest_blocks));
  }
}

}  // namespace nfold::batch

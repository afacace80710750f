// Tables of ensembles to columns of results.csv.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/folding_result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "io/tables_file.hpp"

namespace nfold::cli {
namespace {

std::vector<double> table_of(const std::filesystem::path& file, const std::string& name) {
  auto table = io::read_table(file, name);
  if (!table || table->empty()) {
    throw analysis::AnalysisError(
        fmt::format("{} holds no table {}: too few samples for it", file.string(), name));
  }
  return *table;
}

constexpr double largest_difference = 0.05;  // of Q between starts, as ensemble::StartsCompared
constexpr double fewest_round_trips = 10;

}  // namespace

double melting_kelvin(const std::filesystem::path& scan_file) {
  const auto kelvin = table_of(scan_file, "thermodynamics/temperature");
  const auto folding = table_of(scan_file, "thermodynamics/folding_temperature");
  if (folding[0] > kelvin.front() && folding[0] < kelvin.back()) return folding[0];
  const auto q = table_of(scan_file, "thermodynamics/native_fraction");
  for (std::size_t k = 1; k < q.size(); ++k) {
    if (q[k] < 0.5 * q.front()) return kelvin[k];
  }
  throw analysis::AnalysisError(fmt::format(
      "no melting between {:.0f} and {:.0f} K: the native contacts stay, or are never there",
      kelvin.front(), kelvin.back()));
}

double folding_kelvin(const std::filesystem::path& ladder_file) {
  return table_of(ladder_file, "thermodynamics/folding_temperature")[0];
}

void read_ladder(const std::filesystem::path& ladder_file, double gpu_seconds, ResultRow& row) {
  const auto folding = table_of(ladder_file, "thermodynamics/folding_temperature");
  const auto barrier = table_of(ladder_file, "free_energy/barrier");
  row.set("folding_temperature_kelvin", folding[0]);
  row.set("folding_temperature_error_kelvin", folding.at(1));
  row.set("barrier_kt", barrier[0]);
  row.set("barrier_error_kt", barrier.at(1));
  const auto each = table_of(ladder_file, "exchange/round_trips");
  const double trips = std::accumulate(each.begin(), each.end(), 0.0);
  row.set("round_trips", trips);
  const double difference = table_of(ladder_file, "convergence/starts")[0];
  row.set("starts_differ_in_q", difference);
  const bool converged = difference <= largest_difference && trips >= fewest_round_trips;
  row.set("free_energy", converged ? "converged" : "not converged");
  row.set("predicted_gpu_seconds", gpu_seconds);
}

void read_kinetics(const std::filesystem::path& kinetics_file, ResultRow& row) {
  // (states, columns) of one temperature.
  const auto replicas = table_of(kinetics_file, "kinetics/folding_replicas");
  const double folded = replicas[0] > 0 ? replicas.at(1) / replicas[0] : 0;
  row.set("folded_fraction", folded);
  row.set("verdict", folded >= 0.5 ? "folded" : folded > 0 ? "partly folded" : "not folded");
  const auto time = table_of(kinetics_file, "kinetics/folding_mean_time");
  constexpr double ns_per_ps = 1e-3;
  row.set("mean_folding_time_ns", ns_per_ps * time[0]);
  row.set("folding_time_low_ns", ns_per_ps * time.at(1));
  row.set("folding_time_high_ns", ns_per_ps * time.at(2));
}

}  // namespace nfold::cli

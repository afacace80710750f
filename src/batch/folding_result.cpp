// Conversion of ensemble tables to columns of results.csv.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/folding_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/sampling_limits.hpp"
#include "analysis/thermodynamics/folding.hpp"
#include "analysis/thermodynamics/state_overlap.hpp"
#include "io/tables_file.hpp"

namespace nfold::batch {
namespace {

std::vector<double> read_required_table(const std::filesystem::path& file,
                                        const std::string& name) {
  auto table = io::read_table(file, name);
  if (!table || table->empty()) {
    throw analysis::AnalysisError(
        fmt::format("{} holds no table {}: too few samples for it", file.string(), name));
  }
  return *table;
}

using thermodynamics::PeakPosition;

/// Reads the position of the heat capacity maximum. None in files of older versions.
std::optional<PeakPosition> recorded_peak(const std::filesystem::path& ladder_file) {
  const auto recorded = io::read_table(ladder_file, "thermodynamics/maximum_place");
  if (!recorded || recorded->empty()) return std::nullopt;
  return static_cast<PeakPosition>(std::lround(recorded->front()));
}

/// Returns the position of the maximum of a heat capacity.
PeakPosition position_of_maximum(const std::vector<double>& capacity) {
  const auto highest = std::max_element(capacity.begin(), capacity.end()) - capacity.begin();
  if (highest == 0) return PeakPosition::at_lower_end;
  return highest + 1 == std::ssize(capacity) ? PeakPosition::at_upper_end : PeakPosition::inside;
}

/// Describes pairs of temperatures whose samples overlap too little. Empty if there are none.
std::string gaps_of(const std::filesystem::path& ladder_file) {
  const auto overlaps = io::read_table(ladder_file, "convergence/overlap");
  if (!overlaps) return {};
  std::vector<system::ThermodynamicState> states;
  for (const double kelvin : read_required_table(ladder_file, "exchange/temperature")) {
    states.push_back({kelvin});
  }
  const auto gaps =
      thermodynamics::describe_gaps(thermodynamics::LadderPath(std::move(states)), *overlaps);
  return gaps.empty() ? gaps : "samples of neighbouring temperatures overlap too little: " + gaps;
}

/// Describes why a ladder gives no folding temperature: a gap or too few transitions. Empty if it
/// gives one.
std::string lack_of_samples(const std::filesystem::path& ladder_file) {
  if (auto gaps = gaps_of(ladder_file); !gaps.empty()) return gaps;
  if (recorded_peak(ladder_file) != PeakPosition::too_few_transitions) return {};
  const auto seen = read_required_table(ladder_file, "thermodynamics/transitions");
  return fmt::format("replicas folded {:.0f} times and unfolded {:.0f} times of the wanted {} each",
                     seen[0], seen.at(1), analysis::fewest_transitions);
}

/// Describes a folding temperature that may lie beyond an end of the ladder, since the heat
/// capacity is highest there or exceeds it elsewhere by less than its error. Empty otherwise.
std::string bound_of_folding_temperature(const std::filesystem::path& ladder_file) {
  const auto kelvin = read_required_table(ladder_file, "thermodynamics/temperature");
  const auto capacity = read_required_table(ladder_file, "thermodynamics/heat_capacity");
  const auto peak = recorded_peak(ladder_file).value_or(position_of_maximum(capacity));
  if (peak == PeakPosition::inside) return {};
  if (peak == PeakPosition::nowhere) {
    return fmt::format(
        "no folding temperature from {:.1f} to {:.1f} K: the heat capacity has no maximum beyond "
        "its error; so no barrier either",
        kelvin.front(), kelvin.back());
  }
  const bool is_lowest = peak == PeakPosition::at_lower_end;
  const double end = is_lowest ? kelvin.front() : kelvin.back();
  const double highest = highest_capacity_kelvin(ladder_file).value();
  if (highest != end) {
    return fmt::format(
        "folding temperature {} {:.1f} K: the heat capacity is highest there, but not by more than "
        "its error above that at {:.1f} K, the {} end of the ladder; so no barrier either",
        is_lowest ? "at most" : "at least", highest, end, is_lowest ? "lower" : "upper");
  }
  return fmt::format(
      "folding temperature {} {:.1f} K, the {} end of the ladder, where the heat capacity is "
      "highest; so no barrier either",
      is_lowest ? "at most" : "at least", end, is_lowest ? "lower" : "upper");
}

/// Returns the largest Q over all samples of replicas that did not fold. NaN without samples.
double nearest_native_fraction(const std::filesystem::path& kinetics_file) {
  const auto first = read_required_table(kinetics_file, "kinetics/folding_time");  // (replicas)
  const auto q = io::read_table(kinetics_file, "samples/native_fraction");
  double nearest = FoldingFindings::unknown;
  for (std::size_t n = 0; q && n < q->size(); ++n) {
    if (std::isnan(first[n % first.size()])) nearest = std::fmax(nearest, (*q)[n]);
  }
  return nearest;
}

}  // namespace

double melting_kelvin(const std::filesystem::path& scan_file, std::int64_t equilibration_steps) {
  const auto kelvin = read_required_table(scan_file, "exchange/temperature");
  const auto step = read_required_table(scan_file, "samples/step");
  const auto state = read_required_table(scan_file, "samples/state");
  const auto q = read_required_table(scan_file, "samples/native_fraction");
  const std::size_t replicas = q.size() / step.size();
  std::vector<double> sum(kelvin.size(), 0), number(kelvin.size(), 0);
  for (std::size_t n = 0; n < q.size(); ++n) {
    if (step[n / replicas] < static_cast<double>(equilibration_steps)) continue;
    const auto k = static_cast<std::size_t>(state[n]);
    sum[k] += q[n];
    number[k] += 1;
  }
  for (std::size_t k = 0; k < kelvin.size(); ++k) sum[k] /= std::max(1.0, number[k]);
  // The hottest value is subtracted because the coil of a small protein has contacts too.
  constexpr double least_loss = 0.15;
  const double middle = 0.5 * (sum.front() + sum.back());
  for (std::size_t k = 1; k < kelvin.size(); ++k) {
    if (sum.front() - sum.back() < least_loss || sum[k] > middle) continue;
    const double part = (sum[k - 1] - middle) / (sum[k - 1] - sum[k]);
    return kelvin[k - 1] + part * (kelvin[k] - kelvin[k - 1]);
  }
  throw analysis::AnalysisError(fmt::format(
      "no melting between {:.0f} and {:.0f} K in {:.3g} steps: the share of native contacts is "
      "{:.2f} and {:.2f} at these ends",
      kelvin.front(), kelvin.back(), step.back(), sum.front(), sum.back()));
}

std::optional<double> highest_capacity_kelvin(const std::filesystem::path& ladder_file) {
  const auto maximum = io::read_table(ladder_file, "thermodynamics/folding_temperature");
  if (!maximum || maximum->empty()) return std::nullopt;
  return maximum->front();
}

void read_ladder(const std::filesystem::path& ladder_file, double gpu_seconds, ResultRow& row,
                 FoldingFindings& found) {
  found.lack_of_samples = lack_of_samples(ladder_file);
  if (!found.lack_of_samples.empty()) {
    const auto kelvin = read_required_table(ladder_file, "exchange/temperature");
    row.add_remark(fmt::format("no folding temperature from {:.1f} to {:.1f} K: {}", kelvin.front(),
                               kelvin.back(), found.lack_of_samples));
  } else if (const auto bound = bound_of_folding_temperature(ladder_file); !bound.empty()) {
    row.add_remark(bound);
  } else {
    const auto folding = read_required_table(ladder_file, "thermodynamics/folding_temperature");
    const auto barrier = read_required_table(ladder_file, "free_energy/barrier");
    row.set("folding_temperature_kelvin", folding[0]);
    row.set("folding_temperature_error_kelvin", folding.at(1));
    if (std::isfinite(barrier[0])) {
      row.set("barrier_kt", barrier[0]);
      row.set("barrier_error_kt", barrier.at(1));
    } else {
      row.add_remark("no barrier: no sample has Q between both basins");
    }
  }
  const auto each = read_required_table(ladder_file, "exchange/round_trips");
  found.round_trips = std::accumulate(each.begin(), each.end(), 0.0);
  found.starts_differ_in_q = read_required_table(ladder_file, "convergence/starts")[0];
  found.budget_gpu_seconds = gpu_seconds;
  row.set("round_trips", found.round_trips);
  row.set("starts_differ_in_q", found.starts_differ_in_q);
  const bool converged = has_converged(found);
  row.set("free_energy", converged ? "converged" : "not converged");
  if (converged) return;
  // The slower criterion decides. Infinite, hence empty, without a round trip.
  const double by_starts = read_required_table(ladder_file, "convergence/times_as_long")[0];
  const double by_trips = found.round_trips > 0 ? analysis::fewest_round_trips / found.round_trips
                                                : std::numeric_limits<double>::infinity();
  const bool differ = found.starts_differ_in_q > thermodynamics::StartComparison::tolerance;
  row.set("predicted_gpu_seconds", std::max(by_trips, differ ? by_starts : 1.0) * gpu_seconds);
}

void read_kinetics(const std::filesystem::path& kinetics_file, ResultRow& row,
                   FoldingFindings& found) {
  constexpr double ns_per_ps = 1e-3;
  // (states, columns), with one state.
  const auto replicas = read_required_table(kinetics_file, "kinetics/folding_replicas");
  const auto time = read_required_table(kinetics_file, "kinetics/folding_mean_time");
  found.replicas = std::llround(replicas[0]);
  found.folded = std::llround(replicas.at(1));
  found.end_ns = ns_per_ps * read_required_table(kinetics_file, "kinetics/time").back();
  found.median_ns =
      ns_per_ps * read_required_table(kinetics_file, "kinetics/folding_median_time")[0];
  found.mean_ns = ns_per_ps * time[0];
  found.mean_low_ns = ns_per_ps * time.at(1);
  found.nearest_native_fraction = nearest_native_fraction(kinetics_file);
  row.set("folded_fraction", replicas[0] > 0 ? replicas.at(1) / replicas[0] : 0);
  row.set("mean_folding_time_ns", found.mean_ns);
  row.set("folding_time_low_ns", found.mean_low_ns);
  row.set("folding_time_high_ns", ns_per_ps * time.at(2));
  const auto judged = judge_folding(found);
  row.set("verdict", judged.verdict);
  row.set("reason", judged.reason);
}

}  // namespace nfold::batch

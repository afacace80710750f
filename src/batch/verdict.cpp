// Verdict from counts of folded replicas, and its description.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/verdict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "analysis/sampling_limits.hpp"
#include "analysis/thermodynamics/folding.hpp"
#include "core/text.hpp"

namespace nfold::batch {
namespace {

constexpr double largest_difference = thermodynamics::StartComparison::tolerance;

/// Describes a budget, rounded to two digits.
std::string describe_budget(double seconds) {
  const double unit = std::pow(10, std::floor(std::log10(seconds)) - 1);
  return fmt::format("a budget of about {:g} s", unit * std::round(seconds / unit));
}

/// Describes the number of folded replicas, their times, and the largest Q of the others.
std::string describe_folding(const FoldingFindings& found) {
  auto text = fmt::format("{} of {} folded within {:.3g} ns",
                          found.folded == 0 ? "none" : std::to_string(found.folded),
                          core::pluralise(found.replicas, "replica"), found.end_ns);
  if (std::isfinite(found.median_ns)) {
    text += fmt::format(", half of them within {:.3g} ns", found.median_ns);
  }
  if (found.folded == 0 && std::isfinite(found.nearest_native_fraction)) {
    text += fmt::format(", the nearest came to Q = {:.2f}", found.nearest_native_fraction);
  }
  return text;
}

/// Describes the steps and the budget until half of the replicas fold.
std::string describe_needed_time(const FoldingFindings& found) {
  const bool any = found.folded > 0;
  const double longer =
      std::numbers::ln2 * (any ? found.mean_ns : found.mean_low_ns) / found.end_ns;
  if (!std::isfinite(longer) || longer <= 1) {
    return fmt::format("how many more steps half of them need is not known from {}",
                       core::pluralise(found.replicas, "replica"));
  }
  auto text = fmt::format("{} {:.2g} times the steps would be needed for half of them",
                          any ? "about" : "more than", longer);
  if (found.budget_gpu_seconds > 0) {
    text += fmt::format(", {}{}", any ? "" : "more than ",
                        describe_budget(longer * found.budget_gpu_seconds));
  }
  return text;
}

std::string describe_free_energy(const FoldingFindings& found) {
  if (has_converged(found)) {
    return fmt::format("the free energy is converged, with {:.0f} round trips", found.round_trips);
  }
  auto text =
      fmt::format("the free energy is not: {:.0f} round trip{} of the wanted {}", found.round_trips,
                  found.round_trips == 1 ? "" : "s", analysis::fewest_round_trips);
  if (found.starts_differ_in_q > largest_difference) {
    text += fmt::format(", both starts differ by {:.2f} in Q", found.starts_differ_in_q);
  }
  if (!found.lack_of_samples.empty()) text += ", " + found.lack_of_samples;
  return text;
}

}  // namespace

bool has_converged(const FoldingFindings& found) {
  return found.lack_of_samples.empty() && found.starts_differ_in_q <= largest_difference &&
         found.round_trips >= analysis::fewest_round_trips;
}

FoldingVerdict judge_folding(const FoldingFindings& found) {
  FoldingVerdict result;
  const bool folds = found.folded > 0 && 2 * found.folded >= found.replicas;
  result.verdict = folds ? "folds" : found.folded > 0 ? "partly" : "not in this time";
  result.reason = describe_folding(found);
  if (!folds) result.reason += "; " + describe_needed_time(found);
  result.reason += "; " + describe_free_energy(found);
  return result;
}

std::string describe_standard_error(const std::string& quantity, double error, double wanted) {
  auto text = fmt::format("standard error of {} {:.2g} %", quantity, 100 * error);
  if (error <= wanted || wanted == 0) return text;
  return fmt::format("{}, not the wanted {:.2g} %; about {:.2g} times the steps would be needed",
                     text, 100 * wanted, std::pow(error / wanted, 2));
}

}  // namespace nfold::batch

// Correction factors from similar targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/learned_work.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/interval.hpp"

namespace nfold::estimate {
namespace {

constexpr std::size_t newest = 10, fewest_for_spread = 3;
// Below this share of overhead, a target's measured overhead is mostly the error of its steps.
constexpr double least_overhead_share = 0.05, largest_overhead_factor = 10;

bool has_steps(const WorkRow& row) { return row.steps_predicted > 0 && row.steps_measured > 0; }

/// Returns the similarity as in history.cpp: 0 unusable, 1 same curve, 2 also a similar size, 3
/// also one rank or several alike.
int work_similarity(const WorkRow& row, StepCurve curve, double residues, int ranks) {
  constexpr double most = 3;
  const double ratio = row.residues / residues;
  if (row.curve != curve || !has_steps(row)) return 0;
  if (ratio < 1 / most || ratio > most) return 1;
  return (row.ranks > 1) == (ranks > 1) ? 3 : 2;
}

double factor_of_steps(const std::vector<const WorkRow*>& rows) {
  double sum = 0;
  for (const auto* row : rows) sum += std::log(row->steps_measured / row->steps_predicted);
  return std::exp(sum / static_cast<double>(rows.size()));
}

/// Returns a ratio of sums, because the overhead of a long target is a small difference of large
/// numbers.
double overhead_factor(const std::vector<const WorkRow*>& rows) {
  double predicted = 0, measured = 0;
  for (const auto* row : rows) {
    if (row->measured <= 0 ||
        row->predicted.overhead < least_overhead_share * row->predicted.all()) {
      continue;
    }
    // The target may have more steps than were measured.
    const double all_steps = row->predicted.steps * row->steps_measured / row->steps_predicted;
    predicted += row->predicted.overhead;
    measured += row->measured - all_steps;
  }
  if (predicted <= 0) return 1;
  return std::clamp(measured / predicted, 1 / largest_overhead_factor, largest_overhead_factor);
}

/// Returns ln(measured / corrected) of whole targets; of their steps if no row has a whole.
std::vector<double> errors_of(const std::vector<const WorkRow*>& rows, double steps,
                              double overhead) {
  std::vector<double> errors;
  for (const auto* row : rows) {
    const auto& estimated = row->predicted;
    if (row->measured > 0) {
      errors.push_back(
          std::log(row->measured / (steps * estimated.steps + overhead * estimated.overhead)));
    }
  }
  if (!errors.empty()) return errors;
  for (const auto* row : rows) {
    errors.push_back(std::log(row->steps_measured / (steps * row->steps_predicted)));
  }
  return errors;
}

}  // namespace

LearnedWork::LearnedWork(std::vector<WorkRow> rows) : rows_(std::move(rows)) {}

LearnedSeconds LearnedWork::learned(const WorkSeconds& predicted, const TargetWork& work,
                                    Backend space, int ranks) const {
  const auto curve = to_step_curve(work, space);
  const auto residues = static_cast<double>(std::max<std::int64_t>(1, work.residues));
  int best = 1;
  for (const auto& row : rows_) best = std::max(best, work_similarity(row, curve, residues, ranks));
  std::vector<const WorkRow*> alike;
  for (const auto& row : rows_) {
    if (alike.size() == newest) break;
    if (work_similarity(row, curve, residues, ranks) >= best) alike.push_back(&row);
  }
  LearnedSeconds learned{predicted, static_cast<int>(alike.size()), 0};
  if (alike.empty()) return learned;
  const double steps = factor_of_steps(alike), overhead = overhead_factor(alike);
  learned.seconds = {steps * predicted.steps, overhead * predicted.overhead};
  const auto errors = errors_of(alike, steps, overhead);
  if (errors.size() < fewest_for_spread) return learned;
  double squares = 0;
  for (const double error : errors) squares += error * error;
  const auto count = static_cast<double>(errors.size());
  learned.spread =
      widened_spread(std::sqrt(squares / (count - 1)), static_cast<int>(errors.size()));
  return learned;
}

}  // namespace nfold::estimate

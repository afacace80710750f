// Choice of similar jobs, and the factors that they give.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/correction.hpp"

#include <algorithm>
#include <cmath>

#include "estimate/interval.hpp"

namespace nfold::estimate {
namespace {

constexpr std::size_t newest = 10, fewest_for_spread = 3;
// Below this share of overhead, a job's measured overhead is mostly the error of its steps.
constexpr double least_overhead_share = 0.05, largest_overhead_factor = 10;
constexpr double largest_part_factor = 20, prior_share = 0.1;

bool is_usable(const PastJob& job) { return job.steps_estimated > 0 && job.steps_measured > 0; }
bool is_usable(const JobRow& row) { return row.estimated.steps > 0 && row.measured.steps > 0; }

/// Returns 0: unusable, 1: of another size, 2: of a similar size, 3: also on one rank or on several
/// alike.
template <class Job>
int similarity(const Job& job, double residues, int ranks) {
  constexpr double most = 3;
  const double ratio = job.residues / residues;
  if (!is_usable(job)) return 0;
  if (ratio < 1 / most || ratio > most) return 1;
  return (job.ranks > 1) == (ranks > 1) ? 3 : 2;
}

template <class Job>
std::vector<Job> similar_jobs(const std::vector<Job>& jobs, double residues, int ranks) {
  int best = 1;
  for (const auto& job : jobs) best = std::max(best, similarity(job, residues, ranks));
  std::vector<Job> similar;
  for (const auto& job : jobs) {
    if (similar.size() == newest) break;
    if (similarity(job, residues, ranks) >= best) similar.push_back(job);
  }
  return similar;
}

/// True if the jobs resemble the layout so closely that their scatter is that of one more job.
template <class Job>
bool had_layout(const std::vector<Job>& jobs, double residues, int ranks) {
  return std::ranges::any_of(jobs, [&](const Job& job) {
    return job.ranks == ranks && similarity(job, residues, ranks) == 3;
  });
}

/// Returns the spread for one more job by the errors of `errors.size()` jobs; 0 for too few.
double spread_of(const std::vector<double>& errors) {
  if (errors.size() < fewest_for_spread) return 0;
  double squares = 0;
  for (const double error : errors) squares += error * error;
  const auto count = static_cast<int>(errors.size());
  return widened_spread(std::sqrt(squares / (count - 1)), count);
}

double factor_of_steps(const std::vector<PastJob>& jobs) {
  double sum = 0;
  for (const auto& job : jobs) sum += std::log(job.steps_measured / job.steps_estimated);
  return std::exp(sum / static_cast<double>(jobs.size()));
}

/// Returns a ratio of sums, because the overhead of a long job is a small difference of large
/// numbers.
double factor_of_overhead(const std::vector<PastJob>& jobs) {
  double estimated = 0, measured = 0;
  for (const auto& job : jobs) {
    if (job.measured <= 0 || job.estimated.overhead < least_overhead_share * job.estimated.all()) {
      continue;
    }
    // The job may have more steps than were measured.
    const double all_steps = job.estimated.steps * job.steps_measured / job.steps_estimated;
    estimated += job.estimated.overhead;
    measured += job.measured - all_steps;
  }
  if (estimated <= 0) return 1;
  return std::clamp(measured / estimated, 1 / largest_overhead_factor, largest_overhead_factor);
}

/// Returns ln(measured / corrected) of whole jobs; of their steps if no job has a whole.
std::vector<double> errors_of(const std::vector<PastJob>& jobs, const Correction& correction) {
  std::vector<double> errors;
  for (const auto& job : jobs) {
    if (job.measured <= 0) continue;
    errors.push_back(std::log(job.measured / (correction.steps * job.estimated.steps +
                                              correction.overhead * job.estimated.overhead)));
  }
  if (!errors.empty()) return errors;
  for (const auto& job : jobs) {
    errors.push_back(std::log(job.steps_measured / (correction.steps * job.steps_estimated)));
  }
  return errors;
}

}  // namespace

Correction correction_for(const std::vector<PastJob>& jobs, double residues, int ranks) {
  residues = std::max(1.0, residues);
  const auto similar = similar_jobs(jobs, residues, ranks);
  Correction correction;
  if (similar.empty()) return correction;
  correction.jobs = static_cast<int>(similar.size());
  correction.steps = factor_of_steps(similar);
  correction.overhead = factor_of_overhead(similar);
  // A layout that no job had is as uncertain as the model itself.
  if (had_layout(similar, residues, ranks)) {
    correction.spread = spread_of(errors_of(similar, correction));
  }
  return correction;
}

Correction correction_for(const std::vector<StepRow>& rows, const StepDemand& demand, int ranks) {
  std::vector<PastJob> jobs;
  for (const auto& row : rows) {
    if (row.demand.pair_form != demand.pair_form ||
        row.demand.is_in_full_precision != demand.is_in_full_precision) {
      continue;
    }
    jobs.push_back(
        {row.demand.residues, row.ranks, row.estimated_seconds, row.measured_seconds, {}, 0});
  }
  return correction_for(jobs, demand.residues, ranks);
}

JobCorrection correction_for(const std::vector<JobRow>& rows, std::string_view kind,
                             double residues, int ranks) {
  constexpr double least_seconds = 0.05;
  auto of_kind = rows;
  std::erase_if(of_kind, [&](const JobRow& row) { return row.kind != kind; });
  const auto similar = similar_jobs(of_kind, std::max(1.0, residues), ranks);
  JobCorrection correction;
  correction.jobs = static_cast<int>(similar.size());
  double seconds = 0;
  for (const auto& row : similar) seconds += row.measured.seconds();
  // Time added to both sums [s]: a part that was short in its job tells little of a long one.
  const double prior =
      std::max(least_seconds, prior_share * seconds / std::max(1, correction.jobs));
  for (const auto part : measured_parts) {
    if (part == &JobTime::steps) continue;
    double estimated = prior, measured = prior;
    for (const auto& row : similar) {
      estimated += row.estimated.*part;
      measured += row.measured.*part;
    }
    correction.factors.*part =
        std::clamp(measured / estimated, 1 / largest_part_factor, largest_part_factor);
  }
  if (!had_layout(similar, std::max(1.0, residues), ranks)) return correction;
  std::vector<double> errors;
  for (const auto& row : similar) {
    const double corrected = multiply(row.estimated, correction.factors).seconds_beside_steps();
    errors.push_back(std::log(std::max(least_seconds, row.measured.seconds_beside_steps()) /
                              std::max(least_seconds, corrected)));
  }
  correction.spread = spread_of(errors);
  return correction;
}

Correction correction_for(const std::vector<WorkRow>& rows, const TargetWork& work, int ranks) {
  std::vector<PastJob> jobs;
  for (const auto& row : rows) {
    if (row.curve != to_step_curve(work)) continue;
    jobs.push_back({row.residues, row.ranks, row.steps_predicted, row.steps_measured, row.predicted,
                    row.measured});
  }
  return correction_for(jobs, static_cast<double>(work.residues), ranks);
}

}  // namespace nfold::estimate

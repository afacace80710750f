// Rows of the history by machine, and the correction that they give.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/time_estimator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "core/hash.hpp"
#include "core/text.hpp"

namespace nfold::setup {
namespace {

/// Returns the machine's name and a hash of its numbers, to four digits: the name in the history of
/// jobs that were estimated with them.
std::string hashed_name(const std::string& machine, std::span<const double> numbers) {
  core::ByteHash hash;
  for (const double value : numbers) hash.add_letters(fmt::format("{:.4g} ", value));
  return fmt::format("{}-{:08x}", machine, hash.value() >> 32U);
}

/// Returns all numbers in the curves and costs of a backend.
std::vector<double> numbers_of(const estimate::Machine& machine, estimate::Backend space) {
  const auto& speeds =
      space == estimate::Backend::gpu ? machine.speeds.gpu : machine.speeds.cpu_core;
  std::vector<double> numbers{machine.speeds.terms_per_residue};
  for (const auto& one : estimate::speed_curves) {
    const auto& curve = speeds.*one.curve;
    numbers.push_back(curve.most_steps_per_second);
    numbers.push_back(curve.group);
    numbers.push_back(curve.repulsion_nm);
    for (const auto& point : curve.points) {
      numbers.insert(numbers.end(), {point.residues, point.replicas, point.steps_per_second});
    }
  }
  for (const auto& key : estimate::part_keys()) {
    numbers.push_back(std::get<double>(key.field.get(speeds.part)));
  }
  return numbers;
}

/// Returns rows_of(file) of the history; none without a history.
template <class Rows>
auto rows_of_history(const Rows& rows_of) {
  const auto file = estimate::history_file();
  return file ? rows_of(*file) : decltype(rows_of(*file))();
}

/// Returns "h100 and 3 earlier runs".
std::string describe_predictor(const std::string& machine, int earlier_runs) {
  if (earlier_runs == 0) return machine;
  return fmt::format("{} and {}", machine, core::pluralise(earlier_runs, "earlier run"));
}

}  // namespace

StepEstimator::StepEstimator(estimate::Machine machine, bool on_gpu)
    : machine_(std::move(machine)),
      on_gpu_(on_gpu),
      history_name_(hashed_name(machine_.based_on, estimate::fitted_values(machine_.step(on_gpu)))),
      learned_(machine_.step(on_gpu), rows_of_history([&](const auto& file) {
                 return estimate::step_rows(file, history_name_, on_gpu);
               })) {}

StepEstimate StepEstimator::of(const estimate::StepDemand& demand,
                               const estimate::Layout& layout) const {
  const auto step_by = [&](const estimate::StepCoefficients& coefficients) {
    return estimate::step_time(coefficients, demand, machine_.network, layout.ranks_per_node);
  };
  StepEstimate result;
  auto& row = result.row;
  row.machine = history_name_;
  row.on_gpu = on_gpu_;
  row.ranks = layout.ranks();
  row.demand = demand;
  row.estimated_seconds = step_by(machine_.step(on_gpu_)).seconds();
  const auto correction = learned_.correction(demand, layout.ranks());
  result.step = step_by(learned_.coefficients());
  result.seconds = correction.steps * result.step.seconds();
  result.spread = correction.spread > 0 ? correction.spread : machine_.spread(on_gpu_, false);
  result.runs = std::max(correction.jobs, learned_.fitted_runs());
  result.by = describe_predictor(machine_.based_on, result.runs);
  return result;
}

const estimate::StepDemand& StepEstimator::slowest(std::span<const estimate::StepDemand> ranks,
                                                   const estimate::Layout& layout) const {
  return estimate::slowest_rank(learned_.coefficients(), ranks, machine_.network,
                                layout.ranks_per_node);
}

JobCorrector::JobCorrector(const estimate::Machine& machine, bool on_gpu, std::string kind,
                           std::span<const double> speeds)
    : costs_(machine.job) {
  std::vector<double> numbers(speeds.begin(), speeds.end());
  for (const auto& key : estimate::job_keys()) {
    numbers.push_back(std::get<double>(key.field.get(costs_)));
  }
  row_.machine = hashed_name(machine.based_on, numbers);
  row_.kind = std::move(kind);
  row_.on_gpu = on_gpu;
  earlier_ = rows_of_history(
      [&](const auto& file) { return estimate::job_rows(file, row_.machine, on_gpu); });
}

JobEstimate JobCorrector::correct(const estimate::JobTime& estimated, double residues, int ranks,
                                  double steps, double spread_of_steps) const {
  JobEstimate result;
  result.row = row_;
  result.row.ranks = ranks;
  result.row.residues = residues;
  result.row.estimated = estimated;
  const auto correction = estimate::correction_for(earlier_, row_.kind, residues, ranks);
  result.time = multiply(estimated, correction.factors);
  result.time.steps = steps;
  const double spread_beside = correction.spread > 0 ? correction.spread : costs_.spread;
  const double all = std::max(result.time.seconds(), std::numeric_limits<double>::min());
  result.spread = std::hypot(spread_of_steps * steps / all,
                             spread_beside * result.time.seconds_beside_steps() / all);
  return result;
}

RunEstimator::RunEstimator(const estimate::Machine& machine, bool on_gpu)
    : steps_(machine, on_gpu),
      corrector_(machine, on_gpu, "run", estimate::fitted_values(machine.step(on_gpu))) {}

RunEstimate RunEstimator::of(std::span<const estimate::StepDemand> ranks,
                             const estimate::Layout& layout, const estimate::JobWork& work) const {
  const auto& demand = steps_.slowest(ranks, layout);
  RunEstimate result{steps_.of(demand, layout), {}};
  const auto& step = result.step;
  const estimate::JobPlace place{layout.on_gpu, layout.ranks()};
  result.job = corrector_.correct(
      estimate::run_time(work, corrector_.costs(), demand, step.row.estimated_seconds, place),
      work.residues, layout.ranks(), step.seconds * work.steps, step.spread);
  return result;
}

EnsembleEstimator::EnsembleEstimator(const estimate::Machine& machine, bool on_gpu)
    : on_gpu_(on_gpu),
      speeds_(machine.speeds),
      steps_(machine, on_gpu ? estimate::Backend::gpu : estimate::Backend::cpu),
      corrector_(machine, on_gpu, "ensemble",
                 numbers_of(machine, on_gpu ? estimate::Backend::gpu : estimate::Backend::cpu)) {}

EnsembleTime EnsembleEstimator::of(const estimate::TargetWork& replicas,
                                   const estimate::JobWork& beside, const estimate::JobRanks& job,
                                   int ranks) const {
  const auto backend = on_gpu_ ? estimate::Backend::gpu : estimate::Backend::cpu;
  EnsembleTime result{steps_.of(replicas, job, ranks), {}};
  const auto whole =
      estimate::ensemble_time(estimate::work_time(replicas, speeds_, job, backend, ranks), beside,
                              corrector_.costs(), {on_gpu_, ranks});
  result.job = corrector_.correct(whole, result.work.row.residues * result.work.row.replicas, ranks,
                                  result.work.seconds.steps, result.work.spread);
  return result;
}

WorkEstimator::WorkEstimator(estimate::Machine machine, estimate::Backend space)
    : machine_(std::move(machine)),
      space_(space),
      history_name_(hashed_name(machine_.based_on, numbers_of(machine_, space))),
      earlier_(rows_of_history(
          [&](const auto& file) { return estimate::work_rows(file, history_name_, space); })) {}

WorkEstimate WorkEstimator::of(const estimate::TargetWork& work, const estimate::JobRanks& job,
                               int ranks) const {
  const bool on_gpu = space_ == estimate::Backend::gpu;
  WorkEstimate result;
  auto& row = result.row;
  row.machine = history_name_;
  row.space = space_;
  row.ranks = ranks;
  row.threads = on_gpu ? 1 : std::max(1, job.cpu_threads / std::max(1, job.cpu));
  row.curve = estimate::to_step_curve(work);
  row.residues = static_cast<double>(work.residues);
  for (const auto& part : work.parts) {
    row.replicas = std::max(row.replicas, static_cast<double>(part.replicas));
  }
  row.predicted = estimate::work_seconds(work, machine_.speeds, job, space_, ranks);
  const auto correction = estimate::correction_for(earlier_, work, ranks);
  result.seconds = {correction.steps * row.predicted.steps,
                    correction.overhead * row.predicted.overhead};
  result.spread = correction.spread > 0 ? correction.spread : machine_.spread(on_gpu, true);
  result.runs = correction.jobs;
  result.by = describe_predictor(machine_.based_on, correction.jobs);
  return result;
}

}  // namespace nfold::setup

// Estimate by the performance curves of plan, and its deviation from the measurement.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/ensemble_estimate.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "estimate/interval.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::run {

EnsembleEstimate::EnsembleEstimate(const input::Settings& settings,
                                   const topology::Topology& topology, std::string name, int ranks)
    : replicas_(settings.ensemble.replicas()), steps_(settings.dynamics.steps) {
  try {
    const bool on_gpu = device::computes_on_gpu();
    const estimate::JobRanks job{on_gpu ? 0 : ranks, on_gpu ? ranks : 0,
                                 on_gpu ? 0 : ranks * device::thread_count()};
    const setup::WorkEstimator predictor(setup::machine_for(""),
                                         on_gpu ? estimate::Backend::gpu : estimate::Backend::cpu);
    const auto work = ensemble::count_work(settings, topology);
    prediction_ = predictor.of(work, job, ranks);
    prediction_->row.name = std::move(name);
  } catch (const std::exception& failure) {
    problem_ = failure.what();
  }
}

std::optional<job::StepTimeEstimate> EnsembleEstimate::step_estimate() const {
  if (!prediction_ || steps_ <= 0) return std::nullopt;
  return job::StepTimeEstimate{prediction_->seconds.steps / static_cast<double>(steps_),
                               prediction_->spread, prediction_->by};
}

std::vector<std::string> EnsembleEstimate::end(const setup::TimedSteps& taken,
                                               double whole_seconds) const {
  if (!problem_.empty()) return {"no prediction: " + problem_};
  std::vector<std::string> lines;
  if (!setup::measures_speed(taken)) return lines;
  const auto share = static_cast<double>(taken.steps) / static_cast<double>(steps_);
  const double step = taken.seconds / static_cast<double>(taken.steps);
  const double predicted = step_estimate()->seconds;
  lines.push_back(fmt::format("a step of {} replicas took {}", replicas_,
                              setup::compare_step(step, predicted, prediction_->by)));
  auto row = prediction_->row;
  row.steps_measured = taken.seconds;
  row.steps_predicted = share * row.predicted.steps;
  if (whole_seconds > 0) {
    row.measured = whole_seconds;
    const double whole = prediction_->seconds.all();
    const auto [low, high] = estimate::ninety_percent_interval(whole, prediction_->spread);
    lines.push_back(fmt::format(
        "the ensemble took {:.4g} s, {:.4g} s were predicted, {:.4g} to {:.4g} s with 90 % ({})",
        whole_seconds, whole, low, high, setup::describe_deviation(whole_seconds, whole)));
  }
  const auto failure = setup::add_to_history(std::move(row));
  if (!failure.empty()) lines.push_back(failure);
  return lines;
}

}  // namespace nfold::run

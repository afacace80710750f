// Estimate by the performance curves of plan, and its deviation from the measurement.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/ensemble_estimate.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "session/ensemble/counted_work.hpp"
#include "session/setup/job_work.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::run {

EnsembleEstimate::EnsembleEstimate(const input::Settings& settings,
                                   const topology::Topology& topology, std::string name, int ranks)
    : replicas_(settings.ensemble.replicas()), steps_(settings.dynamics.steps) {
  try {
    const bool on_gpu = device::computes_on_gpu();
    const estimate::JobRanks job{on_gpu ? 0 : ranks, on_gpu ? ranks : 0,
                                 on_gpu ? 0 : ranks * device::thread_count()};
    const setup::EnsembleEstimator predictor(setup::machine_for(""), on_gpu);
    prediction_ =
        predictor.of(ensemble::count_work(settings, topology),
                     setup::count_ensemble_work(settings, topology.residue_count()), job, ranks);
    prediction_->work.row.name = std::move(name);
  } catch (const std::exception& failure) {
    problem_ = failure.what();
  }
}

std::optional<job::StepTimeEstimate> EnsembleEstimate::step_estimate() const {
  if (!prediction_ || steps_ <= 0) return std::nullopt;
  const auto& [work, job] = *prediction_;
  return job::StepTimeEstimate{work.seconds.steps / static_cast<double>(steps_), work.spread,
                               work.by, job.time};
}

std::vector<std::string> EnsembleEstimate::end(
    const setup::TimedSteps& taken, double whole_seconds,
    const std::optional<estimate::JobTime>& parts) const {
  if (!problem_.empty()) return {"no prediction: " + problem_};
  std::vector<std::string> lines;
  if (parts) lines = setup::record_job(prediction_->job, *parts);
  if (!setup::measures_speed(taken)) return lines;
  const auto share = static_cast<double>(taken.steps) / static_cast<double>(steps_);
  const double step = taken.seconds / static_cast<double>(taken.steps);
  const double predicted = step_estimate()->seconds;
  lines.push_back(fmt::format("a step of {} replicas took {}", replicas_,
                              setup::compare_step(step, predicted, prediction_->work.by)));
  auto row = prediction_->work.row;
  row.steps_measured = taken.seconds;
  row.steps_predicted = share * row.predicted.steps;
  row.measured = whole_seconds;
  const auto failure = setup::add_to_history(std::move(row));
  if (!failure.empty()) lines.push_back(failure);
  return lines;
}

}  // namespace nfold::run

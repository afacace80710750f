// Estimated time of an ensemble, compared with the measured time and kept in the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "job/performance.hpp"
#include "plan/dispatch.hpp"
#include "setup/work_record.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// Estimate made by one rank for all. A failure here is reported and does not stop the ensemble.
class PredictedEnsemble {
 public:
  /// name: entry in the history. ranks: number of ranks that share the replicas.
  PredictedEnsemble(const config::Settings& settings, const topology::Topology& topology,
                    std::string name, int ranks);

  /// Estimate for a step of all replicas; none if it could not be made.
  [[nodiscard]] std::optional<job::Prediction> of_step() const;
  /// Records the run in the history. Returns lines for the log: "a step of 64 replicas took 12.1
  /// us, ...". whole_seconds: from reading the input to the results; 0: more than one session was
  /// needed.
  [[nodiscard]] std::vector<std::string> end(const setup::TakenSteps& taken,
                                             double whole_seconds) const;

 private:
  std::int64_t replicas_, steps_;
  std::optional<setup::WorkPrediction> prediction_;
  plan::WorkRow row_;
  std::string problem_;
};

}  // namespace nfold::run

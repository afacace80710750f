// What an ensemble was predicted to take, held against what it took, and kept in the history.
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

/// One rank's, for all of them. What fails here is told and harms no ensemble.
class PredictedEnsemble {
 public:
  /// name: for the history. ranks: that share the replicas.
  PredictedEnsemble(const config::Settings& settings, const topology::Topology& topology,
                    std::string name, int ranks);

  /// Of all replicas; none where there was no prediction.
  [[nodiscard]] std::optional<job::Prediction> of_step() const;
  /// "a step of 64 replicas took 12.1 us, ..." and what else is to be told. whole_seconds: from
  /// reading the input to the results; 0: it was not made in one go.
  [[nodiscard]] std::vector<std::string> end(const setup::TakenSteps& taken,
                                             double whole_seconds) const;

 private:
  std::int64_t replicas_, steps_;
  std::optional<setup::WorkPrediction> prediction_;
  plan::WorkRow row_;
  std::string problem_;
};

}  // namespace nfold::run

// Estimated time of an ensemble, compared with the measured time and kept in the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "estimate/dispatch.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/job/performance.hpp"
#include "session/setup/estimate_record.hpp"

namespace nfold::run {

/// Estimate made by one rank for all. A failure here is reported and does not stop the ensemble.
class EnsembleEstimate {
 public:
  /// name: entry in the history. ranks: number of ranks that share the replicas.
  EnsembleEstimate(const input::Settings& settings, const topology::Topology& topology,
                   std::string name, int ranks);

  /// Estimate for a step of all replicas; none if it could not be made.
  [[nodiscard]] std::optional<job::StepTimeEstimate> step_estimate() const;
  /// Records the run in the history. Returns lines for the log: "a step of 64 replicas took 12.1
  /// us, ...". whole_seconds: from reading the input to the results; 0: more than one session was
  /// needed.
  /// parts: measured parts of the whole job, from the start of its processes; none likewise.
  [[nodiscard]] std::vector<std::string> end(const setup::TimedSteps& taken, double whole_seconds,
                                             const std::optional<estimate::JobTime>& parts) const;

 private:
  std::int64_t replicas_, steps_;
  std::optional<setup::EnsembleTime> prediction_;
  std::string problem_;
};

}  // namespace nfold::run

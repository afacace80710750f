// Data shared by all targets of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include "batch/batch.hpp"
#include "batch/clocks.hpp"
#include "batch/folder.hpp"
#include "batch/ledger.hpp"
#include "device/compute_environment.hpp"
#include "estimate/machine.hpp"
#include "input/batch_file.hpp"
#include "session/job/backend_ranks.hpp"
#include "session/setup/time_estimator.hpp"

namespace nfold::batch {

/// Wall time of the command, and its limit.
struct TimeLimit {
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  double limit_seconds = std::numeric_limits<double>::infinity();
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  [[nodiscard]] double seconds_left() const { return limit_seconds - elapsed(); }
  /// True once the time has passed or a signal asked to stop.
  [[nodiscard]] bool must_stop() const;
};

/// The referred-to objects must outlive it.
struct BatchContext {
  const BatchOptions& options;
  const input::BatchFile& list;
  BatchFolder folder;
  const Ledger& ledger;
  BatchClocks& clocks;
  std::optional<device::ComputeEnvironment>& compute;
  const TimeLimit& time;
  const job::BackendRanks& ranks;
  const estimate::Machine& machine;  ///< Decides backends and the number of ranks.
  /// Estimates times for the history. None if it could not be made.
  const std::optional<setup::WorkEstimator>& estimator;
  int world_rank = 0;

  /// Writes a ledger row without a stage.
  void record_event(LedgerEvent event, const std::string& target, const std::string& detail,
                    bool alone = false) const;
  /// Writes the row of a failed target. On one rank.
  void record_failure(const std::string& target, int attempts, const std::string& reason) const;
};

}  // namespace nfold::batch

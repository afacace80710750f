// Final status of a batch: exit code and reason, from the counts of its targets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "core/failure.hpp"
#include "core/status/status_file.hpp"
#include "input/batch_file.hpp"

namespace nfold::batch {

/// Counts of targets at the end of a batch.
struct BatchCounts {
  std::int64_t all = 0, done = 0, failed = 0;  ///< Targets of the list.
  std::int64_t waiting = 0;                    ///< Targets of a backend that no rank has.
  bool was_stopped = false;                    ///< Stopped by a signal or the time limit.
  bool lacks_backend = false;  ///< All ranks of a backend withdrew, and targets are left.
  std::string failed_table;    ///< Path of failed.csv.
};

/// Counts all targets, those with a result and those that failed, by the files in the folder.
[[nodiscard]] BatchCounts count_ended(const BatchFolder& folder,
                                      const std::vector<input::BatchTarget>& targets);

/// Returns the final content of batch.status. withdrawn: device failures with their suspects. A
/// batch that lacks a backend has failed, and the status names the suspect, so that nfold launch
/// restarts it without that device.
[[nodiscard]] status::Status final_status(const BatchCounts& counts,
                                          const std::vector<core::Failure>& withdrawn);

}  // namespace nfold::batch

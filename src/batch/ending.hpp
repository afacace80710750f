// How a batch ended: its exit code and its reason, from what was counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/withdrawal.hpp"
#include "job/status_file.hpp"

namespace nfold::batch {

/// At the end.
struct BatchCounts {
  std::int64_t all = 0, done = 0, failed = 0;  ///< targets
  std::int64_t waiting = 0;                    ///< for ranks of a space that the job has not
  bool was_stopped = false;                    ///< by a signal or the time limit
  bool lacks_a_space = false;  ///< all ranks of one have withdrawn, with targets left
  std::string failed_table;    ///< where reasons are
};

/// What batch.status says: a batch that lacks a space failed, and names the suspect, so that nfold
/// launch starts it again without that device.
[[nodiscard]] job::Status status_at_end(const BatchCounts& counts,
                                        const std::vector<Withdrawn>& withdrawn);

}  // namespace nfold::batch

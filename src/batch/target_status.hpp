// Status of a target when the program starts, from files of earlier sessions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "batch/ledger.hpp"
#include "batch/plan.hpp"
#include "batch/target.hpp"

namespace nfold::batch {

/// Determines the status of a target; never `waiting`, which depends on the job's ranks. A target
/// that killed its process too often becomes failed, with its row. retries_failed: failed targets
/// become missing. On one rank. Throws storage::FileError.
[[nodiscard]] TargetStatus find_target_status(const BatchContext& context,
                                              const std::string& target,
                                              const std::map<std::string, TargetHistory>& histories,
                                              bool retries_failed);

}  // namespace nfold::batch

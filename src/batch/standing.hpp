// How a target stands when the program starts, by what earlier starts left of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "batch/ledger.hpp"
#include "batch/plan.hpp"
#include "batch/target.hpp"

namespace nfold::batch {

/// Never `waiting`, which depends on the job's ranks. What has killed its process too often becomes
/// failed, with its row. retries_failed: what failed is to be done again. On one rank.
/// storage::FileError.
[[nodiscard]] Standing standing_of(const BatchContext& context, const std::string& target,
                                   const std::map<std::string, TargetHistory>& histories,
                                   bool retries_failed);

}  // namespace nfold::batch

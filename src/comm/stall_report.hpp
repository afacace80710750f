// Diagnosis of a stalled run: the rank that the others wait for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/rank_record.hpp"
#include "core/failure.hpp"

namespace nfold::comm {

/// Failure of all ranks, described by one of them.
struct StallReport {
  std::string message;
  std::int64_t step = -1;                  ///< last step that the run reached; -1: none
  std::optional<core::Suspect> suspect{};  ///< the rank that the others wait for, if known
};

/// Explains a wait of `mine` that exceeded its limit. reports: all known ranks, with or without
/// `mine`. The rank at fault is the first of these found: a process that is gone, is stopped, gives
/// no sign of life, waits for its own GPU, does not wait, or waits in an earlier phase.
[[nodiscard]] StallReport explain_stall(const RankReport& mine, double waited_s,
                                        const std::vector<RankReport>& reports);

/// Ends the process with code 3 after a wait beyond its limit. One rank per node reports the reason
/// and passes it to the StallHandler (waiting.hpp). what: addition to the reason, may be empty.
/// Returns only if has_moved() is given and returns true after the delay that lets lower ranks
/// report.
void end_stalled_process(double waited_s, const std::string& what = "",
                         const std::function<bool()>& has_moved = {});

}  // namespace nfold::comm

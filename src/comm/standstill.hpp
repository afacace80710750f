// Why nothing moves: which rank the others wait for, and what is known of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/rank_record.hpp"
#include "comm/suspect.hpp"

namespace nfold::comm {

/// A failure of all, as one rank tells it.
struct Standstill {
  std::string message;
  std::int64_t step = -1;            ///< that the run had reached; -1: none
  std::optional<Suspect> suspect{};  ///< the rank that the others wait for, if it is known
};

/// What `mine` says after it has waited so long. reports: of all ranks that anything is known of,
/// its own among them or not. The rank at fault is, in this order: one whose process is gone, is
/// stopped, gives no sign of life, waits for its own GPU, does not wait, or waits further back.
[[nodiscard]] Standstill explain(const RankReport& mine, double waited_s,
                                 const std::vector<RankReport>& reports);

/// For a wait beyond its limit: says why, once on this node, hands it to the last words
/// (waiting.hpp) and ends the process with code 3. what: more of the reason, may be empty. Returns
/// if has_moved() is given and true, asked once those with more right to speak had time to.
void end_standing_still(double waited_s, const std::string& what = "",
                        const std::function<bool()>& has_moved = {});

}  // namespace nfold::comm

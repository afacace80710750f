// Status of a target from its rows and its ledger history.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/target_status.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "batch/folder.hpp"

namespace nfold::batch {

TargetStatus find_target_status(const BatchContext& context, const std::string& target,
                                const std::map<std::string, TargetHistory>& histories,
                                bool retries_failed) {
  const auto& folder = context.folder;
  if (read_row(folder.result(target))) return TargetStatus::finished;
  if (read_row(folder.failure(target))) {
    if (!retries_failed) return TargetStatus::failed;
    std::error_code error;
    std::filesystem::remove(folder.failure(target), error);
    context.ledger.write({LedgerEvent::end, target, "", 1, 0, false, 0, "tried again"});
    return TargetStatus::missing;
  }
  const auto found = histories.find(target);
  if (found == histories.end()) return TargetStatus::missing;
  const auto& history = found->second;
  if (!history.is_hopeless())
    return history.is_suspect() ? TargetStatus::suspect : TargetStatus::missing;
  record_failure(
      context, target, history.starts,
      history.crashes > 0
          ? fmt::format("the process died of {} while it ran, again when it was alone",
                        history.last_detail)
          : std::string("the process died without a word while it ran, again and again when it was "
                        "alone: was memory short?"));
  return TargetStatus::failed;
}

}  // namespace nfold::batch

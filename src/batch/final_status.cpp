// Choice of a batch's final state, exit code and reason.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/final_status.hpp"

#include <fmt/format.h>

#include "batch/withdrawal.hpp"
#include "estimate/dispatch.hpp"

namespace nfold::batch {

BatchCounts count_ended(const BatchFolder& folder, const std::vector<input::BatchTarget>& targets) {
  BatchCounts counts;
  counts.all = static_cast<std::int64_t>(targets.size());
  counts.failed_table = folder.failed().string();
  for (const auto& target : targets) {
    if (read_row(folder.result(target.name))) {
      ++counts.done;
    } else if (read_row(folder.failure(target.name))) {
      ++counts.failed;
    }
  }
  return counts;
}

status::Status final_status(const BatchCounts& counts,
                            const std::vector<core::Failure>& withdrawn) {
  const auto left = counts.all - counts.done - counts.failed;
  // Targets of a missing backend need another command, so this one is not to be restarted.
  const bool waits = counts.waiting > 0 && left == counts.waiting;
  const bool needs_devices = left > counts.waiting && counts.lacks_backend && !counts.was_stopped;
  status::Status status;
  status.step = counts.done;
  status.steps = counts.all;
  status.outcome = needs_devices && withdrawn.empty() ? core::Outcome::failure
                   : needs_devices                    ? withdrawn.back().outcome()
                   : left > counts.waiting            ? core::Outcome::stopped
                   : waits                            ? core::Outcome::incomplete
                   : counts.failed > 0                ? core::Outcome::partly_failed
                                                      : core::Outcome::done;
  status.reason =
      needs_devices ? fmt::format("no rank is left for {} of {} targets; the same command goes on",
                                  left, counts.all)
      : waits    ? fmt::format("{} of {} targets wait for ranks of the space where they began; {}",
                               left, counts.all, estimate::start_instructions())
      : left > 0 ? fmt::format("stopped{} with {} of {} targets to do; the same command goes on",
                               counts.was_stopped ? "" : " by others", left, counts.all)
      : counts.failed > 0 ? fmt::format("{} of {} targets failed, reasons in {}", counts.failed,
                                        counts.all, counts.failed_table)
                          : "all targets done";
  for (const auto& rank : withdrawn) status.reason += "; " + describe_withdrawal(rank);
  if (needs_devices && !withdrawn.empty()) status.suspect = withdrawn.back().suspect();
  return status;
}

}  // namespace nfold::batch

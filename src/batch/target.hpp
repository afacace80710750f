// Execution of one target of a batch on a group of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batch/clocks.hpp"
#include "batch/fault.hpp"
#include "batch/folder.hpp"
#include "batch/ledger.hpp"
#include "batch/target_record.hpp"
#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "engine/engine.hpp"
#include "estimate/dispatch.hpp"
#include "input/batch_file.hpp"
#include "session/job/join_query.hpp"

namespace nfold::batch {

/// Data shared by all targets of a batch.
struct BatchContext {
  const input::BatchFile& batch;
  BatchFolder folder;
  const Ledger& ledger;
  BatchClocks& clocks;
  std::vector<std::string> overrides;  ///< Values of --set, for all targets.
  int threads = 0, world_rank = 0;
  std::uint64_t device_memory = 0;  ///< Limit for a rank [bytes]. 0: none.
  const TargetPredictor& predictor;
  std::function<double()> seconds_left;  ///< Until the time limit [s]. Infinite: no limit.
};

/// Work and backend of a target, known before its first step.
struct ChosenTarget {
  const estimate::TargetWork& work;
  const estimate::Decision& decision;  ///< Its backend is that of the calling ranks.
};

enum class TargetOutcome {
  finished,
  failed,
  stopped,
  retry_alone,  ///< Failed beside interleaved targets, perhaps for lack of memory.
  joined,       ///< Stopped, to be resumed together with the ranks that join.
  handed_back   ///< A device failed or made a silent error: another rank takes it.
};

/// Other work in the job meanwhile.
enum class RankUse {
  alone,     ///< None in the whole job, since the target is a suspect.
  one_each,  ///< Only on other ranks.
  shared     ///< Other targets on this rank too, which share its memory.
};

/// Runs a target, or resumes it from the files in its folder. Collective over `group`. Records the
/// backend in the folder before the first step. When it returns `finished` or `failed`, the row is
/// on the disk.
///
/// Failures of the target itself are caught. After a silent error, or a device failure on a single
/// rank, it returns `handed_back` and sets `seen`. A device failure in a group is thrown, since the
/// other ranks hang in collective calls. Failures of MPI or of the batch's own files are thrown
/// too. asks: called on the first rank of the group.
[[nodiscard]] TargetOutcome run_target(const BatchContext& context,
                                       const input::BatchTarget& target, const ChosenTarget& chosen,
                                       const comm::Communicator& group, RankUse rank_use,
                                       const job::JoinQuery& query_join,
                                       std::optional<device::ComputeEnvironment>& compute,
                                       DeviceFailure& seen);

/// Writes the row of a failed target. On one rank.
void record_failure(const BatchContext& context, const std::string& target, int attempts,
                    const std::string& reason);

}  // namespace nfold::batch

// One target of a batch on one group of ranks: its runs in their order, its result or its reason.
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
#include "dynamics/engine.hpp"
#include "input_files/batch_file.hpp"
#include "job/more_ranks.hpp"
#include "plan/dispatch.hpp"

namespace nfold::batch {

/// What all targets of this start of the program share.
struct BatchContext {
  const input_files::BatchFile& batch;
  BatchFolder folder;
  const Ledger& ledger;
  BatchClocks& clocks;
  std::vector<std::string> overrides;  ///< of --set, for all targets
  int threads = 0, world_rank = 0;
  std::uint64_t device_memory = 0;  ///< [bytes] the most that a rank may take; 0: all
  const TargetPredictor& predictor;
  std::function<double()> seconds_left;  ///< until the time limit; infinite: none
};

/// What is known of a target before its first step.
struct ChosenTarget {
  const plan::TargetWork& work;
  const plan::Decision& decision;  ///< where it is computed, which is here
};

enum class TargetEnd {
  finished,
  failed,
  stopped,
  again_alone,  ///< it failed beside others, whose memory may have been what it lacked
  joined,       ///< it stopped, so that it goes on with the ranks that join
  handed_back   ///< a device failed under it, or gave a silent error: another is to do it
};

/// What else is worked on meanwhile.
enum class RankUse {
  alone,     ///< in the whole job: it may have killed its process before
  one_each,  ///< ranks, each with work of its own
  shared     ///< by other targets of this rank, which share its memory
};

/// Collective over `group`: goes on with what stands in the target's folder. Its row or its reason
/// is on the disk when this returns `finished` or `failed`. What the target alone is to blame for
/// is caught. A silent error, and on one rank anything else, is the device's: `handed_back`, with
/// `seen`. In a group the others stand in calls that a broken device leaves for ever, so there it
/// is thrown, as a failure of MPI or of the batch's own files is. The decision is kept in its
/// folder before its first step. asks: on the first rank of the group.
[[nodiscard]] TargetEnd run_target(const BatchContext& context,
                                   const input_files::BatchTarget& target,
                                   const ChosenTarget& chosen, const comm::Communicator& group,
                                   RankUse rank_use, const job::AsksForMoreRanks& asks,
                                   std::optional<device::ComputeEnvironment>& compute,
                                   DeviceFailure& seen);

/// Writes down why a target failed. On one rank.
void record_failure(const BatchContext& context, const std::string& target, int attempts,
                    const std::string& reason);

}  // namespace nfold::batch

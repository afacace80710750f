// Interleaved targets of one rank, each too small to fill its device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "batch/plan.hpp"
#include "batch/target.hpp"
#include "comm/communicator.hpp"
#include "replicas/side_by_side.hpp"

namespace nfold::batch {

/// Interleaves small targets on one rank. Their replicas share kernel launches, and on a GPU the
/// files of one target are written while replicas of others advance. Results do not depend on which
/// targets are interleaved.
class InterleavedTargets {
 public:
  using DoTarget = std::function<TargetOutcome(std::size_t target, const comm::Communicator& group,
                                               RankUse rank_use)>;

  /// The referred-to objects must outlive it. most: maximum number of interleaved targets.
  InterleavedTargets(const BatchContext& context, const std::vector<PlannedTarget>& targets,
                     int most, DoTarget do_target);

  [[nodiscard]] int task_count() const { return tasks_.task_count(); }
  /// True if the device has capacity for another target.
  [[nodiscard]] bool has_capacity() const;
  /// True if the target has resident replicas and no other rank, so that it can be interleaved.
  [[nodiscard]] bool can_interleave(std::size_t target, const comm::Communicator& group) const;
  /// Starts a target. Rethrows an exception of a target that ends the job, after writing crash rows
  /// for the other targets, since one of them may be the cause. The same holds for go_on().
  void begin(std::size_t target, const comm::Communicator& group);
  /// Advances the targets until one of them makes progress.
  void go_on();
  /// Returns targets that failed since the last call, to be retried alone with all of the memory.
  [[nodiscard]] std::vector<std::size_t> take_retries();

 private:
  template <class Turn>
  void guarded(const Turn& turn);

  const BatchContext& context_;
  const std::vector<PlannedTarget>& targets_;
  int most_;
  bool on_gpu_;
  DoTarget do_target_;
  replicas::SideBySide tasks_;
  std::map<std::size_t, double> load_;  // fraction of the device by running target
  std::vector<std::size_t> retries_;
};

}  // namespace nfold::batch

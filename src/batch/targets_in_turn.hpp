// Targets that one rank works on in turn, since each alone would leave much of its processor idle.
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

/// Many small targets are one launch so, and on a GPU one target's files and tables are written
/// while another's replicas go on. Which targets meet is in no bit of them.
class TargetsInTurn {
 public:
  using DoTarget = std::function<TargetEnd(std::size_t target, const comm::Communicator& group,
                                           RankUse rank_use)>;

  /// The referred-to objects outlive it. most: targets at once.
  TargetsInTurn(const BatchContext& context, const std::vector<PlannedTarget>& targets, int most,
                DoTarget do_target);

  [[nodiscard]] int works() const { return advanced_.works(); }
  /// Whether another is worth the while.
  [[nodiscard]] bool has_room() const;
  /// Of resident replicas of this rank alone.
  [[nodiscard]] bool takes(std::size_t target, const comm::Communicator& group) const;
  /// Throws what a target throws that ends the job; then the others have crash rows, for one of
  /// them may be to blame. The same holds for go_on().
  void begin(std::size_t target, const comm::Communicator& group);
  /// Until one of them got further.
  void go_on();
  /// Those that failed beside others since the last call: alone they may have room.
  [[nodiscard]] std::vector<std::size_t> to_do_alone();

 private:
  template <class Turn>
  void guarded(const Turn& turn);

  const BatchContext& context_;
  const std::vector<PlannedTarget>& targets_;
  int most_;
  DoTarget do_target_;
  replicas::SideBySide advanced_;
  std::map<std::size_t, double> share_;  // of the processor, of those at work
  std::vector<std::size_t> to_do_alone_;
};

}  // namespace nfold::batch

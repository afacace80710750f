// Load of the device by interleaved targets, and switching of their crash watches.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/interleaved_targets.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "estimate/list_time.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::batch {
namespace {

/// Returns the load up to which targets are started, in units of a full device.
double target_load() {
  return estimate::processors_filled(replicas::build_processor() ==
                                     replicas::ReplicaProcessor::gpu);
}

}  // namespace

InterleavedTargets::InterleavedTargets(const BatchContext& context,
                                       const std::vector<PlannedTarget>& targets, int most,
                                       DoTarget do_target)
    : context_(context), targets_(targets), most_(most), do_target_(std::move(do_target)) {}

bool InterleavedTargets::has_capacity() const {
  double taken = 0;
  for (const auto& [target, share] : share_) taken += share;
  return task_count() == 0 || (task_count() < most_ && taken < target_load());
}

bool InterleavedTargets::can_interleave(std::size_t target, const comm::Communicator& group) const {
  const auto space = replicas::build_processor() == replicas::ReplicaProcessor::gpu
                         ? estimate::Backend::gpu
                         : estimate::Backend::cpu;
  return most_ > 1 && group.size() == 1 && targets_[target].size.work.is_resident_on(space);
}

template <class Turn>
void InterleavedTargets::guarded(const Turn& turn) {
  try {
    turn();
  } catch (const std::exception& failure) {
    for (const auto& [target, share] : share_) {
      context_.ledger.write({LedgerEvent::crash, context_.batch.targets[target].name, "", 1, 0,
                             false, context_.world_rank,
                             fmt::format("it ended with another's: {}", failure.what())});
    }
    throw;
  }
}

void InterleavedTargets::begin(std::size_t target, const comm::Communicator& group) {
  const auto& size = targets_[target].size;
  share_[target] = replicas::share_of_processor(
      static_cast<int>(size.work.residues), static_cast<int>(estimate::fewest_replicas(size.work)));
  const auto work = [this, target, group] {
    try {
      const auto end = do_target_(target, group, RankUse::shared);
      if (end == TargetOutcome::retry_alone) to_do_alone_.push_back(target);
      share_.erase(target);
    } catch (...) {
      share_.erase(target);
      throw;
    }
  };
  // Each target has its own crash watch and clock, which are active during its turn.
  struct Own {
    Ledger::CrashWatch* watch = nullptr;
    BatchClocks::Turn clock;
  };
  auto& clocks = context_.clocks;
  const auto on_switch = [&clocks, own = std::make_shared<Own>(Own{nullptr, clocks.turn()})] {
    own->watch = Ledger::exchange_crash_watch(own->watch);
    own->clock = clocks.exchange(own->clock);
  };
  guarded([&] { advanced_.begin(work, on_switch); });
}

void InterleavedTargets::go_on() {
  guarded([this] {
    const BatchClocks::AllWait wait(context_.clocks);
    advanced_.go_on();
  });
}

std::vector<std::size_t> InterleavedTargets::take_retries() {
  return std::exchange(to_do_alone_, {});
}

}  // namespace nfold::batch

// Load of the device by interleaved targets, and switching of their crash watches.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/interleaved_targets.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "estimate/list_time.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::batch {

InterleavedTargets::InterleavedTargets(const BatchContext& context,
                                       const std::vector<PlannedTarget>& targets, int most,
                                       DoTarget do_target)
    : context_(context),
      targets_(targets),
      most_(most),
      on_gpu_(replicas::build_processor() == replicas::ReplicaProcessor::gpu),
      do_target_(std::move(do_target)) {}

bool InterleavedTargets::has_capacity() const {
  double load = 0;
  for (const auto& [target, own] : load_) load += own;
  return task_count() == 0 || (task_count() < most_ && load < estimate::processors_filled(on_gpu_));
}

bool InterleavedTargets::can_interleave(std::size_t target, const comm::Communicator& group) const {
  return most_ > 1 && group.size() == 1 && targets_[target].size.work.is_resident;
}

template <class Turn>
void InterleavedTargets::guarded(const Turn& turn) {
  try {
    turn();
  } catch (const std::exception& failure) {
    for (const auto& [target, load] : load_) {
      context_.record_event(LedgerEvent::crash, context_.list.targets[target].name,
                            fmt::format("it ended with another's: {}", failure.what()));
    }
    throw;
  }
}

void InterleavedTargets::begin(std::size_t target, const comm::Communicator& group) {
  const auto& size = targets_[target].size;
  load_[target] = replicas::share_of_processor(
      static_cast<int>(size.work.residues), static_cast<int>(estimate::fewest_replicas(size.work)));
  const auto work = [this, target, group] {
    try {
      const auto outcome = do_target_(target, group, RankUse::shared);
      if (outcome == TargetOutcome::retry_alone) retries_.push_back(target);
      load_.erase(target);
    } catch (...) {
      load_.erase(target);
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
  guarded([&] { tasks_.begin(work, on_switch); });
}

void InterleavedTargets::go_on() {
  guarded([this] {
    const BatchClocks::AllWait wait(context_.clocks);
    tasks_.go_on();
  });
}

std::vector<std::size_t> InterleavedTargets::take_retries() { return std::exchange(retries_, {}); }

}  // namespace nfold::batch

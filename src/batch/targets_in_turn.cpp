// Load of the device by interleaved targets, and switching of their crash watches.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/targets_in_turn.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "plan/list_time.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::batch {
namespace {

/// Returns the load up to which targets are started, in units of a full device.
double wanted_share() {
  return plan::processors_filled(replicas::place_of_this_build() == replicas::ReplicaPlace::gpu);
}

}  // namespace

TargetsInTurn::TargetsInTurn(const BatchContext& context, const std::vector<PlannedTarget>& targets,
                             int most, DoTarget do_target)
    : context_(context), targets_(targets), most_(most), do_target_(std::move(do_target)) {}

bool TargetsInTurn::has_room() const {
  double taken = 0;
  for (const auto& [target, share] : share_) taken += share;
  return works() == 0 || (works() < most_ && taken < wanted_share());
}

bool TargetsInTurn::takes(std::size_t target, const comm::Communicator& group) const {
  const auto space = replicas::place_of_this_build() == replicas::ReplicaPlace::gpu
                         ? plan::Space::gpu
                         : plan::Space::cpu;
  return most_ > 1 && group.size() == 1 && targets_[target].size.work.is_resident_on(space);
}

template <class Turn>
void TargetsInTurn::guarded(const Turn& turn) {
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

void TargetsInTurn::begin(std::size_t target, const comm::Communicator& group) {
  const auto& size = targets_[target].size;
  share_[target] = replicas::share_of_processor(static_cast<int>(size.work.residues),
                                                static_cast<int>(plan::fewest_replicas(size.work)));
  const auto work = [this, target, group] {
    try {
      const auto end = do_target_(target, group, RankUse::shared);
      if (end == TargetEnd::again_alone) to_do_alone_.push_back(target);
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
  const auto at_border = [&clocks, own = std::make_shared<Own>(Own{nullptr, clocks.turn()})] {
    own->watch = Ledger::exchange_crash_watch(own->watch);
    own->clock = clocks.exchange(own->clock);
  };
  guarded([&] { advanced_.begin(work, at_border); });
}

void TargetsInTurn::go_on() {
  guarded([this] {
    const BatchClocks::AllWait wait(context_.clocks);
    advanced_.go_on();
  });
}

std::vector<std::size_t> TargetsInTurn::to_do_alone() { return std::exchange(to_do_alone_, {}); }

}  // namespace nfold::batch

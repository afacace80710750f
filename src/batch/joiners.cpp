// Claiming and inviting of idle ranks for a target, and the new group.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/joiners.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "batch/joining_decision.hpp"

namespace nfold::batch {

Joiners::Joiners(const comm::Communicator& live, std::vector<int> nodes, int world_rank,
                 std::span<const std::string> gpus_of_world)
    : live_(live),
      nodes_(std::move(nodes)),
      world_ranks_(live.all_gather(std::span<const int>(&world_rank, 1))),
      idle_(live) {
  for (const int rank : world_ranks_) {
    gpus_.push_back(gpus_of_world[static_cast<std::size_t>(rank)]);
  }
}

job::JoinAnswer Joiners::answer(std::size_t target, std::span<const int> members, int most_ranks,
                                const job::RemainingRun& rest) {
  auto idle = with_exclusive_device(idle_.idle(), members, gpus_);
  const bool is_settled = !idle.empty() && idle == idle_before_;
  idle_before_ = std::move(idle);
  if (idle_before_.empty()) return {};
  const auto ranks = static_cast<int>(members.size());
  has_published_ = true;
  idle_.publish_work({std::llround(1e3 * rest.seconds), ranks, most_ranks});
  // Other ranks may become idle or publish their remaining work at this moment.
  if (!is_settled) return {};
  const int fair =
      fair_part(idle_.published_work(), live_.rank(), static_cast<int>(idle_before_.size()));
  const auto decision = decide_joining(rest, ranks, most_ranks, fair);
  if (decision.joining == 0) {
    const bool is_reported = decision.reason.empty() || refused_ == target;
    if (!is_reported) refused_ = target;
    return {false, is_reported ? "" : decision.reason};
  }
  auto nearest = nearest_first(idle_before_, nodes_, live_.rank());
  nearest.resize(static_cast<std::size_t>(decision.joining));
  claimed_ = idle_.claim(nearest);
  if (claimed_.size() < nearest.size()) {  // some were claimed by another target
    idle_.release(std::exchange(claimed_, {}));
    return {};
  }
  return {true, fmt::format("{} join{}: {}", describe_ranks(claimed_),
                            claimed_.size() == 1 ? "s" : "", decision.reason)};
}

void Joiners::take_over(const comm::Communicator& group, std::size_t target,
                        std::span<const int> members) {
  std::vector<int> all;
  if (group.is_root()) {
    all.assign(members.begin(), members.end());
    all.insert(all.end(), claimed_.begin(), claimed_.end());
    all = nearest_first(all, nodes_, live_.rank());
    idle_.invite(std::exchange(claimed_, {}), static_cast<std::int64_t>(target), all);
  }
  next_ = {target, group.all_gather(std::span<const int>(all))};
}

void Joiners::release() {
  idle_.release(std::exchange(claimed_, {}));
  if (std::exchange(has_published_, false)) idle_.publish_no_work();
}

std::optional<JoinedTarget> Joiners::take_next() { return std::exchange(next_, std::nullopt); }

std::optional<JoinedTarget> Joiners::wait() {
  auto invitation = idle_.wait();
  if (!invitation) return std::nullopt;
  return JoinedTarget{static_cast<std::size_t>(invitation->item), std::move(invitation->members)};
}

comm::Communicator Joiners::group_of(const JoinedTarget& joined) const {
  constexpr std::size_t tags = 32'000;
  return live_.group(joined.members, static_cast<int>(joined.target % tags));
}

std::string Joiners::describe_ranks(std::span<const int> ranks) const {
  std::vector<int> of_world;
  of_world.reserve(ranks.size());
  for (const int rank : ranks) of_world.push_back(world_ranks_[static_cast<std::size_t>(rank)]);
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(of_world, ", "));
}

}  // namespace nfold::batch

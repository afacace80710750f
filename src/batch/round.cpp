// Steps of one rank in a round: draw, run, join, wait.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/round.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "batch/interleaved_targets.hpp"
#include "batch/joiners.hpp"
#include "comm/rank_locations.hpp"
#include "comm/work_queue.hpp"
#include "core/telemetry/profiler.hpp"

namespace nfold::batch {
namespace {

/// Returns the ranks of each target in the queue (queue).
std::vector<int> ranks_in_queue(const RoundContext& context) {
  const auto ranks = ranks_per_target(context.targets, context.queue,
                                      context.withdrawals.live().size(), context.most_interleaved);
  std::vector<int> in_queue;
  in_queue.reserve(context.queue.size());
  for (const auto target : context.queue) in_queue.push_back(ranks[target]);
  return in_queue;
}

class Round {
 public:
  explicit Round(const RoundContext& context)
      : context_(context),
        live_(context.withdrawals.live()),
        nodes_(comm::gather_rank_nodes(live_, context.batch.list.ranks_per_node)),
        queue_(live_, ranks_in_queue(context), nodes_),
        joiners_(live_, nodes_, context.batch.world_rank, context.gpus),
        interleaved_(context.batch, context.targets, context.most_interleaved,
                     [this](std::size_t target, const comm::Communicator& group, RankUse rank_use) {
                       return do_one(target, group, rank_use);
                     }) {}

  RoundResult run() {
    draw();
    join_others();
    return result_;
  }

 private:
  [[nodiscard]] bool must_stop() const { return context_.batch.time.must_stop(); }
  [[nodiscard]] bool has_withdrawn() const { return context_.withdrawals.has_withdrawn(); }

  /// Runs a wait for other ranks, which the heartbeat reports as one that may take any time.
  template <class Wait>
  std::invoke_result_t<Wait> waited_for(const Wait& wait) {
    const Heartbeat::Draw may_take_any_time(context_.heartbeat);
    return wait();
  }

  std::optional<comm::Draw> draw_one() {
    const telemetry::PhaseSpan span(telemetry::Phase::ledger);
    auto drawn = waited_for([this] { return queue_.next([this] { return must_stop(); }); });
    if (drawn && drawn->group.size() > 1) context_.batch.clocks.mark_draw_as_join();
    return drawn;
  }

  void draw() {
    for (bool is_open = true; is_open || interleaved_.task_count() > 0;) {
      if (is_open && must_stop()) {
        queue_.close();
        is_open = false;
      }
      if (is_open && has_withdrawn()) {
        queue_.withdraw();
        is_open = false;
      }
      if (!is_open || !interleaved_.has_capacity()) {
        interleaved_.go_on();
        continue;
      }
      const auto drawn = draw_one();
      if (!drawn) {
        is_open = false;
        continue;
      }
      const auto target = context_.queue[static_cast<std::size_t>(drawn->item)];
      if (!drawn->has_group) {
        context_.withdrawals.hand_back(target, false);
      } else if (interleaved_.can_interleave(target, drawn->group)) {
        interleaved_.begin(target, drawn->group);
      } else {
        end_interleaved();
        do_uninterleaved(target, drawn->group);
      }
    }
    end_interleaved();
  }

  void join_others() {
    while (!has_withdrawn()) {
      auto joined = waited_for([this] {
        const telemetry::PhaseSpan span(telemetry::Phase::idle);
        return joiners_.wait();
      });
      if (!joined) return;
      do_joined(std::move(joined));
    }
    joiners_.leave();
  }

  void end_interleaved() {
    while (interleaved_.task_count() > 0) interleaved_.go_on();
    do_joined(joiners_.take_next());
    for (const auto target : interleaved_.take_retries()) {
      do_uninterleaved(target, comm::Communicator());
    }
  }

  void do_uninterleaved(std::size_t target, const comm::Communicator& group) {
    (void)do_one(target, group, RankUse::one_each);
    do_joined(joiners_.take_next());
  }

  void do_joined(std::optional<JoinedTarget> joined) {
    for (; joined; joined = joiners_.take_next()) {
      (void)do_one(joined->target, group_of(*joined), RankUse::one_each);
    }
  }

  comm::Communicator group_of(const JoinedTarget& joined) {
    const telemetry::PhaseSpan span(telemetry::Phase::join);
    return joiners_.group_of(joined);
  }

  TargetOutcome do_one(std::size_t target, const comm::Communicator& group, RankUse rank_use) {
    const int own = live_.rank();
    const auto members = group.all_gather(std::span<const int>(&own, 1));
    job::JoinAnswer answer;
    job::JoinQuery query_join;
    if (context_.batch.list.idle_ranks_join) {
      query_join = [&](const job::RemainingRun& rest) {
        // A rank with other interleaved targets cannot enter a group.
        const bool has_others = rank_use == RankUse::shared && interleaved_.task_count() > 1;
        answer = {};
        if (!has_others && !must_stop()) {
          const int most = estimate::usable_ranks(context_.targets[target].size.work, live_.size());
          answer = joiners_.answer(target, members, most, rest);
        }
        return answer;
      };
    }
    auto outcome = context_.do_target(target, group, rank_use, query_join);
    if (outcome == TargetOutcome::joined && group.any(must_stop())) {
      outcome = TargetOutcome::stopped;
    }
    if (outcome == TargetOutcome::joined) {
      joiners_.take_over(group, target, members);
      if (group.is_root()) {
        result_.joinings +=
            fmt::format("{}: {}\n", context_.batch.list.targets[target].name, answer.reason);
      }
    }
    if (group.is_root()) joiners_.release();
    if (outcome == TargetOutcome::stopped) {
      result_.was_stopped = true;
      queue_.close();
    }
    return outcome;
  }

  const RoundContext& context_;
  const comm::Communicator& live_;
  std::vector<int> nodes_;  // (ranks)
  comm::WorkQueue queue_;
  Joiners joiners_;
  InterleavedTargets interleaved_;
  RoundResult result_;
};

}  // namespace

RoundResult do_round(const RoundContext& context) { return Round(context).run(); }

}  // namespace nfold::batch

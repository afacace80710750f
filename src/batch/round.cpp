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

class Round {
 public:
  explicit Round(const RoundContext& context)
      : context_(context),
        nodes_(comm::gather_rank_nodes(context.live, context.batch.batch.ranks_per_node)),
        queue_(context.live, ranks_per_target(context.targets, context.queue, context.live.size()),
               nodes_),
        joiners_(context.live, nodes_, context.batch.world_rank, context.gpus),
        in_turn_(context.batch, context.targets, context.most_in_turn,
                 [this](std::size_t target, const comm::Communicator& group, RankUse rank_use) {
                   return do_one(target, group, rank_use);
                 }) {}

  RoundResult run() {
    draw();
    join_others();
    return end_;
  }

 private:
  /// Runs a wait for other ranks, which the heartbeat reports as one that may take any time.
  template <class Wait>
  std::invoke_result_t<Wait> waited_for(const Wait& wait) {
    const Heartbeat::Draw may_take_any_time(context_.heartbeat);
    return wait();
  }

  std::optional<comm::Draw> draw_one() {
    const telemetry::PhaseSpan span(telemetry::Phase::ledger);
    auto drawn =
        waited_for([this] { return queue_.next([this] { return context_.must_stop(); }); });
    if (drawn && drawn->group.size() > 1) context_.batch.clocks.mark_draw_as_join();
    return drawn;
  }

  void draw() {
    for (bool is_open = true; is_open || in_turn_.task_count() > 0;) {
      if (is_open && context_.must_stop()) {
        queue_.close();
        is_open = false;
      }
      if (is_open && context_.has_withdrawn()) {
        queue_.withdraw();
        is_open = false;
      }
      if (!is_open || !in_turn_.has_capacity()) {
        in_turn_.go_on();
        continue;
      }
      const auto drawn = draw_one();
      if (!drawn) {
        is_open = false;
        continue;
      }
      const auto target = context_.queue[static_cast<std::size_t>(drawn->item)];
      if (!drawn->has_group) {
        context_.hand_back(target);
        continue;
      }
      if (in_turn_.can_interleave(target, drawn->group)) {
        in_turn_.begin(target, drawn->group);
      } else {
        end_those_in_turn();
        do_alone_in_turn(target, drawn->group);
      }
    }
    end_those_in_turn();
  }

  void join_others() {
    while (!context_.has_withdrawn()) {
      auto joined = waited_for([this] {
        const telemetry::PhaseSpan span(telemetry::Phase::idle);
        return joiners_.wait();
      });
      if (!joined) return;
      do_joined(std::move(joined));
    }
    joiners_.leave();
  }

  void end_those_in_turn() {
    while (in_turn_.task_count() > 0) in_turn_.go_on();
    do_joined(joiners_.take_next());
    for (const auto target : in_turn_.take_retries()) {
      do_alone_in_turn(target, comm::Communicator());
    }
  }

  void do_alone_in_turn(std::size_t target, const comm::Communicator& group) {
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
    const int own = context_.live.rank();
    const auto members = group.all_gather(std::span<const int>(&own, 1));
    job::JoinAnswer answer;
    job::JoinQuery query_join;
    if (context_.batch.batch.idle_ranks_join) {
      query_join = [&](const job::RemainingRun& rest) {
        // A rank with other interleaved targets cannot enter a group.
        const bool has_others = rank_use == RankUse::shared && in_turn_.task_count() > 1;
        answer = {};
        if (!has_others && !context_.must_stop()) {
          const int most =
              estimate::usable_ranks(context_.targets[target].size.work, context_.live.size());
          answer = joiners_.answer(target, members, most, rest);
        }
        return answer;
      };
    }
    auto end = context_.do_target(target, group, rank_use, query_join);
    if (end == TargetOutcome::joined && group.any(context_.must_stop()))
      end = TargetOutcome::stopped;
    if (end == TargetOutcome::joined) {
      joiners_.take_over(group, target, members);
      if (group.is_root()) {
        end_.joinings +=
            fmt::format("{}: {}\n", context_.batch.batch.targets[target].name, answer.reason);
      }
    }
    if (group.is_root()) joiners_.release();
    if (end == TargetOutcome::stopped) {
      end_.was_stopped = true;
      queue_.close();
    }
    return end;
  }

  const RoundContext& context_;
  std::vector<int> nodes_;  // (ranks)
  comm::WorkQueue queue_;
  Joiners joiners_;
  InterleavedTargets in_turn_;
  RoundResult end_;
};

}  // namespace

RoundResult do_round(const RoundContext& context) { return Round(context).run(); }

}  // namespace nfold::batch

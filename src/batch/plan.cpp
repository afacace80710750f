// Distributed reading of target sizes, choice of backends, queues and schedules.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/plan.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "batch/packed_size.hpp"
#include "comm/waiting.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::batch {
namespace {

// Layout for each target: its packed size, then 1 if it cannot begin.
constexpr std::size_t is_broken = packed_numbers, numbers = packed_numbers + 1;

/// Returns packed sizes (numbers x targets) of the selected targets. Problems go to one rank only.
template <class IsSelected, class ReportProblem>
std::vector<std::int64_t> packed_sizes(const comm::Communicator& world, const BatchContext& context,
                                       const IsSelected& is_selected,
                                       const ReportProblem& report_problem) {
  comm::set_wait_phase("while targets are read", -1);
  const comm::WaitingWithoutLimit no_limit;  // thousands of files on a slow disk
  const auto count = context.batch.targets.size();
  std::vector<std::int64_t> entries(numbers * count, 0);
  const auto mine = static_cast<std::size_t>(world.rank());
  job::on_all(world, [&] {
    for (std::size_t k = mine; k < count; k += static_cast<std::size_t>(world.size())) {
      if (!is_selected(k)) continue;
      const auto size =
          read_target_size(context.batch, context.batch.targets[k], context.overrides);
      if (size.problem.empty()) {
        pack(size, &entries[numbers * k]);
      } else {
        report_problem(k, size.problem);
        entries[numbers * k + is_broken] = 1;
      }
    }
  });
  world.sum(std::span<std::int64_t>(entries));
  return entries;
}

void read_sizes(const comm::Communicator& world, const BatchContext& context,
                std::vector<PlannedTarget>& targets) {
  const auto entries = packed_sizes(
      world, context, [&](std::size_t k) { return targets[k].is_to_do(); },
      [&](std::size_t k, const std::string& problem) {
        record_failure(context, context.batch.targets[k].name, 1, problem);
      });
  for (std::size_t k = 0; k < targets.size(); ++k) {
    targets[k].size = unpack(&entries[numbers * k]);
    if (entries[numbers * k + is_broken] != 0) targets[k].status = TargetStatus::failed;
  }
}

/// Decides the backend of a target on this rank. Ranks may differ in the last bits of the estimated
/// times, which depend on builds and libraries.
void decide_backend(const job::BackendRanks& job, const estimate::MachineTable& machine,
                    PlannedTarget& target) {
  const auto fixed = target.kept ? target.kept : requested_backend(target.size.execution);
  target.decision = estimate::decide(target.size.work, machine, job.ranks(), fixed);
  if (target.kept && target.decision.space) target.decision.reason = "it goes on where it began";
}

/// Estimates times on several ranks for targets that take longer alone than the mean per rank.
void estimate_sharing(const job::BackendRanks& job, const estimate::MachineTable& machine,
                      std::vector<PlannedTarget>& targets) {
  for (const auto space : {estimate::Backend::gpu, estimate::Backend::cpu}) {
    double all = 0;
    for (const auto& target : targets) {
      if (target.is_to_do() && target.decision.space == space) all += target.decision.seconds();
    }
    const int ranks = job.ranks().of(space);
    for (auto& target : targets) {
      if (!target.is_to_do() || target.decision.space != space) continue;
      const double alone = target.decision.seconds();
      target.seconds = estimate::SecondsByRanks(alone);
      if (alone <= all / ranks) continue;
      const auto& work = target.size.work;
      target.seconds =
          estimate::SecondsByRanks(estimate::usable_ranks(work, ranks), [&](int members) {
            return estimate::work_seconds(work, machine, job.ranks(), space, members).all();
          });
    }
  }
}

/// Returns the ranks of each target (targets). 1 for targets that are not in the queue.
std::vector<int> rank_counts(const std::vector<PlannedTarget>& targets,
                             std::vector<std::size_t> queue, int ranks) {
  // Sorted by the list, so that the result for equal targets is independent of the queue's order.
  std::ranges::sort(queue);
  std::vector<estimate::SecondsByRanks> seconds;
  seconds.reserve(queue.size());
  for (const auto k : queue) seconds.push_back(targets[k].seconds);
  const auto in_queue = estimate::assign_ranks(seconds, ranks);
  std::vector<int> shares(targets.size(), 1);
  for (std::size_t i = 0; i < queue.size(); ++i) shares[queue[i]] = in_queue[i];
  return shares;
}

/// Simulates the queue with given ranks. shares: (targets). Returns (queue).
std::vector<ScheduledTarget> simulate_queue(const std::vector<PlannedTarget>& targets,
                                            const std::vector<std::size_t>& queue,
                                            const std::vector<int>& shares, int ranks) {
  estimate::FreeRanks free(ranks);
  std::vector<ScheduledTarget> result;
  result.reserve(queue.size());
  for (const auto k : queue) {
    const double seconds = targets[k].seconds.on(shares[k]);
    const double begin = free.take(shares[k], seconds);
    result.push_back({begin, begin + seconds});
  }
  return result;
}

}  // namespace

std::optional<estimate::Backend> requested_backend(input::Execution execution) {
  if (execution == input::Execution::automatic) return std::nullopt;
  return execution == input::Execution::cpu ? estimate::Backend::cpu : estimate::Backend::gpu;
}

std::vector<double> estimate_list_seconds(const comm::Communicator& world,
                                          const estimate::MachineTable& machine,
                                          const BatchContext& context) {
  const auto entries = packed_sizes(
      world, context, [](std::size_t) { return true; }, [](std::size_t, const std::string&) {});
  std::vector<double> seconds;
  for (std::size_t k = 0; k < context.batch.targets.size(); ++k) {
    const bool is_whole = entries[numbers * k + is_broken] == 0;
    seconds.push_back(is_whole ? estimate::work_seconds(unpack(&entries[numbers * k]).work, machine,
                                                        {}, estimate::Backend::cpu, 1)
                                     .all()
                               : 0);
  }
  return seconds;
}

void broadcast_estimates(const comm::Communicator& world, std::vector<PlannedTarget>& targets) {
  // For each target: seconds on a core, on a GPU, and its number of (ranks, seconds) pairs.
  std::vector<std::array<double, 3>> seconds;
  std::vector<std::array<double, 2>> entries;
  if (world.is_root()) {
    for (const auto& target : targets) {
      const auto& of_ranks = target.seconds.entries();
      seconds.push_back({target.decision.cpu_seconds, target.decision.gpu_seconds,
                         static_cast<double>(of_ranks.size())});
      for (const auto& [ranks, taken] : of_ranks) entries.push_back({1.0 * ranks, taken});
    }
  }
  seconds = world.all_gather(std::span<const std::array<double, 3>>(seconds));
  entries = world.all_gather(std::span<const std::array<double, 2>>(entries));
  auto next = entries.begin();
  for (std::size_t k = 0; k < targets.size(); ++k) {
    targets[k].decision.cpu_seconds = seconds[k][0];
    targets[k].decision.gpu_seconds = seconds[k][1];
    std::vector<std::pair<int, double>> of_ranks;
    for (auto left = static_cast<std::size_t>(seconds[k][2]); left > 0; --left, ++next) {
      of_ranks.emplace_back(static_cast<int>((*next)[0]), (*next)[1]);
    }
    targets[k].seconds = estimate::SecondsByRanks(std::move(of_ranks));
  }
}

void plan_targets(const comm::Communicator& world, const job::BackendRanks& job,
                  const estimate::MachineTable& machine, const BatchContext& context,
                  std::vector<PlannedTarget>& targets) {
  for (auto& target : targets) {
    const bool waits = target.is_to_do() && target.kept && !job.has(*target.kept);
    if (waits) target.status = TargetStatus::waiting;
  }
  read_sizes(world, context, targets);
  std::vector<std::int64_t> spaces(targets.size(), 0);  // backend + 1; 0: none
  for (std::size_t k = 0; k < targets.size(); ++k) {
    auto& target = targets[k];
    if (!target.is_to_do()) continue;
    decide_backend(job, machine, target);
    if (target.decision.space) spaces[k] = 1 + static_cast<std::int64_t>(*target.decision.space);
  }
  if (world.is_root()) estimate_sharing(job, machine, targets);
  broadcast_estimates(world, targets);
  if (!world.is_root()) std::fill(spaces.begin(), spaces.end(), 0);
  world.sum(std::span<std::int64_t>(spaces));
  job::on_root(world, [&] {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (!targets[k].is_to_do() || spaces[k] != 0) continue;
      record_failure(context, context.batch.targets[k].name, 1, targets[k].decision.reason);
    }
  });
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].is_to_do()) continue;
    if (spaces[k] == 0) {
      targets[k].status = TargetStatus::failed;
    } else {
      targets[k].decision.space = static_cast<estimate::Backend>(spaces[k] - 1);
    }
  }
}

std::vector<std::size_t> make_queue(const std::vector<PlannedTarget>& targets, TargetStatus status,
                                    estimate::Backend space) {
  std::vector<std::size_t> queue;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].is_for(status, space)) queue.push_back(k);
  }
  std::stable_sort(queue.begin(), queue.end(), [&](std::size_t a, std::size_t b) {
    return targets[a].decision.seconds() > targets[b].decision.seconds();
  });
  return queue;
}

std::vector<ScheduledTarget> schedule(const std::vector<PlannedTarget>& targets,
                                      const std::vector<std::size_t>& queue, int ranks) {
  return simulate_queue(targets, queue, rank_counts(targets, queue, ranks), ranks);
}

std::vector<std::size_t> move_short_to_front(const std::vector<PlannedTarget>& targets,
                                             const std::vector<std::size_t>& queue, int ranks) {
  constexpr double most_delay = 0.05;
  const auto shares = rank_counts(targets, queue, ranks);
  const auto end_of = [&](const std::vector<std::size_t>& order) {
    double end = 0;
    for (const auto& one : simulate_queue(targets, order, shares, ranks))
      end = std::max(end, one.end);
    return end;
  };
  const auto with_in_front = [&](std::size_t count) {
    auto order = queue;
    const auto first = order.end() - static_cast<std::ptrdiff_t>(count);
    std::stable_sort(first, order.end(), [&](std::size_t a, std::size_t b) {
      return targets[a].decision.seconds() < targets[b].decision.seconds();
    });
    std::rotate(order.begin(), first, order.end());
    return order;
  };
  const double latest = (1 + most_delay) * end_of(queue);
  std::size_t fits = 0, most = queue.size();
  while (fits < most) {
    const auto tried = most - (most - fits) / 2;
    if (end_of(with_in_front(tried)) <= latest) {
      fits = tried;
    } else {
      most = tried - 1;
    }
  }
  return with_in_front(fits);
}

std::vector<int> ranks_per_target(const std::vector<PlannedTarget>& targets,
                                  const std::vector<std::size_t>& queue, int ranks) {
  const auto shares = rank_counts(targets, queue, ranks);
  std::vector<int> result;
  result.reserve(queue.size());
  for (const auto k : queue) result.push_back(shares[k]);
  return result;
}

}  // namespace nfold::batch

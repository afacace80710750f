// Distributed reading of target sizes, choice of backends, queues and schedules.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>
#include <utility>

#include "batch/rank_lines.hpp"
#include "comm/waiting.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::batch {
namespace {

/// Returns the sizes (targets) of the selected targets on all ranks. Each rank reads some of them
/// and writes the rows of those that are broken, if `records_failures`.
std::vector<TargetSize> read_sizes(const comm::Communicator& world, const BatchContext& context,
                                   const std::function<bool(std::size_t)>& is_selected,
                                   bool records_failures) {
  comm::set_wait_phase("while targets are read", -1);
  const comm::WaitingWithoutLimit no_limit;  // thousands of files on a slow disk
  const auto& targets = context.list.targets;
  std::string lines;  // "[index, size]" for each target read by this rank
  job::on_all(world, [&] {
    const auto stride = static_cast<std::size_t>(world.size());
    for (auto k = static_cast<std::size_t>(world.rank()); k < targets.size(); k += stride) {
      if (!is_selected(k)) continue;
      const auto size = read_target_size(context.list, targets[k], context.options.overrides);
      if (records_failures && !size.problem.empty()) {
        context.record_failure(targets[k].name, 1, size.problem);
      }
      lines +=
          nlohmann::json{k, size}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n";
    }
  });
  std::vector<TargetSize> sizes(targets.size());
  for (const auto& line : all_gather_lines(world, lines)) {
    const auto entry = nlohmann::json::parse(line);
    entry.at(1).get_to(sizes[entry.at(0).get<std::size_t>()]);
  }
  return sizes;
}

void decide_backend(const BatchContext& context, PlannedTarget& target) {
  const auto fixed = target.kept ? target.kept : requested_backend(target.size.execution);
  target.decision =
      estimate::decide(target.size.work, context.machine.speeds, context.ranks.ranks(), fixed);
  if (target.kept && target.decision.space) target.decision.reason = "it goes on where it began";
}

/// Estimates the targets of each backend on one rank, and long ones on several ranks.
void estimate_sharing(const BatchContext& context, std::vector<PlannedTarget>& targets) {
  const auto& job = context.ranks.ranks();
  const int side_by_side = context.options.side_by_side;
  for (const auto backend : {estimate::Backend::gpu, estimate::Backend::cpu}) {
    if (job.of(backend) == 0) continue;
    std::vector<std::size_t> own;
    std::vector<estimate::ListedTarget> listed;
    const auto seconds_on = [&](std::size_t k, int ranks) {
      return estimate::work_seconds(targets[k].size.work, context.machine.speeds, job, backend,
                                    ranks);
    };
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (!targets[k].is_to_do() || targets[k].decision.space != backend) continue;
      own.push_back(k);
      listed.push_back(estimate::listed_target(context.machine, backend == estimate::Backend::gpu,
                                               targets[k].size.work, seconds_on(k, 1)));
    }
    estimate::estimate_sharing(listed, side_by_side, job.of(backend), [&](std::size_t i) {
      const auto k = own[i];
      return estimate::SecondsByRanks(estimate::usable_ranks(targets[k].size.work, job.of(backend)),
                                      [&](int ranks) { return seconds_on(k, ranks).all(); });
    });
    for (std::size_t i = 0; i < own.size(); ++i) targets[own[i]].listed = std::move(listed[i]);
  }
}

/// Returns the estimated end [s] if free ranks take the targets in this order. ranks_of: (targets).
double estimate_end(const std::vector<PlannedTarget>& targets,
                    const std::vector<std::size_t>& queue, const std::vector<int>& ranks_of,
                    int ranks) {
  estimate::FreeRanks free(ranks);
  for (const auto k : queue) free.take(ranks_of[k], targets[k].listed.seconds.on(ranks_of[k]));
  return free.last();
}

}  // namespace

std::optional<estimate::Backend> requested_backend(input::Execution execution) {
  if (execution == input::Execution::automatic) return std::nullopt;
  return execution == input::Execution::cpu ? estimate::Backend::cpu : estimate::Backend::gpu;
}

TargetStatus find_target_status(const BatchContext& context, const std::string& target,
                                const std::map<std::string, TargetHistory>& histories) {
  const auto& folder = context.folder;
  if (read_row(folder.result(target))) return TargetStatus::finished;
  if (read_row(folder.failure(target))) {
    if (!context.options.retry_failed) return TargetStatus::failed;
    std::error_code error;
    std::filesystem::remove(folder.failure(target), error);
    context.record_event(LedgerEvent::end, target, "tried again");
    return TargetStatus::missing;
  }
  const auto found = histories.find(target);
  if (found == histories.end()) return TargetStatus::missing;
  const auto& history = found->second;
  if (!history.is_hopeless())
    return history.is_suspect() ? TargetStatus::suspect : TargetStatus::missing;
  context.record_failure(
      target, history.starts,
      history.crashes > 0
          ? fmt::format("the process died of {} while it ran, again when it was alone",
                        history.last_detail)
          : std::string("the process died without a word while it ran, again and again when it was "
                        "alone: was memory short?"));
  return TargetStatus::failed;
}

std::vector<double> estimate_list_seconds(const comm::Communicator& world,
                                          const BatchContext& context) {
  std::vector<double> seconds;
  for (const auto& size : read_sizes(
           world, context, [](std::size_t) { return true; }, false)) {
    const auto& work = size.work;
    seconds.push_back(size.problem.empty() ? estimate::work_seconds(work, context.machine.speeds,
                                                                    {}, estimate::Backend::cpu, 1)
                                                 .all()
                                           : 0);
  }
  return seconds;
}

void broadcast_plan(const comm::Communicator& world, std::vector<PlannedTarget>& targets) {
  const auto to_json = [](const std::optional<estimate::Backend>& backend) {
    return backend ? nlohmann::json(*backend) : nlohmann::json();
  };
  const auto to_backend = [](const nlohmann::json& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<estimate::Backend>());
  };
  nlohmann::json all = nlohmann::json::array();
  if (world.is_root()) {
    for (const auto& target : targets) {
      const auto& [backend, cpu_seconds, gpu_seconds, reason] = target.decision;
      const auto& listed = target.listed;
      all.push_back({target.status, to_json(target.kept), to_json(backend), cpu_seconds,
                     gpu_seconds, reason, listed.seconds.entries(), listed.host, listed.device,
                     listed.overhead, listed.capacity_share, listed.may_run_concurrently});
    }
  }
  const auto bytes = nlohmann::json::to_cbor(all);  // unlike text, holds every double
  all = nlohmann::json::from_cbor(
      world.broadcast({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  for (std::size_t k = 0; k < targets.size(); ++k) {
    auto& target = targets[k];
    target.status = all[k][0].get<TargetStatus>();
    target.kept = to_backend(all[k][1]);
    target.decision = {to_backend(all[k][2]), all[k][3], all[k][4], all[k][5]};
    using Entries = std::vector<std::pair<int, double>>;
    target.listed = {estimate::SecondsByRanks(all[k][6].get<Entries>()),
                     all[k][7],
                     all[k][8],
                     all[k][9],
                     all[k][10],
                     all[k][11]};
  }
}

void plan_targets(const comm::Communicator& world, const BatchContext& context,
                  std::vector<PlannedTarget>& targets) {
  for (auto& target : targets) {
    const bool waits = target.is_to_do() && target.kept && !context.ranks.has(*target.kept);
    if (waits) target.status = TargetStatus::waiting;
  }
  auto sizes = read_sizes(
      world, context, [&](std::size_t k) { return targets[k].is_to_do(); }, true);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    targets[k].size = std::move(sizes[k]);
    if (!targets[k].size.problem.empty()) targets[k].status = TargetStatus::failed;
  }
  job::on_root(world, [&] {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      auto& target = targets[k];
      if (!target.is_to_do()) continue;
      decide_backend(context, target);
      if (target.decision.space) continue;
      context.record_failure(context.list.targets[k].name, 1, target.decision.reason);
      target.status = TargetStatus::failed;
    }
    estimate_sharing(context, targets);
  });
  broadcast_plan(world, targets);
}

std::vector<std::size_t> make_queue(const std::vector<PlannedTarget>& targets, TargetStatus status,
                                    estimate::Backend backend) {
  std::vector<std::size_t> queue;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].status == status && targets[k].decision.space == backend) queue.push_back(k);
  }
  std::ranges::stable_sort(queue, std::greater(),
                           [&](std::size_t k) { return targets[k].decision.seconds(); });
  return queue;
}

std::vector<std::size_t> move_short_to_front(const std::vector<PlannedTarget>& targets,
                                             const std::vector<std::size_t>& queue, int ranks,
                                             int side_by_side) {
  constexpr double most_delay = 0.05;
  const auto ranks_of = ranks_per_target(targets, queue, ranks, side_by_side);
  const auto with_in_front = [&](std::size_t count) {
    auto order = queue;
    const auto first = order.end() - static_cast<std::ptrdiff_t>(count);
    std::stable_sort(first, order.end(), [&](std::size_t a, std::size_t b) {
      return targets[a].decision.seconds() < targets[b].decision.seconds();
    });
    std::rotate(order.begin(), first, order.end());
    return order;
  };
  const double latest = (1 + most_delay) * estimate_end(targets, queue, ranks_of, ranks);
  std::size_t fits = 0, most = queue.size();
  while (fits < most) {
    const auto tried = most - (most - fits) / 2;
    if (estimate_end(targets, with_in_front(tried), ranks_of, ranks) <= latest) {
      fits = tried;
    } else {
      most = tried - 1;
    }
  }
  return with_in_front(fits);
}

std::vector<int> ranks_per_target(const std::vector<PlannedTarget>& targets,
                                  std::vector<std::size_t> queue, int ranks, int side_by_side) {
  // Sorted by the list, so that the result for equal targets is independent of the queue's order.
  std::ranges::sort(queue);
  std::vector<estimate::ListedTarget> listed;
  listed.reserve(queue.size());
  for (const auto k : queue) listed.push_back(targets[k].listed);
  const auto in_queue = estimate::ListTime(std::move(listed), side_by_side).on(ranks).shares;
  std::vector<int> result(targets.size(), 1);
  for (std::size_t i = 0; i < queue.size(); ++i) result[queue[i]] = in_queue[i];
  return result;
}

}  // namespace nfold::batch

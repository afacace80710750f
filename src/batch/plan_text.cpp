// Log lines by target.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/plan_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/text.hpp"

namespace nfold::batch {
namespace {

/// Adds a line for each target that starts on several ranks.
void add_shared(const input::BatchFile& list, const std::vector<PlannedTarget>& targets,
                const job::BackendRanks& job, int side_by_side, std::vector<std::string>& lines) {
  for (const auto backend : {estimate::Backend::gpu, estimate::Backend::cpu}) {
    if (!job.has(backend)) continue;
    const auto queue = make_queue(targets, TargetStatus::missing, backend);
    const auto ranks = ranks_per_target(targets, queue, job.ranks().of(backend), side_by_side);
    for (const auto k : queue) {
      if (ranks[k] == 1) continue;
      const auto& seconds = targets[k].listed.seconds;
      lines.push_back(fmt::format("{}: {} ranks share it, predicted {:.3g} s ({:.3g} s on one)",
                                  list.targets[k].name, ranks[k], seconds.on(ranks[k]),
                                  seconds.alone()));
    }
  }
}

}  // namespace

PlanText describe_plan(const input::BatchFile& list, const std::vector<PlannedTarget>& targets,
                       const job::BackendRanks& job, int side_by_side) {
  PlanText text;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const auto& name = list.targets[k].name;
    const auto& target = targets[k];
    if (target.status == TargetStatus::waiting) {
      text.waiting.push_back(fmt::format("{} waits: it began on a {}, and the job has {} only; {}",
                                         name,
                                         *target.kept == estimate::Backend::cpu ? "CPU" : "GPU",
                                         job.describe(), estimate::start_instructions()));
    } else if (target.is_to_do()) {
      text.decisions.push_back(fmt::format("{}: {}; {}", name,
                                           estimate::backend_name(*target.decision.space),
                                           target.decision.reason));
      const auto protocol = describe_protocol(list, target.size);
      if (!protocol.empty()) text.decisions.push_back(fmt::format("{}: {}", name, protocol));
    }
  }
  add_shared(list, targets, job, side_by_side, text.decisions);
  return text;
}

std::string describe_backends(const std::vector<PlannedTarget>& targets,
                              const job::BackendRanks& job) {
  std::string text;
  for (const auto backend : {estimate::Backend::gpu, estimate::Backend::cpu}) {
    if (!job.has(backend)) continue;
    std::int64_t count = 0;
    double seconds = 0;
    for (const auto& target : targets) {
      if (!target.is_to_do() || target.decision.space != backend) continue;
      ++count;
      seconds += target.decision.seconds();
    }
    text += fmt::format("{}{} on {} ranks, predicted {:.3g} s of one", text.empty() ? "" : "; ",
                        core::pluralise(count, "target"),
                        backend == estimate::Backend::gpu ? "GPU" : "CPU", seconds);
  }
  return text;
}

}  // namespace nfold::batch

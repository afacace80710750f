// Sums over targets and ranks, and the description of a batch's bottleneck.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/performance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/text_table.hpp"

namespace nfold::batch {

using telemetry::Phase;

namespace {

constexpr double nanosecond = 1e-9;  // [s]
/// Maximum number of targets with a line of their own.
constexpr std::size_t most_lines = 10;

constexpr std::array phases_of_steps{
    Phase::steps, Phase::pair, Phase::bonded, Phase::integrate, Phase::device,
    Phase::lists, Phase::pack, Phase::plan,   Phase::exchange,  Phase::migrate};

double sum_of(const telemetry::PhaseSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// Returns advice on ranks that were idle while others worked.
std::string advice_on_idleness(const BatchPerformance& batch) {
  const auto ranks = batch.job.ranks.size();
  if (batch.targets.size() < ranks) {
    return fmt::format("there are {} targets for {} ranks: take fewer ranks, or more targets",
                       batch.targets.size(), ranks);
  }
  const auto last = std::ranges::max_element(batch.targets, {}, &TargetPerformance::end_seconds);
  return fmt::format("{} ended last, {:.3g} s after it began: take fewer ranks, or more targets{}",
                     last->name, last->end_seconds - last->begin_seconds,
                     batch.idle_ranks_join ? "" : ", or batch.idle_ranks_join: true");
}

std::string advice_on(Phase phase, const BatchPerformance& batch) {
  switch (phase) {
    case Phase::start:
      return "a larger --budget for each target, or longer ones, so that a start pays";
    case Phase::steps:
    case Phase::pair:
    case Phase::bonded:
    case Phase::integrate:
    case Phase::device:
    case Phase::lists:
      return "targets compute, as they should; more ranks or GPUs make it faster";
    case Phase::pack:
    case Phase::plan:
    case Phase::wait:
      return "ranks that share a target are too many for it: take fewer ranks, or more targets";
    case Phase::exchange:
    case Phase::migrate:
      return "a larger ensemble.exchange_every_steps, or fewer ranks for each target";
    case Phase::checkpoint:
      return "a larger output.checkpoint_every_minutes";
    case Phase::analysis:
      return "a larger observables.every_steps or ensemble.sample_every_steps";
    case Phase::output:
      return "larger output.energies_every_steps and output.trajectory_every_steps, or a faster "
             "disk for --output";
    case Phase::frames:
      return "a larger output.trajectory_every_steps, or a faster disk for --output";
    case Phase::results:
      return "fewer samples, by a larger ensemble.sample_every_steps";
    case Phase::ledger:
      return "each row is brought to the disk at once: a faster disk for --output, or longer "
             "targets";
    case Phase::join:
      return "ranks wait for those who share a target with them: take fewer ranks, or more targets";
    case Phase::idle:
      return advice_on_idleness(batch);
    case Phase::other:
      break;
  }
  return "the batch is too short to tell";
}

double step_seconds(const TargetPerformance& target) {
  double sum = 0;
  for (const auto phase : phases_of_steps) sum += target.seconds[to_index(phase)];
  return sum;
}

std::vector<std::string> table_of_targets(const BatchPerformance& batch) {
  std::vector<const TargetPerformance*> longest;
  longest.reserve(batch.targets.size());
  for (const auto& target : batch.targets) longest.push_back(&target);
  std::ranges::stable_sort(longest, std::greater(), &TargetPerformance::rank_seconds);
  core::TextTable table("lrrrrrrr");
  table.add(
      {"target (s of its ranks)", "ranks", "all", "start", "steps", "analysis", "files", "wait"});
  const auto shown = std::min(longest.size(), most_lines);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& target = *longest[k];
    const auto of = [&](Phase phase) { return target.seconds[to_index(phase)]; };
    std::vector<std::string> row{target.name, std::to_string(target.ranks)};
    for (const double seconds :
         {target.rank_seconds(), of(Phase::start), step_seconds(target),
          of(Phase::analysis) + of(Phase::results),
          of(Phase::output) + of(Phase::frames) + of(Phase::checkpoint) + of(Phase::ledger),
          of(Phase::wait)}) {
      row.push_back(fmt::format("{:.3g}", seconds));
    }
    table.add(std::move(row));
  }
  auto lines = table.lines();
  if (shown < longest.size()) {
    double rest = 0;
    for (std::size_t k = shown; k < longest.size(); ++k) rest += longest[k]->rank_seconds();
    lines.push_back(fmt::format("  {} more targets took {:.3g} s of their ranks",
                                longest.size() - shown, rest));
  }
  return lines;
}

}  // namespace

double TargetPerformance::rank_seconds() const { return sum_of(seconds); }

double BatchPerformance::busy_seconds(std::size_t rank) const {
  return job.ranks[rank].wall_seconds() - sum_of(without_target[rank]);
}

double BatchPerformance::share_at_work(std::size_t rank) const {
  const double start = without_target[rank][to_index(Phase::start)];
  const double whole = job.ranks[rank].wall_seconds() - start;
  return whole > 0 ? busy_seconds(rank) / whole : 1;
}

telemetry::PhaseSeconds BatchPerformance::mean_seconds() const {
  auto mean = job.mean_seconds();
  double start = 0;
  for (const auto& seconds : without_target) start += seconds[to_index(Phase::start)];
  if (!job.ranks.empty())
    mean[to_index(Phase::start)] -= start / static_cast<double>(job.ranks.size());
  return mean;
}

std::vector<TargetPerformance> sum_by_target(const std::vector<std::vector<TargetInterval>>& shares,
                                             const std::vector<input::BatchTarget>& targets) {
  std::map<std::int32_t, TargetPerformance> found;
  std::map<std::int32_t, std::set<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    for (const auto& share : shares[rank]) {
      const double begin = nanosecond * static_cast<double>(share.begin_ns);
      const double end = begin + nanosecond * static_cast<double>(share.length_ns);
      auto [at, is_new] = found.try_emplace(share.target);
      auto& target = at->second;
      target.begin_seconds = is_new ? begin : std::min(target.begin_seconds, begin);
      target.end_seconds = std::max(target.end_seconds, end);
      for (std::size_t phase = 0; phase < telemetry::phase_count; ++phase) {
        target.seconds[phase] += share.seconds[phase];
      }
      ranks[share.target].insert(rank);
    }
  }
  std::vector<TargetPerformance> all;
  for (auto& [number, target] : found) {
    target.name = targets[static_cast<std::size_t>(number)].name;
    target.ranks = static_cast<int>(ranks[number].size());
    all.push_back(std::move(target));
  }
  return all;
}

job::Bottleneck find_bottleneck(const BatchPerformance& batch) {
  const auto [most, share] = job::find_largest_phase(batch.mean_seconds(), Phase::other);
  return {phase_name(most), share,
          fmt::format("{:.0f} % of the ranks' time since the first target is {}", 100 * share,
                      job::describe_phase(most)),
          advice_on(most, batch)};
}

std::string describe_utilisation(const BatchPerformance& batch) {
  double sum = 0, least = 1;
  const auto ranks = batch.job.ranks.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const double share = batch.share_at_work(rank);
    sum += share;
    least = std::min(least, share);
  }
  return fmt::format("ranks were at work {:.1f} % of the time, the least {:.1f} %",
                     100 * sum / static_cast<double>(ranks), 100 * least);
}

std::vector<std::string> performance_table(const BatchPerformance& batch) {
  auto lines = job::phase_table(batch.job.ranks);
  for (auto& line : table_of_targets(batch)) lines.push_back(std::move(line));
  const auto found = find_bottleneck(batch);
  lines.push_back("bottleneck: " + found.words + "; " + found.advice);
  return lines;
}

}  // namespace nfold::batch

// Files batch.performance.json and batch.trace.json.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "batch/performance.hpp"
#include "core/telemetry/chrome_trace.hpp"
#include "device/compute_environment.hpp"

namespace nfold::batch {
namespace {

using Json = nlohmann::ordered_json;
using telemetry::TracedSpan;

Json rank_json(const BatchPerformance& batch, std::size_t number) {
  const auto& rank = batch.job.ranks[number];
  return {{"name", rank.name.data()},
          {"wall_seconds", rank.wall_seconds()},
          {"busy_seconds", batch.busy_seconds(number)},
          {"share_at_work", batch.share_at_work(number)},
          {"phase_seconds", job::phases_json(rank.seconds)},
          {"without_target_seconds", job::phases_json(batch.without_target[number])},
          {"clocked_steps", rank.clocked_steps},
          {"memory_peak_bytes", rank.memory_peak_bytes},
          {"joules", rank.joules < 0 ? Json() : Json(rank.joules)}};
}

Json target_json(const TargetPerformance& target) {
  return {{"name", target.name},
          {"ranks", target.ranks},
          {"begin_seconds", target.begin_seconds},
          {"end_seconds", target.end_seconds},
          {"rank_seconds", target.rank_seconds()},
          {"phase_seconds", job::phases_json(target.seconds)}};
}

/// Tracks of the trace: one for each rank, and one below it for each interleaved target.
class Tracks {
 public:
  Tracks(const BatchPerformance& batch, const std::vector<input::BatchTarget>& targets)
      : batch_(batch), targets_(targets), trace_("nfold " + batch.job.name) {}

  void add_rank(int rank, std::span<const TracedSpan> without_target) {
    begin(rank, 0);
    trace_.add_spans(rank, without_target, {});
  }
  void add_targets(int rank, const std::vector<TargetInterval>& shares,
                   std::span<const TracedSpan> spans, const std::vector<std::string>& calls) {
    for (const auto& share : shares) {
      begin(rank, share.lane);
      const int track = track_of(rank, share.lane);
      trace_.add_span(track, targets_[static_cast<std::size_t>(share.target)].name, share.begin_ns,
                      share.length_ns);
      const auto count = static_cast<std::size_t>(share.spans);
      trace_.add_spans(track, spans.first(count), calls);
      spans = spans.subspan(count);
    }
  }
  [[nodiscard]] std::string text() const { return trace_.text(); }

 private:
  [[nodiscard]] int ranks() const { return static_cast<int>(batch_.job.ranks.size()); }
  [[nodiscard]] int track_of(int rank, int lane) const { return lane * ranks() + rank; }
  void begin(int rank, int lane) {
    constexpr int most_lanes = 64;  // limit of --side-by-side
    const int track = track_of(rank, lane);
    if (!begun_.insert(track).second) return;
    const std::string name = batch_.job.ranks[static_cast<std::size_t>(rank)].name.data();
    trace_.begin_track(track, lane == 0 ? name : fmt::format("{}, beside: {}", name, lane),
                       rank * most_lanes + lane);
  }

  const BatchPerformance& batch_;
  const std::vector<input::BatchTarget>& targets_;
  telemetry::ChromeTrace trace_;
  std::set<int> begun_;
};

/// Gathers the spans of each rank on rank 0, one rank at a time, and formats the trace.
std::string trace_text(const comm::Communicator& world, const ClockedRank& clocked,
                       const std::vector<std::vector<TargetInterval>>& shares,
                       const BatchPerformance& batch,
                       const std::vector<input::BatchTarget>& targets) {
  const auto calls = job::gather_calls(world, clocked.calls);
  Tracks tracks(batch, targets);
  world.gather_each(std::span<const TracedSpan>(clocked.own_spans),
                    [&](int from, const auto& spans) { tracks.add_rank(from, spans); });
  world.gather_each(std::span<const TracedSpan>(clocked.spans), [&](int from, const auto& spans) {
    const auto rank = static_cast<std::size_t>(from);
    tracks.add_targets(from, shares[rank], spans, calls[rank]);
  });
  return world.is_root() ? tracks.text() : std::string();
}

}  // namespace

std::string performance_text(const BatchPerformance& batch) {
  auto all = job::heading_json(batch.job);
  all.update({{"wall_seconds", batch.job.wall_seconds()},
              {"mean_phase_seconds", job::phases_json(batch.job.mean_seconds())},
              {"joules", job::json_or_null(batch.job.joules())},
              {"bottleneck", job::bottleneck_json(find_bottleneck(batch))},
              {"ranks", Json::array()},
              {"targets", Json::array()}});
  for (std::size_t rank = 0; rank < batch.job.ranks.size(); ++rank) {
    all["ranks"].push_back(rank_json(batch, rank));
  }
  for (const auto& target : batch.targets) all["targets"].push_back(target_json(target));
  return all.dump(1) + "\n";
}

std::vector<std::string> write_performance(const comm::Communicator& world,
                                           const BatchFolder& folder, const input::BatchFile& file,
                                           BatchClocks& clocks, const job::RankGpu& gpu) {
  const auto clocked = clocks.stop();
  auto mine = job::rank_performance(world, clocked.without_target, gpu);
  const auto without_target = mine.seconds;
  mine.clocked_steps = clocked.clocked_steps;
  for (const auto& share : clocked.shares) {
    for (std::size_t phase = 0; phase < telemetry::phase_count; ++phase) {
      mine.seconds[phase] += share.seconds[phase];
    }
  }
  BatchPerformance batch;
  batch.job.name = folder.name();
  batch.job.execution = device::execution_space_name();
  batch.job.is_profiled = clocks.has_timeline();
  batch.job.ranks = world.gather(std::span<const job::RankPerformance>(&mine, 1));
  batch.without_target = world.gather(std::span<const telemetry::PhaseSeconds>(&without_target, 1));
  batch.idle_ranks_join = file.idle_ranks_join;
  std::vector<std::vector<TargetInterval>> shares(static_cast<std::size_t>(world.size()));
  world.gather_each(std::span<const TargetInterval>(clocked.shares),
                    [&](int from, std::vector<TargetInterval> of_rank) {
                      shares[static_cast<std::size_t>(from)] = std::move(of_rank);
                    });
  batch.targets = sum_by_target(shares, file.targets);
  std::string trace;
  if (clocks.has_timeline()) trace = trace_text(world, clocked, shares, batch, file.targets);
  std::vector<std::string> lines;
  if (!world.is_root() || batch.targets.empty()) return lines;
  if (clocks.has_timeline()) lines = performance_table(batch);
  lines.push_back(describe_utilisation(batch));
  job::write_performance_files({folder.folder, folder.name()}, performance_text(batch), trace,
                               "batch", lines);
  return lines;
}

}  // namespace nfold::batch

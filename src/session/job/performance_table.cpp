// Table of phases and description of the bottleneck.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text_table.hpp"
#include "session/job/performance.hpp"

namespace nfold::job {

using telemetry::Phase;

namespace {

/// Balance below which the load counts as imbalanced.
constexpr double even_balance = 0.9;

/// True if the phase's description is singular.
bool is_singular(Phase phase) {
  return phase == Phase::wait || phase == Phase::integrate || phase == Phase::frames ||
         phase == Phase::join || phase == Phase::idle;
}

/// Returns advice on the phase in which ranks wait longest for others.
std::string advice_on_waits(const Performance& run) {
  std::array<double, telemetry::phase_count> within{};
  for (const auto& rank : run.ranks) {
    for (std::size_t place = 0; place < within.size(); ++place) {
      within[place] += static_cast<double>(rank.waited[place]);
    }
  }
  const auto most = std::ranges::max_element(within) - within.begin();
  const auto where = static_cast<Phase>(most);
  if (where != Phase::steps) {
    return fmt::format("most of it is in '{}', where rank 0 works for all: make that rarer",
                       phase_name(where));
  }
  if (run.balance() < even_balance) {
    return fmt::format(
        "rank {} is busiest, balance {:.2f}: set partition.rebalance_every_steps, or another "
        "partition.method (nfold check --partitions compares them)",
        run.busiest_rank(), run.balance());
  }
  return fmt::format(
      "ranks are evenly busy (balance {:.2f}), so it is the exchange itself, or another program on "
      "these processors: take fewer ranks, or ranks closer to each other",
      run.balance());
}

std::string advice_on(Phase phase, const Performance& run) {
  switch (phase) {
    case Phase::steps:
      if (run.replicas > 0) return "the run computes; more ranks or GPUs make it faster";
      return run.is_profiled ? "the run computes; more ranks or GPUs make it faster"
                             : "the run computes; --profile says which part of a step takes it";
    case Phase::pair:
    case Phase::device:
      return "the run computes, as it should; more ranks or GPUs make it faster, and so does "
             "dynamics.precision mixed where it is double";
    case Phase::bonded:
      return "the model has many terms for its pairs, or a bias that all ranks sum; more ranks "
             "make "
             "it faster if it is the terms";
    case Phase::integrate:
      return "few neighbours for many residues: a longer dynamics.time_step_ps, if the model "
             "allows";
    case Phase::pack:
    case Phase::exchange:
      return run.replicas > 0 ? "a larger ensemble.exchange_every_steps"
                              : "the border is large for what it encloses: take fewer ranks, or "
                                "partition.method cluster or domains";
    case Phase::lists:
      return "the skin is short for how fast residues move: leave it to be measured (no "
             "dynamics.skin_nm), or lower the temperature of the start";
    case Phase::plan:
      return "residues move far between plans: take fewer ranks";
    case Phase::wait:
      return advice_on_waits(run);
    case Phase::migrate:
      return "a larger partition.rebalance_every_steps";
    case Phase::checkpoint:
      return "a larger output.checkpoint_every_minutes, and output.checkpoint_in_background: true";
    case Phase::analysis:
      return "a larger observables.every_steps";
    case Phase::output:
      return "larger output.energies_every_steps and output.trajectory_every_steps";
    case Phase::frames:
      return "a larger output.trajectory_every_steps, or a faster disk for --output";
    case Phase::results:
      return "fewer samples, by a larger interval, or more steps for the same analysis";
    case Phase::ledger:  // ledger, join, idle: of batches only
    case Phase::join:
    case Phase::idle:
    case Phase::other:
    case Phase::start:
      break;
  }
  return "the run is too short to tell: take more steps";
}

}  // namespace

std::string describe_phase(Phase phase) {
  static constexpr std::array<const char*, telemetry::phase_count> descriptions{
      "making the start",
      "steps",
      "pair forces",
      "forces of terms and biases",
      "integration",
      "packing border residues",
      "sending ghosts or exchanging states",
      "neighbour lists",
      "plans of who sends what",
      "steps on the GPU",
      "waiting for other ranks",
      "moving work to other ranks",
      "checkpoints",
      "observables",
      "energies",
      "writing frames",
      "results at the end",
      "claims and rows of targets",
      "waiting until all are there who share a target",
      "having no target",
      "looks at clocks and signals"};
  return descriptions[to_index(phase)];
}

LargestPhase find_largest_phase(const telemetry::PhaseSeconds& seconds, Phase otherwise) {
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const auto most = std::ranges::max_element(seconds);
  if (*most <= seconds[to_index(otherwise)]) return {otherwise, all > 0 ? *most / all : 0};
  return {static_cast<Phase>(most - seconds.begin()), *most / all};
}

Bottleneck find_bottleneck(const Performance& performance) {
  auto seconds = performance.mean_seconds();
  seconds[to_index(Phase::start)] = 0;
  const auto [most, share] = find_largest_phase(seconds, Phase::steps);
  return {phase_name(most), share,
          fmt::format("{} take{} {:.0f} % of the time after the start", describe_phase(most),
                      is_singular(most) ? "s" : "", 100 * share),
          advice_on(most, performance)};
}

std::vector<std::string> phase_table(const std::vector<RankPerformance>& ranks) {
  core::TextTable table("lrrrrr");
  table.add({"phase", "mean (s)", "share", "least (s)", "most (s)", "rank"});
  double wall = 0;
  for (const auto& rank : ranks) wall = std::max(wall, rank.wall_seconds());
  for (std::size_t place = 0; place < telemetry::phase_count; ++place) {
    const auto phase = static_cast<Phase>(place);
    const auto [least, most] = std::ranges::minmax_element(
        ranks, {}, [phase](const auto& rank) { return rank.of(phase); });
    if (ranks.empty() || most->of(phase) <= 0) continue;
    double mean = 0;
    for (const auto& rank : ranks) mean += rank.of(phase) / static_cast<double>(ranks.size());
    table.add({std::string(phase_name(phase)), fmt::format("{:.4g}", mean),
               fmt::format("{:.1f} %", wall > 0 ? 100 * mean / wall : 0.0),
               fmt::format("{:.4g}", least->of(phase)), fmt::format("{:.4g}", most->of(phase)),
               std::to_string(most - ranks.begin())});
  }
  return table.lines();
}

std::vector<std::string> performance_table(const Performance& performance) {
  auto lines = phase_table(performance.ranks);
  if (performance.ranks.size() > 1) {
    std::int64_t bytes = 0;
    for (const auto& rank : performance.ranks)
      bytes += std::max<std::int64_t>(0, rank.halo_bytes_of_step);
    lines.push_back(
        fmt::format("balance {:.3f} (mean over most busy, rank {}){}", performance.balance(),
                    performance.busiest_rank(),
                    bytes > 0 ? fmt::format("; {} bytes of ghosts in a step", bytes) : ""));
  }
  for (const auto& [part, microseconds] : performance.parts) {
    lines.push_back(fmt::format("one '{}' on the GPU takes {:.4g} us", part, microseconds));
  }
  const auto found = find_bottleneck(performance);
  lines.push_back("bottleneck: " + found.words + "; " + found.advice);
  return lines;
}

}  // namespace nfold::job

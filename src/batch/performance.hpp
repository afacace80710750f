// Performance of a batch: phase times of ranks and targets, and its bottleneck.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "batch/clocks.hpp"
#include "batch/folder.hpp"
#include "comm/communicator.hpp"
#include "core/telemetry/phases.hpp"
#include "input/batch_file.hpp"
#include "session/job/performance.hpp"

namespace nfold::batch {

/// Performance of one target in this session.
struct TargetPerformance {
  std::string name;
  int ranks = 0;                              ///< Ranks that worked on it.
  double begin_seconds = 0, end_seconds = 0;  ///< Since the start of the clocks.
  telemetry::PhaseSeconds seconds{};          ///< Summed over its ranks.
  [[nodiscard]] double rank_seconds() const;  ///< Sum over phases.
};

struct BatchPerformance {
  job::Performance job;                                 ///< Name, execution and ranks.
  std::vector<telemetry::PhaseSeconds> without_target;  ///< (ranks) Included in job.ranks.
  std::vector<TargetPerformance> targets;               ///< In the order of the list.
  bool idle_ranks_join = true;

  /// Returns the time of a rank with a target [s].
  [[nodiscard]] double busy_seconds(std::size_t rank) const;
  /// Returns the fraction of time, without the start phase, that a rank had a target, 0 to 1.
  [[nodiscard]] double share_at_work(std::size_t rank) const;
  /// Returns the mean over ranks by phase, without the start phase before the first target [s].
  [[nodiscard]] telemetry::PhaseSeconds mean_seconds() const;
};

/// Returns the phase with the largest mean time after the start, with advice.
[[nodiscard]] job::Bottleneck find_bottleneck(const BatchPerformance& batch);

/// Formats a table of the phases, the longest targets and the bottleneck.
[[nodiscard]] std::vector<std::string> performance_table(const BatchPerformance& batch);
/// Returns "ranks were at work 98.1 % of the time, the least 96.2 %".
[[nodiscard]] std::string describe_utilisation(const BatchPerformance& batch);

/// Returns the content of batch.performance.json.
[[nodiscard]] std::string performance_text(const BatchPerformance& batch);

/// Sums the times of each target over ranks. Only targets that were worked on. shares: (ranks).
[[nodiscard]] std::vector<TargetPerformance> sum_by_target(
    const std::vector<std::vector<TargetInterval>>& shares,
    const std::vector<input::BatchTarget>& targets);

/// Stops the clocks, writes the performance files on rank 0 and returns lines for its log.
/// Collective over all ranks, including withdrawn ones. A failed write is reported in the lines.
[[nodiscard]] std::vector<std::string> write_performance(const comm::Communicator& world,
                                                         const BatchFolder& folder,
                                                         const input::BatchFile& file,
                                                         BatchClocks& clocks,
                                                         const job::RankGpu& gpu);

}  // namespace nfold::batch

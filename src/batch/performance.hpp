// What a batch took: phases of each rank and of each target, time without one, and what limits it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/clocks.hpp"
#include "batch/folder.hpp"
#include "comm/communicator.hpp"
#include "input_files/batch_file.hpp"
#include "job/performance.hpp"
#include "telemetry/phases.hpp"

namespace nfold::batch {

/// Of one target in this start of the program.
struct TargetPerformance {
  std::string name;
  int ranks = 0;                              ///< that worked on it
  double begin_seconds = 0, end_seconds = 0;  ///< since the first moment
  telemetry::PhaseSeconds seconds{};          ///< of all its ranks together
  [[nodiscard]] double rank_seconds() const;  ///< their sum
};

struct BatchPerformance {
  job::Performance job;                                 ///< name, execution, and the ranks
  std::vector<telemetry::PhaseSeconds> without_target;  ///< (ranks) in their phases as well
  std::vector<TargetPerformance> targets;               ///< in the order of the list
  bool idle_ranks_join = true;

  /// With a target.
  [[nodiscard]] double busy_seconds(std::size_t rank) const;
  /// Of the time since it began to work on targets, what a rank had one, 0 to 1.
  [[nodiscard]] double share_at_work(std::size_t rank) const;
  /// Mean over ranks, but for what came before the first target.
  [[nodiscard]] double mean_seconds(telemetry::Phase phase) const;
};

/// What the ranks spend most on once targets are worked on, and what may be done about it.
[[nodiscard]] job::Bottleneck bottleneck_of(const BatchPerformance& batch);

/// Lines for a person: phases, the targets that took longest, and the bottleneck.
[[nodiscard]] std::vector<std::string> table_of(const BatchPerformance& batch);
/// "ranks were at work 98.1 % of the time, the least 96.2 %"
[[nodiscard]] std::string work_in_words(const BatchPerformance& batch);

/// batch.performance.json as a text.
[[nodiscard]] std::string performance_text(const BatchPerformance& batch);

/// (targets that were worked on) From what each rank clocked; shares: (ranks).
[[nodiscard]] std::vector<TargetPerformance> targets_of(
    const std::vector<std::vector<TargetShare>>& shares,
    const std::vector<input_files::BatchTarget>& targets);

/// Of this rank; empty and none on a processor.
struct RankGpu {
  std::string uuid;
  std::optional<double> joules;
};
/// Collective, at the end, over all ranks, also those that have withdrawn: rank 0 writes the files
/// and gives lines for the log. What cannot be written is told, and harms no batch.
[[nodiscard]] std::vector<std::string> write_performance(const comm::Communicator& world,
                                                         const BatchFolder& folder,
                                                         const input_files::BatchFile& file,
                                                         BatchClocks& clocks, const RankGpu& gpu);

}  // namespace nfold::batch

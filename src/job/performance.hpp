// What a run took: phases of each rank, plan against reality, memory, energy; and what limits it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "job/output_paths.hpp"
#include "job/rank_profile.hpp"
#include "telemetry/phases.hpp"

namespace nfold::job {

/// Of one rank; plain numbers, which travel. -1: not known.
struct RankPerformance {
  std::array<char, 48> name{};           ///< "rank 3 node7"
  telemetry::PhaseSeconds seconds{};     ///< of each phase
  telemetry::PhaseNanoseconds waited{};  ///< for other ranks, by the outermost phase
  std::int64_t clocked_steps = 0;        ///< part by part
  std::int64_t residues = -1, ghosts = -1, halo_bytes_of_step = -1;
  std::int64_t lists = -1;  ///< how often they were made
  std::int64_t memory_planned_bytes = -1, memory_peak_bytes = -1, memory_there_bytes = -1;
  double joules = -1;     ///< of its GPU
  std::uint64_t gpu = 0;  ///< the same for ranks that share one; 0: none

  [[nodiscard]] double of(telemetry::Phase phase) const {
    return seconds[telemetry::place_of(phase)];
  }
  /// Within steps, without waits for others.
  [[nodiscard]] double busy_seconds() const;
  /// With them.
  [[nodiscard]] double step_seconds() const;
  [[nodiscard]] double wall_seconds() const;
};
static_assert(std::is_trivially_copyable_v<RankPerformance>);
/// Its name, with the host's where there are several nodes, and what its clocks told.
[[nodiscard]] RankPerformance rank_performance(const comm::Communicator& communicator,
                                               const telemetry::PhaseSums& sums);

/// What one step was predicted to take.
struct Prediction {
  double seconds = 0;
  double spread = 0;  ///< standard deviation of ln(real / predicted)
  std::string by;
};

struct Performance {
  std::string name;
  std::string execution;                       ///< "CPU, 2 threads"
  std::int64_t first_step = 0, last_step = 0;  ///< of this session
  double time_step_ps = 0;
  std::int64_t replicas = 0;  ///< 0: one simulation
  std::optional<Prediction> prediction;
  std::optional<double> compared_step_seconds;        ///< what a prediction is held against
  std::vector<std::pair<std::string, double>> parts;  ///< of a step on a GPU [us], one by one
  bool is_profiled = false;
  std::vector<RankPerformance> ranks;

  /// Mean over most of what ranks were busy within steps, 0 to 1.
  [[nodiscard]] double balance() const;
  /// That was busy longest.
  [[nodiscard]] int busiest_rank() const;
  /// Mean over ranks.
  [[nodiscard]] double mean_seconds(telemetry::Phase phase) const;
  [[nodiscard]] double wall_seconds() const;
  /// Of the slowest rank, with waits.
  [[nodiscard]] double seconds_a_step() const;
  /// Of all replicas together.
  [[nodiscard]] double simulated_ns() const;
  /// Of all GPUs; none if one of them did not tell.
  [[nodiscard]] std::optional<double> joules() const;
};

/// What the run spends most on, beside its start, and what may be done about it.
struct Bottleneck {
  std::string phase;
  double share = 0;  ///< of the time after the start
  std::string words, advice;
};
[[nodiscard]] Bottleneck bottleneck_of(const Performance& performance);

/// A phase as the subject of a sentence.
[[nodiscard]] std::string words_of(telemetry::Phase phase);
/// A table of phases: mean, share, and the ranks with the least and the most.
[[nodiscard]] std::vector<std::string> table_of_phases(const std::vector<RankPerformance>& ranks);
/// Lines for a person: a table of phases, and the bottleneck.
[[nodiscard]] std::vector<std::string> table_of(const Performance& performance);

/// Phases that took some time, by name.
[[nodiscard]] std::vector<std::pair<std::string, double>> named_seconds(
    const telemetry::PhaseSeconds& seconds);
/// NAME.performance.json as a text.
[[nodiscard]] std::string performance_text(const Performance& performance);

/// Collective, at the end: rank 0 has all ranks' numbers in performance.ranks, writes the files and
/// gives what is to be told. What cannot be written is told, and harms no run.
[[nodiscard]] std::vector<std::string> write_performance(const comm::Communicator& communicator,
                                                         const RankProfile& profile,
                                                         const RankPerformance& mine,
                                                         Performance performance,
                                                         const OutputPaths& paths);

}  // namespace nfold::job

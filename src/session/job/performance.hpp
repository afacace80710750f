// Performance of a run: phases by rank, estimate, memory, energy and bottleneck.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "core/status/output_paths.hpp"
#include "core/telemetry/phases.hpp"
#include "estimate/job_time.hpp"
#include "session/job/rank_profile.hpp"

namespace nfold::job {

/// Performance of one rank; trivially copyable for MPI. -1: unknown.
struct RankPerformance {
  std::array<char, 48> name{};           ///< "rank 3 node7"
  telemetry::PhaseSeconds seconds{};     ///< by phase [s]
  telemetry::PhaseNanoseconds waited{};  ///< for other ranks, by outermost phase
  std::int64_t clocked_steps = 0;        ///< timed part by part
  std::int64_t residues = -1, ghosts = -1, halo_bytes_of_step = -1;
  std::int64_t lists = -1;  ///< neighbour list builds
  std::int64_t memory_planned_bytes = -1, memory_peak_bytes = -1, memory_there_bytes = -1;
  double joules = -1;     ///< energy of its GPU [J]
  std::uint64_t gpu = 0;  ///< equal for ranks that share a GPU; 0: none

  [[nodiscard]] double of(telemetry::Phase phase) const {
    return seconds[telemetry::to_index(phase)];
  }
  /// Time within steps, without waits for other ranks.
  [[nodiscard]] double busy_seconds() const;
  /// Time within steps, including waits for other ranks.
  [[nodiscard]] double step_seconds() const;
  [[nodiscard]] double wall_seconds() const;
};
static_assert(std::is_trivially_copyable_v<RankPerformance>);

/// GPU of a rank. Empty and none on a CPU rank.
struct RankGpu {
  std::string uuid;
  std::optional<double> joules;
};
/// Returns the rank's name, with its host if there are several nodes, its phase times, the peak of
/// its memory and the energy of its GPU.
[[nodiscard]] RankPerformance rank_performance(const comm::Communicator& communicator,
                                               const telemetry::PhaseSums& sums,
                                               const RankGpu& gpu);

/// Returns the parts of a job [s] from the outermost spans of rank 0. of_replicas: energies are
/// gathered for samples and exchanges, and count as observables. seconds_before: from the start of
/// the process to the first span. minimising_seconds: part of the span of the start.
[[nodiscard]] estimate::JobTime job_parts(const telemetry::PhaseSums& sums, bool of_replicas,
                                          double seconds_before, double minimising_seconds);

/// Estimate of a step's time, and of the whole job.
struct StepTimeEstimate {
  double seconds = 0;
  double spread = 0;                       ///< standard deviation of ln(measured / estimated)
  std::string by;                          ///< "h100 and 3 earlier runs"
  std::optional<estimate::JobTime> job{};  ///< parts of the whole job
};

/// Assessments of the ranks' loads and what followed.
struct LoadBalanceCounts {
  std::int64_t assessments = 0, repartitions = 0;
  std::vector<std::pair<std::string, std::int64_t>>
      others;                     ///< why there was no repartition, times
  double largest_gain_share = 0;  ///< fraction of a step that was not worth a repartition
};

struct Performance {
  std::string name;
  std::string execution;                       ///< "CPU, 2 threads"
  std::int64_t first_step = 0, last_step = 0;  ///< steps of this session
  double time_step_ps = 0;
  std::int64_t replicas = 0;  ///< 0: one simulation
  std::optional<StepTimeEstimate> prediction;
  std::optional<double> compared_step_seconds;        ///< measurement to compare with the estimate
  std::vector<std::pair<std::string, double>> parts;  ///< part of a step on a GPU, time [us]
  estimate::JobTime job_parts;                        ///< measured by the clock of rank 0
  bool is_profiled = false;
  LoadBalanceCounts load_balance;
  std::vector<RankPerformance> ranks;

  /// Mean over maximum of the ranks' busy times, 0 to 1.
  [[nodiscard]] double balance() const;
  /// Rank with the longest busy time.
  [[nodiscard]] int busiest_rank() const;
  /// Mean over ranks, by phase.
  [[nodiscard]] telemetry::PhaseSeconds mean_seconds() const;
  [[nodiscard]] double wall_seconds() const;
  /// Step time of the slowest rank, including waits.
  [[nodiscard]] double seconds_per_step() const;
  /// Sum over all replicas.
  [[nodiscard]] double simulated_ns() const;
  /// Energy of all GPUs; empty if it is unknown for one of them.
  [[nodiscard]] std::optional<double> joules() const;
};

/// Phase with the largest share of the time after the start, with advice.
struct Bottleneck {
  std::string phase;
  double share = 0;  ///< fraction of the time after the start
  std::string words, advice;
};
[[nodiscard]] Bottleneck find_bottleneck(const Performance& performance);

/// Phase with the largest of some times, and its fraction of their sum.
struct LargestPhase {
  telemetry::Phase phase;
  double share = 0;
};
/// otherwise: returned if no phase has more time.
[[nodiscard]] LargestPhase find_largest_phase(const telemetry::PhaseSeconds& seconds,
                                              telemetry::Phase otherwise);

/// Returns a phase as the subject of a sentence.
[[nodiscard]] std::string describe_phase(telemetry::Phase phase);
/// Returns a table of phases: mean, share, and the ranks with the least and the most.
[[nodiscard]] std::vector<std::string> phase_table(const std::vector<RankPerformance>& ranks);
/// Returns the lines of a report for people: the table of phases and the bottleneck.
[[nodiscard]] std::vector<std::string> performance_table(const Performance& performance);

/// Members of performance files of runs and of batches: format, version, name and so on; phases
/// with nonzero time, by name; the bottleneck; null for an unknown value.
[[nodiscard]] nlohmann::ordered_json heading_json(const Performance& performance);
[[nodiscard]] nlohmann::ordered_json phases_json(const telemetry::PhaseSeconds& seconds);
[[nodiscard]] nlohmann::ordered_json bottleneck_json(const Bottleneck& found);
[[nodiscard]] nlohmann::ordered_json json_or_null(std::optional<double> value);
/// Returns the text of NAME.performance.json.
[[nodiscard]] std::string performance_text(const Performance& performance);

/// Collective. Returns the names of waits of each rank (RankProfile, TracedSpan::call) on rank 0.
[[nodiscard]] std::vector<std::vector<std::string>> gather_calls(
    const comm::Communicator& communicator, const std::vector<std::string>& calls);

/// Writes NAME.performance.json, and NAME.trace.json unless the trace is empty. A failed write is
/// reported by a line in `lines`. what: "run" or "batch".
void write_performance_files(const status::OutputPaths& paths, const std::string& text,
                             const std::string& trace, const char* what,
                             std::vector<std::string>& lines);

/// Collective, at the end: gathers all ranks in performance.ranks on rank 0, writes the files and
/// returns the lines to print. A failed write is reported in a line and does not fail the run.
[[nodiscard]] std::vector<std::string> write_performance(const comm::Communicator& communicator,
                                                         const RankProfile& profile,
                                                         const RankPerformance& mine,
                                                         Performance performance,
                                                         const status::OutputPaths& paths);

}  // namespace nfold::job

// Sums over ranks and phases.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/performance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "core/host_name.hpp"
#include "device/device_memory.hpp"

namespace nfold::job {

using telemetry::Phase;

namespace {

constexpr std::array busy_phases{Phase::steps,     Phase::pair,   Phase::bonded,
                                 Phase::integrate, Phase::pack,   Phase::lists,
                                 Phase::plan,      Phase::device, Phase::exchange};

}  // namespace

RankPerformance rank_performance(const comm::Communicator& communicator,
                                 const telemetry::PhaseSums& sums, const RankGpu& gpu) {
  RankPerformance rank;
  auto name = fmt::format("rank {}", communicator.rank());
  if (communicator.node_position().size < communicator.size()) name += " " + core::host_name();
  std::copy_n(name.begin(), std::min(name.size(), rank.name.size() - 1), rank.name.begin());
  rank.seconds = telemetry::seconds_of_phases(sums);
  rank.waited = sums.waited;
  rank.clocked_steps = sums.sampled_steps;
  rank.memory_peak_bytes = device::device_bytes_peak();
  rank.joules = gpu.joules.value_or(-1);
  if (!gpu.uuid.empty()) rank.gpu = std::hash<std::string>{}(gpu.uuid) | 1U;
  return rank;
}

estimate::JobTime job_parts(const telemetry::PhaseSums& sums, bool of_replicas,
                            double seconds_before, double minimising_seconds) {
  constexpr double second = 1e9;  // [ns]
  const auto whole = [&](Phase phase) {
    return static_cast<double>(sums.whole[to_index(phase)]) / second;
  };
  estimate::JobTime time;
  time.start = seconds_before + whole(Phase::start) - minimising_seconds;
  time.minimising = minimising_seconds;
  // Frames are written while the state is gathered.
  time.frames = static_cast<double>(sums.own[to_index(Phase::frames)]) / second;
  time.energies = whole(Phase::output) - time.frames;
  time.observables = whole(Phase::analysis);
  if (of_replicas) time.observables += std::exchange(time.energies, 0.0);
  time.checkpoints = whole(Phase::checkpoint);
  time.analysis = whole(Phase::results);
  time.steps = seconds_before + static_cast<double>(sums.wall) / second - time.seconds();
  return time;
}

double RankPerformance::busy_seconds() const {
  double sum = 0;
  for (const auto phase : busy_phases) sum += of(phase);
  return sum;
}

double RankPerformance::step_seconds() const {
  return busy_seconds() + 1e-9 * static_cast<double>(waited[to_index(Phase::steps)]);
}

double RankPerformance::wall_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double Performance::balance() const {
  double sum = 0, most = 0;
  for (const auto& rank : ranks) {
    sum += rank.busy_seconds();
    most = std::max(most, rank.busy_seconds());
  }
  return most > 0 ? sum / most / static_cast<double>(ranks.size()) : 1;
}

int Performance::busiest_rank() const {
  const auto at = std::ranges::max_element(ranks, {}, &RankPerformance::busy_seconds);
  return static_cast<int>(at - ranks.begin());
}

telemetry::PhaseSeconds Performance::mean_seconds() const {
  telemetry::PhaseSeconds mean{};
  for (std::size_t phase = 0; phase < mean.size(); ++phase) {
    for (const auto& rank : ranks) mean[phase] += rank.seconds[phase];
    if (!ranks.empty()) mean[phase] /= static_cast<double>(ranks.size());
  }
  return mean;
}

double Performance::wall_seconds() const {
  double most = 0;
  for (const auto& rank : ranks) most = std::max(most, rank.wall_seconds());
  return most;
}

double Performance::seconds_per_step() const {
  const auto steps = last_step - first_step;
  double most = 0;
  for (const auto& rank : ranks) most = std::max(most, rank.step_seconds());
  return steps > 0 ? most / static_cast<double>(steps) : 0;
}

double Performance::simulated_ns() const {
  constexpr double nanosecond = 1e3;  // [ps]
  const auto copies = static_cast<double>(std::max<std::int64_t>(1, replicas));
  return copies * static_cast<double>(last_step - first_step) * time_step_ps / nanosecond;
}

std::optional<double> Performance::joules() const {
  std::map<std::uint64_t, double> of_gpu;
  for (const auto& rank : ranks) {
    if (rank.gpu == 0 || rank.joules < 0) return std::nullopt;
    double& most = of_gpu[rank.gpu];
    most = std::max(most, rank.joules);
  }
  double sum = 0;
  for (const auto& [gpu, joules] : of_gpu) sum += joules;
  return of_gpu.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace nfold::job

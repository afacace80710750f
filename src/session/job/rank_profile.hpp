// Phase times of one rank over a whole run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "core/telemetry/profiler.hpp"

namespace nfold::job {

/// Returns the number of spans of a phase that each of several profilers keeps for the timeline, so
/// that rank 0 can write all of them.
[[nodiscard]] std::size_t kept_spans(std::size_t profilers, std::size_t least);

enum class ProfileDetail {
  sums,     ///< total time of each phase
  timeline  ///< also parts of some steps, and a timeline of phases
};

/// Returns the phase that a wait belongs to.
[[nodiscard]] constexpr telemetry::Phase phase_of_wait(comm::WaitsFor whom) {
  return whom == comm::WaitsFor::ranks ? telemetry::Phase::wait : telemetry::Phase::device;
}

/// Profiler of the thread that creates it, active during its lifetime; one at a time. Waits are
/// timed separately.
class RankProfile final : private comm::WaitObserver {
 public:
  /// Collective: the clocks of all ranks start together.
  RankProfile(const comm::Communicator& communicator, ProfileDetail detail);
  ~RankProfile() override;
  RankProfile(const RankProfile&) = delete;
  RankProfile& operator=(const RankProfile&) = delete;

  [[nodiscard]] const telemetry::Profiler& profiler() const { return profiler_; }
  /// Stops the clock and returns the times of all phases.
  [[nodiscard]] telemetry::PhaseSums stop();
  [[nodiscard]] bool has_timeline() const { return detail_ == ProfileDetail::timeline; }
  /// Forwards phases to Kokkos profiling tools if there is a timeline. Call after Kokkos is
  /// initialised.
  void forward_to_kokkos_tools();

 private:
  void waited(comm::WaitsFor whom, const char* call, std::int64_t began_ns,
              std::int64_t ended_ns) override;

  ProfileDetail detail_;
  telemetry::Profiler profiler_;
  std::optional<telemetry::ActiveProfiler> active_;
};

}  // namespace nfold::job

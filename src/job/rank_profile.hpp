// One rank's clock of its phases, from the first moment of a run to the last.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "telemetry/profiler.hpp"

namespace nfold::job {

enum class ProfileDetail {
  sums,     ///< of phases
  timeline  ///< also some steps part by part, and which phase was when
};

/// For its life, in the thread that makes it; one at a time. Waits are counted by themselves.
class RankProfile final : private comm::WaitObserver {
 public:
  /// Collective: the clocks of all ranks begin together.
  RankProfile(const comm::Communicator& communicator, ProfileDetail detail);
  ~RankProfile() override;
  RankProfile(const RankProfile&) = delete;
  RankProfile& operator=(const RankProfile&) = delete;

  [[nodiscard]] const telemetry::Profiler& profiler() const { return profiler_; }
  /// The last moment: what comes is not clocked. All that was.
  [[nodiscard]] telemetry::PhaseSums stop();
  [[nodiscard]] bool has_timeline() const { return detail_ == ProfileDetail::timeline; }
  /// With a timeline, tools that profile Kokkos programs are told of phases, once Kokkos is there.
  void tell_tools();

 private:
  void waited(comm::WaitsFor whom, const char* call, Time began, Time ended) override;

  ProfileDetail detail_;
  telemetry::Profiler profiler_;
  std::optional<telemetry::ActiveProfiler> active_;
};

}  // namespace nfold::job

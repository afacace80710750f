// Connection of the profiler with waits of MPI and with Kokkos tools.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/rank_profile.hpp"

#include <algorithm>
#include <chrono>

#include "device/profiling_regions.hpp"

namespace nfold::job {
namespace {

/// Approximate number of spans of a phase that all ranks keep together, so that rank 0 can write
/// them.
constexpr int kept_spans_of_all = 65'536;
constexpr int most_kept_spans = 2'048, least_kept_spans = 32;

telemetry::ProfilerSettings settings_for(const comm::Communicator& communicator,
                                         ProfileDetail detail) {
  telemetry::ProfilerSettings settings;
  settings.clocks_steps = detail == ProfileDetail::timeline;
  if (settings.clocks_steps) {
    settings.kept_spans = static_cast<std::size_t>(
        std::clamp(kept_spans_of_all / communicator.size(), least_kept_spans, most_kept_spans));
  }
  communicator.barrier();
  return settings;
}

std::int64_t nanoseconds_of(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

RankProfile::RankProfile(const comm::Communicator& communicator, ProfileDetail detail)
    : detail_(detail), profiler_(settings_for(communicator, detail)) {
  active_.emplace(&profiler_);
  comm::set_wait_observer(this);
}

RankProfile::~RankProfile() { comm::set_wait_observer(nullptr); }

telemetry::PhaseSums RankProfile::stop() {
  comm::set_wait_observer(nullptr);
  active_.reset();
  return profiler_.sums();
}

void RankProfile::forward_to_kokkos_tools() {
  if (has_timeline()) profiler_.report_to({device::begin_region, device::end_region});
}

void RankProfile::waited(comm::WaitsFor whom, const char* call, Time began, Time ended) {
  const auto phase =
      whom == comm::WaitsFor::ranks ? telemetry::Phase::wait : telemetry::Phase::device;
  profiler_.waited(phase, call, nanoseconds_of(began), nanoseconds_of(ended));
}

}  // namespace nfold::job

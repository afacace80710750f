// Connection of the profiler with waits of MPI and with Kokkos tools.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/rank_profile.hpp"

#include <algorithm>

#include "device/profiling_regions.hpp"

namespace nfold::job {
namespace {

telemetry::ProfilerSettings settings_for(const comm::Communicator& communicator,
                                         ProfileDetail detail) {
  telemetry::ProfilerSettings settings;
  settings.clocks_steps = detail == ProfileDetail::timeline;
  if (settings.clocks_steps) {
    constexpr std::size_t least_kept_spans = 32;
    settings.kept_spans =
        kept_spans(static_cast<std::size_t>(communicator.size()), least_kept_spans);
  }
  communicator.barrier();
  return settings;
}

}  // namespace

std::size_t kept_spans(std::size_t profilers, std::size_t least) {
  constexpr std::size_t kept_spans_of_all = 65'536, most_kept_spans = 2'048;
  return std::clamp(kept_spans_of_all / std::max<std::size_t>(1, profilers), least,
                    most_kept_spans);
}

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

void RankProfile::waited(comm::WaitsFor whom, const char* call, std::int64_t began_ns,
                         std::int64_t ended_ns) {
  profiler_.waited(phase_of_wait(whom), call, began_ns, ended_ns);
}

}  // namespace nfold::job

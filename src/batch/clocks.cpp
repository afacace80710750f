// Switching of clocks, and the records kept of a target when it ends.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/clocks.hpp"

#include <algorithm>
#include <limits>

#include "core/clock.hpp"
#include "session/job/rank_profile.hpp"

namespace nfold::batch {
namespace {

using telemetry::Phase;
using telemetry::Profiler;

constexpr std::size_t least_kept_spans = 1;

telemetry::ProfilerSettings settings_of_own(const comm::Communicator& world, bool has_timeline) {
  world.barrier();
  telemetry::ProfilerSettings settings;
  if (has_timeline)
    settings.kept_spans = job::kept_spans(static_cast<std::size_t>(world.size()), least_kept_spans);
  return settings;
}

}  // namespace

BatchClocks::BatchClocks(const comm::Communicator& world, bool has_timeline)
    : has_timeline_(has_timeline),
      ranks_(world.size()),
      own_(settings_of_own(world, has_timeline)),
      running_(&own_) {
  Profiler::active() = &own_;
  comm::set_wait_observer(this);
}

BatchClocks::~BatchClocks() {
  comm::set_wait_observer(nullptr);
  Profiler::active() = nullptr;
}

void BatchClocks::set_target_count(std::size_t targets) {
  if (!has_timeline_) return;
  kept_spans_ =
      job::kept_spans(std::max(targets, static_cast<std::size_t>(ranks_)), least_kept_spans);
}

void BatchClocks::report_to(const telemetry::RegionTools& tools) {
  tools_ = tools;
  own_.report_to(tools);
}

ClockedRank BatchClocks::stop() {
  comm::set_wait_observer(nullptr);
  Profiler::active() = nullptr;
  clocked_.without_target = own_.sums();
  clocked_.own_spans = own_.timeline();
  return std::move(clocked_);
}

BatchClocks::Turn BatchClocks::exchange(const Turn& next) {
  const Turn before = turn();
  if (next.clock != running_) {
    if (running_ != nullptr) {
      running_->pause();
    } else {
      divide_wait(core::nanoseconds_now() - all_wait_since_ns_);
    }
    if (next.clock != nullptr) {
      next.clock->resume();
    } else {
      all_wait_since_ns_ = core::nanoseconds_now();
    }
    running_ = next.clock;
  }
  Profiler::active() = next.receiver;
  return before;
}

/// Divides a wait among the open targets by weight. Each adds its part to its current phase.
void BatchClocks::divide_wait(std::int64_t ns) {
  double all = 0;
  for (const auto& open : open_) all += open.weight;
  for (auto& open : open_) {
    open.profiler.add_time(static_cast<std::int64_t>(static_cast<double>(ns) * open.weight / all));
  }
}

/// Records a wait of the running target. Waits without a target keep the phase of their span.
void BatchClocks::waited(comm::WaitsFor whom, const char* call, std::int64_t began_ns,
                         std::int64_t ended_ns) {
  if (running_ == nullptr || running_ == &own_) return;
  running_->waited(job::phase_of_wait(whom), call, began_ns, ended_ns);
}

std::int32_t BatchClocks::free_lane() const {
  std::int32_t lane = 0;
  while (std::any_of(open_.begin(), open_.end(),
                     [lane](const auto& open) { return open.lane == lane; })) {
    ++lane;
  }
  return lane;
}

void BatchClocks::record(const OpenTarget& open) {
  const auto& profiler = open.profiler;
  const auto sums = profiler.sums();
  TargetInterval share;
  share.target = open.number;
  share.lane = open.lane;
  share.begin_ns = profiler.began_ns() - own_.began_ns();
  share.length_ns = core::nanoseconds_now() - profiler.began_ns();
  share.seconds = telemetry::seconds_of_phases(sums);
  clocked_.clocked_steps += sums.sampled_steps;
  if (has_timeline_) {
    std::vector<std::uint8_t> numbers;  // index + 1 of each call of the target in calls
    auto& calls = clocked_.calls;
    for (const auto& call : profiler.calls()) {
      auto at = std::find(calls.begin(), calls.end(), call);
      if (at == calls.end()) at = calls.insert(at, call);
      constexpr std::ptrdiff_t most = std::numeric_limits<std::uint8_t>::max();
      numbers.push_back(static_cast<std::uint8_t>(std::min(at - calls.begin() + 1, most)));
    }
    for (auto span : profiler.timeline()) {
      span.begin_ns += share.begin_ns;
      if (span.call > 0) span.call = numbers[span.call - 1U];
      clocked_.spans.push_back(span);
      ++share.spans;
    }
  }
  clocked_.shares.push_back(share);
}

BatchClocks::Target::Target(BatchClocks& clocks, std::size_t target, double weight,
                            const std::string& name)
    : clocks_(clocks) {
  telemetry::ProfilerSettings settings;
  settings.clocks_steps = clocks.has_timeline_;
  settings.kept_spans = clocks.kept_spans_;
  open_ = clocks.open_.insert(
      clocks.open_.end(), OpenTarget{static_cast<std::int32_t>(target), clocks.free_lane(), weight,
                                     Profiler(settings)});
  auto& own = open_->profiler;
  own.pause();
  own.report_to(clocks.tools_, name);
  before_ = clocks.exchange({&own, &own});
}

BatchClocks::Target::~Target() {
  clocks_.exchange(before_);
  clocks_.record(*open_);
  clocks_.open_.erase(open_);
}

}  // namespace nfold::batch

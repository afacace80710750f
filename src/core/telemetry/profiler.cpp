// Frames of open spans, sums of closed ones, and the choice of timed steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/profiler.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace nfold::telemetry {
namespace {

/// About one step in this time is timed. The cost, some microseconds with threads, is then below a
/// thousandth.
constexpr std::int64_t clocked_every_ns = 4'000'000;
/// Used until the time of a step is known.
constexpr std::int64_t first_stride = 16;
constexpr std::int64_t longest_stride = std::int64_t{1} << 20U;
/// Minimum length of a wait in an untimed step that enters the timeline.
constexpr std::int64_t long_wait_ns = 1'000'000;

}  // namespace

Profiler::Profiler(const ProfilerSettings& settings)
    : settings_(settings), began_ns_(settings.now()), stride_(first_stride) {
  frames_.reserve(16);
  if (settings_.kept_spans == 0) return;
  outer_.assign(phase_count, ThinnedSpans(settings_.kept_spans));
  inner_ = outer_;
}

void Profiler::begin(Phase phase, std::int64_t step) {
  // A part of a timed step belongs to that step; lists and plans within it are counted separately.
  const bool is_sampled = is_in_clocked_step() && is_part_of_step(phase);
  const bool is_reported = tools_.begin != nullptr;
  if (is_reported) tools_.begin(phase_name(phase));
  frames_.push_back({phase, is_sampled, is_reported, settings_.now(), 0, step});
}

void Profiler::end() {
  const std::int64_t now = settings_.now();
  const Frame frame = frames_.back();
  frames_.pop_back();
  const std::int64_t length_ns = now - frame.begin_ns;
  count(frame.phase, length_ns - frame.within_ns, frame.is_sampled);
  if (frames_.empty()) {
    sums_.whole[to_index(frame.phase)] += length_ns;
    if (frame.phase == Phase::steps) choose_stride(length_ns);
  } else {
    frames_.back().within_ns += length_ns;
  }
  if (frame.is_reported) tools_.end();
  trace({frame.begin_ns - began_ns_, length_ns, frame.step, frame.phase, 0});
}

bool Profiler::begin_step(std::int64_t step) {
  ++steps_;
  if (!settings_.clocks_steps || (step & (stride_ - 1)) != 0) return false;
  begin(Phase::steps, step);
  frames_.back().is_sampled = true;
  ++sums_.sampled_steps;
  return true;
}

/// Adds to the sums. The rest of a timed step, like that of other steps, is divided among its parts
/// later.
void Profiler::count(Phase phase, std::int64_t own_ns, bool is_sampled) {
  auto& sums = is_sampled && is_part_of_step(phase) ? sums_.sampled : sums_.own;
  sums[to_index(phase)] += own_ns;
}

void Profiler::report_to(const RegionTools& tools, std::string around) {
  tools_ = tools;
  around_ = std::move(around);
  if (paused_ns_ < 0 && tools_.begin != nullptr && !around_.empty()) tools_.begin(around_.c_str());
}

/// Reports open spans as regions.
void Profiler::begin_regions() {
  if (tools_.begin == nullptr) return;
  if (!around_.empty()) tools_.begin(around_.c_str());
  for (const auto& frame : frames_) {
    if (frame.is_reported) tools_.begin(phase_name(frame.phase));
  }
}
void Profiler::end_regions() {
  if (tools_.begin == nullptr) return;
  for (const auto& frame : frames_) {
    if (frame.is_reported) tools_.end();
  }
  if (!around_.empty()) tools_.end();
}

void Profiler::pause() {
  end_regions();
  paused_ns_ = settings_.now();
}
void Profiler::resume() {
  add_time(paused_ns_ - settings_.now());
  paused_ns_ = -1;
  begin_regions();
}

void Profiler::add_time(std::int64_t ns) {
  paused_total_ns_ -= ns;
  if (!frames_.empty()) frames_.back().within_ns -= ns;
}

void Profiler::waited(Phase phase, const char* call, std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t length_ns = end_ns - begin_ns;
  sums_.own[to_index(phase)] += length_ns;
  if (!frames_.empty()) {
    frames_.back().within_ns += length_ns;
    if (phase == Phase::wait) sums_.waited[to_index(frames_.front().phase)] += length_ns;
  }
  if (settings_.kept_spans == 0 || (!clocks_parts() && length_ns < long_wait_ns)) return;
  trace({begin_ns - began_ns_, length_ns, -1, phase, call_number(call)});
}

/// Records a closed span, within the open frames.
void Profiler::trace(const TracedSpan& span) {
  if (settings_.kept_spans == 0) return;
  const auto phase = to_index(span.phase);
  if (frames_.empty()) return outer_[phase].add({&span, 1});
  if (frames_.size() > 1) {
    if (unit_.size() + 1 < settings_.kept_spans) unit_.push_back(span);
    return;
  }
  unit_.push_back(span);
  inner_[phase].add(unit_);
  unit_.clear();
}

void Profiler::choose_stride(std::int64_t ns) {
  steps_ns_ += ns;
  if (steps_ == 0) return;
  const auto step_ns = std::max<std::int64_t>(1, steps_ns_ / steps_);
  const auto steps = std::clamp<std::int64_t>(clocked_every_ns / step_ns, 1, longest_stride);
  stride_ = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(steps)));
}

/// Names beyond the range of the number share the last one.
std::uint8_t Profiler::call_number(const char* call) {
  auto at = std::find(calls_.begin(), calls_.end(), call);
  if (at == calls_.end() && calls_.size() < std::numeric_limits<std::uint8_t>::max()) {
    call_names_.emplace_back(call);
    at = calls_.insert(calls_.end(), call);
  }
  return static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(at - calls_.begin() + 1, 255));
}

PhaseSums Profiler::sums() const {
  auto sums = sums_;
  const std::int64_t now = paused_ns_ < 0 ? settings_.now() : paused_ns_;
  sums.wall = now - began_ns_ - paused_total_ns_;
  std::int64_t within_ns = 0;  // for the frame above
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const std::int64_t length_ns = now - frame->begin_ns;
    sums.own[to_index(frame->phase)] += length_ns - frame->within_ns - within_ns;
    within_ns = length_ns;
  }
  return sums;
}

std::vector<TracedSpan> Profiler::timeline() const {
  std::vector<TracedSpan> all;
  for (const auto* const store : {&outer_, &inner_}) {
    for (const auto& spans : *store) spans.append_to(all);
  }
  std::stable_sort(all.begin(), all.end(), [](const TracedSpan& a, const TracedSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.length_ns > b.length_ns;
  });
  return all;
}

}  // namespace nfold::telemetry

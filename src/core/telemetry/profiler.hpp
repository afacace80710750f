// Profiler of a rank's phases: sums always, single steps and a timeline on request.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/telemetry/phases.hpp"
#include "core/telemetry/thinned_spans.hpp"

namespace nfold::telemetry {

/// Time of a monotonic clock [ns].
using NanosecondClock = std::int64_t (*)();

struct ProfilerSettings {
  bool clocks_steps = false;   ///< times some of the steps, part by part
  std::size_t kept_spans = 0;  ///< per phase, for the timeline; 0: no timeline
  NanosecondClock now = core::nanoseconds_now;
};

/// Callbacks that report spans to profiling tools.
struct RegionTools {
  void (*begin)(const char* name) = nullptr;  ///< null: none
  void (*end)() = nullptr;
};

/// Clock of nested spans. The sum of a phase is its own time, without nested spans. Used only in
/// the thread that it is active in.
class Profiler {
 public:
  explicit Profiler(const ProfilerSettings& settings);
  /// Reports spans that begin from now on to tools, and a region around all of them if it has a
  /// name.
  void report_to(const RegionTools& tools, std::string around = {});

  /// Returns the profiler of this thread; null: nothing is timed.
  [[nodiscard]] static Profiler*& active() {
    static thread_local Profiler* profiler = nullptr;
    return profiler;
  }

  void begin(Phase phase, std::int64_t step = -1);
  void end();
  /// Begins a step within Phase::steps. Returns true if it is timed part by part; end() then ends
  /// it.
  [[nodiscard]] bool begin_step(std::int64_t step);
  /// True if parts of steps are timed now: false within an untimed step.
  [[nodiscard]] bool clocks_parts() const {
    return frames_.empty() || frames_.back().phase != Phase::steps || frames_.back().is_sampled;
  }
  /// True within a step that is timed part by part.
  [[nodiscard]] bool is_in_clocked_step() const {
    return !frames_.empty() && frames_.back().is_sampled;
  }
  /// Changes the phase of the open span.
  void rename(Phase phase) { frames_.back().phase = phase; }
  /// Excludes the time until resume(), except for that added by add_time(): several tasks of a
  /// thread have a profiler each. Open spans continue in the timeline; tools, which need nested
  /// regions, get their ends and new beginnings.
  void pause();
  void resume();
  /// Adds time to the open span while paused [ns].
  void add_time(std::int64_t ns);

  /// Records a closed wait of this phase. call: its name, which lives as long as the program.
  void waited(Phase phase, const char* call, std::int64_t begin_ns, std::int64_t end_ns);

  /// Returns the sums up to now, or up to the pause.
  [[nodiscard]] PhaseSums sums() const;
  /// Returns the origin of the timeline [ns].
  [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
  /// Returns spans in the order of their beginnings, outer ones before inner ones.
  [[nodiscard]] std::vector<TracedSpan> timeline() const;
  /// Names of waits; TracedSpan::call is the index + 1.
  [[nodiscard]] const std::vector<std::string>& calls() const { return call_names_; }

 private:
  struct Frame {
    Phase phase;
    bool is_sampled, is_reported;
    std::int64_t begin_ns, within_ns, step;
  };
  void count(Phase phase, std::int64_t own_ns, bool is_sampled);
  void trace(const TracedSpan& span);
  void choose_stride(std::int64_t ns);
  void begin_regions();
  void end_regions();
  [[nodiscard]] std::uint8_t call_number(const char* call);

  ProfilerSettings settings_;
  RegionTools tools_;
  std::string around_;                      // region around all reported spans
  std::int64_t began_ns_, paused_ns_ = -1;  // -1: not paused
  std::int64_t paused_total_ns_ = 0;        // time excluded by pauses
  PhaseSums sums_;
  std::vector<Frame> frames_;
  std::int64_t stride_, steps_ = 0, steps_ns_ = 0;  // stride of timed steps; all steps so far
  // Outermost spans; spans within them, in units of the spans one level below with their contents.
  std::vector<ThinnedSpans> outer_, inner_;  // by phase
  std::vector<TracedSpan> unit_;
  std::vector<const char*> calls_;
  std::vector<std::string> call_names_;
};

/// Makes a profiler the one of this thread for its lifetime; null: none.
class ActiveProfiler {
 public:
  explicit ActiveProfiler(Profiler* profiler) : before_(Profiler::active()) {
    Profiler::active() = profiler;
  }
  ~ActiveProfiler() { Profiler::active() = before_; }
  ActiveProfiler(const ActiveProfiler&) = delete;
  ActiveProfiler& operator=(const ActiveProfiler&) = delete;

 private:
  Profiler* before_;
};

/// Span of a phase in this thread, for its lifetime.
class PhaseSpan {
 public:
  explicit PhaseSpan(Phase phase, std::int64_t step = -1) : PhaseSpan(Profiler::active()) {
    if (profiler_ != nullptr) profiler_->begin(phase, step);
  }
  ~PhaseSpan() {
    if (profiler_ != nullptr) profiler_->end();
  }
  PhaseSpan(const PhaseSpan&) = delete;
  PhaseSpan& operator=(const PhaseSpan&) = delete;

 protected:
  /// Begins nothing. Ends the open span of the profiler, unless it is null.
  explicit PhaseSpan(Profiler* profiler) : profiler_(profiler) {}

  Profiler* profiler_;
};

/// Span of a part of a step, for its lifetime; timed in some steps only.
class PartSpan : private PhaseSpan {
 public:
  explicit PartSpan(Phase part) : PhaseSpan(Profiler::active()) {
    if (profiler_ != nullptr && !profiler_->clocks_parts()) profiler_ = nullptr;
    if (profiler_ != nullptr) profiler_->begin(part);
  }
};

/// Span of a step, for its lifetime.
class StepSpan : private PhaseSpan {
 public:
  explicit StepSpan(std::int64_t step) : PhaseSpan(Profiler::active()) {
    if (profiler_ != nullptr && !profiler_->begin_step(step)) profiler_ = nullptr;
  }
};

/// True if parts of a step that are usually computed together should be computed separately, to
/// time them.
[[nodiscard]] inline bool parts_are_clocked() {
  const auto* const profiler = Profiler::active();
  return profiler != nullptr && profiler->is_in_clocked_step();
}

}  // namespace nfold::telemetry

// Clocks the phases of a rank: sums always, single steps and a timeline where a profile is asked
// for. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/phases.hpp"
#include "telemetry/thinned_spans.hpp"

namespace nfold::telemetry {

/// Nanoseconds of a clock that never goes back.
using NanosecondClock = std::int64_t (*)();
/// std::chrono::steady_clock.
[[nodiscard]] std::int64_t steady_nanoseconds();

struct ProfilerSettings {
  bool clocks_steps = false;   ///< some of the steps, part by part
  std::size_t kept_spans = 0;  ///< of each phase, for the timeline; 0: there is none
  NanosecondClock now = steady_nanoseconds;
};

/// How others' tools are told of spans.
struct RegionTools {
  void (*begin)(const char* name) = nullptr;  ///< null: there are none
  void (*end)() = nullptr;
};

/// Spans lie within each other. A phase's sum is its own time, without that of spans within. In the
/// thread that it is active in.
class Profiler {
 public:
  explicit Profiler(const ProfilerSettings& settings);
  /// Of spans that begin from now on, and of one about all of these where it has a name.
  void tell(const RegionTools& tools, std::string around = {});

  /// Of this thread; null: nothing is clocked.
  [[nodiscard]] static Profiler*& active() {
    static thread_local Profiler* profiler = nullptr;
    return profiler;
  }

  void begin(Phase phase, std::int64_t step = -1);
  void end();
  /// A step begins within Phase::steps: whether it is clocked part by part. If so, end_step() ends
  /// it.
  [[nodiscard]] bool begin_step(std::int64_t step);
  void end_step();
  /// Whether parts of a step are clocked now: not within a step that is not.
  [[nodiscard]] bool clocks_parts() const {
    return frames_.empty() || frames_.back().phase != Phase::steps || frames_.back().is_sampled;
  }
  /// Whether a step is being clocked part by part.
  [[nodiscard]] bool is_in_clocked_step() const {
    return !frames_.empty() && frames_.back().is_sampled;
  }
  /// What is under way turns out to be of this phase.
  void rename(Phase phase) { frames_.back().phase = phase; }
  /// What passes until resume() is none of its time, but for what is given to it: several works of
  /// a thread have a profiler each. Its spans go on in the timeline; tools, which want regions
  /// within each other, are told of ends and new beginnings.
  void pause();
  void resume();
  /// While it pauses: so much of that time is of what is under way all the same.
  void give(std::int64_t ns);

  /// A wait that has ended, of this phase. call: its name, which lives as long as the program.
  void waited(Phase phase, const char* call, std::int64_t begin_ns, std::int64_t end_ns);

  /// Up to now, or to when it paused.
  [[nodiscard]] PhaseSums sums() const;
  /// The moment that spans of the timeline are told from.
  [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
  /// By their beginnings; those that hold others first.
  [[nodiscard]] std::vector<TracedSpan> timeline() const;
  /// Names of waits, by TracedSpan::call - 1.
  [[nodiscard]] const std::vector<std::string>& calls() const { return call_names_; }

 private:
  struct Frame {
    Phase phase;
    bool is_sampled, is_told;
    std::int64_t begin_ns, within_ns, step;
  };
  void count(Phase phase, std::int64_t own_ns, bool is_sampled);
  void trace(const TracedSpan& span);
  void choose_stride(std::int64_t ns);
  void begin_told();
  void end_told();
  [[nodiscard]] std::uint8_t number_of(const char* call);

  ProfilerSettings settings_;
  RegionTools tools_;
  std::string around_;                      // the region about all that is told
  std::int64_t began_ns_, paused_ns_ = -1;  // -1: it runs
  std::int64_t away_ns_ = 0;                // of others' time
  PhaseSums sums_;
  std::vector<Frame> frames_;
  std::int64_t stride_, steps_ = 0, steps_ns_ = 0;  // of clocked steps; of all up to now
  // Outermost spans; what is within them, in units of the spans one below and what is in those.
  std::vector<ThinnedSpans> outer_, inner_;  // by phase
  std::vector<TracedSpan> unit_;
  std::vector<const char*> calls_;
  std::vector<std::string> call_names_;
};

/// For its life, the profiler of this thread; null: none.
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

/// In its life this thread is in a phase.
class PhaseSpan {
 public:
  explicit PhaseSpan(Phase phase, std::int64_t step = -1) : profiler_(Profiler::active()) {
    if (profiler_ != nullptr) profiler_->begin(phase, step);
  }
  ~PhaseSpan() {
    if (profiler_ != nullptr) profiler_->end();
  }
  PhaseSpan(const PhaseSpan&) = delete;
  PhaseSpan& operator=(const PhaseSpan&) = delete;

 private:
  Profiler* profiler_;
};

/// The same of a part of a step: clocked in some steps only.
class PartSpan {
 public:
  explicit PartSpan(Phase part) : profiler_(Profiler::active()) {
    if (profiler_ != nullptr && !profiler_->clocks_parts()) profiler_ = nullptr;
    if (profiler_ != nullptr) profiler_->begin(part);
  }
  ~PartSpan() {
    if (profiler_ != nullptr) profiler_->end();
  }
  PartSpan(const PartSpan&) = delete;
  PartSpan& operator=(const PartSpan&) = delete;

 private:
  Profiler* profiler_;
};

/// In its life a step is made.
class StepSpan {
 public:
  explicit StepSpan(std::int64_t step) : profiler_(Profiler::active()) {
    if (profiler_ != nullptr && !profiler_->begin_step(step)) profiler_ = nullptr;
  }
  ~StepSpan() {
    if (profiler_ != nullptr) profiler_->end_step();
  }
  StepSpan(const StepSpan&) = delete;
  StepSpan& operator=(const StepSpan&) = delete;

 private:
  Profiler* profiler_;
};

/// Whether parts of a step that are made in one go are to be made apart, for the clock.
[[nodiscard]] inline bool parts_are_clocked() {
  const auto* const profiler = Profiler::active();
  return profiler != nullptr && profiler->is_in_clocked_step();
}

}  // namespace nfold::telemetry

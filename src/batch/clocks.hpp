// Clocks of one rank of a batch: one for each target, and one for time without a target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "core/telemetry/profiler.hpp"

namespace nfold::batch {

/// Time of one rank on one target. Trivially copyable for MPI.
struct TargetInterval {
  std::int32_t target = 0;
  std::int32_t lane = 0;  ///< Track of the timeline among concurrent targets, from 0.
  std::int64_t begin_ns = 0,
               length_ns = 0;         ///< From the clocks' start, with other turns.
  telemetry::PhaseSeconds seconds{};  ///< Excludes other turns.
  std::int64_t spans = 0;             ///< Number of its spans in ClockedRank::spans.
};

/// All times recorded by one rank.
struct ClockedRank {
  telemetry::PhaseSums without_target;
  std::vector<TargetInterval> shares;            ///< Ordered by end time.
  std::int64_t clocked_steps = 0;                ///< Steps whose parts were timed separately.
  std::vector<telemetry::TracedSpan> own_spans;  ///< Spans without a target.
  std::vector<telemetry::TracedSpan> spans;  ///< Spans of all shares, concatenated in their order.
  std::vector<std::string> calls;            ///< Names of waits, indexed by TracedSpan::call - 1.
};

/// Clocks of one rank, of which one runs at a time: that of the target whose turn it is, or the one
/// without a target. Time during which all interleaved targets wait is divided among them. Used by
/// the constructing thread only. One instance at a time. Must outlive the objects that refer to it.
class BatchClocks final : private comm::WaitObserver {
  struct OpenTarget;

 public:
  /// Starts the clocks of all ranks together. Collective. has_timeline: keeps spans and times the
  /// parts of some steps.
  BatchClocks(const comm::Communicator& world, bool has_timeline);
  ~BatchClocks() override;
  BatchClocks(const BatchClocks&) = delete;
  BatchClocks& operator=(const BatchClocks&) = delete;

  [[nodiscard]] bool has_timeline() const { return has_timeline_; }
  /// Sets the profiling tools that receive the spans, also those of each later target.
  void report_to(const telemetry::RegionTools& tools);
  /// Sets the number of targets, which divides the number of spans kept for each.
  void set_target_count(std::size_t targets);
  /// Stops all clocks and returns what they recorded.
  [[nodiscard]] ClockedRank stop();

  /// Running clock, and the profiler that receives spans.
  struct Turn {
    telemetry::Profiler *clock = nullptr, *receiver = nullptr;
  };
  [[nodiscard]] Turn turn() const { return {running_, telemetry::Profiler::active()}; }
  /// Switches to `next` and returns the turn before. Called when control passes between targets.
  Turn exchange(const Turn& next);

  /// Scope in which the rank works on a target.
  class Target {
   public:
    /// weight: relative share of the time during which all targets wait. name: for profiling tools.
    Target(BatchClocks& clocks, std::size_t target, double weight, const std::string& name);
    ~Target();
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

   private:
    BatchClocks& clocks_;
    std::list<OpenTarget>::iterator open_;
    Turn before_;
  };

  /// Scope in which all targets wait for their replicas, except during a turn of one of them.
  class AllWait {
   public:
    explicit AllWait(BatchClocks& clocks) : clocks_(clocks), before_(clocks.exchange({})) {}
    ~AllWait() { clocks_.exchange(before_); }
    AllWait(const AllWait&) = delete;
    AllWait& operator=(const AllWait&) = delete;

   private:
    BatchClocks& clocks_;
    Turn before_;
  };

  /// Renames the current span from drawing to waiting for the other ranks of the target.
  void mark_draw_as_join() { own_.rename(telemetry::Phase::join); }

 private:
  struct OpenTarget {
    std::int32_t number, lane;
    double weight;
    telemetry::Profiler profiler;
  };

  void waited(comm::WaitsFor whom, const char* call, std::int64_t began_ns,
              std::int64_t ended_ns) override;
  void divide_wait(std::int64_t ns);
  void record(const OpenTarget& open);
  [[nodiscard]] std::int32_t free_lane() const;

  bool has_timeline_;
  int ranks_;
  telemetry::RegionTools tools_;
  std::size_t kept_spans_ = 0;              // for each phase of a target
  telemetry::Profiler own_;                 // without a target
  telemetry::Profiler* running_ = nullptr;  // null: all targets wait
  std::int64_t all_wait_since_ns_ = 0;
  std::list<OpenTarget> open_;
  ClockedRank clocked_;
};

}  // namespace nfold::batch

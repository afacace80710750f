// One rank's clocks of a batch: of each target that it works on, and of what it does without one.
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
#include "telemetry/profiler.hpp"

namespace nfold::batch {

/// Time of one rank on one target; plain numbers, which travel.
struct TargetShare {
  std::int32_t target = 0;
  std::int32_t lane = 0;                     ///< beside which others it was at work, from 0
  std::int64_t begin_ns = 0, length_ns = 0;  ///< from the first moment; with the turns of others
  telemetry::PhaseSeconds seconds{};         ///< its own
  std::int64_t spans = 0;                    ///< of the timeline, in those of all shares
};

/// What a rank has clocked.
struct ClockedRank {
  telemetry::PhaseSums without_target;
  std::vector<TargetShare> shares;               ///< by their ends
  std::int64_t clocked_steps = 0;                ///< part by part
  std::vector<telemetry::TracedSpan> own_spans;  ///< without a target
  std::vector<telemetry::TracedSpan> spans;      ///< of the shares, one after another
  std::vector<std::string> calls;                ///< names of waits, by TracedSpan::call - 1
};

/// At any moment one clock of the rank runs: that of the target whose turn it is, or the one of
/// time without a target. While all targets in turn wait, what passes is shared out among them. In
/// the thread that makes it; one at a time; it outlives what refers to it.
class BatchClocks final : private comm::WaitObserver {
  struct OpenTarget;

 public:
  /// Collective: the clocks of all ranks begin together. With a timeline, spans are kept, and some
  /// steps are clocked part by part.
  BatchClocks(const comm::Communicator& world, bool has_timeline);
  ~BatchClocks() override;
  BatchClocks(const BatchClocks&) = delete;
  BatchClocks& operator=(const BatchClocks&) = delete;

  [[nodiscard]] bool has_timeline() const { return has_timeline_; }
  /// Tools are told of spans from now on, and of each target about its own.
  void tell(const telemetry::RegionTools& tools);
  /// Once it is known how many share the spans that are kept.
  void expect(std::size_t targets);
  /// The last moment: what comes is not clocked.
  [[nodiscard]] ClockedRank stop();

  /// Whose clock runs, and who is told of spans.
  struct Turn {
    telemetry::Profiler *clock = nullptr, *told = nullptr;
  };
  [[nodiscard]] Turn turn() const { return {running_, telemetry::Profiler::active()}; }
  /// Where control goes to a target in turn or comes back: `next` from now on. Whose turn it was.
  Turn exchange(const Turn& next);

  /// In its life the rank works on a target.
  class Target {
   public:
    /// weight: its part of what passes while several wait, in any unit. name: for tools.
    Target(BatchClocks& clocks, std::size_t target, double weight, const std::string& name);
    ~Target();
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

   private:
    BatchClocks& clocks_;
    std::list<OpenTarget>::iterator open_;
    Turn before_;
  };

  /// In its life all targets wait for their replicas, but for those that have their turn meanwhile.
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

  /// A draw, which is under way, was a wait for those who share the target.
  void drew_with_others() { own_.rename(telemetry::Phase::join); }

 private:
  struct OpenTarget {
    std::int32_t number, lane;
    double weight;
    telemetry::Profiler profiler;
  };

  void waited(comm::WaitsFor whom, const char* call, Time began, Time ended) override;
  void share_out(std::int64_t ns);
  void record(const OpenTarget& open);
  [[nodiscard]] std::int32_t free_lane() const;

  bool has_timeline_;
  int ranks_;
  telemetry::RegionTools tools_;
  std::size_t kept_spans_ = 0;              // of each phase of a target
  telemetry::Profiler own_;                 // without a target
  telemetry::Profiler* running_ = nullptr;  // null: all wait
  std::int64_t all_wait_since_ns_ = 0;
  std::list<OpenTarget> open_;
  ClockedRank clocked_;
};

}  // namespace nfold::batch

// Limits on the time that a rank waits for other ranks, watched by one thread.
// SPDX-License-Identifier: BSD-3-Clause
//
// A stalled rank (stopped, swapped out, its disk hung) leaves the others in MPI calls that never
// return, and no message reaches them. A rank that has waited too long in one call reports the rank
// that it waits for (stall_report.hpp) and ends its process with code 3; mpirun then ends the
// others.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "comm/stall_report.hpp"

namespace nfold::comm {

/// Ten minutes: longer than rank 0 takes to write a frame or to build a system of 10^8 residues.
inline constexpr std::chrono::seconds default_wait_limit{600};

/// Sets the limit of this process from now on; zero: no limit.
void set_wait_limit(std::chrono::duration<double> limit);
/// Sets the activity of this process for messages, such as "writing a checkpoint" (the text must
/// live as long as the program), and the step of the system.
void set_wait_phase(const char* phase, std::int64_t step);
/// Updates the step within the same phase.
void set_wait_step(std::int64_t step);
/// Returns the phase set last; empty before the first.
[[nodiscard]] const char* wait_phase();

enum class WaitsFor { ranks, own_device };

/// Observer called at the end of each outermost wait, on the thread that calls MPI. Times are of
/// core::nanoseconds_now().
class WaitObserver {
 public:
  virtual ~WaitObserver() = default;
  virtual void waited(WaitsFor whom, const char* call, std::int64_t began_ns,
                      std::int64_t ended_ns) = 0;
};
/// Sets the observer from now on; null: none.
void set_wait_observer(WaitObserver* observer);

/// Marks a wait for other ranks for its lifetime; nested ones count as part of the outermost. Costs
/// two clock reads and two memory writes, and a copy of the call's name if it changed. Only in the
/// thread that calls MPI.
class Waiting {
 public:
  /// call: such as "a sum over ranks"; lives as long as the program.
  explicit Waiting(const char* call) : Waiting(call, WaitsFor::ranks) {}
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  friend class WaitingForDevice;
  Waiting(const char* call, WaitsFor whom);

  const char* call_;
  WaitsFor whom_;
  bool is_outermost_;
  std::int64_t began_ns_ = 0;
};

/// Returns the total time of all outermost waits of this process so far [s]. Only in the thread
/// that calls MPI.
[[nodiscard]] double waited_seconds();

/// Marks a wait for this rank's own GPU for its lifetime.
class WaitingForDevice {
 public:
  WaitingForDevice();
  ~WaitingForDevice();
  WaitingForDevice(const WaitingForDevice&) = delete;
  WaitingForDevice& operator=(const WaitingForDevice&) = delete;

 private:
  Waiting waiting_;
};

/// Lifts the wait limit for its lifetime: another rank does work of unknown duration.
class WaitingWithoutLimit {
 public:
  WaitingWithoutLimit();
  ~WaitingWithoutLimit();
  WaitingWithoutLimit(const WaitingWithoutLimit&) = delete;
  WaitingWithoutLimit& operator=(const WaitingWithoutLimit&) = delete;
};

/// Restores the wait limit for its lifetime within a WaitingWithoutLimit: for ranks of a group that
/// work together while not all ranks do.
class WaitingWithLimit {
 public:
  WaitingWithLimit();
  ~WaitingWithLimit();
  WaitingWithLimit(const WaitingWithLimit&) = delete;
  WaitingWithLimit& operator=(const WaitingWithLimit&) = delete;

 private:
  int without_limit_before_;
};

/// Sets, for its lifetime, the function that handles the message of a process that gives up. Called
/// from another thread than the stalled one and given two seconds. One at a time.
class StallHandler {
 public:
  using Words = std::function<void(const StallReport& standstill)>;
  explicit StallHandler(Words last_words);
  ~StallHandler();
  StallHandler(const StallHandler&) = delete;
  StallHandler& operator=(const StallHandler&) = delete;
};

/// Calls that function now, if one is set.
void call_stall_handler(const StallReport& standstill);

/// Watching thread; one per process, started by comm::Environment if there are several ranks. Time
/// during which this process is stopped does not count: a scheduler may suspend all ranks.
class WaitWatch {
 public:
  WaitWatch();
  ~WaitWatch();
  WaitWatch(const WaitWatch&) = delete;
  WaitWatch& operator=(const WaitWatch&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::comm

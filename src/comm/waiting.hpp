// How long a rank waits for the others: a limit to each call that blocks, watched by one thread.
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that stands still (stopped, swapped out, its disk hung) leaves the others in calls of MPI
// that never return, and nobody of them can be told. Whoever has waited too long in one call says
// whom it waits for (standstill.hpp) and ends its process with code 3, upon which mpirun ends the
// others.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "comm/standstill.hpp"

namespace nfold::comm {

/// Ten minutes: longer than rank 0 writes a frame or builds a system of 10^8 residues.
inline constexpr std::chrono::seconds wait_limit_at_first{600};

/// From now on, in this process; zero: waits for ever.
void set_wait_limit(std::chrono::duration<double> limit);
/// For the message: what this process is about, as "writing a checkpoint" (the text must live as
/// long as the program), and the step of the system.
void set_wait_phase(const char* phase, std::int64_t step);
/// The same phase has come to this step.
void set_wait_step(std::int64_t step);
/// The phase that was told last; empty before the first.
[[nodiscard]] const char* wait_phase();

enum class WaitsFor { ranks, own_device };

/// Is told of each wait when it has ended, one within another as a part of it; by the thread that
/// calls MPI.
class WaitObserver {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~WaitObserver() = default;
  virtual void waited(WaitsFor whom, const char* call, Time began, Time ended) = 0;
};
/// From now on; null: none is told.
void set_wait_observer(WaitObserver* observer);

/// In its life the process waits for other ranks; one within another counts as a part of it. Costs
/// two looks at a clock and two writes to memory, and the call's name where it is another than
/// before. In the thread that calls MPI only.
class Waiting {
 public:
  /// call: as "a sum over ranks"; lives as long as the program.
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
  std::chrono::steady_clock::time_point began_;
};

/// What all waits of this process have taken so far, one within another counted once; in the thread
/// that calls MPI.
[[nodiscard]] double waited_seconds();

/// As Waiting, for what this rank's own GPU does.
class WaitingForDevice {
 public:
  WaitingForDevice();
  ~WaitingForDevice();
  WaitingForDevice(const WaitingForDevice&) = delete;
  WaitingForDevice& operator=(const WaitingForDevice&) = delete;

 private:
  Waiting waiting_;
};

/// In its life nothing limits a wait: another rank does what may take any time.
class WaitingWithoutLimit {
 public:
  WaitingWithoutLimit();
  ~WaitingWithoutLimit();
  WaitingWithoutLimit(const WaitingWithoutLimit&) = delete;
  WaitingWithoutLimit& operator=(const WaitingWithoutLimit&) = delete;
};

/// In its life, within that of a WaitingWithoutLimit, waits have their limit again: for ranks of a
/// group that work together, while all ranks do not.
class WaitingWithLimit {
 public:
  WaitingWithLimit();
  ~WaitingWithLimit();
  WaitingWithLimit(const WaitingWithLimit&) = delete;
  WaitingWithLimit& operator=(const WaitingWithLimit&) = delete;

 private:
  int without_limit_before_;
};

/// What a process that gives up still does with its message, from another thread than the one that
/// waits, while that stands still; it is given two seconds. In its life; one at a time.
class WaitLastWords {
 public:
  using Words = std::function<void(const Standstill& standstill)>;
  explicit WaitLastWords(Words last_words);
  ~WaitLastWords();
  WaitLastWords(const WaitLastWords&) = delete;
  WaitLastWords& operator=(const WaitLastWords&) = delete;
};

/// Those last words, now, if there are some.
void speak_last_words(const Standstill& standstill);

/// The thread that watches; one a process, by comm::Environment where there are several ranks.
/// Time in which this process is itself stopped does not count: a scheduler may suspend all ranks.
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

// Marks of waits, and the thread that watches them.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/waiting.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "comm/rank_record.hpp"
#include "core/clock.hpp"
#include "core/periodic_thread.hpp"

namespace nfold::comm {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds watch_interval = 250ms;

/// State of this process only.
struct Marks {
  std::atomic<const char*> phase{""};
  std::atomic<double> limit_s{std::chrono::duration<double>(default_wait_limit).count()};
  std::atomic<int> without_limit{0};
  std::mutex last_words_mutex;
  StallHandler::Words last_words;
};

Marks& marks() {
  static Marks all;
  return all;
}

// Written and read by the thread that calls MPI.
std::int64_t waited_ns = 0;
WaitObserver* observer = nullptr;

}  // namespace

void set_wait_limit(std::chrono::duration<double> limit) { marks().limit_s = limit.count(); }

const char* wait_phase() { return marks().phase.load(); }
void set_wait_phase(const char* phase, std::int64_t step) {
  marks().phase = phase;
  auto& record = own_record();
  record.phase.set(phase);
  record.step = step + 1;
  record.phase_since = core::seconds_now();
  ++record.phases;
}

void set_wait_step(std::int64_t step) { own_record().step = step + 1; }

void set_wait_observer(WaitObserver* next_observer) { observer = next_observer; }

Waiting::Waiting(const char* call, WaitsFor whom) : call_(call), whom_(whom) {
  auto& record = own_record();
  const auto passed = record.wait_transitions.load(std::memory_order_relaxed);
  is_outermost_ = passed % 2 == 0;
  if (!is_outermost_) return;
  if (record.call_at.load(std::memory_order_relaxed) != call) {
    record.call.set(call);
    record.call_at.store(call, std::memory_order_relaxed);
  }
  record.wait_transitions.store(passed + 1, std::memory_order_release);
  began_ns_ = core::nanoseconds_now();
}

Waiting::~Waiting() {
  if (!is_outermost_) return;
  const auto ended_ns = core::nanoseconds_now();
  waited_ns += ended_ns - began_ns_;
  if (observer != nullptr) observer->waited(whom_, call_, began_ns_, ended_ns);
  auto& wait_transitions = own_record().wait_transitions;
  wait_transitions.store(wait_transitions.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
}

double waited_seconds() { return 1e-9 * static_cast<double>(waited_ns); }

WaitingForDevice::WaitingForDevice()
    : waiting_("a block of steps on its GPU", WaitsFor::own_device) {
  own_record().waits_for_device = true;
}
WaitingForDevice::~WaitingForDevice() { own_record().waits_for_device = false; }

WaitingWithoutLimit::WaitingWithoutLimit() { ++marks().without_limit; }
WaitingWithoutLimit::~WaitingWithoutLimit() { --marks().without_limit; }

WaitingWithLimit::WaitingWithLimit() : without_limit_before_(marks().without_limit.exchange(0)) {}
WaitingWithLimit::~WaitingWithLimit() { marks().without_limit += without_limit_before_; }

StallHandler::StallHandler(Words last_words) {
  const std::scoped_lock lock(marks().last_words_mutex);
  marks().last_words = std::move(last_words);
}
StallHandler::~StallHandler() {
  const std::scoped_lock lock(marks().last_words_mutex);
  marks().last_words = nullptr;
}

void call_stall_handler(const StallReport& standstill) {
  const std::scoped_lock lock(marks().last_words_mutex);
  if (marks().last_words) marks().last_words(standstill);
}

struct WaitWatch::State {
  std::uint64_t before = 0;  // wait_transitions of the last check
  std::chrono::milliseconds waited{};
  core::PeriodicThread thread{watch_interval, core::PeriodicThread::FirstCall::after_interval,
                              [this] { check(); }};

  void check() {
    auto& record = own_record();
    record.seen = core::seconds_now();
    const auto wait_transitions = record.wait_transitions.load(std::memory_order_acquire);
    if (wait_transitions != before) record.wait_since = record.seen.load();
    // Counts polls, since the clock goes on while the process is stopped.
    const bool waits =
        wait_transitions % 2 == 1 && wait_transitions == before && marks().without_limit == 0;
    waited = waits ? waited + watch_interval : 0ms;
    before = wait_transitions;
    const double limit_s = marks().limit_s;
    const double stood_s = std::chrono::duration<double>(waited).count();
    if (limit_s <= 0 || stood_s < limit_s) return;
    end_stalled_process(stood_s, "", [&] {
      return record.wait_transitions.load(std::memory_order_acquire) != wait_transitions;
    });
  }
};

WaitWatch::WaitWatch() : state_(std::make_unique<State>()) {}
WaitWatch::~WaitWatch() = default;

}  // namespace nfold::comm

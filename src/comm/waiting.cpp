// Marks of waits, and the thread that watches them.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/waiting.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "comm/rank_record.hpp"

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
double waited_s = 0;
WaitObserver* observer = nullptr;

}  // namespace

void set_wait_limit(std::chrono::duration<double> limit) { marks().limit_s = limit.count(); }

const char* wait_phase() { return marks().phase.load(); }
void set_wait_phase(const char* phase, std::int64_t step) {
  marks().phase = phase;
  auto& record = own_record();
  record.phase.set(phase);
  record.step = step + 1;
  record.phase_since = seconds_now();
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
  began_ = std::chrono::steady_clock::now();
}

Waiting::~Waiting() {
  if (!is_outermost_) return;
  const auto ended = std::chrono::steady_clock::now();
  waited_s += std::chrono::duration<double>(ended - began_).count();
  if (observer != nullptr) observer->waited(whom_, call_, began_, ended);
  auto& wait_transitions = own_record().wait_transitions;
  wait_transitions.store(wait_transitions.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
}

double waited_seconds() { return waited_s; }

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
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread thread;

  void watch() {
    std::uint64_t before = 0;
    auto waited = 0ms;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, watch_interval, [this] { return is_done; })) {
      auto& record = own_record();
      record.seen = seconds_now();
      const auto wait_transitions = record.wait_transitions.load(std::memory_order_acquire);
      if (wait_transitions != before) record.wait_since = record.seen.load();
      // Counts polls, since the clock goes on while the process is stopped.
      const bool waits =
          wait_transitions % 2 == 1 && wait_transitions == before && marks().without_limit == 0;
      waited = waits ? waited + watch_interval : 0ms;
      before = wait_transitions;
      const double limit_s = marks().limit_s;
      const double stood_s = std::chrono::duration<double>(waited).count();
      if (limit_s <= 0 || stood_s < limit_s) continue;
      end_stalled_process(stood_s, "", [&] {
        return record.wait_transitions.load(std::memory_order_acquire) != wait_transitions;
      });
    }
  }
};

WaitWatch::WaitWatch() : state_(std::make_unique<State>()) {
  state_->thread = std::thread([state = state_.get()] { state->watch(); });
}

WaitWatch::~WaitWatch() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->is_done = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

}  // namespace nfold::comm

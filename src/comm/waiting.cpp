// The marks of a wait, and the thread that looks at them.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/waiting.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace nfold::comm {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds glance = 250ms;

/// Written by the thread that calls MPI, read by the one that watches.
struct Marks {
  std::atomic<std::uint64_t> borders{0};  // of waits, passed so far; odd: within one
  std::atomic<const char*> call{""}, phase{""};
  std::atomic<std::int64_t> step{-1};
  std::atomic<double> limit_s{std::chrono::duration<double>(wait_limit_at_first).count()};
  std::atomic<int> without_limit{0};
  std::mutex last_words_mutex;
  WaitLastWords::Words last_words;
};

Marks& marks() {
  static Marks all;
  return all;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g s", seconds);
  return text;
}

std::string message_of(int rank, double waited_s) {
  const std::string phase = marks().phase.load();
  const auto step = marks().step.load();
  std::string text = "rank " + std::to_string(rank) + " waited " + seconds_text(waited_s) +
                     " for other ranks in " + marks().call.load();
  if (!phase.empty()) text += ", " + phase;
  if (step >= 0) text += ", after step " + std::to_string(step);
  return text +
         ": one of them, its node or its disk stands still. All ranks end; look at the nodes and "
         "the file system, then start the same command again, which goes on from the last "
         "checkpoint. If it only was slow, raise partition.wait_limit_seconds";
}

/// Of all that wait the lowest rank speaks: it ends the others before they do.
void let_lower_ranks_speak(int rank) { std::this_thread::sleep_for(300ms * std::min(rank, 4)); }

[[noreturn]] void give_up(int rank, double waited_s) {
  const std::string message = message_of(rank, waited_s);
  const std::string line = "nfold: error: " + message + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  // The disk may be what stands still: nobody waits for what is still to be written there.
  std::thread([message] {
    const std::scoped_lock lock(marks().last_words_mutex);
    if (marks().last_words) marks().last_words(message, marks().step);
    std::_Exit(3);
  }).detach();
  std::this_thread::sleep_for(2s);
  std::_Exit(3);
}

}  // namespace

void set_wait_limit(std::chrono::duration<double> limit) { marks().limit_s = limit.count(); }

const char* wait_phase() { return marks().phase.load(); }
void set_wait_phase(const char* phase, std::int64_t step) {
  marks().phase = phase;
  marks().step = step;
}

Waiting::Waiting(const char* call) {
  auto& borders = marks().borders;
  const auto passed = borders.load(std::memory_order_relaxed);
  is_outermost_ = passed % 2 == 0;
  if (!is_outermost_) return;
  marks().call.store(call, std::memory_order_relaxed);
  borders.store(passed + 1, std::memory_order_release);
}

Waiting::~Waiting() {
  if (!is_outermost_) return;
  auto& borders = marks().borders;
  borders.store(borders.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

WaitingWithoutLimit::WaitingWithoutLimit() { ++marks().without_limit; }
WaitingWithoutLimit::~WaitingWithoutLimit() { --marks().without_limit; }

WaitLastWords::WaitLastWords(Words last_words) {
  const std::scoped_lock lock(marks().last_words_mutex);
  marks().last_words = std::move(last_words);
}
WaitLastWords::~WaitLastWords() {
  const std::scoped_lock lock(marks().last_words_mutex);
  marks().last_words = nullptr;
}

struct WaitWatch::State {
  int rank;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread thread;

  void watch() {
    std::uint64_t before = 0;
    auto waited = 0ms;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, glance, [this] { return is_done; })) {
      const auto borders = marks().borders.load(std::memory_order_acquire);
      // Glances are counted, not the clock read, which goes on while the process is stopped.
      const bool waits = borders % 2 == 1 && borders == before && marks().without_limit == 0;
      waited = waits ? waited + glance : 0ms;
      before = borders;
      const double limit_s = marks().limit_s;
      const double waited_s = std::chrono::duration<double>(waited).count();
      if (limit_s <= 0 || waited_s < limit_s) continue;
      let_lower_ranks_speak(rank);
      if (marks().borders.load(std::memory_order_acquire) == borders) give_up(rank, waited_s);
    }
  }
};

WaitWatch::WaitWatch(int rank) : state_(std::make_unique<State>()) {
  state_->rank = rank;
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

// Failures shared by all ranks, and failures of one rank.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/collective_work.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "comm/first_reason.hpp"
#include "comm/rank_record.hpp"
#include "comm/stall_report.hpp"
#include "comm/watchdog.hpp"
#include "core/clock.hpp"
#include "core/signals.hpp"
#include "session/job/failure.hpp"

namespace nfold::job {
namespace {

constexpr std::chrono::seconds longest_wait{60};

/// Delays a failing rank by its rank number. Ranks often fail at once (all GPUs full): the lowest
/// failing rank prints its message and aborts the others while they wait. After a stop signal,
/// which is the launcher's, waits for the launcher to kill the process.
void stagger_failures(int rank) {
  using std::chrono::milliseconds;
  constexpr milliseconds poll_interval{10}, delay_per_rank{500}, for_the_launcher{5000};
  constexpr int longest = 4;
  bool is_ending = false;
  for (milliseconds left = delay_per_rank * std::min(rank, longest); left.count() > 0;
       left -= poll_interval) {
    std::this_thread::sleep_for(poll_interval);
    if (is_ending || core::stop_signal() == 0) continue;
    is_ending = true;
    left = for_the_launcher;
  }
}

}  // namespace

std::string text_from_root(const comm::Communicator& communicator,
                           const std::function<std::string()>& action) {
  std::string message;
  if (communicator.is_root()) {
    try {
      message = comm::pack(core::Outcome::done, action());
    } catch (const std::exception& failure) {
      const auto mine = to_failure(failure);
      message = comm::pack(mine.outcome(), mine.what());
    }
  }
  message = communicator.broadcast(message);
  const auto outcome = comm::unpack(message);
  if (outcome != core::Outcome::done) {
    throw core::Failure(message, outcome, core::Reach::all_ranks);
  }
  return message;
}

void on_root(const comm::Communicator& communicator, const std::function<void()>& action) {
  static_cast<void>(text_from_root(communicator, [&action] {
    action();
    return std::string();
  }));
}

void on_all(const comm::Communicator& communicator, const std::function<void()>& action) {
  if (communicator.size() == 1) return action();
  std::optional<core::Failure> mine;
  try {
    action();
  } catch (const std::exception& failure) {
    mine = to_failure(failure);
    if (!mine->is_collective()) throw;
  }
  if (const auto first = comm::first_failure(communicator, mine)) throw *first;
}

void run_independently(const comm::Communicator& communicator, const std::function<void()>& work) {
  try {
    work();
  } catch (const core::Failure& failure) {
    if (communicator.size() == 1 || !failure.is_collective()) throw;
    throw core::Failure(failure.what(), failure.outcome());
  }
}

core::ExitCode run_collectively(const comm::Communicator& communicator,
                                const std::function<core::ExitCode()>& work,
                                const FailureCallback& last_words) {
  try {
    return work();
  } catch (const std::exception& caught) {
    const auto failure = to_failure(caught);
    if (failure.is_collective()) {
      if (communicator.is_root()) last_words(failure);
      // Ends the process if the other ranks do not fail in the same way within the longest wait.
      const comm::Watchdog patience(longest_wait, [&failure] {
        const auto mine = comm::report_of(comm::own_record(), core::seconds_now());
        core::print_error(
            std::string(failure.what()) + " (the other ranks did not come to the same end: " +
                comm::explain_stall(mine, longest_wait.count(), comm::all_reports()).message + ")",
            core::Outcome::hang);
      });
      communicator.barrier();
      if (communicator.is_root()) core::print_error(failure.what(), failure.outcome());
      return failure.exit_code();
    }
    std::string message = failure.what();
    if (communicator.size() > 1) {
      message = "rank " + std::to_string(communicator.rank()) + ": " + message;
    }
    // Wrong input of one rank alone ends the job, which counts as a failure while running.
    const bool fails = failure.exit_code() == core::ExitCode::failed;
    const auto outcome = fails ? failure.outcome() : core::Outcome::failure;
    comm::set_record_message(message);
    stagger_failures(communicator.rank());
    last_words(core::Failure(message, outcome, core::Reach::one_rank, comm::own_suspect()));
    core::print_error(message, outcome);
    communicator.abort(static_cast<int>(core::ExitCode::failed));
  }
}

}  // namespace nfold::job

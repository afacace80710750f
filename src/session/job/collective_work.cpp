// Failures shared by all ranks, and failures of one rank.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/collective_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "comm/first_reason.hpp"
#include "comm/rank_record.hpp"
#include "comm/stall_report.hpp"
#include "comm/watchdog.hpp"
#include "core/document/input_error.hpp"
#include "core/signals.hpp"
#include "core/storage/file_error.hpp"
#include "device/device_memory.hpp"
#include "domain/coverage.hpp"
#include "engine/engine.hpp"
#include "model/structure/structure.hpp"
#include "session/job/failure.hpp"
#include "session/job/host_memory.hpp"

namespace nfold::job {
namespace {

constexpr std::chrono::seconds longest_wait{60};

template <class... Kinds>
bool is_of_kind(const std::exception& failure) {
  return ((dynamic_cast<const Kinds*>(&failure) != nullptr) || ...);
}

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

/// Returns this rank as the suspect, with "memory" or "failure" as the reason.
comm::Suspect suspect_of(const std::exception& failure) {
  const bool no_room =
      is_of_kind<std::bad_alloc, HostMemoryError, device::DeviceMemoryError>(failure);
  return comm::own_suspect(no_room ? "memory" : "failure");
}

}  // namespace

bool is_collective_failure(const std::exception& failure) {
  return is_of_kind<SharedFailure, document::InputError, structure::StructureError,
                    storage::FileError, engine::ExplosionError, domain::CoverageError>(failure);
}

SessionFailure to_session_failure(const std::exception& failure) {
  const auto* const shared = dynamic_cast<const SharedFailure*>(&failure);
  return {failure.what(), to_exit_code(failure),
          shared != nullptr ? shared->suspect() : std::nullopt};
}

std::string text_from_root(const comm::Communicator& communicator,
                           const std::function<std::string()>& action) {
  // The first character is the exit code, '0' for success.
  std::string message;
  if (communicator.is_root()) {
    try {
      message = "0" + action();
    } catch (const std::exception& failure) {
      message = std::to_string(static_cast<int>(to_exit_code(failure))) + describe_failure(failure);
    }
  }
  message = communicator.broadcast(message);
  const auto root_exit_code = static_cast<core::ExitCode>(message[0] - '0');
  message.erase(0, 1);
  if (root_exit_code != core::ExitCode::done) throw SharedFailure(message, root_exit_code);
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
  std::string mine;  // digit and message as in text_from_root(); empty on success
  try {
    action();
  } catch (const std::exception& failure) {
    if (!is_collective_failure(failure)) throw;
    mine = std::to_string(static_cast<int>(to_exit_code(failure))) + failure.what();
  }
  const auto first = comm::first_reason(communicator, mine);
  if (!first) return;
  throw SharedFailure(first->text.substr(1), static_cast<core::ExitCode>(first->text[0] - '0'));
}

void run_independently(const comm::Communicator& communicator, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    if (communicator.size() == 1 || !is_collective_failure(failure)) throw;
    throw std::runtime_error(failure.what());
  }
}

core::ExitCode run_collectively(const comm::Communicator& communicator,
                                const std::function<core::ExitCode()>& work,
                                const FailureCallback& last_words) {
  try {
    return work();
  } catch (const std::exception& failure) {
    const core::ExitCode exit_code = to_exit_code(failure);
    if (is_collective_failure(failure)) {
      if (communicator.is_root()) last_words(to_session_failure(failure));
      // Ends the process if the other ranks do not fail in the same way within the longest wait.
      const comm::Watchdog patience(longest_wait, [&failure] {
        const auto mine = comm::report_of(comm::own_record(), comm::seconds_now());
        print_error(
            std::string(failure.what()) + " (the other ranks did not come to the same end: " +
            comm::explain_stall(mine, longest_wait.count(), comm::all_reports()).message + ")");
      });
      communicator.barrier();
      if (communicator.is_root()) print_error(failure.what());
      return exit_code;
    }
    std::string message = describe_failure(failure);
    if (communicator.size() > 1) {
      message = "rank " + std::to_string(communicator.rank()) + ": " + message;
    }
    comm::set_record_message(message);
    stagger_failures(communicator.rank());
    last_words({message, core::ExitCode::failed, suspect_of(failure)});
    print_error(message);
    communicator.abort(static_cast<int>(core::ExitCode::failed));
  }
}

}  // namespace nfold::job

// Failures shared by all ranks, and failures of one rank.
// SPDX-License-Identifier: BSD-3-Clause

#include "job/collective_work.hpp"

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
#include "comm/standstill.hpp"
#include "comm/watchdog.hpp"
#include "device/device_memory.hpp"
#include "document/input_error.hpp"
#include "domain/coverage.hpp"
#include "dynamics/engine.hpp"
#include "job/failure.hpp"
#include "job/host_memory.hpp"
#include "job/signals.hpp"
#include "storage/file_error.hpp"
#include "structure/structure.hpp"

namespace nfold::job {
namespace {

constexpr std::chrono::seconds longest_wait{60};

template <class... Kinds>
bool is_one_of(const std::exception& failure) {
  return ((dynamic_cast<const Kinds*>(&failure) != nullptr) || ...);
}

/// Delays a failing rank by its rank number. Ranks often fail at once (all GPUs full): the lowest
/// failing rank prints its message and aborts the others while they wait. After a stop signal,
/// which is the launcher's, waits for the launcher to kill the process.
void wait_for_lower_ranks(int rank) {
  using std::chrono::milliseconds;
  constexpr milliseconds glance{10}, turn{500}, for_the_launcher{5000};
  constexpr int longest = 4;
  bool is_ending = false;
  for (milliseconds left = turn * std::min(rank, longest); left.count() > 0; left -= glance) {
    std::this_thread::sleep_for(glance);
    if (is_ending || stop_signal() == 0) continue;
    is_ending = true;
    left = for_the_launcher;
  }
}

/// Returns this rank as the suspect, with "memory" or "failure" as the reason.
comm::Suspect suspect_of(const std::exception& failure) {
  const bool no_room =
      is_one_of<std::bad_alloc, HostMemoryError, device::DeviceMemoryError>(failure);
  return comm::own_suspect(no_room ? "memory" : "failure");
}

}  // namespace

bool met_by_all(const std::exception& failure) {
  return is_one_of<SharedFailure, document::InputError, structure::StructureError,
                   storage::FileError, dynamics::ExplosionError, domain::CoverageError>(failure);
}

SessionFailure shared_end_of(const std::exception& failure) {
  const auto* const shared = dynamic_cast<const SharedFailure*>(&failure);
  return {failure.what(), exit_code_of(failure),
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
      message = std::to_string(static_cast<int>(exit_code_of(failure))) + message_of(failure);
    }
  }
  message = communicator.broadcast(message);
  const auto verdict = static_cast<ExitCode>(message[0] - '0');
  message.erase(0, 1);
  if (verdict != ExitCode::done) throw SharedFailure(message, verdict);
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
    if (!met_by_all(failure)) throw;
    mine = std::to_string(static_cast<int>(exit_code_of(failure))) + failure.what();
  }
  const auto first = comm::first_reason(communicator, mine);
  if (!first) return;
  throw SharedFailure(first->text.substr(1), static_cast<ExitCode>(first->text[0] - '0'));
}

void apart(const comm::Communicator& communicator, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& failure) {
    if (communicator.size() == 1 || !met_by_all(failure)) throw;
    throw std::runtime_error(failure.what());
  }
}

ExitCode run_together(const comm::Communicator& communicator, const std::function<ExitCode()>& work,
                      const LastWords& last_words) {
  try {
    return work();
  } catch (const std::exception& failure) {
    const ExitCode exit_code = exit_code_of(failure);
    if (met_by_all(failure)) {
      if (communicator.is_root()) last_words(shared_end_of(failure));
      // Ends the process if the other ranks do not fail in the same way within the longest wait.
      const comm::Watchdog patience(longest_wait, [&failure] {
        const auto mine = comm::report_of(comm::own_record(), comm::seconds_now());
        print_error(std::string(failure.what()) +
                    " (the other ranks did not come to the same end: " +
                    comm::explain(mine, longest_wait.count(), comm::all_reports()).message + ")");
      });
      communicator.barrier();
      if (communicator.is_root()) print_error(failure.what());
      return exit_code;
    }
    std::string message = message_of(failure);
    if (communicator.size() > 1) {
      message = "rank " + std::to_string(communicator.rank()) + ": " + message;
    }
    comm::tell_last_words(message);
    wait_for_lower_ranks(communicator.rank());
    last_words({message, ExitCode::failed, suspect_of(failure)});
    print_error(message);
    communicator.abort(static_cast<int>(ExitCode::failed));
  }
}

}  // namespace nfold::job

// How ranks fail together: one message, one exit code, no rank left waiting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/suspect.hpp"
#include "job/exit_code.hpp"
#include "job/failure.hpp"

namespace nfold::job {

/// Collective: rank 0 does `action`, which must not communicate; if it throws, all ranks throw the
/// same SharedFailure. Returns its text on all ranks.
std::string text_from_root(const comm::Communicator& communicator,
                           const std::function<std::string()>& action);
/// The same for an action without a result.
void on_root(const comm::Communicator& communicator, const std::function<void()>& action);

/// Collective: every rank does `action`, each on things of its own; it must not communicate. Where
/// one throws what by its kind all ranks are promised to meet alike (met_by_all), all throw the
/// lowest such rank's as the same SharedFailure. Other failures are thrown at once, and end all.
void on_all(const comm::Communicator& communicator, const std::function<void()>& action);

/// Work of some of these ranks, while others have theirs and will not come to a meeting: what by
/// its kind all ranks meet alike becomes a failure of this rank alone, which ends all at once.
void apart(const comm::Communicator& communicator, const std::function<void()>& work);

/// How a session ended.
struct SessionFailure {
  std::string reason;
  ExitCode exit_code = ExitCode::failed;
  std::optional<comm::Suspect> suspect{};  ///< the rank at fault, where one is known to be
};
/// By a failure that all ranks have met.
[[nodiscard]] SessionFailure shared_end_of(const std::exception& failure);
/// What a session leaves behind when it fails; called before the message is printed. Must not
/// communicate and must not throw.
using LastWords = std::function<void(const SessionFailure& failure)>;

/// Kinds of failure that by their documentation every rank throws at the same place.
[[nodiscard]] bool met_by_all(const std::exception& failure);

/// Collective: runs `work` on all ranks and returns the exit code. Failures that all ranks meet
/// alike (wrong input, files, explosion) are printed by rank 0 once all have arrived. A failure of
/// this rank alone is printed by it and ends all ranks at once, for the others are waiting.
[[nodiscard]] ExitCode run_together(const comm::Communicator& communicator,
                                    const std::function<ExitCode()>& work,
                                    const LastWords& last_words);

}  // namespace nfold::job

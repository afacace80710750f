// A computation that came out wrong without a sign: what is known of it, kept and told.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/suspect.hpp"
#include "job/output_paths.hpp"

namespace nfold::job {

/// Steps came out otherwise when they were computed again. The same on all ranks.
struct SilentError {
  std::int64_t first_step = 0, last_step = 0;
  bool is_decided = false;  ///< two of three computations agree, and the run has their state
  std::optional<comm::Suspect> suspect{};  ///< who was wrong, as far as the differences tell
  std::string details;                     ///< "3 residues differ, most residue 17, by 2.1e-05 nm"
};

/// Collective: the identity of rank `rank` of these as one at fault.
[[nodiscard]] comm::Suspect suspect_among(const comm::Communicator& communicator, int rank);

/// What a person reads of it: which steps, what differed, whose fault.
[[nodiscard]] std::string words_of(const SilentError& error);
/// How many blocks were computed again in a session, and what that took.
struct VerifiedWork {
  std::int64_t blocks = 0, steps_again = 0, errors = 0;
  double seconds = 0;  ///< beyond the first computation
};
/// "verified 12 blocks, all equal: 1.0 % more steps, 2.1 s". steps: of the session.
[[nodiscard]] std::string words_of(const VerifiedWork& work, std::int64_t steps);

/// Collective, behind the events of its last step: keeps the incident, lets save() write a
/// checkpoint of the verified state, and throws SharedFailure, for the run must do without a
/// device. A single device goes on once, since what it did wrong it did right the second time: then
/// the warning for the log is returned.
[[nodiscard]] std::string serve(const comm::Communicator& communicator, const SilentError& error,
                                const VerifiedWork& work, const OutputPaths& paths,
                                const std::function<void()>& save);

}  // namespace nfold::job

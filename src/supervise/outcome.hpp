// Outcome of one attempt, from its status file, exit code and standard error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "core/failure.hpp"
#include "core/status/status_file.hpp"
#include "supervise/error_output.hpp"

namespace nfold::supervise {

using core::Outcome;
using core::Suspect;

/// Observations of an attempt whose last process has ended.
struct Attempt {
  int exit_code = 0;          ///< Exit code of mpirun or srun. 128 + N: died of signal N.
  bool was_ended = false;     ///< Ended by launch because its heartbeat stalled.
  std::string stall_message;  ///< Description of the stall, if any.
  Suspect stalled_culprit;    ///< Stalled rank, as far as known.
  std::optional<status::Status> status;  ///< Last status. None if it wrote none.
  ErrorOutput words;
};

/// Classifies an attempt: by the outcome in the status file or on standard error, then by what the
/// launcher reports and the exit code.
[[nodiscard]] Outcome classify_attempt(const Attempt& attempt);

/// Returns the suspected rank, host and device.
[[nodiscard]] Suspect find_culprit(const Attempt& attempt);

/// Describes the cause in one line: "rank 2 on node7 died of signal 9".
[[nodiscard]] std::string describe_cause(const Attempt& attempt, Outcome outcome);

}  // namespace nfold::supervise

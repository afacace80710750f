// Outcome of one attempt, from its status file, exit code and standard error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "core/failure.hpp"
#include "core/status/status_file.hpp"
#include "supervise/error_output.hpp"
#include "supervise/heartbeat_monitor.hpp"

namespace nfold::supervise {

using core::Outcome;
using core::Suspect;

/// Observations of an attempt whose last process has ended.
struct Attempt {
  int exit_code = 0;  ///< Exit code of mpirun or srun. 128 + N: died of signal N.
  Stall stall;        ///< Stall because of which launch ended it, if any.
  std::optional<status::Status> status;  ///< Last status. None if it wrote none.
  ErrorOutput words;
  /// True if launch ended it because it stalled.
  [[nodiscard]] bool was_ended() const { return !stall.words.empty(); }
};

/// Classifies an attempt: by the outcome in the status file or on standard error, then by what the
/// launcher reports and the exit code.
[[nodiscard]] Outcome classify_attempt(const Attempt& attempt);

/// Returns the suspected rank, host and device.
[[nodiscard]] Suspect find_suspect(const Attempt& attempt);

/// Describes the cause in one line: "rank 2 on node7 died of signal 9".
[[nodiscard]] std::string describe_cause(const Attempt& attempt, Outcome outcome);

}  // namespace nfold::supervise

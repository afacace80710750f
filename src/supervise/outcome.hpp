// Outcome of one attempt, from its status file, exit code and standard error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "supervise/error_output.hpp"
#include "supervise/status_reading.hpp"

namespace nfold::supervise {

enum class Outcome {
  done,
  wrong_input,
  partly_failed,
  stopped,       ///< Stopped with a checkpoint, by a signal or the time limit.
  explosion,     ///< The simulation diverged; the same on any machine.
  memory,        ///< Out of memory.
  disk,          ///< Out of disk space.
  hang,          ///< Ranks waited too long, or the heartbeat stalled.
  silent_error,  ///< A recomputed block differed.
  lost_node,
  damage,      ///< No checkpoint is readable.
  crash,       ///< A rank died or failed for another reason.
  not_started  ///< The launcher failed, or ended without a run.
};

/// Suspected cause of a failure. Each member may be unknown.
struct Culprit {
  std::optional<int> rank;
  std::string host, device;
};

/// Observations of an attempt whose last process has ended.
struct Attempt {
  int exit_code = 0;                    ///< Exit code of mpirun or srun. 128 + N: died of signal N.
  bool was_ended = false;               ///< Ended by launch because its heartbeat stalled.
  std::string stall_message;            ///< Description of the stall, if any.
  Culprit stalled_culprit;              ///< Stalled rank, as far as known.
  std::optional<StatusReading> status;  ///< Last status. None if it wrote none.
  ErrorOutput words;
};

/// Classifies an attempt: by the status file, then by standard error and the exit code.
[[nodiscard]] Outcome classify_attempt(const Attempt& attempt);

/// Returns the name for records and messages, such as "crash".
[[nodiscard]] const char* outcome_name(Outcome outcome);

/// Returns the suspected rank, host and device.
[[nodiscard]] Culprit find_culprit(const Attempt& attempt);

/// Describes the cause in one line: "rank 2 on node7 died of signal 9".
[[nodiscard]] std::string describe_cause(const Attempt& attempt, Outcome outcome);

}  // namespace nfold::supervise

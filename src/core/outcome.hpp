// Outcomes: why a run, a process or an attempt of nfold launch ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/exit_code.hpp"

namespace nfold::core {

/// Exceptions carry an outcome, the status file holds its name, and nfold launch acts on it.
enum class Outcome {
  done,
  partly_failed,  ///< Some targets of a batch failed.
  incomplete,     ///< Targets of a batch wait for ranks of another backend.
  stopped,        ///< Stopped with a checkpoint, by a signal or the time limit.
  wrong_input,
  folder_in_use,  ///< Another process writes into the output folder.
  already_done,   ///< The output folder holds a finished run.
  explosion,      ///< The simulation diverged; the same on any machine.
  memory,         ///< Out of memory of the host or a device.
  disk,           ///< Out of disk space.
  damage,         ///< No checkpoint is readable.
  hang,           ///< Ranks waited too long, or the heartbeat stalled.
  silent_error,   ///< A recomputed block differed.
  failure,        ///< Failed while running for another reason.
  // Observed by nfold launch alone:
  crash,  ///< A rank died or failed for another reason.
  lost_node,
  not_started  ///< The launcher failed, or ended without a run.
};

/// Names in files and messages, in the order of the enumerators.
inline constexpr std::array<const char*, 17> outcome_names{
    "done",         "partly failed", "incomplete", "stopped",   "wrong input", "folder in use",
    "already done", "explosion",     "memory",     "disk",      "damage",      "hang",
    "silent error", "failure",       "crash",      "lost node", "not started"};

[[nodiscard]] constexpr const char* outcome_name(Outcome outcome) {
  return outcome_names.at(static_cast<std::size_t>(outcome));
}

/// Returns the outcome of a name; none if it is unknown.
[[nodiscard]] inline std::optional<Outcome> parse_outcome(std::string_view name) {
  const auto* const found = std::find(outcome_names.begin(), outcome_names.end(), name);
  if (found == outcome_names.end()) return std::nullopt;
  return static_cast<Outcome>(found - outcome_names.begin());
}

[[nodiscard]] constexpr ExitCode to_exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return ExitCode::done;
    case Outcome::partly_failed:
    case Outcome::incomplete:
      return ExitCode::partly_failed;
    case Outcome::stopped:
      return ExitCode::stopped_early;
    case Outcome::wrong_input:
    case Outcome::folder_in_use:
    case Outcome::already_done:
      return ExitCode::wrong_input;
    default:
      return ExitCode::failed;
  }
}

}  // namespace nfold::core

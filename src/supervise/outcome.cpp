// Classification of attempts: by the status file, the outcome on standard error, and exit codes.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/outcome.hpp"

#include <fmt/format.h>

#include "supervise/child_process.hpp"

namespace nfold::supervise {
namespace {

/// True if an exit code of nfold or mpirun is not that of a failure.
bool is_success(int exit_code) {
  using core::ExitCode;
  const auto code = static_cast<ExitCode>(exit_code);
  return code == ExitCode::done || code == ExitCode::partly_failed ||
         code == ExitCode::stopped_early;
}

/// Merges outcomes for which the supervisor acts alike.
Outcome merge(Outcome outcome) {
  if (outcome == Outcome::failure) return Outcome::crash;
  return outcome == Outcome::incomplete ? Outcome::partly_failed : outcome;
}

}  // namespace

Outcome classify_attempt(const Attempt& attempt) {
  const auto& words = attempt.words;
  if (attempt.status && attempt.status->outcome) {
    const auto own = merge(*attempt.status->outcome);
    // Stalled ranks that launch ended may still have written a checkpoint.
    if (!attempt.was_ended() || own != Outcome::stopped) return own;
  }
  if (attempt.was_ended()) return Outcome::hang;
  if (!words.lost_host.empty()) return Outcome::lost_node;
  // A run writes no status before it owns its folder, or if the disk is full.
  if (words.outcome) return merge(*words.outcome);
  if (!words.error.empty()) {
    const int code = words.exit_code.value_or(attempt.exit_code);
    return code == 1 ? Outcome::wrong_input : Outcome::crash;
  }
  // The launcher failed, or ended successfully without a run.
  const bool is_of_launcher = !words.not_started.empty() || attempt.exit_code == no_command_code ||
                              is_success(attempt.exit_code);
  if (is_of_launcher && !attempt.status) return Outcome::not_started;
  return Outcome::crash;
}

Suspect find_suspect(const Attempt& attempt) {
  const auto& words = attempt.words;
  Suspect culprit{words.rank, words.host, ""};
  if (attempt.status && attempt.status->suspect) {
    const auto& suspect = *attempt.status->suspect;
    if (suspect.rank) culprit.rank = suspect.rank;
    if (!suspect.host.empty()) culprit.host = suspect.host;
    culprit.device = suspect.device;
    if (suspect.rank || !suspect.device.empty()) return culprit;
  }
  if (!words.lost_host.empty()) return {std::nullopt, words.lost_host, ""};
  // A rank that timed out, or that launch ended, is not the stalled one.
  const auto outcome = classify_attempt(attempt);
  if (attempt.was_ended() || outcome == Outcome::hang) return attempt.stall.by;
  return culprit;
}

std::string describe_cause(const Attempt& attempt, Outcome outcome) {
  const auto& words = attempt.words;
  if (attempt.was_ended()) return attempt.stall.words;
  if (attempt.status && attempt.status->outcome && !attempt.status->reason.empty()) {
    return attempt.status->reason;
  }
  if (outcome == Outcome::lost_node) return words.seen;
  if (words.signal) {
    return fmt::format("{}{} died of signal {}{}",
                       words.rank ? fmt::format("rank {}", *words.rank) : "the job",
                       words.host.empty() ? "" : " on " + words.host, *words.signal,
                       *words.signal == 9 ? " (kill -9; of its own it is often the system's, for "
                                            "want of memory: dmesg tells)"
                                          : "");
  }
  if (!words.error.empty()) return words.error;
  if (!words.not_started.empty()) return words.not_started;
  if (attempt.exit_code == no_command_code && !words.last_lines.empty()) {
    return words.last_lines.back();
  }
  if (!words.seen.empty()) return words.seen;
  return fmt::format("it ended with code {} and without a {}", attempt.exit_code,
                     outcome == Outcome::not_started ? "run of this job" : "word");
}

}  // namespace nfold::supervise

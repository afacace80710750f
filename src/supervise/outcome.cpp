// Classification of attempts: first by the status file, then by mpirun's output and exit code.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace nfold::supervise {
namespace {

bool has_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [text](auto word) { return text.find(word) != std::string_view::npos; });
}

/// Classifies a failure by its reason text. Crash if nothing matches.
Outcome outcome_from_reason(std::string_view reason) {
  static constexpr std::array<std::string_view, 1> explosion{"explodes in step"};
  static constexpr std::array<std::string_view, 5> memory{"out of host memory", "out of GPU memory",
                                                          "out of memory", "no memory",
                                                          "memory that is left"};
  static constexpr std::array<std::string_view, 3> disk{"No space left on device",
                                                        "Disk quota exceeded", "File too large"};
  static constexpr std::array<std::string_view, 1> damage{"no checkpoint can be read"};
  static constexpr std::array<std::string_view, 1> hang{"partition.wait_limit_seconds"};
  if (has_any(reason, hang)) return Outcome::hang;  // checked first: it may quote other reasons
  if (has_any(reason, explosion)) return Outcome::explosion;
  if (has_any(reason, disk)) return Outcome::disk;
  if (has_any(reason, memory)) return Outcome::memory;
  if (has_any(reason, damage)) return Outcome::damage;
  return Outcome::crash;
}

Outcome outcome_from_suspect(const std::string& what) {
  if (what == "hang") return Outcome::hang;
  if (what == "silent error") return Outcome::silent_error;
  if (what == "memory") return Outcome::memory;
  return Outcome::crash;
}

/// Returns the outcome that an exit code of nfold or mpirun determines. None for a failure.
std::optional<Outcome> outcome_from_exit_code(int exit_code) {
  switch (exit_code) {
    case 0:
      return Outcome::done;
    case 2:
      return Outcome::partly_failed;
    case 75:
      return Outcome::stopped;
    default:
      return std::nullopt;
  }
}

/// Returns the outcome in a status file. None while the state is "running".
std::optional<Outcome> outcome_from_status(const StatusReading& status) {
  if (!status.exit_code) return std::nullopt;
  if (const auto told = outcome_from_exit_code(*status.exit_code)) return told;
  if (*status.exit_code == 1) return Outcome::wrong_input;
  const auto by_reason = outcome_from_reason(status.reason);
  if (by_reason != Outcome::crash || status.suspect.what.empty()) return by_reason;
  return outcome_from_suspect(status.suspect.what);
}

}  // namespace

Outcome classify_attempt(const Attempt& attempt) {
  const auto& words = attempt.words;
  if (attempt.status) {
    const auto own = outcome_from_status(*attempt.status);
    // Stalled ranks that launch ended may still have written a checkpoint.
    if (own && !(attempt.was_ended && own == Outcome::stopped)) return *own;
  }
  if (attempt.was_ended) return Outcome::hang;
  if (!words.lost_host.empty()) return Outcome::lost_node;
  if (!words.error.empty()) {
    // A run writes no status before it owns its folder; only its exit code is known.
    const int code = words.exit_code.value_or(attempt.exit_code);
    if (code == 1) return Outcome::wrong_input;
    return outcome_from_reason(words.error);
  }
  // The launcher failed, or ended successfully without a run.
  const bool is_of_launcher =
      !words.not_started.empty() || outcome_from_exit_code(attempt.exit_code);
  if (is_of_launcher && !attempt.status) return Outcome::not_started;
  return Outcome::crash;
}

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::wrong_input:
      return "wrong input";
    case Outcome::partly_failed:
      return "partly failed";
    case Outcome::stopped:
      return "stopped";
    case Outcome::explosion:
      return "explosion";
    case Outcome::memory:
      return "memory";
    case Outcome::disk:
      return "disk";
    case Outcome::hang:
      return "hang";
    case Outcome::silent_error:
      return "silent error";
    case Outcome::lost_node:
      return "lost node";
    case Outcome::damage:
      return "damage";
    case Outcome::crash:
      return "crash";
    case Outcome::not_started:
      return "not started";
  }
  return "unknown";
}

Culprit find_culprit(const Attempt& attempt) {
  const auto& words = attempt.words;
  Culprit culprit{words.rank, words.host, ""};
  if (attempt.status) {
    const auto& suspect = attempt.status->suspect;
    if (suspect.rank) culprit.rank = suspect.rank;
    if (!suspect.host.empty()) culprit.host = suspect.host;
    culprit.device = suspect.device;
    if (suspect.rank || !suspect.device.empty()) return culprit;
  }
  if (!words.lost_host.empty()) return {std::nullopt, words.lost_host, ""};
  // A rank that timed out, or that launch ended, is not the stalled one.
  const auto outcome = classify_attempt(attempt);
  if (attempt.was_ended || outcome == Outcome::hang) return attempt.stalled_culprit;
  return culprit;
}

std::string describe_cause(const Attempt& attempt, Outcome outcome) {
  const auto& words = attempt.words;
  if (!attempt.stall_message.empty()) return attempt.stall_message;
  if (attempt.status && !attempt.status->reason.empty() && attempt.status->exit_code) {
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
  if (!words.seen.empty()) return words.seen;
  return fmt::format("it ended with code {} and without a {}", attempt.exit_code,
                     outcome == Outcome::not_started ? "run of this job" : "word");
}

}  // namespace nfold::supervise

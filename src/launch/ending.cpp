// Classification of attempts: first by the status file, then by mpirun's output and exit code.
// SPDX-License-Identifier: BSD-3-Clause

#include "launch/ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace nfold::launch {
namespace {

bool has_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [text](auto word) { return text.find(word) != std::string_view::npos; });
}

/// Classifies a failure by its reason text. Crash if nothing matches.
Ending ending_of_reason(std::string_view reason) {
  static constexpr std::array<std::string_view, 1> explosion{"explodes in step"};
  static constexpr std::array<std::string_view, 5> memory{"out of host memory", "out of GPU memory",
                                                          "out of memory", "no memory",
                                                          "memory that is left"};
  static constexpr std::array<std::string_view, 3> disk{"No space left on device",
                                                        "Disk quota exceeded", "File too large"};
  static constexpr std::array<std::string_view, 1> damage{"no checkpoint can be read"};
  static constexpr std::array<std::string_view, 1> hang{"partition.wait_limit_seconds"};
  if (has_any(reason, hang)) return Ending::hang;  // checked first: it may quote other reasons
  if (has_any(reason, explosion)) return Ending::explosion;
  if (has_any(reason, disk)) return Ending::disk;
  if (has_any(reason, memory)) return Ending::memory;
  if (has_any(reason, damage)) return Ending::damage;
  return Ending::crash;
}

Ending ending_of_suspect(const std::string& what) {
  if (what == "hang") return Ending::hang;
  if (what == "silent error") return Ending::silent_error;
  if (what == "memory") return Ending::memory;
  return Ending::crash;
}

/// Returns the outcome that an exit code of nfold or mpirun determines. None for a failure.
std::optional<Ending> ending_of_code(int exit_code) {
  switch (exit_code) {
    case 0:
      return Ending::done;
    case 2:
      return Ending::partly_failed;
    case 75:
      return Ending::stopped;
    default:
      return std::nullopt;
  }
}

/// Returns the outcome in a status file. None while the state is "running".
std::optional<Ending> own_word(const StatusReading& status) {
  if (!status.exit_code) return std::nullopt;
  if (const auto told = ending_of_code(*status.exit_code)) return told;
  if (*status.exit_code == 1) return Ending::wrong_input;
  const auto by_reason = ending_of_reason(status.reason);
  if (by_reason != Ending::crash || status.suspect.what.empty()) return by_reason;
  return ending_of_suspect(status.suspect.what);
}

}  // namespace

Ending ending_of(const Attempt& attempt) {
  const auto& words = attempt.words;
  if (attempt.status) {
    const auto own = own_word(*attempt.status);
    // Stalled ranks that launch ended may still have written a checkpoint.
    if (own && !(attempt.was_ended && own == Ending::stopped)) return *own;
  }
  if (attempt.was_ended) return Ending::hang;
  if (!words.lost_host.empty()) return Ending::lost_node;
  if (!words.error.empty()) {
    // A run writes no status before it owns its folder; only its exit code is known.
    const int code = words.exit_code.value_or(attempt.exit_code);
    if (code == 1) return Ending::wrong_input;
    return ending_of_reason(words.error);
  }
  // The launcher failed, or ended successfully without a run.
  const bool is_of_launcher = !words.not_started.empty() || ending_of_code(attempt.exit_code);
  if (is_of_launcher && !attempt.status) return Ending::not_started;
  return Ending::crash;
}

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::done:
      return "done";
    case Ending::wrong_input:
      return "wrong input";
    case Ending::partly_failed:
      return "partly failed";
    case Ending::stopped:
      return "stopped";
    case Ending::explosion:
      return "explosion";
    case Ending::memory:
      return "memory";
    case Ending::disk:
      return "disk";
    case Ending::hang:
      return "hang";
    case Ending::silent_error:
      return "silent error";
    case Ending::lost_node:
      return "lost node";
    case Ending::damage:
      return "damage";
    case Ending::crash:
      return "crash";
    case Ending::not_started:
      return "not started";
  }
  return "unknown";
}

Culprit culprit_of(const Attempt& attempt) {
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
  const auto ending = ending_of(attempt);
  if (attempt.was_ended || ending == Ending::hang) return attempt.stood_still_by;
  return culprit;
}

std::string seen_in(const Attempt& attempt, Ending ending) {
  const auto& words = attempt.words;
  if (!attempt.stood_still.empty()) return attempt.stood_still;
  if (attempt.status && !attempt.status->reason.empty() && attempt.status->exit_code) {
    return attempt.status->reason;
  }
  if (ending == Ending::lost_node) return words.seen;
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
                     ending == Ending::not_started ? "run of this job" : "word");
}

}  // namespace nfold::launch

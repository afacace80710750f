// Tolerant parser of NAME.status, which may be written by another version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace nfold::supervise {

/// Suspect named by the run itself.
struct Suspect {
  std::optional<int> rank;
  std::string host, device;  ///< device: UUID
  std::string what;          ///< hang, silent error, memory, failure
};

struct StatusReading {
  std::string state;  ///< "running", "done", "stopped", "failed" or empty.
  std::int64_t step = 0, steps = 0;
  std::optional<std::int64_t> first_step;  ///< First step of the current session.
  std::string reason;
  std::optional<int> exit_code;  ///< None while running.
  std::string host;
  std::string phase;  ///< Current phase without steps.
  /// Keys of a rank's own file: rank, GPU, current work, and time of its last progress.
  std::optional<int> rank;
  std::string device, work, moved;
  std::string attempt;  ///< Identifier set by launch. Empty: none.
  Suspect suspect;
  std::string text;  ///< Content of the file. Equal texts: not rewritten.
};

/// Parses lines "key: value". Ignores other lines and unknown keys.
[[nodiscard]] StatusReading parse_status(std::string text);
/// Reads a status file. None if it is missing or unreadable.
[[nodiscard]] std::optional<StatusReading> read_status(const std::filesystem::path& path);

}  // namespace nfold::supervise

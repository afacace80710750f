// NAME.status: state of a run and the reason for its end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/failure.hpp"

namespace nfold::status {

/// Progress of a rank that has work of its own.
struct RankProgress {
  int rank = 0;          ///< in the whole job
  std::string device{};  ///< a GPU's UUID; empty: processors
  std::string work{};    ///< name of the current work; empty: none
  std::string moved{};   ///< time of the last progress, or without work; UTC, ISO 8601
  bool operator==(const RankProgress&) const = default;
};

/// Contents of the file.
struct Status {
  /// None while running, which it remains after kill -9, when no process is left to change it.
  std::optional<core::Outcome> outcome{};
  std::int64_t step = 0, steps = 0;
  std::string reason{};  ///< "signal SIGUSR1", or the error's message
  std::string phase{};   ///< current phase without steps; empty: steps
  std::optional<core::Suspect> suspect{};
  std::optional<std::int64_t> first_step{};  ///< first step of this session
  std::optional<RankProgress> rank{};        ///< set in a rank's own file, which has no `steps`
  /// Host, attempt of nfold launch and time of the writer, as read from a file. write_status()
  /// writes those of this process instead.
  std::string host{}, attempt{}, written{};
  bool operator==(const Status&) const = default;
};

/// Writes atomically. Throws storage::FileError.
void write_status(const std::filesystem::path& path, const Status& status);
/// Writes like write_status(), and ignores a FileError: the next file of the run reports it.
void try_to_write_status(const std::filesystem::path& path, const Status& status);

/// Parses lines "key: value". Ignores other lines and unknown keys, since another version may have
/// written the file. Without a known `outcome`, `exit_code` or `state` give one.
[[nodiscard]] Status parse_status(const std::string& text);
/// Reads a status file. None if it is missing or unreadable.
[[nodiscard]] std::optional<Status> read_status(const std::filesystem::path& path);

}  // namespace nfold::status

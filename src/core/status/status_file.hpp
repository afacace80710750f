// NAME.status: state of a run and the reason for its end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "comm/suspect.hpp"
#include "core/exit_code.hpp"

namespace nfold::status {

/// State of a run. Remains "running" after kill -9, when no process is left to change it.
enum class RunState { running, done, stopped, failed };

/// Progress of a rank that has work of its own.
struct RankProgress {
  int rank = 0;           ///< in the whole job
  std::string device{};   ///< a GPU's UUID; empty: processors
  std::string work{};     ///< name of the current work; empty: none
  std::time_t moved = 0;  ///< time of the last progress, or without work
};

/// Contents of the file, except program and time.
struct Status {
  RunState state = RunState::running;
  std::int64_t step = 0, steps = 0;
  std::string reason;                         ///< "signal SIGUSR1", or the error's message
  std::optional<core::ExitCode> exit_code{};  ///< none while running
  std::string phase{};                        ///< current phase without steps; empty: steps
  std::optional<comm::Suspect> suspect{};
  std::optional<std::int64_t> first_step{};  ///< first step of this session
  std::optional<RankProgress> rank{};        ///< set in a rank's own file, which has no `steps`
};

/// Marks all later status files of this process, so that launch distinguishes them from those of
/// another job. Empty: no mark.
void mark_attempt(const std::string& attempt);

/// Writes atomically. Throws storage::FileError.
void write_status(const std::filesystem::path& path, const Status& status);

}  // namespace nfold::status

// NAME.status: the program's own word on how a run stands and why it ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "comm/suspect.hpp"
#include "job/exit_code.hpp"

namespace nfold::job {

/// "running" after a kill -9: nobody was left to write anything else.
enum class RunState { running, done, stopped, failed };

/// What the file says besides program and time.
struct Status {
  RunState state = RunState::running;
  std::int64_t step = 0, steps = 0;
  std::string reason;                   ///< "signal SIGUSR1", or the error's message
  std::optional<ExitCode> exit_code{};  ///< none while running
  std::string phase{};                  ///< what takes its time without steps; empty: steps
  std::optional<comm::Suspect> suspect{};
  std::optional<std::int64_t> first_step{};  ///< from which this session went on
};

/// Whole or not at all. storage::FileError.
void write_status(const std::filesystem::path& path, const Status& status);

}  // namespace nfold::job

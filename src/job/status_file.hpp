// NAME.status: the program's own word on how a run stands and why it ended.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "comm/suspect.hpp"
#include "job/exit_code.hpp"

namespace nfold::job {

/// "running" after a kill -9: nobody was left to write anything else.
enum class RunState { running, done, stopped, failed };

/// Of a rank that has work of its own.
struct RankAtWork {
  int rank = 0;           ///< of the whole job
  std::string device{};   ///< a GPU's UUID; empty: processors
  std::string work{};     ///< what it is about; empty: nothing
  std::time_t moved = 0;  ///< when it last came further with that, or had no work
};

/// What the file says besides program and time.
struct Status {
  RunState state = RunState::running;
  std::int64_t step = 0, steps = 0;
  std::string reason;                   ///< "signal SIGUSR1", or the error's message
  std::optional<ExitCode> exit_code{};  ///< none while running
  std::string phase{};                  ///< what takes its time without steps; empty: steps
  std::optional<comm::Suspect> suspect{};
  std::optional<std::int64_t> first_step{};  ///< from which this session went on
  std::optional<RankAtWork> rank{};          ///< the file is this rank's; it has no `steps`
};

/// Marks all status files of this process from now on, so that launch tells them from another
/// job's. Empty: no mark.
void mark_attempt(const std::string& attempt);

/// Whole or not at all. storage::FileError.
void write_status(const std::filesystem::path& path, const Status& status);

}  // namespace nfold::job

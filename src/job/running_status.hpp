// NAME.status while a session runs: the heartbeat that launchers and schedulers read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace nfold::job {

/// For rank 0. `written` of the file moves on with steps that were made, or when a phase begins
/// that makes none; so a run that hangs does not look alive.
class RunningStatus {
 public:
  RunningStatus(std::filesystem::path path, std::int64_t steps);

  /// Now; the first one says where the session begins. storage::FileError.
  void write(std::int64_t step);
  /// Steps were made: writes if some seconds have passed. What the disk refuses is told by what is
  /// written there next: does not throw.
  void came_to(std::int64_t step);
  /// From now on no steps are made, for "writing a checkpoint". Does not throw.
  void begin_phase(const std::string& phase, std::int64_t step);

 private:
  using Clock = std::chrono::steady_clock;
  void try_to_write(const std::string& phase, std::int64_t step);

  std::filesystem::path path_;
  std::int64_t steps_, last_step_ = -1;
  std::optional<std::int64_t> first_step_;
  Clock::time_point last_at_{};
};

}  // namespace nfold::job

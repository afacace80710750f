// NAME.status while a session runs: the heartbeat that launchers and schedulers read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace nfold::job {

/// Phases that may come often (RunningStatus::Phase). A verification makes steps.
inline constexpr const char *repartition_phase = "repartition",
                            *verification_phase = "verification";

/// Phase of a rank that waits for a target of its batch.
inline constexpr const char* target_wait_phase = "waiting for a target";

/// Between two writings of a rank's own file, where ranks have work of their own: the file system
/// is to have a hundred of these files a second at most.
[[nodiscard]] std::chrono::milliseconds rank_status_pause(std::size_t ranks);

/// For rank 0. `written` of the file moves on with steps that were made, or when a phase begins
/// that makes none; so a run that hangs does not look alive.
class RunningStatus {
 public:
  static constexpr std::chrono::milliseconds usual_pause{2000};

  /// pause: between two writings of what is told only now and then.
  RunningStatus(std::filesystem::path path, std::int64_t steps,
                std::chrono::milliseconds pause = usual_pause);
  ~RunningStatus();
  RunningStatus(const RunningStatus&) = delete;
  RunningStatus& operator=(const RunningStatus&) = delete;

  /// Now; the first one says where the session begins. storage::FileError.
  void write(std::int64_t step);
  /// Steps were made: writes if some seconds have passed. What the disk refuses is told by what is
  /// written there next: does not throw.
  void came_to(std::int64_t step);
  /// From now on no steps are made, for "writing a checkpoint". Does not throw.
  void begin_phase(const std::string& phase, std::int64_t step);

  /// In its life the run is in a phase that may come often: a thread tells of it once the file is
  /// due again, so that a hang is told by what the run did, and the file is written no more often.
  class Phase {
   public:
    /// status: null on ranks that write none. phase: lives as long as the program.
    Phase(RunningStatus* status, const char* phase, std::int64_t step);
    ~Phase();
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    RunningStatus* status_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  struct Later;
  void try_to_write(const std::string& phase, std::int64_t step);
  void write_file(const std::string& phase, std::int64_t step) const;
  [[nodiscard]] std::unique_lock<std::mutex> alone_with_file() const;

  std::filesystem::path path_;
  std::chrono::milliseconds pause_;
  std::int64_t steps_, last_step_ = -1;
  std::optional<std::int64_t> first_step_;
  Clock::time_point last_at_{};
  std::unique_ptr<Later> later_;  // from the first Phase on
};

}  // namespace nfold::job

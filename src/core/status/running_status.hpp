// NAME.status during a session: the heartbeat that supervisors and schedulers read.
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

#include "core/status/status_file.hpp"

namespace nfold::status {

/// Phases that may be frequent (RunningStatus::Phase). A verification computes steps.
inline constexpr const char *repartition_phase = "repartition",
                            *verification_phase = "verification";

/// Phase of a rank that waits for a target of its batch.
inline constexpr const char* target_wait_phase = "waiting for a target";

/// Returns the interval between writes of a rank's own file, if ranks have work of their own, so
/// that about a hundred of these files are written per second at most.
[[nodiscard]] std::chrono::milliseconds rank_status_pause(std::size_t ranks);

/// Heartbeat of a run, for rank 0. The file's time `written` advances with computed steps and when
/// a phase without steps begins, so that a hanging run does not look alive.
class RunningStatus {
 public:
  static constexpr std::chrono::milliseconds usual_pause{2000};

  /// pause: minimum interval between periodic writes.
  RunningStatus(std::filesystem::path path, std::int64_t steps,
                std::chrono::milliseconds pause = usual_pause);
  ~RunningStatus();
  RunningStatus(const RunningStatus&) = delete;
  RunningStatus& operator=(const RunningStatus&) = delete;

  /// Writes now; the first call sets the session's first step. Throws storage::FileError.
  void write(std::int64_t step);
  /// Writes if steps were computed and `pause` has passed. Does not throw: the next file written to
  /// a full disk reports it.
  void report_progress(std::int64_t step);
  /// Writes a phase without steps, "writing a checkpoint". Does not throw.
  void begin_phase(const std::string& phase, std::int64_t step);

  /// Scope of a phase that may be frequent. A thread writes the phase once the file is due again,
  /// so that the file of a hanging run names the phase and is written no more often.
  class Phase {
   public:
    /// status: null on ranks that write none. phase: must have static lifetime.
    Phase(RunningStatus* status, const char* phase, std::int64_t step);
    ~Phase();
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    RunningStatus* status_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  struct DeferredWrite;
  void try_to_write(const std::string& phase, std::int64_t step);
  [[nodiscard]] Status make_status(const std::string& phase, std::int64_t step) const;
  [[nodiscard]] std::unique_lock<std::mutex> lock_file() const;

  std::filesystem::path path_;
  std::chrono::milliseconds pause_;
  std::int64_t steps_, last_step_ = -1;
  std::optional<std::int64_t> first_step_;
  Clock::time_point last_at_{};
  std::unique_ptr<DeferredWrite> deferred_;  // from the first Phase on
};

}  // namespace nfold::status

// Heartbeat monitor of one attempt: progress and stalls, from its status files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.hpp"
#include "core/status/status_file.hpp"

namespace nfold::supervise {

/// Location of the status files.
struct WatchedFolder {
  std::filesystem::path status;  ///< Status file of the run or batch.
  std::filesystem::path folder;  ///< Output folder.
  /// True for a batch, with TARGET/PART/PART.status of each part and NAME.rank-RANK.status of each
  /// rank.
  bool has_parts = false;
  std::string attempt{};  ///< Attempt identifier in its status files.
};

/// Stall of a rank or part.
struct Stall {
  std::string words;   ///< Description. Empty: no stall.
  core::Suspect by{};  ///< Stalled rank, as far as known.
};

/// Work to be repeated after a restart.
struct Loss {
  std::int64_t steps = 0;  ///< Steps of the attempt before, beyond its checkpoint.
  double seconds = 0;      ///< Since the first of these steps was made.
};

/// Factor on the time limit for phases without steps that the run has announced.
inline constexpr double phase_limit_factor = 10;

/// Heartbeat monitor, which alone judges whether an attempt stalls. All times are of
/// core::seconds_now(), passed by the caller.
class HeartbeatMonitor {
 public:
  /// Reads the status files of earlier attempts.
  HeartbeatMonitor(WatchedFolder where, double now_s);

  /// Reads all status files.
  void update(double now_s);

  /// Returns the status of the run or batch. None until this attempt has written it.
  [[nodiscard]] std::optional<status::Status> status() const;
  /// Returns the time of the first step beyond the checkpoint. None if there was no step.
  [[nodiscard]] std::optional<double> first_new_step_at() const { return first_new_step_at_; }
  /// Returns the step of the checkpoint, summed over parts.
  [[nodiscard]] std::int64_t first_step() const;
  /// Returns the last step, summed over parts.
  [[nodiscard]] std::int64_t progress() const;
  /// Returns a stall that is longer than limit_s, if any. limit_s <= 0: no limit.
  [[nodiscard]] Stall find_stall(double now_s, double limit_s) const;
  /// Returns the steps of the attempt `before` beyond the checkpoint of this one.
  [[nodiscard]] Loss loss_since(const HeartbeatMonitor& before, double now_s) const;

 private:
  struct Part {
    bool is_of_this_attempt = false;
    double changed_s = 0, moved_s = 0;  // moved_s: ranks only
    std::int64_t first_step = 0;
    status::Status last;
    std::vector<std::pair<double, std::int64_t>> trail;  // (time, step) of each reading
  };
  struct Files {
    std::vector<std::filesystem::path> parts, ranks;  // parts: includes the run or batch
  };
  [[nodiscard]] Files files() const;
  /// True for the status file of a batch, which counts targets and does not change while they run.
  [[nodiscard]] bool is_of_batch(const std::filesystem::path& file) const {
    return where_.has_parts && file == where_.status;
  }
  template <class Step>
  [[nodiscard]] std::int64_t sum_over_parts(const Step& step) const;
  void update_part(const std::filesystem::path& file, double now_s);
  void update_rank(const std::filesystem::path& file, double now_s);
  [[nodiscard]] Stall find_stalled_part(double now_s, double limit_s) const;
  [[nodiscard]] Stall find_stalled_ranks(double now_s, double limit_s) const;
  [[nodiscard]] bool all_ranks_wait() const;

  WatchedFolder where_;
  double began_s_;
  std::map<std::filesystem::path, Part> parts_;
  std::map<std::filesystem::path, Part> ranks_;  // ranks that have not ended
  std::optional<double> first_new_step_at_, all_wait_since_;
};

}  // namespace nfold::supervise

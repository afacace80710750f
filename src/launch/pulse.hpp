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

#include "launch/status_reading.hpp"

namespace nfold::launch {

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
struct Standstill {
  std::string words;  ///< Description. Empty: no stall.
  Suspect by{};       ///< Stalled rank, as far as known.
};

/// Work to be repeated after a restart.
struct Loss {
  std::int64_t steps = 0;  ///< Steps of the attempt before, beyond its checkpoint.
  double seconds = 0;      ///< Since the first of these steps was made.
};

/// Factor on the time limit for phases without steps that the run has announced.
inline constexpr double patience_in_phases = 10;

/// Heartbeat monitor. All times are seconds of one clock, passed by the caller.
class Pulse {
 public:
  /// Reads the status files of earlier attempts.
  Pulse(WatchedFolder where, double now_s);

  /// Reads all status files.
  void look(double now_s);

  /// Returns the status of the run or batch. None until this attempt has written it.
  [[nodiscard]] std::optional<StatusReading> status() const;
  /// Returns the time of the first step beyond the checkpoint. None if there was no step.
  [[nodiscard]] std::optional<double> first_new_step_at() const { return first_new_step_at_; }
  /// Returns the step of the checkpoint, summed over parts.
  [[nodiscard]] std::int64_t first_step() const;
  /// Returns the last step, summed over parts.
  [[nodiscard]] std::int64_t progress() const;
  /// Returns a stall that is longer than limit_s, if any. limit_s <= 0: no limit.
  [[nodiscard]] Standstill standing_still(double now_s, double limit_s) const;
  /// Returns the steps of the attempt `before` beyond the checkpoint of this one.
  [[nodiscard]] Loss lost_of(const Pulse& before, double now_s) const;

 private:
  struct Part {
    bool is_of_this_attempt = false;
    double changed_s = 0, moved_s = 0;  // moved_s: ranks only
    std::int64_t first_step = 0;
    StatusReading last;
    std::vector<std::pair<double, std::int64_t>> trail;  // (time, step) of each reading
  };
  struct Files {
    std::vector<std::filesystem::path> parts, ranks;  // parts: includes the run or batch
  };
  [[nodiscard]] Files files() const;
  void look_at(const std::filesystem::path& file, double now_s);
  void look_at_rank(const std::filesystem::path& file, double now_s);
  [[nodiscard]] Standstill part_standing_still(double now_s, double limit_s) const;
  [[nodiscard]] Standstill ranks_standing_still(double now_s, double limit_s) const;
  [[nodiscard]] bool all_ranks_wait() const;

  WatchedFolder where_;
  double began_s_;
  std::map<std::filesystem::path, Part> parts_;
  std::map<std::filesystem::path, Part> ranks_;  // ranks that have not ended
  std::optional<double> first_new_step_at_, all_wait_since_;
};

}  // namespace nfold::launch

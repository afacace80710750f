// The heartbeat of one attempt, read from status files: how far it is, and whether it stands still.
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

/// Whose status files are read.
struct WatchedFolder {
  std::filesystem::path status;  ///< of the whole
  std::filesystem::path folder;  ///< what is written to
  /// A batch: TARGET/PART/PART.status of each part, and NAME.rank-RANK.status of each rank.
  bool has_parts = false;
  std::string attempt{};  ///< mark of its status files
};

/// What does not come further.
struct Standstill {
  std::string words;  ///< empty: nothing stands still
  Suspect by{};       ///< as far as it is known
};

struct Loss {
  std::int64_t steps = 0;  ///< made in the attempt before, to be made again
  double seconds = 0;      ///< since the first of them was made
};

/// A phase without steps, that the run has announced, may take so many times longer.
inline constexpr double patience_in_phases = 10;

/// Times are seconds of one clock, handed in.
class Pulse {
 public:
  /// Reads how far other attempts came.
  Pulse(WatchedFolder where, double now_s);

  void look(double now_s);

  /// The whole's status, once this attempt has written one.
  [[nodiscard]] std::optional<StatusReading> status() const;
  /// The first step beyond the one that it went on from.
  [[nodiscard]] std::optional<double> first_new_step_at() const { return first_new_step_at_; }
  /// The step it went on from: of all parts together.
  [[nodiscard]] std::int64_t first_step() const;
  /// The last step of all parts together.
  [[nodiscard]] std::int64_t progress() const;
  /// For longer than that. limit_s <= 0: no limit.
  [[nodiscard]] Standstill standing_still(double now_s, double limit_s) const;
  /// What the attempt before had made beyond the steps from which this one went on.
  [[nodiscard]] Loss lost_of(const Pulse& before, double now_s) const;

 private:
  struct Part {
    bool is_of_this_attempt = false;
    double changed_s = 0, moved_s = 0;  // moved_s: of ranks
    std::int64_t first_step = 0;
    StatusReading last;
    std::vector<std::pair<double, std::int64_t>> trail;  // when which step was seen
  };
  struct Files {
    std::vector<std::filesystem::path> parts, ranks;  // parts: the whole as well
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
  std::map<std::filesystem::path, Part> ranks_;  // those that have not ended
  std::optional<double> first_new_step_at_, all_wait_since_;
};

}  // namespace nfold::launch

// How busy the ranks of a run are, and whether another map of residues is worth seeking.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "domain/cost_fit.hpp"
#include "domain/rebalance.hpp"
#include "dynamics/engine.hpp"

namespace nfold::run {

/// How busy the ranks were since the assessment before; the same on all of them.
struct Assessment {
  struct Rank {
    double busy_seconds = 0;  ///< in a step
    std::int64_t residues = 0, ghosts = 0;
  };
  std::int64_t step = 0;
  double step_seconds = 0;
  std::vector<Rank> ranks;
  bool has_moved = false;  ///< residues were shared out anew upon it
};

/// Ranks tell each other at growing intervals how busy they were and how many ghosts they have. All
/// have the same numbers and so decide alike. A map is wanted where domain::watch() says so, where
/// ghosts have become more numerous since residues of different ranks mix, or where one has more
/// residues than its memory has room for.
class LoadWatch {
 public:
  /// The referred-to objects outlive it. Idle with one rank and for random maps. speed: (ranks)
  /// given ones, or empty: equal. devices: whose memory bounds a rank's share; null: none.
  LoadWatch(const comm::Communicator& communicator, const config::Settings& settings,
            std::vector<double> speed, std::shared_ptr<device::DevicesOfJob> devices);

  [[nodiscard]] bool is_idle() const { return every_ == 0; }
  /// Loads are of clocks, and not of counted work.
  [[nodiscard]] bool is_by_time() const { return by_time_; }
  /// Until begin() is called, at a block's end. What steps take right after a start or a move, as
  /// plans and recordings, is no part of any load.
  [[nodiscard]] bool is_to_begin() const { return begins_; }
  void begin(const dynamics::Engine& engine);
  [[nodiscard]] bool is_due(std::int64_t step) const { return step >= next_; }
  /// Collective. None where a clock is asked that has told nothing yet.
  [[nodiscard]] std::optional<Assessment> assess(const dynamics::Engine& engine);
  /// Upon the last assessment, at this step. move_seconds: what a map is expected to cost. If it is
  /// not, the next assessment may come later than this one did.
  [[nodiscard]] bool wants_map(std::int64_t step, double move_seconds);

  /// A map was sought, and taken or not.
  void was_tried(bool is_taken);
  /// Residues have moved: to begin again, with no load known.
  void forget();
  /// An interval begins; what was before is no part of the next assessment.
  void start_interval(const dynamics::Engine& engine);

  /// Step after this one by which it is due.
  [[nodiscard]] std::int64_t next_look(std::int64_t step) const;
  /// The same while something else is waited for.
  [[nodiscard]] std::int64_t next_short_look(std::int64_t step) const;
  /// Whether the last assessment speaks for the present map. The same on all ranks.
  [[nodiscard]] bool is_settled() const;
  /// For how many steps a map is likely to serve.
  [[nodiscard]] std::int64_t steps_ahead(std::int64_t step) const;

  [[nodiscard]] const domain::RebalanceSettings& rules() const { return rules_; }
  /// Of work where nothing is fitted.
  [[nodiscard]] const domain::WorkCosts& usual_costs() const { return prior_; }
  [[nodiscard]] std::optional<domain::FittedCosts> fitted_costs() const;
  /// (ranks) Smoothed since the last move.
  [[nodiscard]] const std::vector<domain::RankLoad>& loads() const { return loads_; }
  [[nodiscard]] double step_seconds() const { return step_seconds_; }
  /// (ranks) For which the memory of each has room.
  [[nodiscard]] std::vector<std::int64_t> most_residues() const;
  /// A rank with more residues than that; -1: none.
  [[nodiscard]] int short_of_memory() const { return short_of_memory_; }

 private:
  /// What one rank tells of itself.
  struct Report {
    double busy_seconds = 0, step_seconds = 0;  // of a step
    double counted_work = 0, term_work = 0;
    std::int64_t timed_steps = 0, residues = 0, ghosts = 0, most_residues = 0;
    std::int64_t pairs = 0, charged_pairs = 0;
  };

  [[nodiscard]] Report report_of(const dynamics::Engine& engine) const;
  void take(const std::vector<Report>& ranks);
  void keep_samples();
  [[nodiscard]] bool is_worth_a_try(std::int64_t step, double move_seconds);

  const comm::Communicator& communicator_;
  const config::Settings& settings_;
  std::vector<double> speed_;
  std::shared_ptr<device::DevicesOfJob> devices_;
  domain::RebalanceSettings rules_;
  domain::WorkCosts prior_;
  bool by_time_;
  std::int64_t every_, interval_, next_ = 0;
  bool begins_ = true;
  dynamics::BusyTime before_;  // at the assessment before
  std::vector<Report> ranks_;  // of the last assessment
  std::vector<domain::RankLoad> loads_;
  double step_seconds_ = 0;                              // smoothed likewise
  std::deque<std::vector<domain::CostSample>> samples_;  // by assessment
  domain::RebalanceMemory memory_;
  int short_of_memory_ = -1;
  std::int64_t memory_wait_ = 0, next_for_memory_ = 0;  // steps between attempts; next one
  std::int64_t ghosts_before_ = -1;  // of all ranks, when the present map was new or last confirmed
};

}  // namespace nfold::run

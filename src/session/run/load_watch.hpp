// Load of the ranks of a run, and when a repartition is worth seeking.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/job_devices.hpp"
#include "domain/cost_fit.hpp"
#include "domain/rebalance.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "session/run/balance_log.hpp"

namespace nfold::run {

/// Load of all ranks since the previous assessment; identical on all ranks.
struct Assessment {
  struct Rank {
    double busy_seconds = 0;  ///< per step
    std::int64_t residues = 0, ghosts = 0;
  };
  std::int64_t step = 0;
  double step_seconds = 0;
  std::vector<Rank> ranks;
  bool has_moved = false;  ///< true if residues were repartitioned after it
};

/// Monitor of the ranks' loads. Ranks exchange their busy times and numbers of ghosts at growing
/// intervals; all have the same numbers and so decide alike. A repartition is due if
/// domain::assess_loads() requests it, if ghosts have multiplied because residues of different
/// ranks mix, or if a rank has more residues than its memory holds.
class LoadWatch {
 public:
  /// The referred-to objects outlive it. Idle with one rank and for random partitions. speed:
  /// (ranks) given relative speeds; empty: equal. devices: their memory bounds the residues of a
  /// rank; null: no bound.
  LoadWatch(const comm::Communicator& communicator, const input::Settings& settings,
            std::vector<double> speed, std::shared_ptr<device::JobDevices> devices);

  [[nodiscard]] bool is_idle() const { return every_ == 0; }
  /// True if loads are measured times, false if they are counted work.
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  /// True until begin() is called, at a block's end. Costs right after a start or a repartition,
  /// such as planning and graph captures, are excluded from every load.
  [[nodiscard]] bool is_to_begin() const { return begins_; }
  void begin(const engine::Engine& engine);
  [[nodiscard]] bool is_due(std::int64_t step) const { return step >= next_; }
  /// Collective. Returns none if loads are measured times and a rank has no timed steps yet; then
  /// decision() is about that.
  [[nodiscard]] std::optional<Assessment> assess(const engine::Engine& engine);
  /// True if a repartition is worth seeking after the last assessment, at this step. move_seconds:
  /// expected cost of a repartition. If false, the interval to the next assessment may grow.
  [[nodiscard]] bool should_repartition(std::int64_t step, double move_seconds);
  /// Decision of the last assessment, if no repartition is to be sought. Identical on all ranks.
  [[nodiscard]] const BalanceDecision& decision() const { return decision_; }

  /// Records that a partition was sought, and if it was taken.
  void record_attempt(bool is_taken);
  /// Discards all loads after a repartition; begin() is due again.
  void forget();
  /// Starts an interval; earlier steps are excluded from the next assessment.
  void start_interval(const engine::Engine& engine);

  /// Step after this one by which it is due.
  [[nodiscard]] std::int64_t next_check(std::int64_t step) const;
  /// Step after this one at the shortest interval, for use while a search is in progress.
  [[nodiscard]] std::int64_t next_short_check(std::int64_t step) const;
  /// True if the loads are of the present partition and call for no other. Identical on all ranks.
  [[nodiscard]] bool is_settled() const;
  /// Number of steps for which a partition is likely to be useful.
  [[nodiscard]] std::int64_t steps_ahead(std::int64_t step) const;

  [[nodiscard]] const domain::RebalanceSettings& rules() const { return rules_; }
  /// Costs of work, used if none are fitted.
  [[nodiscard]] const domain::WorkCosts& usual_costs() const { return prior_; }
  [[nodiscard]] std::optional<domain::FittedCosts> fitted_costs() const;
  /// (ranks) Loads, smoothed since the last repartition.
  [[nodiscard]] const std::vector<domain::RankLoad>& loads() const { return loads_; }
  [[nodiscard]] double step_seconds() const { return step_seconds_; }
  /// (ranks) Largest number of residues that each rank's memory holds.
  [[nodiscard]] std::vector<std::int64_t> residue_capacity() const;
  /// Rank with more residues than its memory holds; -1: none.
  [[nodiscard]] int overfull_rank() const { return overfull_rank_; }

 private:
  /// Measurements of one rank.
  struct Report {
    double busy_seconds = 0, step_seconds = 0;  // per step
    double counted_work = 0, term_work = 0;
    std::int64_t timed_steps = 0, residues = 0, ghosts = 0, residue_capacity = 0;
    std::int64_t pairs = 0, charged_pairs = 0;
  };

  [[nodiscard]] Report measure_rank(const engine::Engine& engine) const;
  void take(const std::vector<Report>& ranks);
  void keep_samples();
  [[nodiscard]] double largest_gain() const;
  [[nodiscard]] bool is_repartition_worthwhile(std::int64_t step, double move_seconds);
  [[nodiscard]] BalanceDecision decide(std::int64_t step, double move_seconds) const;
  [[nodiscard]] std::string describe_load() const;
  [[nodiscard]] std::string describe_reason(domain::RebalanceOutcome outcome, std::int64_t step,
                                            double move_seconds) const;

  const comm::Communicator& communicator_;
  const input::Settings& settings_;
  std::vector<double> speed_;
  std::shared_ptr<device::JobDevices> devices_;
  domain::RebalanceSettings rules_;
  domain::WorkCosts prior_;
  bool is_timed_;
  std::int64_t every_, interval_, next_ = 0;
  bool begins_ = true;
  engine::BusyTime before_;    // value at the previous assessment
  std::vector<Report> ranks_;  // reports of the last assessment
  std::vector<domain::RankLoad> loads_;
  double step_seconds_ = 0;                              // smoothed like the loads
  std::deque<std::vector<domain::CostSample>> samples_;  // one entry per assessment
  domain::RebalanceMemory memory_;
  BalanceDecision decision_;
  int overfull_rank_ = -1;
  std::int64_t memory_wait_ = 0,
               next_for_memory_ =
                   0;  // steps between attempts because of memory; step of the next one
  std::int64_t ghosts_before_ =
      -1;  // ghosts of all ranks when the present partition was new or last confirmed
};

}  // namespace nfold::run

// Shares the residues out anew while a run goes on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "domain/cost_fit.hpp"
#include "domain/partition.hpp"
#include "domain/rebalance.hpp"
#include "dynamics/engine.hpp"
#include "run/map_search.hpp"
#include "setup/memory_plan.hpp"
#include "setup/partition_choice.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

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

/// Ranks tell each other at growing intervals how busy they were and how many ghosts they have.
/// Where domain::watch() wants another map, or ghosts have become more numerous since residues of
/// different ranks mix, or one has more than its memory has room for, rank 0 seeks the map that the
/// ranks' speeds ask for, from a copy of the positions; of a large system, of those of pieces of
/// chains alone, which is sooner and leaves no rank with all. If it pays, each rank prepares for
/// it, and then residues move; in a large system threads seek and prepare while steps go on, which
/// wait for neither. All ranks have the same numbers and so decide alike; no map changes a bit of
/// the result.
class Repartition {
 public:
  /// The referred-to objects outlive it. Idle with one rank and for random maps. devices: whose
  /// memory bounds a rank's share; null: none. most_units: of which a map is sought; 0: as many as
  /// these ranks need.
  Repartition(const comm::Communicator& communicator, const config::Settings& settings,
              const topology::Topology& topology, std::vector<double> speed = {},
              std::shared_ptr<device::DevicesOfJob> devices = nullptr, std::int64_t most_units = 0);

  struct Served {
    std::string told;  ///< a line for the log where a new map was tried
    std::optional<Assessment> assessment;
  };
  /// Collective, between two blocks; nothing where it was not due.
  Served serve(dynamics::Engine& engine);
  /// Step after this one by which serve() is to be called, though sooner does no harm.
  [[nodiscard]] std::int64_t next_look(std::int64_t step) const;
  [[nodiscard]] setup::NewMaps new_maps() const { return new_maps_; }
  /// Whether residues are likely to stay where they are, as far as the last assessment tells. The
  /// same on all ranks.
  [[nodiscard]] bool is_settled() const;

 private:
  /// What one rank tells of itself.
  struct Report {
    double busy_seconds = 0, step_seconds = 0;  // of a step
    double counted_work = 0, term_work = 0;
    std::int64_t timed_steps = 0, residues = 0, ghosts = 0, most_residues = 0;
    std::int64_t pairs = 0, charged_pairs = 0;
  };
  /// What rank 0 found, for all.
  struct Offer {
    bool pays = false;
    std::int64_t ghosts = 0;
    double step_seconds = 0, gain_seconds = 0, balance = 1;
  };
  /// A map that is taken, while ranks prepare for it.
  struct Decision {
    Offer offer;
    std::int64_t step = 0;  // since when
    std::future<std::shared_ptr<dynamics::PreparedOwner>> prepared;
  };

  /// Rows of this rank, and the map that they are of.
  struct RowsOfMap {
    std::shared_ptr<const domain::Ownership> owner;
    std::vector<int> rows;
  };

  [[nodiscard]] bool is_due(const dynamics::Engine& engine);
  [[nodiscard]] const std::vector<int>& unit_rows(const dynamics::Engine& engine);
  [[nodiscard]] Report report_of(const dynamics::Engine& engine) const;
  void take(const std::vector<Report>& ranks);
  void keep_samples();
  [[nodiscard]] bool is_worth_a_try(std::int64_t step);
  [[nodiscard]] std::int64_t steps_ahead(std::int64_t step) const;
  [[nodiscard]] bool is_small() const;
  void ask(const dynamics::Engine& engine, Assessment assessment);
  [[nodiscard]] bool has_answer() const;
  [[nodiscard]] Served answer(dynamics::Engine& engine);
  [[nodiscard]] bool all_are_prepared() const;
  [[nodiscard]] Served move(dynamics::Engine& engine);
  [[nodiscard]] Served end_attempt(const dynamics::Engine& engine, std::string told);
  [[nodiscard]] double slowest(double seconds) const;
  [[nodiscard]] std::string words_of(std::int64_t step, const Offer& offer,
                                     const std::string& move) const;

  const comm::Communicator& communicator_;
  const config::Settings& settings_;
  const topology::Topology& topology_;
  std::vector<double> speed_;  // (ranks) given; empty: equal
  std::shared_ptr<device::DevicesOfJob> devices_;
  domain::ResidueUnits units_;  // of which a map is sought; empty where it is sought of residues
  RowsOfMap unit_rows_;         // of the first residues of this rank's units
  domain::RebalanceSettings rules_;
  domain::WorkCosts prior_;
  bool by_time_;
  std::int64_t every_, interval_, next_ = 0;
  bool begins_ = true;                   // the next block's end begins an assessment
  dynamics::BusyTime before_;            // at the assessment before
  std::vector<Report> ranks_;            // of the last assessment
  std::vector<domain::RankLoad> loads_;  // smoothed, since the last move
  double step_seconds_ = 0;              // likewise
  std::deque<std::vector<domain::CostSample>> samples_;  // by assessment
  std::optional<domain::FittedCosts> costs_;             // of them, when a map is sought
  domain::RebalanceMemory memory_;
  int short_of_memory_ = -1;  // a rank with more residues than room for them
  std::int64_t memory_wait_ = 0, next_for_memory_ = 0;  // steps between attempts; next one
  std::int64_t ghosts_before_ = -1;  // of all ranks, when the present map was new or last confirmed
  double move_seconds_ = 0;          // that steps stood still for the last move; at first guessed
  double paused_seconds_ = 0;        // likewise, for the map that is sought or prepared
  setup::NewMaps new_maps_;
  std::optional<Assessment> asked_;             // upon which a map is sought
  std::future<std::optional<FoundMap>> found_;  // on rank 0 while asked_ and undecided
  std::optional<Decision> decision_;            // while asked_
};

}  // namespace nfold::run

// Repartition of the residues during a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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
#include "domain/residue_units.hpp"
#include "dynamics/engine.hpp"
#include "run/load_watch.hpp"
#include "run/map_search.hpp"
#include "setup/memory_plan.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// Repartition requested by LoadWatch. Rank 0 seeks a partition that suits the ranks' speeds from a
/// copy of the positions; for a large system from the positions of pieces of chains only, which is
/// faster and leaves no rank with all positions. If it pays, each rank prepares for it, and then
/// residues migrate. For a large system threads seek and prepare while steps continue. All ranks
/// decide alike; no partition changes a bit of the result.
class Repartition {
 public:
  /// The referred-to objects outlive it. Idle with one rank and for random partitions. devices:
  /// their memory bounds the residues of a rank; null: no bound. most_units: largest number of
  /// units to partition; 0: chosen from the number of ranks.
  Repartition(const comm::Communicator& communicator, const config::Settings& settings,
              const topology::Topology& topology, std::vector<double> speed = {},
              std::shared_ptr<device::DevicesOfJob> devices = nullptr, std::int64_t most_units = 0);

  struct Served {
    std::string told;  ///< line for the log, after an attempt
    std::optional<Assessment> assessment;
  };
  /// Collective, between two blocks. Returns an empty result if nothing was due.
  Served serve(dynamics::Engine& engine);
  /// Step after this one by which serve() is to be called; an earlier call is harmless.
  [[nodiscard]] std::int64_t next_look(std::int64_t step) const;
  [[nodiscard]] setup::NewMaps new_maps() const { return new_maps_; }
  /// True if residues are likely to stay on their ranks, by the last assessment. Identical on all
  /// ranks.
  [[nodiscard]] bool is_settled() const;

 private:
  /// Result of rank 0's search, for all ranks.
  struct Offer {
    bool pays = false;
    std::int64_t ghosts = 0;
    double step_seconds = 0, gain_seconds = 0, balance = 1;
  };
  /// Accepted partition while ranks prepare for it.
  struct Decision {
    Offer offer;
    std::int64_t step = 0;  // when the decision was made
    std::future<std::shared_ptr<dynamics::PreparedOwner>> prepared;
  };
  /// Rows of this rank, and the partition that they belong to.
  struct RowsOfMap {
    std::shared_ptr<const domain::Ownership> owner;
    std::vector<int> rows;
  };

  [[nodiscard]] const std::vector<int>& unit_rows(const dynamics::Engine& engine);
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
  domain::ResidueUnits units_;  // units to partition; empty if single residues are partitioned
  RowsOfMap unit_rows_;         // rows of the first residues of this rank's units
  LoadWatch watch_;
  std::optional<domain::FittedCosts> costs_;  // costs at the start of the search
  double move_seconds_ = 0;    // pause of the steps for the last repartition; at first a guess
  double paused_seconds_ = 0;  // pause so far for the search or preparation in progress
  setup::NewMaps new_maps_;
  std::optional<Assessment> asked_;             // assessment that led to the search in progress
  std::future<std::optional<FoundMap>> found_;  // set on rank 0 during the search
  std::optional<Decision> decision_;            // set during the preparation
};

}  // namespace nfold::run

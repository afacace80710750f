// Shares the residues out anew while a run goes on.
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

/// Where LoadWatch wants another map, rank 0 seeks the one that the ranks' speeds ask for, from a
/// copy of the positions; of a large system, of those of pieces of chains alone, which is sooner
/// and leaves no rank with all. If it pays, each rank prepares for it, and then residues move; in a
/// large system threads seek and prepare while steps go on, which wait for neither. All ranks
/// decide alike; no map changes a bit of the result.
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
  domain::ResidueUnits units_;  // of which a map is sought; empty where it is sought of residues
  RowsOfMap unit_rows_;         // of the first residues of this rank's units
  LoadWatch watch_;
  std::optional<domain::FittedCosts> costs_;  // when a map is sought
  double move_seconds_ = 0;    // that steps stood still for the last move; at first guessed
  double paused_seconds_ = 0;  // likewise, for the map that is sought or prepared
  setup::NewMaps new_maps_;
  std::optional<Assessment> asked_;             // upon which a map is sought
  std::future<std::optional<FoundMap>> found_;  // on rank 0 while asked_ and undecided
  std::optional<Decision> decision_;            // while asked_
};

}  // namespace nfold::run

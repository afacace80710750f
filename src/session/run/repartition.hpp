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
#include "device/job_devices.hpp"
#include "domain/cost_fit.hpp"
#include "domain/partition.hpp"
#include "domain/residue_units.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/run/load_watch.hpp"
#include "session/run/partition_search.hpp"
#include "session/setup/memory_estimate.hpp"

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
  Repartition(const comm::Communicator& communicator, const input::Settings& settings,
              const topology::Topology& topology, std::vector<double> speed = {},
              std::shared_ptr<device::JobDevices> devices = nullptr, std::int64_t most_units = 0);

  struct Result {
    std::string log_line;  ///< line for the log on what was decided, or an empty text
    std::optional<Assessment> assessment;
  };
  /// Collective, between two blocks. Returns an empty result if nothing was due.
  Result run_if_due(engine::Engine& engine);
  /// Step after this one by which run_if_due() is to be called; an earlier call is harmless.
  [[nodiscard]] std::int64_t next_check(std::int64_t step) const;
  [[nodiscard]] setup::RepartitionHistory new_maps() const { return new_maps_; }
  /// Decisions so far; identical on all ranks.
  [[nodiscard]] job::LoadBalanceCounts decisions() const { return log_.counts(); }
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
    std::future<std::shared_ptr<engine::PreparedRepartition>> prepared;
  };
  /// Rows of this rank, and the partition that they belong to.
  struct PartitionRows {
    std::shared_ptr<const domain::Ownership> owner;
    std::vector<int> rows;
  };

  [[nodiscard]] const std::vector<int>& unit_rows(const engine::Engine& engine);
  [[nodiscard]] bool is_small() const;
  void start_search(const engine::Engine& engine, Assessment assessment);
  [[nodiscard]] bool is_search_done() const;
  [[nodiscard]] Result take_result(engine::Engine& engine);
  [[nodiscard]] bool all_are_prepared() const;
  [[nodiscard]] Result move(engine::Engine& engine);
  [[nodiscard]] Result end_attempt(const engine::Engine& engine, domain::RebalanceOutcome outcome,
                                   double gain_share, std::string log_line);
  [[nodiscard]] double slowest(double seconds) const;
  [[nodiscard]] std::string describe_attempt(std::int64_t step, const Offer& offer,
                                             const std::string& move) const;

  const comm::Communicator& communicator_;
  const input::Settings& settings_;
  const topology::Topology& topology_;
  domain::ResidueUnits units_;  // units to partition; empty if single residues are partitioned
  PartitionRows unit_rows_;     // rows of the first residues of this rank's units
  LoadWatch watch_;
  BalanceLog log_;
  std::optional<domain::FittedCosts> costs_;  // costs at the start of the search
  double move_seconds_ = 0;    // pause of the steps for the last repartition; at first a guess
  double paused_seconds_ = 0;  // pause so far for the search or preparation in progress
  setup::RepartitionHistory new_maps_;
  std::optional<Assessment> pending_assessment_;  // assessment that led to the search in progress
  std::future<std::optional<FoundPartition>> found_;  // set on rank 0 during the search
  std::optional<Decision> decision_;                  // set during the preparation
};

}  // namespace nfold::run

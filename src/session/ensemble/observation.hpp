// Counts over the replicas of an ensemble: plan from the input, samples, checkpoints, totals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/sparse_counts.hpp"
#include "analysis/thermodynamics/reduced_potential.hpp"
#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "io/sample_file.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_observer.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::ensemble {

/// Returns the plan of `ensemble.analysis` for a ladder.
[[nodiscard]] replicas::ObserverPlan observer_plan(
    const input::Settings& settings, const topology::Topology& topology,
    const std::vector<system::ThermodynamicState>& ladder);

/// Returns the plan of one of several ranks: beyond replicas::ObserverPlan's
/// most_residues_of_whole_maps residues, ranks share the rows of the sums over phases and of
/// energies.
[[nodiscard]] replicas::ObserverPlan distribute_rows(replicas::ObserverPlan plan,
                                                     const topology::Topology& topology, int rank,
                                                     int ranks);

/// Counts over the replicas of all ranks. Each rank counts its own replicas; checkpoints and files
/// have the sums over ranks, which are sums of integers. Rows of sparse contact maps, large
/// phase-locking matrices and histograms of many residues are distributed over the ranks. Members
/// are collective.
class EnsembleObservation {
 public:
  /// The referred-to objects outlive it. Throws DeviceMemoryError.
  EnsembleObservation(const comm::Communicator& communicator, const input::Settings& settings,
                      const topology::Topology& topology,
                      const std::vector<system::ThermodynamicState>& ladder);

  /// Resumes from a checkpoint's sums, which rank 0 takes. Throws InputError, naming the file
  /// `where`, if they do not match this input.
  void restore(const std::map<std::string, std::vector<std::int64_t>>& accumulators,
               const std::string& where);
  using NearPairs =
      std::vector<analysis::SparseCounts::Entry>;  ///< pairs i < j, by SparseCounts' keys

  /// Counts the current states of this rank's replicas, except during the equilibration.
  void sample(std::int64_t step, replicas::ReplicaSet& replicas,
              std::span<const io::ReplicaSample> mine);
  /// Adds the sums of all ranks to a checkpoint's accumulators.
  void save(std::map<std::string, std::vector<std::int64_t>>& accumulators);
  /// Returns the sums of all ranks.
  [[nodiscard]] const replicas::ObservedCounts& totals();
  /// (large tables) Contact maps of those sums, on rank 0, once totals() has been called.
  [[nodiscard]] std::vector<NearPairs> contact_maps() const;

  [[nodiscard]] const replicas::ObserverPlan& plan() const { return plan_; }
  /// True if something is counted and a sample was taken.
  [[nodiscard]] bool has_samples() const { return plan_.any() && sample_count_ > 0; }

 private:
  void sum_phases();
  void count_energies();
  void gather_energies(std::vector<std::int64_t>& energies) const;
  void keep_own_energies(std::vector<std::int64_t>& energies);
  void gather_phases(std::vector<std::int64_t>& phases) const;
  void keep_own_phases(std::vector<std::int64_t>& phases) const;
  void count_near(const replicas::ReplicaSet& replicas, std::span<const io::ReplicaSample> mine);
  [[nodiscard]] bool restore_maps(
      const std::map<std::string, std::vector<std::int64_t>>& accumulators);

  comm::Communicator communicator_;
  std::int64_t equilibration_steps_, contacts_;
  replicas::ObserverPlan plan_;
  std::int64_t sample_count_ = 0;  // number of samples, each of all replicas
  std::optional<replicas::ReplicaObserver> observer_;
  std::optional<replicas::ObservedCounts> totals_;  // present totals, if they are known
  const topology::Topology& topology_;
  std::vector<analysis::SparseCounts>
      rows_of_maps_;  // (large tables) this rank's rows of sparse maps
  std::vector<analysis::SparseCounts>
      rows_of_energies_;                // (large tables) this rank's rows, if distributed
  std::vector<NearPairs> sparse_maps_;  // set with the totals, on rank 0
};

}  // namespace nfold::ensemble

// Size and shape of a chain over the replicas of an ensemble: samples, checkpoints, convergence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/chain_statistics.hpp"
#include "analysis/replica_series.hpp"
#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "io/sample_file.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_set.hpp"
#include "session/common/tables.hpp"

namespace nfold::ensemble {

/// Radius of gyration after the equilibration that its own series shows.
struct ChainRadius {
  std::int64_t first_time = 0;  ///< samples left out, a whole number of blocks
  std::int64_t first_step = 0;  ///< step of the first sample that counts
  analysis::ReplicaMean mean;   ///< [nm]
};

/// Throws InputError if `ensemble.analysis.chain` is set for another system than one chain.
void require_one_chain(const input::Settings& settings, const topology::Topology& topology);

/// Statistics of a system's only chain, for `ensemble.analysis.chain`. Each rank adds its own
/// replicas; checkpoints and results have the sums over ranks.
class ChainObservation {
 public:
  /// The referred-to objects outlive it. Throws InputError as require_one_chain().
  ChainObservation(const comm::Communicator& communicator, const input::Settings& settings,
                   const topology::Topology& topology);

  /// Resumes from a checkpoint's sums, which rank 0 takes. Throws InputError, naming the file
  /// `where`, if they do not match this input.
  void restore(const std::map<std::string, std::vector<std::int64_t>>& accumulators,
               const std::string& where);
  /// Adds the present conformations of this rank's replicas, of which `first` is the lowest, except
  /// at the start and during the equilibration that is set.
  void sample(std::int64_t step, const replicas::ReplicaSet& replicas, std::int64_t first);
  /// Adds the sums of all ranks to a checkpoint's accumulators. Collective.
  void save(std::map<std::string, std::vector<std::int64_t>>& accumulators);
  /// Returns the statistics of all ranks. Collective.
  [[nodiscard]] analysis::ChainStatistics totals() const;

  /// True at the samples after which convergence is decided: whenever all blocks of time are
  /// complete.
  [[nodiscard]] bool is_decision_due(std::int64_t step) const;
  /// On rank 0. There must be samples that count. Throws FileError.
  [[nodiscard]] ChainRadius find_radius(const io::SampleFile& samples) const;
  /// True if the error is known and small enough for `ensemble.rg_error`. On rank 0.
  [[nodiscard]] bool is_converged(const io::SampleFile& samples) const;
  [[nodiscard]] bool has_samples() const { return statistics_.times() > 0; }

 private:
  [[nodiscard]] bool counts(std::int64_t step) const;

  const comm::Communicator& communicator_;
  const input::EnsembleSettings& settings_;
  const topology::Topology& topology_;
  analysis::ChainStatistics statistics_;  // sums of this rank's replicas
};

/// Adds the group `chain`. Returns lines for the user.
[[nodiscard]] std::vector<std::string> add_chain_tables(const topology::Topology& topology,
                                                        const input::Settings& settings,
                                                        const ChainRadius& radius,
                                                        const analysis::ChainStatistics& statistics,
                                                        common::Tables& tables);

}  // namespace nfold::ensemble

// Timing an engine: blocks of steps of about equal length, and what the lists cost meanwhile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "dynamics/engine.hpp"
#include "replicas/replica_set.hpp"
#include "topology/topology.hpp"

namespace nfold::bench {

struct Timing {
  double seconds = 10;  ///< about, of one measurement
  int repeats = 3;
  bool with_parts = true;  ///< each part of a step as well, by itself
};

struct TimedBlock {
  std::int64_t steps = 0;
  double seconds = 0;
  std::int64_t rebuilds = 0, replayed_blocks = 0, halo_plans = 0;
  double halo_plan_seconds = 0;
  double processor_seconds = 0;  ///< of this process, all threads together
  [[nodiscard]] double steps_per_second() const { return static_cast<double>(steps) / seconds; }
};

struct Measurement {
  std::vector<TimedBlock> blocks;  ///< one a repeat, at least one
  double skin_nm = 0;
  std::string transport;  ///< between the ranks, in words; empty for one
  std::vector<comm::TransportTrial> transport_trials;  ///< those that came into question
  std::int64_t pair_entries = 0, memory_bytes = 0;     ///< of all ranks
  std::vector<dynamics::PartTime> parts;               ///< of one step; none on several ranks
  double temperature_kelvin = 0;  ///< at the end: near the bath's if the warm-up was long enough
  std::string form;               ///< of a set of replicas, in words; else empty
  [[nodiscard]] double median_steps_per_second() const;
  [[nodiscard]] double slowest_steps_per_second() const;
  [[nodiscard]] double fastest_steps_per_second() const;
};

/// [s] As a rule, until skins are settled: of four million residues on a GPU after some 8.
[[nodiscard]] double most_settling_seconds();
/// Collective: at least so many steps, and then some until the skin is settled, or about so many
/// seconds. Skins that are tried would be a part of what is measured. Meanwhile residues are shared
/// out anew as in a run: residues of different ranks mix, and ghosts become more.
void settle(const comm::Communicator& communicator, dynamics::Engine& engine,
            config::Settings settings, const topology::Topology& topology, std::int64_t steps,
            double most_seconds = most_settling_seconds());

/// Collective. First finds how many steps take so long, which also warms the engine up.
[[nodiscard]] Measurement measure(const comm::Communicator& communicator, dynamics::Engine& engine,
                                  const Timing& timing);

/// Collective: the same of this rank's share of some replicas, all at once. Blocks count the steps
/// that all of them take, whatever a rank's share is.
[[nodiscard]] Measurement measure(const comm::Communicator& communicator,
                                  replicas::ReplicaSet& replicas, const Timing& timing);

/// Of an even number the mean of the two in the middle; `values` must not be empty.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace nfold::bench

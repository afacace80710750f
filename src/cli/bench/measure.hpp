// Timing of an engine in blocks of steps of about equal length, with the cost of lists meanwhile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::bench {

struct Timing {
  double seconds = 10;  ///< approximate length of one measurement
  int repeats = 3;
  bool with_parts = true;  ///< also time each part of a step by itself
};

struct TimedBlock {
  std::int64_t steps = 0;
  double seconds = 0;
  std::int64_t rebuilds = 0, replayed_blocks = 0, halo_plans = 0;
  double halo_plan_seconds = 0;
  double processor_seconds = 0;  ///< CPU time of this process, sum over threads
  [[nodiscard]] double steps_per_second() const { return static_cast<double>(steps) / seconds; }
};

struct Measurement {
  std::vector<TimedBlock> blocks;  ///< one per repeat, at least one
  double skin_nm = 0;
  std::string transport;                               ///< description; empty on one rank
  std::vector<comm::TransportTrial> transport_trials;  ///< candidate transports
  std::int64_t pair_entries = 0, memory_bytes = 0;     ///< sums over ranks
  std::vector<engine::PartTime> parts;  ///< parts of one step; may be empty on several ranks
  double temperature_kelvin = 0;  ///< at the end; near the thermostat's after a sufficient warm-up
  std::string form;               ///< description of a replica set; else empty
  [[nodiscard]] double median_steps_per_second() const;
  [[nodiscard]] double slowest_steps_per_second() const;
  [[nodiscard]] double fastest_steps_per_second() const;
};

/// Returns the usual limit of settling [s]. Skins of four million residues on a GPU settle in about
/// 8 s.
[[nodiscard]] double most_settling_seconds();
/// Collective. Advances at least `steps` steps, and then until the skin is settled, or for about
/// `most_seconds`: skin trials would distort the measurement. Repartitions meanwhile as in a run,
/// since residues of different ranks mix and ghosts become more.
void settle(const comm::Communicator& communicator, engine::Engine& engine,
            input::Settings settings, const topology::Topology& topology, std::int64_t steps,
            double most_seconds = most_settling_seconds());

/// Collective. First finds the number of steps for `timing`, which also warms up the engine.
[[nodiscard]] Measurement measure(const comm::Communicator& communicator, engine::Engine& engine,
                                  const Timing& timing);

/// Collective. Measures this rank's share of some replicas, all at once. Blocks count the steps
/// that all of them take, for any share of a rank.
[[nodiscard]] Measurement measure(const comm::Communicator& communicator,
                                  replicas::ReplicaSet& replicas, const Timing& timing);

/// Returns the median; for an even number the mean of the two in the middle. `values` must not be
/// empty.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace nfold::bench

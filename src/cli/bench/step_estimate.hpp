// Speed that nfold plan predicts for a system that is built, to compare with a measurement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "estimate/machine.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::bench {

/// System to be measured on some ranks of one node.
struct SystemToMeasure {
  const input::Settings& settings;
  const topology::Topology& topology;
  const system::State& start;  ///< all residues; not used for replicas
  std::int64_t replicas;       ///< 0: one trajectory
  int ranks;
};

/// Returns the steps per second by the machine's entry, averaged over `seconds` of run time from
/// the start. Replicas: steps of all of them together.
[[nodiscard]] double predicted_steps_per_second(const estimate::Machine& machine,
                                                const SystemToMeasure& system, double seconds);

}  // namespace nfold::bench

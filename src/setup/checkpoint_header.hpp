// Header of a checkpoint of `run`: everything beside the state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "io/checkpoint.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Identification of a system in a checkpoint. The hash visits all terms of the system.
struct SystemIdentity {
  explicit SystemIdentity(const topology::Topology& topology)
      : residue_count(topology.residue_count()),
        hash(topology::hash_of(topology)),
        box_nm(topology.box.length_nm) {}
  std::int64_t residue_count;
  std::uint64_t hash;
  std::array<double, 3> box_nm;
};

/// Collective: returns the header. Settings of layout (neighbour list, partition) and the numbers
/// of frames and rows in growing files are stored as provenance, so that the other bytes of a
/// checkpoint do not depend on them.
[[nodiscard]] io::CheckpointHeader checkpoint_header(const comm::Communicator& communicator,
                                                     const config::Settings& settings,
                                                     const SystemIdentity& system,
                                                     std::int64_t step, const std::string& frames,
                                                     const std::string& energy_rows = "");

/// Returns `frames` of checkpoint_header(); empty if the header has none.
[[nodiscard]] std::string frames_text(const io::CheckpointHeader& header);
/// Returns the number of frames written up to the checkpoint; -1: unknown.
[[nodiscard]] std::int64_t frames_of(const io::CheckpointHeader& header);
/// Returns the number of rows of energies written up to the checkpoint; -1: unknown.
[[nodiscard]] std::int64_t energy_rows_of(const io::CheckpointHeader& header);

/// Returns the settings with all keys of layout reset to their defaults.
[[nodiscard]] config::Settings without_layout(config::Settings settings);

}  // namespace nfold::setup

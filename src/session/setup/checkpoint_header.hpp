// Header of a checkpoint of `run`: everything beside the state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "io/checkpoint.hpp"
#include "model/topology/topology.hpp"

namespace nfold::setup {

/// Identification of a system in a checkpoint. The hash visits all terms of the system.
struct SystemIdentity {
  explicit SystemIdentity(const topology::Topology& topology)
      : residue_count(topology.residue_count()),
        hash(topology::hash_topology(topology)),
        box_nm(topology.box.length_nm) {}
  std::int64_t residue_count;
  std::uint64_t hash;
  std::array<double, 3> box_nm;
};

/// Collective: returns the header. Settings of layout (neighbour list, partition) and the numbers
/// of frames and rows in growing files are stored as provenance, so that the other bytes of a
/// checkpoint do not depend on them.
[[nodiscard]] io::CheckpointHeader checkpoint_header(const comm::Communicator& communicator,
                                                     const input::Settings& settings,
                                                     const SystemIdentity& system,
                                                     std::int64_t step, const std::string& frames,
                                                     const std::string& energy_rows = "");

/// Returns `frames` of checkpoint_header(); empty if the header has none.
[[nodiscard]] std::string frames_text(const io::CheckpointHeader& header);
/// Returns the number of frames written up to the checkpoint; -1: unknown.
[[nodiscard]] std::int64_t written_frames(const io::CheckpointHeader& header);
/// Returns the number of rows of energies written up to the checkpoint; -1: unknown.
[[nodiscard]] std::int64_t written_energy_rows(const io::CheckpointHeader& header);

/// Returns the settings with all keys of layout reset to their defaults.
[[nodiscard]] input::Settings without_layout(input::Settings settings);

}  // namespace nfold::setup

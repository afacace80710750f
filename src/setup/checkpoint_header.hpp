// What a checkpoint of `run` says beside the state.
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

/// What of a system a checkpoint names; the hash is a walk through all of its terms.
struct SystemIdentity {
  explicit SystemIdentity(const topology::Topology& topology)
      : residue_count(topology.residue_count()),
        hash(topology::hash_of(topology)),
        box_nm(topology.box.length_nm) {}
  std::int64_t residue_count;
  std::uint64_t hash;
  std::array<double, 3> box_nm;
};

/// Collective. Neighbour list and partition are layout, not input: they stand under provenance, so
/// that the bytes of a checkpoint don't depend on them. So do the numbers of frames and of rows in
/// files that grow.
[[nodiscard]] io::CheckpointHeader checkpoint_header(const comm::Communicator& communicator,
                                                     const config::Settings& settings,
                                                     const SystemIdentity& system,
                                                     std::int64_t step, const std::string& frames,
                                                     const std::string& energy_rows = "");

/// `frames` as checkpoint_header() was given it; empty if the header has none.
[[nodiscard]] std::string frames_text(const io::CheckpointHeader& header);
/// Frames written up to the checkpoint; -1 if it does not say.
[[nodiscard]] std::int64_t frames_of(const io::CheckpointHeader& header);
/// Rows of energies written up to the checkpoint; -1 if it does not say.
[[nodiscard]] std::int64_t energy_rows_of(const io::CheckpointHeader& header);

/// The settings without what is layout.
[[nodiscard]] config::Settings without_layout(config::Settings settings);

}  // namespace nfold::setup

// What a checkpoint of `run` says beside the state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "io/checkpoint.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Collective. Neighbour list and partition are layout, not input: they stand under provenance, so
/// that the bytes of a checkpoint don't depend on them. So do the numbers of frames and of rows in
/// files that grow.
[[nodiscard]] io::CheckpointHeader checkpoint_header(const comm::Communicator& communicator,
                                                     const config::Settings& settings,
                                                     const topology::Topology& topology,
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

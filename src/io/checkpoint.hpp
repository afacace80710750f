// Checkpoints: all data needed to resume a run, indexed by global residue id, never by rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/storage/file_error.hpp"
#include "system/state.hpp"

namespace nfold::io {

struct CheckpointHeader {
  std::int64_t residue_count = 0;
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::uint64_t topology_hash = 0;
  std::array<double, 3> box_nm{};  ///< box lengths; 0: open along that axis
  std::string resolved_input;      ///< YAML text with every default
  /// Data that other rooms keep over a restart (analysis sums, CSV rows written so far): exact
  /// integers.
  std::map<std::string, std::vector<std::int64_t>> accumulators;
  /// Text under /provenance, which is not compared: host, ranks, timings, skin.
  std::map<std::string, std::string> provenance;
};

struct Checkpoint {
  CheckpointHeader header;
  system::State state;  ///< the requested residues, by ascending id
  std::filesystem::path read_from;
  std::string warning;  ///< reason why the newest file was not used; empty if it was
};

/// Converts NAME.ckpt.h5 to NAME.ckpt.prev.h5.
[[nodiscard]] std::filesystem::path previous_checkpoint_path(const std::filesystem::path& path);

/// Rows that each rank reads: all, or a share of consecutive ids in the order of the ranks.
enum class CheckpointRows { all, share };

/// Collective. Reads PATH. If PATH is missing, torn or damaged (checksum per dataset), describes
/// this in `warning` and reads the previous checkpoint. Each rank reads a share of the rows from
/// the file. All ranks throw the same FileError if neither can be read.
[[nodiscard]] Checkpoint read_checkpoint(const comm::Communicator& communicator,
                                         const std::filesystem::path& path,
                                         CheckpointRows rows = CheckpointRows::all);

/// True if PATH or the previous checkpoint exists.
[[nodiscard]] bool checkpoint_exists(const std::filesystem::path& path);

}  // namespace nfold::io

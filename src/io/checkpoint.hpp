// The checkpoint: everything a run needs to go on, indexed by global residue id, never by rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "storage/file_error.hpp"
#include "system/state.hpp"

namespace nfold::io {

struct CheckpointHeader {
  std::int64_t residue_count = 0;
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::uint64_t topology_hash = 0;
  std::array<double, 3> box_nm{};  ///< lengths; 0: open along that axis
  std::string resolved_input;      ///< YAML text with every default
  /// What others keep over a restart (analysis sums, rows of CSV written so far): exact integers.
  std::map<std::string, std::vector<std::int64_t>> accumulators;
  /// Under /provenance, outside the bits: host, ranks, timings, skin.
  std::map<std::string, std::string> provenance;
};

/// Collective. Rows of `mine` are this rank's; all ranks' rows together are 0 .. residue_count - 1.
/// One rank reserves the space of PATH.tmp, all write to it, file and folder are fsynced, PATH is
/// renamed to its previous name and PATH.tmp to PATH. All ranks throw the same FileError together,
/// then PATH and the previous one are as before. checkpoint_writing.hpp does it while steps go on.
void write_checkpoint(const comm::Communicator& communicator, const std::filesystem::path& path,
                      const CheckpointHeader& header, system::State mine);

struct Checkpoint {
  CheckpointHeader header;
  system::State state;  ///< of the residues that were asked for, by ascending id
  std::filesystem::path read_from;
  std::string warning;  ///< why the newest file was passed over, empty if it was not
};

/// NAME.ckpt.h5 -> NAME.ckpt.prev.h5
[[nodiscard]] std::filesystem::path previous_checkpoint_path(const std::filesystem::path& path);

/// Rows that a rank gets: all, or a share, consecutive ids in the order of the ranks.
enum class CheckpointRows { all, share };

/// Collective. Reads PATH; if it is missing, torn or damaged (checksum per dataset), names it in
/// `warning` and reads the previous one. Each rank reads a share of the rows from the file. All
/// ranks throw the same FileError when neither serves.
[[nodiscard]] Checkpoint read_checkpoint(const comm::Communicator& communicator,
                                         const std::filesystem::path& path,
                                         CheckpointRows rows = CheckpointRows::all);

/// True if PATH or its previous one exists.
[[nodiscard]] bool checkpoint_exists(const std::filesystem::path& path);

}  // namespace nfold::io

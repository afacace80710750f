// Everything that a checkpoint file holds beside its rows, and where those go in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "io/checkpoint.hpp"
#include "storage/posix_file.hpp"

namespace nfold::io::checkpoint_metadata {

/// Over all rows of the file (checksum.hpp).
struct RowChecksums {
  std::uint64_t position = 0, velocity = 0;
};

/// First byte in the file of each dataset of rows, which lie one behind the other.
struct RowOffsets {
  std::int64_t position = 0, velocity = 0;
};

/// More bytes than the file will need: rows, texts, sums, and HDF5's own structure.
[[nodiscard]] std::int64_t space_needed(const CheckpointHeader& header);

/// By HDF5, which is not for several threads: in the one that writes the other files too. `file` is
/// new and has its space; it has its last size afterwards. The same bytes for any rank count.
[[nodiscard]] RowOffsets lay_out(storage::PosixFile& file, const CheckpointHeader& header,
                                 const RowChecksums& sums);

}  // namespace nfold::io::checkpoint_metadata

// Contents of a checkpoint file other than its rows, and the offsets of the rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/storage/posix_file.hpp"
#include "io/checkpoint.hpp"

namespace nfold::io::checkpoint_metadata {

/// Checksums over all rows of the file (checksum.hpp).
struct RowChecksums {
  std::uint64_t position = 0, velocity = 0;
};

/// Offset in the file of the first byte of each dataset of rows, which is contiguous.
struct RowOffsets {
  std::int64_t position = 0, velocity = 0;
};

/// Returns an upper bound of the file's size [bytes]: rows, texts, sums, and HDF5's own structure.
[[nodiscard]] std::int64_t space_needed(const CheckpointHeader& header);

/// Writes everything but the rows with HDF5. HDF5 is not thread-safe, so the caller is the thread
/// that writes the other files. `file` is new with space reserved, and has its final size on
/// return. The bytes do not depend on the rank count.
[[nodiscard]] RowOffsets lay_out(storage::PosixFile& file, const CheckpointHeader& header,
                                 const RowChecksums& sums);

}  // namespace nfold::io::checkpoint_metadata

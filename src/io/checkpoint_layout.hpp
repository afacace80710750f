// Layout of a checkpoint file, shared by writer, reader and comparison.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/storage/posix_file.hpp"
#include "io/checkpoint.hpp"

// The file: 512 bytes specific to nfold (the seal), then plain HDF5:
//   /            attributes format, format_version, residue_count, step, seed, topology_hash and
//                header_checksum of the five numbers
//   /input       resolved input, text
//   /box_nm      (3) float64, box lengths; 0, or the dataset absent: open
//   /state       position (N, 3) int64 [counts: 2^-44 of a box length, or of 4096 nm where open;
//                attribute nm_per_count (3)], velocity (N, 3) float64 [nm ps-1]
//   /accumulators/NAME  (n) int64
//   /provenance/NAME    text, not compared
// Each dataset except those of /provenance has attributes `description` and `checksum`
// (checksum.hpp; a row's words are indexed by its global id).
namespace nfold::io::checkpoint_layout {

inline constexpr const char* format_name = "nfold checkpoint";
inline constexpr std::int64_t format_version = 1;
inline constexpr std::int64_t seal_bytes = 512;
inline constexpr std::size_t words_per_row = 3;

/// Calls visit(attribute, member) for each number of the header.
template <class Header, class Visit>
void for_each_number(Header& header, const Visit& visit) {
  visit("residue_count", header.residue_count);
  visit("step", header.step);
  visit("seed", header.seed);
  visit("topology_hash", header.topology_hash);
}

/// Returns the checksum of the numbers of the header and the format's version.
[[nodiscard]] std::uint64_t header_checksum(const CheckpointHeader& header);

/// Length and checksum of all bytes behind the seal. HDF5 may crash or loop on damaged metadata, so
/// a file is only opened with HDF5 if its seal is valid.
struct Seal {
  std::array<char, 8> magic;
  std::uint64_t file_bytes;
  std::uint64_t contents;  ///< checksum of the bytes from seal_bytes on
  std::uint64_t own;       ///< checksum of the three fields above
};
[[nodiscard]] Seal make_seal(std::int64_t file_bytes, std::uint64_t contents);
void write_seal(storage::PosixFile& file, const Seal& seal);

/// Returns the checksum of every `stride`-th block of the bytes from seal_bytes on, beginning with
/// block `first`. The sum over all first < stride is the checksum of the whole.
[[nodiscard]] std::uint64_t contents_checksum(const storage::PosixFile& file,
                                              std::int64_t file_bytes, int first, int stride);

/// True if a file begins like a checkpoint, complete or not.
[[nodiscard]] bool has_seal(const storage::PosixFile& file);
/// Describes what is wrong with the file; empty if it is complete.
[[nodiscard]] std::string describe_fault(const storage::PosixFile& file);
/// Throws FileError if the file is not a complete checkpoint.
void require_complete(const storage::PosixFile& file);

}  // namespace nfold::io::checkpoint_layout

// Sizes of files by counts, and the cost of moving them.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/transfer.hpp"

namespace nfold::estimate {
namespace {

constexpr double giga = 1e9;
constexpr std::int64_t state_bytes = 48;  // position and velocity of a residue, 3 words each
constexpr std::int64_t frame_bytes = 12;  // position of a residue in a frame, 3 floats
constexpr std::int64_t described_bytes =
    120;  // names, masses and bonds of a residue in a trajectory
constexpr std::int64_t energy_row_bytes = 300;  // a line of the table, and the numbers of a frame
constexpr std::int64_t sample_bytes = 200;      // a replica's sample, in two files
constexpr std::int64_t pair_bytes = 16;         // mean and error of a pair of distinct residues
constexpr std::int64_t small_files_bytes = 1 << 20;  // log, status, input, performance, report
constexpr double first_byte_seconds = 2;             // connection, and a file's latency

}  // namespace

std::int64_t checkpoint_bytes(const OutputCounts& counts) {
  return counts.residues * counts.replicas * state_bytes;
}

std::int64_t first_state_bytes(const OutputCounts& counts) {
  return checkpoint_bytes(counts) + counts.residues * (described_bytes + frame_bytes);
}

std::int64_t trajectory_bytes(const OutputCounts& counts) {
  return counts.residues *
         (described_bytes + counts.frames * frame_bytes * (counts.is_exported ? 2 : 1));
}

std::int64_t output_bytes(const OutputCounts& counts) {
  const auto tables =
      counts.pair_tables * counts.distinct_residues * counts.distinct_residues * pair_bytes;
  return small_files_bytes + 2 * checkpoint_bytes(counts) + trajectory_bytes(counts) +
         counts.energy_rows * energy_row_bytes + counts.samples * counts.replicas * sample_bytes +
         tables;
}

double transfer_seconds(const TransferLink& link, std::int64_t bytes) {
  return first_byte_seconds + static_cast<double>(bytes) / (giga * link.gb_per_s);
}

double transfer_price(const TransferLink& link, std::int64_t bytes_back) {
  return link.price_per_gb * static_cast<double>(bytes_back) / giga;
}

}  // namespace nfold::estimate

// Data moved between this computer and a machine: bytes, time and price.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace nfold::estimate {

/// Link from this computer to a machine, and the wait for a job there.
struct TransferLink {
  double gb_per_s = 0.05;      ///< [10^9 bytes/s] one copy by ssh over a wide-area network
  double price_per_gb = 0;     ///< [per 10^9 bytes] data that leave the machine
  double wait_minutes = 5;     ///< from the submission of a job to its start
  std::string host, folder{};  ///< ssh name, and folder of jobs; empty: files move by hand
};

/// Standard deviation of ln(real / wait_minutes): queues differ by the hour.
inline constexpr double spread_of_wait = 1;

/// Bytes that a job moves between two machines.
struct TransferBytes {
  std::int64_t there = 0, back = 0;
};

/// Sizes of what a run writes, by counts.
struct OutputCounts {
  std::int64_t residues = 0;  ///< residues of one replica
  std::int64_t replicas = 1;
  std::int64_t frames = 0;  ///< frames of all trajectories
  std::int64_t energy_rows = 0;
  std::int64_t samples = 0;            ///< samples of each replica of an ensemble
  std::int64_t distinct_residues = 0;  ///< rows of tables by residue; 0: no such tables
  std::int64_t pair_tables = 0;        ///< number of tables of pairs of distinct residues
  bool is_exported = false;            ///< also as DCD
};

/// Returns the bytes of one checkpoint: positions and velocities of all residues.
[[nodiscard]] std::int64_t checkpoint_bytes(const OutputCounts& counts);
/// Returns the bytes of a run at its first step: a checkpoint and a trajectory of one frame.
[[nodiscard]] std::int64_t first_state_bytes(const OutputCounts& counts);
/// Returns the bytes of all trajectories.
[[nodiscard]] std::int64_t trajectory_bytes(const OutputCounts& counts);
/// Returns the bytes of all files of a finished run: trajectories, energies, samples, tables and
/// two checkpoints.
[[nodiscard]] std::int64_t output_bytes(const OutputCounts& counts);

/// Returns the time [s] to move data over a link.
[[nodiscard]] double transfer_seconds(const TransferLink& link, std::int64_t bytes);
/// Returns the price of data that leave the machine.
[[nodiscard]] double transfer_price(const TransferLink& link, std::int64_t bytes_back);

}  // namespace nfold::estimate

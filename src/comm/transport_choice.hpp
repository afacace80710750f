// The ways between ranks: which of them is taken, and the words that say why.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

namespace nfold::comm {

/// How border residues reach other ranks. automatic: the fastest of the others that is possible.
enum class Transport {
  automatic,
  peer_memory,           ///< GPUs of one node write into each other's memory
  peer_memory_and_nccl,  ///< the same within groups of ranks that can, NCCL between these
  nccl,
  mpi_device,  ///< MPI takes what stands in a GPU's memory
  mpi          ///< through the host's memory; the only one between CPUs
};

/// "peer memory", "NCCL" and so on; not for automatic.
[[nodiscard]] std::string name_of(Transport transport);

/// Residues that a trial sends to each neighbour: the border of a system of 10^4 residues, about,
/// and of one of 10^6.
inline constexpr std::array<int, 2> trial_residues{5'000, 80'000};

/// What is known of one transport on these ranks; the same on all of them.
struct TransportTrial {
  Transport transport = Transport::mpi;
  std::string obstacle;  ///< why it cannot be; empty if it can
  /// One exchange of trial_residues on the slowest rank; empty: not measured
  std::vector<double> microseconds;
  bool can_wait = false;  ///< tried only where the others turn out slow; the obstacle says so
  /// Geometric mean over the sizes: a transport twice as fast at one of them makes up for another
  /// twice as fast at the other. Zero where nothing was measured.
  [[nodiscard]] double typical_microseconds() const;
};

/// The one that is taken out of trials that stand in the order of the enum. Of several that were
/// measured it is the fastest; another within a tenth of its time counts as equal, and of equals
/// the first is taken, since it hides more of the journey behind other work, and since clocks
/// tremble. Throws std::runtime_error where the only one that was wished for cannot be, and
/// std::invalid_argument where several are possible and one was not measured, or where the
/// one that is wished for is not among the trials.
[[nodiscard]] Transport choose(Transport wish, const std::vector<TransportTrial>& trials);

/// "NCCL (microseconds for 5000 and 80000 residues to a neighbour: NCCL 9.2 and 16; ...)", with the
/// obstacles of those that cannot be.
[[nodiscard]] std::string describe_choice(Transport chosen,
                                          const std::vector<TransportTrial>& trials);

}  // namespace nfold::comm

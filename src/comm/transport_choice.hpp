// Transports between ranks: choice by measured time, and its description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/transport.hpp"

namespace nfold::comm {

using core::Transport;

/// Returns "peer memory", "NCCL" and so on. Throws std::invalid_argument for automatic.
[[nodiscard]] std::string name_of(Transport transport);

/// Residues that a trial sends to each neighbour: about the halo of a system of 10^4 residues and
/// of one of 10^6.
inline constexpr std::array<int, 2> trial_residues{5'000, 80'000};

/// Trial of one transport on these ranks; the same on all of them.
struct TransportTrial {
  Transport transport = Transport::mpi;
  std::string obstacle;  ///< reason why it cannot be used; empty if it can
  /// Time of one exchange of trial_residues on the slowest rank; empty: not measured
  std::vector<double> microseconds;
  bool can_wait = false;  ///< tried only if the others turn out slow; the obstacle gives the reason
  /// Geometric mean over the sizes, so that a factor of two at one size offsets a factor of two at
  /// the other. Zero if nothing was measured.
  [[nodiscard]] double typical_microseconds() const;
};

/// Returns the transport to use. trials: in the order of the enum. For automatic it is the fastest
/// one; times within a tenth count as equal, since clocks are noisy, and of equals the first is
/// chosen, since it hides more of the latency behind other work. Throws std::runtime_error if the
/// requested transport cannot be used, and std::invalid_argument if several are possible and one
/// was not measured, or if the requested one is not among the trials.
[[nodiscard]] Transport choose(Transport wish, const std::vector<TransportTrial>& trials);

/// Returns text like "NCCL (microseconds for 5000 and 80000 residues to a neighbour: NCCL 9.2 and
/// 16; ...)", with the obstacles of transports that cannot be used.
[[nodiscard]] std::string describe_choice(Transport chosen,
                                          const std::vector<TransportTrial>& trials);

}  // namespace nfold::comm

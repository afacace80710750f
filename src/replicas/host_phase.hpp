// Phase of one pseudo-dihedral on the host, with the kernels' bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace nfold::replicas {

/// exp(i theta) in units of 2^-16; 0 if it is not defined.
struct HostPhase {
  static constexpr std::int32_t counts = 1 << 16;  ///< length of a unit phase

  std::int32_t cosine = 0, sine = 0;
  bool is_defined = false;
};

/// Computes the phase of the bond vectors (3, 3) [nm] between four residues; see
/// kernels/resident/phase_locking.hpp.
[[nodiscard]] HostPhase compute_bond_phase(const std::array<double, 9>& bonds_nm);

}  // namespace nfold::replicas

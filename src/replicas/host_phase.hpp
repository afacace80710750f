// One pseudo-dihedral's phase on the host, as kernels make it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace nfold::replicas {

/// exp(i theta) in whole numbers of 2^-16; 0 where it is not defined.
struct HostPhase {
  static constexpr std::int32_t counts = 1 << 16;  ///< of a phase's full length

  std::int32_t cosine = 0, sine = 0;
  bool is_defined = false;
};

/// Of the bond vectors (3, 3) [nm] between four residues; see kernels/resident/phase_locking.hpp.
[[nodiscard]] HostPhase phase_of_bonds(const std::array<double, 9>& bonds_nm);

}  // namespace nfold::replicas

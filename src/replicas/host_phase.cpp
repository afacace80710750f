// Host call of the kernels' phase function.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/host_phase.hpp"

#include "kernels/resident/phase_locking.hpp"

namespace nfold::replicas {

static_assert(HostPhase::counts == kernels::phase_counts);

HostPhase compute_bond_phase(const std::array<double, 9>& bonds_nm) {
  HostPhase phase;
  phase.is_defined = kernels::compute_phase(bonds_nm.data(), phase.cosine, phase.sine);
  return phase;
}

}  // namespace nfold::replicas

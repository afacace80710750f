// Error message of an exploding run: residue, chain, term, force and step by name.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/explosion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/forces/reference.hpp"
#include "kernels/arithmetic/fixed_point.hpp"

namespace nfold::engine {

std::string describe_explosion(const topology::Topology& topology, const system::State& state,
                               double time_step_ps) {
  std::vector<forces::Vector> x(state.position.size());
  std::vector<forces::Vector> next(x.size());
  std::size_t fastest = 0;
  double speed = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double v2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x[i][axis] = topology.box.to_nm(axis, state.position[i][axis]);
      v2 += state.velocity[i][axis] * state.velocity[i][axis];
    }
    if (v2 > speed * speed) {
      speed = std::sqrt(v2);
      fastest = i;
    }
  }
  const auto now = forces::reference_forces(topology, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double mass = topology.residues[i].mass_amu;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double v = state.velocity[i][axis] + 0.5 * time_step_ps * now.force[i][axis] / mass;
      next[i][axis] = x[i][axis] + time_step_ps * v;
    }
  }
  // The term is named from the state after the step, or from the state before if its forces are
  // larger.
  auto strongest = now.strongest;
  bool finite = true;
  for (const auto& at : next) {
    for (const double c : at) finite = finite && std::isfinite(c) && std::abs(c) < 1e9;
  }
  if (finite) {
    const auto then = forces::reference_forces(topology, next).strongest;
    if (!(then.force_kj_mol_nm <= strongest.force_kj_mol_nm)) strongest = then;
  }
  return fmt::format(
      "the run explodes in step {}: {} puts {:.3g} kJ/mol/nm on {} (forces must stay below "
      "{:.3g}); "
      "the fastest residue is {} with {:.3g} nm/ps. The state of step {} is kept. Use a smaller "
      "dynamics.time_step_ps, or a start without overlaps",
      state.step + 1, strongest.name, strongest.force_kj_mol_nm,
      topology::residue_label(topology, strongest.residue), kernels::total_force_limit / 16,
      topology::residue_label(topology, static_cast<int>(fastest)), speed, state.step);
}

}  // namespace nfold::engine

// FIRE minimiser with exact sums, so that the path is the same on any layout.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/minimiser.hpp"

#include <algorithm>
#include <cmath>

#include "engine/forces/exact_totals.hpp"
#include "kernels/loops/minimise.hpp"

namespace nfold::engine {

namespace {

// Constants of the publication; the time unit follows from mass 1 and kJ/mol.
constexpr double grow = 1.1, shrink = 0.5, first_mixing = 0.1, mixing_decay = 0.99;
constexpr int patience = 5;
constexpr double longest_move_nm = 0.02;
constexpr double first_step = 0.002;
/// Bonds of 8,000 kJ/mol/nm^2 between masses of 1 are stable below 0.011; stiffer ones need less.
constexpr double longest_step = 0.01;

double stable_step(const topology::Topology& topology) {
  double stiffest = 1;
  for (const auto& b : topology.bonds) stiffest = std::max(stiffest, b.k_kj_mol_nm2);
  for (const auto& b : topology.restraints) stiffest = std::max(stiffest, b.k_kj_mol_nm2);
  for (const auto& b : topology.bias_springs) stiffest = std::max(stiffest, b.k_kj_mol_nm2);
  return std::min(longest_step, 0.5 / std::sqrt(stiffest));
}

/// State of FIRE between two steps.
struct Pace {
  double step = first_step, mixing = first_mixing, longest = longest_step;
  int downhill = 0;

  /// Adapts the step to the power F.v: longer while it is positive, reset otherwise. Returns true
  /// if velocities must be set to zero.
  bool adapt(double power) {
    if (power > 0) {
      if (++downhill > patience) {
        step = std::min(step * grow, longest);
        mixing *= mixing_decay;
      }
      return false;
    }
    downhill = 0;
    step *= shrink;
    mixing = first_mixing;
    return true;
  }
};

/// Sums over all residues.
struct Sums {
  double power, force_squared, velocity_squared;  // F.v, F.F, v.v
  std::int64_t largest_force;                     // [quanta]
};

/// Collective. Computes forces, with new lists if residues moved too far. Returns true if a force
/// was clamped on any rank.
template <class Precision>
bool compute_forces(StepParts<Precision>& parts) {
  const auto& communicator = parts.communicator;
  if (parts.lists_are_current) {
    const bool moved = parts.largest_move_nm() > 0.5 * parts.lists.skin_nm();
    if (communicator.any(moved)) parts.lists_are_current = false;
  }
  parts.marks.clear();
  if (!parts.lists_are_current) parts.rebuild();
  parts.compute_forces();
  parts.store_forces();
  device::fence();
  return communicator.any(parts.marks.element(StepMarks::exploded) != 0);
}

/// Collective.
template <class Precision>
Sums sum_residues(StepParts<Precision>& parts) {
  const auto& communicator = parts.communicator;
  auto& state = parts.state;
  const auto largest = communicator.max(device::largest_over<std::int64_t>(
      "largest force", state.owned, kernels::LargestForce{state.total_force.read()}));
  auto sums =
      device::sum_over("minimiser sums", state.owned,
                       kernels::MinimiserSums{state.total_force.read(), state.velocity.read(),
                                              Precision::force_quantum});
  forces::sum_ranks(communicator, sums);
  return {forces::nearest_double(sums.sum[0]), forces::nearest_double(sums.sum[1]),
          forces::nearest_double(sums.sum[2]), largest};
}

/// Moves all residues by one step. halt: from rest.
template <class Precision>
void walk(StepParts<Precision>& parts, const Pace& pace, bool halt, const Sums& sums) {
  auto& state = parts.state;
  const double ratio =
      sums.force_squared > 0 ? std::sqrt(sums.velocity_squared / sums.force_squared) : 0;
  const auto& box = parts.topology.box;
  device::launch("minimiser walk", state.owned,
                 kernels::MinimiserWalk<Precision>{
                     state.total_force.read(),
                     Precision::force_quantum,
                     halt ? 0 : 1 - pace.mixing,
                     halt ? 0 : pace.mixing * ratio,
                     pace.step,
                     {box.counts_per_nm(0), box.counts_per_nm(1), box.counts_per_nm(2)},
                     longest_move_nm,
                     state.velocity.view(),
                     state.position.view(),
                     state.coordinate.view(),
                     parts.forces.records()});
  device::fence();
}

}  // namespace

template <class Precision>
MinimiserResult minimise_energy(StepParts<Precision>& parts, const MinimiserSettings& settings) {
  auto& state = parts.state;
  state.save();
  state.velocity.fill(0);
  MinimiserResult result;
  Pace pace;
  pace.longest = stable_step(parts.topology);
  pace.step = std::min(pace.step, pace.longest);
  while (true) {
    result.forces_were_clamped |= compute_forces(parts);
    const Sums sums = sum_residues(parts);
    result.largest_force_kj_mol_nm =
        static_cast<double>(sums.largest_force) * Precision::force_quantum;
    result.converged = result.largest_force_kj_mol_nm <= settings.force_kj_mol_nm;
    if (result.converged || result.steps >= settings.steps) break;
    const bool halt = pace.adapt(sums.power);
    walk(parts, pace, halt, sums);
    ++result.steps;
  }
  parts.marks.clear();
  state.velocity.copy_from(state.saved_velocity[0], state.owned);
  parts.forces_are_current = false;
  return result;
}

template MinimiserResult minimise_energy(StepParts<kernels::Mixed>&, const MinimiserSettings&);
template MinimiserResult minimise_energy(StepParts<kernels::Full>&, const MinimiserSettings&);

}  // namespace nfold::engine

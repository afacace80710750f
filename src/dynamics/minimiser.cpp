// FIRE: walks downhill with inertia, in exact sums, so that the path is the same on any layout.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "dynamics/step_engine.hpp"
#include "forces/exact_totals.hpp"
#include "kernels/loops/minimise.hpp"

namespace nfold::dynamics {

namespace {

// Constants of the publication; the time unit is that of mass 1 and kJ/mol.
constexpr double grow = 1.1, shrink = 0.5, first_mixing = 0.1, mixing_decay = 0.99;
constexpr int patience = 5;
constexpr double longest_move_nm = 0.02;
constexpr double first_step = 0.002;
/// Bonds of 8,000 kJ/mol/nm^2 between masses of 1 are stable below 0.011; stiffer ones shrink it.
constexpr double longest_step = 0.01;

double stable_step(const topology::Topology& topology) {
  double stiffest = 1;
  for (const auto& b : topology.bonds) stiffest = std::max(stiffest, b.k_kj_mol_nm2);
  for (const auto& b : topology.restraints) stiffest = std::max(stiffest, b.k_kj_mol_nm2);
  return std::min(longest_step, 0.5 / std::sqrt(stiffest));
}

/// FIRE's own state between two steps.
struct Pace {
  double step = first_step, mixing = first_mixing, longest = longest_step;
  int downhill = 0;

  /// From F.v: faster while it goes downhill, from rest where it went up. Returns whether to stop.
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

}  // namespace

template <class Precision>
MinimiserResult StepEngine<Precision>::minimise(const MinimiserSettings& settings) {
  save();
  velocity_.fill(0);
  MinimiserResult result;
  Pace pace;
  pace.longest = stable_step(topology_);
  pace.step = std::min(pace.step, pace.longest);
  const double quantum = Precision::force_quantum;
  while (true) {
    if (lists_are_current_) {
      const bool moved = largest_move_nm() > 0.5 * settings_.skin_nm;
      lists_are_current_ = communicator_.max(moved ? 1 : 0) == 0;
    }
    marks_.fill(0);
    if (!lists_are_current_) rebuild();
    compute_forces();
    device::launch("store forces", owned_items(),
                   kernels::StoreForceLoop<Precision>{gather(), total_force_.view()});
    device::fence();
    result.forces_were_clamped |= communicator_.max(marks_.element(exploded_mark)) != 0;
    std::int64_t largest = 0;
    if (owned_ > 0) {
      Kokkos::parallel_reduce(
          "largest force", Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, owned_),
          kernels::LargestForce{total_force_.read()}, Kokkos::Max<std::int64_t>(largest));
    }
    auto sums =
        device::sum_over("minimiser sums", owned_,
                         kernels::MinimiserSums{total_force_.read(), velocity_.read(), quantum});
    largest = communicator_.max(std::max<std::int64_t>(largest, 0));
    forces::sum_ranks(communicator_, sums);
    const double power = forces::nearest_double(sums.sum[0]);
    const double force_squared = forces::nearest_double(sums.sum[1]);
    const double velocity_squared = forces::nearest_double(sums.sum[2]);
    result.largest_force_kj_mol_nm = static_cast<double>(largest) * quantum;
    result.converged = result.largest_force_kj_mol_nm <= settings.force_kj_mol_nm;
    if (result.converged || result.steps >= settings.steps) break;

    const bool halt = pace.adapt(power);
    const double ratio = force_squared > 0 ? std::sqrt(velocity_squared / force_squared) : 0;
    const auto& box = topology_.box;
    device::launch("minimiser walk", owned_,
                   kernels::MinimiserWalk<Precision>{
                       total_force_.read(),
                       quantum,
                       halt ? 0 : 1 - pace.mixing,
                       halt ? 0 : pace.mixing * ratio,
                       pace.step,
                       {box.counts_per_nm(0), box.counts_per_nm(1), box.counts_per_nm(2)},
                       longest_move_nm,
                       velocity_.view(),
                       position_.view(),
                       coordinate_.view(),
                       forces_.records()});
    device::fence();
    ++result.steps;
  }
  marks_.fill(0);
  velocity_.copy_from(saved_velocity_[0], owned_);
  forces_are_current_ = false;
  return result;
}

template MinimiserResult StepEngine<kernels::Mixed>::minimise(const MinimiserSettings&);
template MinimiserResult StepEngine<kernels::Full>::minimise(const MinimiserSettings&);

}  // namespace nfold::dynamics

// What the engine tells of its state: energies, pressure, rows, forces, statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include "dynamics/force_sums.hpp"
#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

namespace {

/// Both kinetic sums in one reduction.
template <class Precision>
std::pair<std::int64_t, std::int64_t> kinetic_sums(
    int rows, const kernels::KineticEnergyLoop<Precision>& loop) {
  std::int64_t on_step = 0, half_step = 0;
  if (rows > 0) {
    Kokkos::parallel_reduce("kinetic energy", Kokkos::RangePolicy<Space>(0, rows), loop, on_step,
                            half_step);
  }
  return {on_step, half_step};
}

}  // namespace

template <class Precision>
Energies StepEngine<Precision>::energies() {
  ensure_forces();
  launch("store forces", owned_items(),
         kernels::StoreForceLoop<Precision>{gather(), total_force_.view()});
  const auto sums = energy_sums(forces_, *tables_, coordinate_.read());
  const auto kinetic = kinetic_sums(
      owned_, kernels::KineticEnergyLoop<Precision>{velocity_.read(), total_force_.read(),
                                                    half_kick_.data(), mass_.data()});
  enum Total { bond, angle, dihedral, restraint, contact, short_range, charge, on_step, half_step };
  std::int64_t totals[9] = {sums.bond,         sums.angle,    sums.dihedral,
                            sums.restraint,    sums.contact,  sums.short_range_twice,
                            sums.charge_twice, kinetic.first, kinetic.second};
  communicator_.sum(totals);
  const auto of = [&](Total kind) {
    constexpr double unit = 1 / kernels::energy_counts;
    return static_cast<double>(totals[kind]) * unit;
  };
  Energies e;
  e.bond = of(bond);
  e.angle = of(angle);
  e.dihedral = of(dihedral);
  e.restraint = of(restraint);
  e.contact = of(contact);
  e.short_range = 0.5 * of(short_range);  // each was met from both sides
  e.electrostatic = 0.5 * of(charge);
  e.kinetic = of(on_step);
  const bool half = settings_.integrator == Integrator::langevin_baoab && step_ > 0;
  const double for_temperature = of(half ? half_step : on_step);
  const double freedom = 3.0 * topology_.residue_count();
  e.temperature_kelvin = 2 * for_temperature / (freedom * k_boltzmann);
  return e;
}

template <class Precision>
Pressure StepEngine<Precision>::pressure() {
  ensure_forces();
  std::array<std::int64_t, 6> kinetic{};
  if (owned_ > 0) {
    Kokkos::parallel_reduce("kinetic tensor", Kokkos::RangePolicy<Space>(0, owned_),
                            kernels::KineticTensorLoop{velocity_.read(), mass_.data()}, kinetic[0],
                            kinetic[1], kinetic[2], kinetic[3], kinetic[4], kinetic[5]);
  }
  const auto virial = virial_twice(forces_, *tables_, coordinate_.read());
  std::int64_t totals[12];
  std::copy(kinetic.begin(), kinetic.end(), totals);
  std::copy(virial.begin(), virial.end(), totals + 6);
  communicator_.sum(totals);
  constexpr double unit = 1 / kernels::energy_counts;
  constexpr std::array<std::array<std::size_t, 3>, 3> place{{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}};
  Pressure pressure;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      pressure.kinetic[a][b] = static_cast<double>(totals[place[a][b]]) * unit;
      pressure.virial[a][b] = 0.5 * static_cast<double>(totals[6 + place[a][b]]) * unit;
    }
  }
  return pressure;
}

template <class Precision>
system::State StepEngine<Precision>::owned_state() const {
  fence();
  system::State state;
  state.step = step_;
  state.id.assign(tables_->ids.begin(), tables_->ids.begin() + owned_);
  state.position = position_.download(owned_);
  state.velocity = velocity_.download(owned_);
  return state;
}

template <class Precision>
std::vector<std::array<double, 3>> StepEngine<Precision>::owned_forces() {
  ensure_forces();
  launch("store forces", owned_items(),
         kernels::StoreForceLoop<Precision>{gather(), total_force_.view()});
  fence();
  std::vector<std::array<double, 3>> forces(static_cast<std::size_t>(owned_));
  const auto quanta = total_force_.download(owned_);
  for (std::size_t row = 0; row < forces.size(); ++row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      forces[row][axis] = static_cast<double>(quanta[row][axis]) * Precision::force_quantum;
    }
  }
  return forces;
}

template <class Precision>
EngineStatistics StepEngine<Precision>::statistics() const {
  auto s = statistics_;
  s.pair_entries = lists_are_current_ ? forces_.list_entries() : 0;
  s.ghosts = planner_.rows() - owned_;
  s.skin_nm = settings_.skin_nm;
  s.memory_bytes = tables_->bytes() + forces_.bytes() + position_.bytes() + velocity_.bytes() +
                   coordinate_.bytes() * 2 + total_force_.bytes() + half_kick_.bytes() * 3 +
                   planner_.bytes() + halo_.bytes();
  for (const auto& copy : saved_position_) s.memory_bytes += copy.bytes();
  for (const auto& copy : saved_velocity_) s.memory_bytes += copy.bytes();
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) s.memory_bytes += peers_->bytes();
#endif
  return s;
}

template Energies StepEngine<kernels::Mixed>::energies();
template Pressure StepEngine<kernels::Mixed>::pressure();
template system::State StepEngine<kernels::Mixed>::owned_state() const;
template std::vector<std::array<double, 3>> StepEngine<kernels::Mixed>::owned_forces();
template EngineStatistics StepEngine<kernels::Mixed>::statistics() const;
template Energies StepEngine<kernels::Full>::energies();
template Pressure StepEngine<kernels::Full>::pressure();
template system::State StepEngine<kernels::Full>::owned_state() const;
template std::vector<std::array<double, 3>> StepEngine<kernels::Full>::owned_forces();
template EngineStatistics StepEngine<kernels::Full>::statistics() const;

}  // namespace nfold::dynamics

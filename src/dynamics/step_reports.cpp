// What the engine tells of its state: energies, pressure, rows, forces, statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "dynamics/step_engine.hpp"
#include "dynamics/temperature.hpp"
#include "forces/exact_totals.hpp"
#include "forces/force_sums.hpp"

namespace nfold::dynamics {

static_assert(largest_counted_energy_kj_mol == kernels::energy_limit);

template <class Precision>
Energies StepEngine<Precision>::energies() {
  ensure_forces();
  device::launch("store forces", owned_items(),
                 kernels::StoreForceLoop<Precision>{gather(), total_force_.view()});
  const auto kinetic =
      device::sum_over("kinetic energy", owned_,
                       kernels::KineticEnergyLoop<Precision>{velocity_.read(), total_force_.read(),
                                                             kicks_.view(), mass_.data()});
  auto sums = forces::energy_sums(forces_, *tables_, coordinate_.read(), kinetic);
  forces::sum_ranks(communicator_, sums);
  const auto of = [&](int place) { return forces::energy_of(sums.sum[place]); };
  Energies e;
  e.bond = of(forces::EnergyKind::bond);
  e.angle = of(forces::EnergyKind::angle);
  e.dihedral = of(forces::EnergyKind::dihedral);
  e.restraint = of(forces::EnergyKind::restraint);
  e.contact_at_full_strength = of(forces::EnergyKind::contact);
  e.contact = settings_.contact_strength * e.contact_at_full_strength;
  e.short_range = 0.5 * of(forces::EnergyKind::short_range_twice);
  e.electrostatic = 0.5 * of(forces::EnergyKind::charge_twice);
  e.kinetic = of(forces::EnergyKind::on_step);
  e.saturated = sums.saturated > 0;
  const bool half = settings_.integrator == Integrator::langevin_baoab && step_ > 0;
  const double for_temperature =
      of(half ? forces::EnergyKind::half_step : forces::EnergyKind::on_step);
  e.temperature_kelvin = temperature_of(for_temperature, degrees_of_freedom_);
  return e;
}

template <class Precision>
std::vector<double> StepEngine<Precision>::screened_energies(
    const std::vector<double>& kappa_per_nm) {
  ensure_forces();
  std::vector<double> energies;
  energies.reserve(kappa_per_nm.size());
  for (const double kappa : kappa_per_nm) {
    auto twice = forces::charge_energy_twice(forces_, forces_.unit_charges(kappa));
    forces::sum_ranks(communicator_, twice);
    energies.push_back(0.5 * forces::energy_of(twice.sum[0]));
  }
  return energies;
}

template <class Precision>
Pressure StepEngine<Precision>::pressure() {
  ensure_forces();
  auto kinetic = device::sum_over("kinetic tensor", owned_,
                                  kernels::KineticTensorLoop{velocity_.read(), mass_.data()});
  auto virial = forces::virial_twice(forces_, *tables_, coordinate_.read());
  forces::sum_ranks(communicator_, kinetic);
  forces::sum_ranks(communicator_, virial);
  constexpr std::array<std::array<std::size_t, 3>, 3> place{{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}};
  Pressure pressure;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      pressure.kinetic[a][b] = forces::energy_of(kinetic.sum[place[a][b]]);
      pressure.virial[a][b] = 0.5 * forces::energy_of(virial.sum[place[a][b]]);
    }
  }
  pressure.saturated = kinetic.saturated + virial.saturated > 0;
  return pressure;
}

template <class Precision>
system::State StepEngine<Precision>::owned_state() const {
  device::fence();
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
  device::launch("store forces", owned_items(),
                 kernels::StoreForceLoop<Precision>{gather(), total_force_.view()});
  device::fence();
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
  s.skin_is_settled = !skin_tuner_ || skin_tuner_->is_settled();
  s.memory_bytes = tables_->bytes() + forces_.bytes() + position_.bytes() + velocity_.bytes() +
                   coordinate_.bytes() * 2 + total_force_.bytes() + kicks_.bytes() + mass_.bytes() +
                   planner_.bytes() + halo_.bytes() + planning_position_.bytes();
  for (const auto& copy : saved_position_) s.memory_bytes += copy.bytes();
  for (const auto& copy : saved_velocity_) s.memory_bytes += copy.bytes();
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) s.memory_bytes += peers_->bytes();
#endif
  return s;
}

template Energies StepEngine<kernels::Mixed>::energies();
template std::vector<double> StepEngine<kernels::Mixed>::screened_energies(
    const std::vector<double>&);
template Pressure StepEngine<kernels::Mixed>::pressure();
template system::State StepEngine<kernels::Mixed>::owned_state() const;
template std::vector<std::array<double, 3>> StepEngine<kernels::Mixed>::owned_forces();
template EngineStatistics StepEngine<kernels::Mixed>::statistics() const;
template Energies StepEngine<kernels::Full>::energies();
template std::vector<double> StepEngine<kernels::Full>::screened_energies(
    const std::vector<double>&);
template Pressure StepEngine<kernels::Full>::pressure();
template system::State StepEngine<kernels::Full>::owned_state() const;
template std::vector<std::array<double, 3>> StepEngine<kernels::Full>::owned_forces();
template EngineStatistics StepEngine<kernels::Full>::statistics() const;

}  // namespace nfold::dynamics

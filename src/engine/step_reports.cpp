// Observables of a state: energies, pressure, forces, positions.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_reports.hpp"

#include <algorithm>
#include <span>

#include "engine/forces/exact_totals.hpp"
#include "engine/forces/force_sums.hpp"
#include "engine/temperature.hpp"

namespace nfold::engine {

static_assert(largest_counted_energy_kj_mol == kernels::energy_limit);

namespace {

/// Temperature and pressure use half-step velocities, except before the first step.
template <class Precision>
bool measures_half_step(const StepEngine<Precision>& engine) {
  return engine.settings().integrator == Integrator::langevin_baoab && engine.step() > 0;
}

}  // namespace

template <class Precision>
Energies compute_energies(StepEngine<Precision>& engine) {
  engine.ensure_forces();
  engine.store_forces();
  auto& state = engine.state();
  const auto kinetic = device::sum_over(
      "kinetic energy", state.owned,
      kernels::KineticEnergyLoop<Precision>{state.velocity.read(), state.total_force.read(),
                                            state.kicks.view(), state.mass.data()});
  auto sums =
      forces::energy_sums(engine.forces(), engine.tables(), state.coordinate.read(), kinetic);
  forces::sum_ranks(engine.communicator(), sums);
  const auto of = [&](int place) { return forces::to_energy_kj_mol(sums.sum[place]); };
  Energies e;
  const auto of_terms = [&](topology::EnergyPart part) { return of(static_cast<int>(part)); };
  e.bond = of_terms(topology::EnergyPart::bond);
  e.angle = of_terms(topology::EnergyPart::angle);
  e.dihedral = of_terms(topology::EnergyPart::dihedral);
  e.restraint = of_terms(topology::EnergyPart::restraint) + engine.biases().energy();
  e.contact_at_full_strength = of_terms(topology::EnergyPart::contact);
  e.contact = engine.settings().contact_strength * e.contact_at_full_strength;
  e.short_range = 0.5 * of(forces::EnergyKind::short_range_twice);
  e.electrostatic = 0.5 * of(forces::EnergyKind::charge_twice);
  e.kinetic = of(forces::EnergyKind::on_step);
  e.saturated = sums.saturated > 0;
  const double for_temperature =
      of(measures_half_step(engine) ? forces::EnergyKind::half_step : forces::EnergyKind::on_step);
  e.temperature_kelvin = to_temperature_kelvin(for_temperature, engine.degrees_of_freedom());
  return e;
}

template <class Precision>
std::vector<double> compute_screened_energies(StepEngine<Precision>& engine,
                                              const std::vector<double>& kappa_per_nm) {
  engine.ensure_forces();
  const auto& forces = engine.forces();
  std::vector<double> energies;
  energies.reserve(kappa_per_nm.size());
  for (const double kappa : kappa_per_nm) {
    auto twice = forces::charge_energy_twice(forces, forces.unit_charges(kappa));
    forces::sum_ranks(engine.communicator(), twice);
    energies.push_back(0.5 * forces::to_energy_kj_mol(twice.sum[0]));
  }
  return energies;
}

template <class Precision>
Pressure compute_pressure(StepEngine<Precision>& engine) {
  engine.ensure_forces();
  engine.store_forces();
  auto& state = engine.state();
  auto kinetic =
      device::sum_over("kinetic tensor", state.owned,
                       kernels::KineticTensorLoop<Precision>{
                           state.velocity.read(), state.total_force.read(), state.kicks.view(),
                           state.mass.data(), measures_half_step(engine)});
  auto virial = forces::virial_twice(engine.forces(), engine.tables(), state.coordinate.read());
  forces::sum_ranks(engine.communicator(), kinetic);
  forces::sum_ranks(engine.communicator(), virial);
  const auto of_biases = engine.biases().virial();
  constexpr std::array<std::array<std::size_t, 3>, 3> place{{{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}};
  Pressure pressure;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      pressure.kinetic[a][b] = forces::to_energy_kj_mol(kinetic.sum[place[a][b]]);
      pressure.virial[a][b] =
          0.5 * forces::to_energy_kj_mol(virial.sum[place[a][b]]) + of_biases[place[a][b]];
    }
  }
  pressure.saturated = kinetic.saturated + virial.saturated > 0;
  return pressure;
}

template <class Precision>
std::vector<std::array<double, 3>> compute_owned_forces(StepEngine<Precision>& engine) {
  engine.ensure_forces();
  engine.store_forces();
  device::fence();
  const auto& state = engine.state();
  std::vector<std::array<double, 3>> forces(static_cast<std::size_t>(state.owned));
  const auto quanta = state.total_force.download(state.owned);
  for (std::size_t row = 0; row < forces.size(); ++row) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      forces[row][axis] = static_cast<double>(quanta[row][axis]) * Precision::force_quantum;
    }
  }
  return forces;
}

template <class Precision>
void visit_all_positions(StepEngine<Precision>& engine, const PositionVisit& visit,
                         int residues_at_a_time) {
  struct Row {
    std::int64_t id;
    std::array<double, 3> nm;
  };
  const auto& communicator = engine.communicator();
  const auto& box = engine.topology().box;
  device::fence();
  const auto positions = engine.state().position.download(engine.state().owned);
  const auto& ids = engine.tables().ids;
  const int residues = engine.topology().residue_count();
  std::size_t next = 0;  // index of an owned row; ids ascend
  std::vector<Row> rows;
  std::vector<std::array<double, 3>> piece;
  for (int first = 0, end = 0; first < residues; first = end) {
    end = first + std::min(residues_at_a_time, residues - first);
    rows.clear();
    for (; next < positions.size() && ids[next] < end; ++next) {
      rows.push_back({ids[next], system::position_nm(box, positions[next])});
    }
    if (communicator.is_root()) piece.resize(static_cast<std::size_t>(end - first));
    communicator.gather_each(std::span<const Row>(rows), [&](int /*from*/, const auto& came) {
      for (const Row& row : came) piece[static_cast<std::size_t>(row.id - first)] = row.nm;
    });
    if (communicator.is_root()) visit(piece);
  }
}

#define NFOLD_INSTANTIATE(Precision)                                                        \
  template Energies compute_energies(StepEngine<Precision>&);                               \
  template std::vector<double> compute_screened_energies(StepEngine<Precision>&,            \
                                                         const std::vector<double>&);       \
  template Pressure compute_pressure(StepEngine<Precision>&);                               \
  template std::vector<std::array<double, 3>> compute_owned_forces(StepEngine<Precision>&); \
  template void visit_all_positions(StepEngine<Precision>&, const PositionVisit&, int);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::engine

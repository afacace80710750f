// Reports on a state: energies, pressure, forces, positions, statistics.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_reports.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "device/device_memory.hpp"
#include "engine/explosion.hpp"
#include "engine/forces/exact_totals.hpp"
#include "engine/forces/force_sums.hpp"
#include "engine/step_engine.hpp"
#include "engine/temperature.hpp"
#include "kernels/loops/picked_positions.hpp"

namespace nfold::engine {

static_assert(largest_counted_energy_kj_mol == kernels::energy_limit);
static_assert(largest_term_force_kj_mol_nm ==
              kernels::Full::term_limit * kernels::Full::force_quantum);

namespace {

/// Temperature and pressure use half-step velocities, except before the first step.
template <class Precision>
bool measures_half_step(const StepParts<Precision>& parts) {
  return parts.settings.integrator == Integrator::langevin_baoab && parts.step > 0;
}

/// collect(span): gathers rows of all ranks; empty where the result is not needed.
template <class Collect>
system::State rows_by_id(const system::State& mine, const Collect& collect) {
  system::State all;
  all.step = mine.step;
  const auto ids = collect(std::span<const int>(mine.id));
  const auto positions = collect(std::span<const system::FixedPosition>(mine.position));
  const auto velocities = collect(std::span<const system::Velocity>(mine.velocity));
  all.id.resize(ids.size());
  all.position.resize(ids.size());
  all.velocity.resize(ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto id = static_cast<std::size_t>(ids[k]);
    all.id[id] = ids[k];
    all.position[id] = positions[k];
    all.velocity[id] = velocities[k];
  }
  return all;
}

}  // namespace

system::State gather_state(const comm::Communicator& communicator, const system::State& mine) {
  if (communicator.size() == 1) return mine;
  return rows_by_id(mine, [&](auto rows) { return communicator.gather(rows); });
}
system::State all_gather_state(const comm::Communicator& communicator, const system::State& mine) {
  if (communicator.size() == 1) return mine;
  return rows_by_id(mine, [&](auto rows) { return communicator.all_gather(rows); });
}

template <class Precision>
Energies StepEngine<Precision>::energies() {
  parts_.ensure_forces();
  parts_.store_forces();
  auto& state = parts_.state;
  const auto kinetic = device::sum_over(
      "kinetic energy", state.owned,
      kernels::KineticEnergyLoop<Precision>{state.velocity.read(), state.total_force.read(),
                                            state.kicks.view(), state.mass.data()});
  auto sums = forces::energy_sums(parts_.forces, parts_.tables, state.coordinate.read(), kinetic);
  forces::sum_ranks(parts_.communicator, sums);
  const auto of = [&](int place) { return forces::to_energy_kj_mol(sums.sum[place]); };
  Energies e;
  const auto of_terms = [&](topology::EnergyPart part) {
    kernels::ExactSum sum;
    int place = 0;
    topology::BondedKinds::for_each([&](auto kind) {
      if (kind.energy == part) sum += sums.sum[place];
      ++place;
    });
    return forces::to_energy_kj_mol(sum);
  };
  for (std::size_t kind = 0; kind < e.of_kind.size(); ++kind) {
    e.of_kind[kind] = of(static_cast<int>(kind));
  }
  e.of_moments = parts_.biases.energy();
  const auto external =
      parts_.fields.energy(parts_.communicator, parts_.step, parts_.state.position.read());
  e.external = forces::to_energy_kj_mol(external.sum[0]);
  e.bond = of_terms(topology::EnergyPart::bond);
  e.angle = of_terms(topology::EnergyPart::angle);
  e.dihedral = of_terms(topology::EnergyPart::dihedral);
  e.restraint = of_terms(topology::EnergyPart::restraint) + e.of_moments + e.external;
  e.contact_at_full_strength = of_terms(topology::EnergyPart::contact);
  e.contact = parts_.settings.contact_strength * e.contact_at_full_strength;
  e.short_range = 0.5 * of(forces::EnergyKind::short_range_twice);
  e.electrostatic = 0.5 * of(forces::EnergyKind::charge_twice);
  e.kinetic = of(forces::EnergyKind::on_step);
  e.saturated = sums.saturated > 0 || external.saturated > 0;
  const double for_temperature =
      of(measures_half_step(parts_) ? forces::EnergyKind::half_step : forces::EnergyKind::on_step);
  e.temperature_kelvin = to_temperature_kelvin(for_temperature, parts_.degrees_of_freedom);
  return e;
}

template <class Precision>
std::vector<double> StepEngine<Precision>::screened_energies(
    const std::vector<double>& kappa_per_nm) {
  parts_.ensure_forces();
  const auto& forces = parts_.forces;
  std::vector<double> energies;
  energies.reserve(kappa_per_nm.size());
  for (const double kappa : kappa_per_nm) {
    auto twice = forces::charge_energy_twice(forces, forces.unit_charges(kappa));
    forces::sum_ranks(parts_.communicator, twice);
    energies.push_back(0.5 * forces::to_energy_kj_mol(twice.sum[0]));
  }
  return energies;
}

template <class Precision>
Pressure StepEngine<Precision>::pressure() {
  parts_.ensure_forces();
  parts_.store_forces();
  auto& state = parts_.state;
  auto kinetic =
      device::sum_over("kinetic tensor", state.owned,
                       kernels::KineticTensorLoop<Precision>{
                           state.velocity.read(), state.total_force.read(), state.kicks.view(),
                           state.mass.data(), measures_half_step(parts_)});
  auto virial = forces::virial_twice(parts_.forces, parts_.tables, state.coordinate.read());
  forces::sum_ranks(parts_.communicator, kinetic);
  forces::sum_ranks(parts_.communicator, virial);
  const auto of_biases = parts_.biases.virial();
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
std::vector<std::array<double, 3>> StepEngine<Precision>::owned_forces() {
  parts_.ensure_forces();
  parts_.store_forces();
  device::fence();
  const auto& state = parts_.state;
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
void StepEngine<Precision>::visit_positions_nm(const PositionVisit& visit, int residues_at_a_time) {
  struct Row {
    std::int64_t id;
    std::array<double, 3> nm;
  };
  const auto& communicator = parts_.communicator;
  const auto& box = parts_.topology.box;
  const auto positions = owned_positions();
  const auto& ids = parts_.tables.ids;
  const int residues = parts_.topology.residue_count();
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

template <class Precision>
std::vector<system::FixedPosition> StepEngine<Precision>::owned_positions() const {
  device::fence();
  return parts_.state.position.download(parts_.state.owned);
}

template <class Precision>
std::vector<system::FixedPosition> StepEngine<Precision>::positions_of_rows(
    const std::vector<int>& rows) const {
  device::DeviceArray<int> row("picked.row");
  device::DeviceColumns<std::int64_t> picked("picked.position");
  row.upload(rows);
  const auto count = static_cast<std::int64_t>(rows.size());
  picked.reserve(count);
  device::launch("pick positions", static_cast<int>(count),
                 kernels::PickPositions{row.data(), parts_.state.position.read(), picked.view()});
  device::fence();
  return picked.download(count);
}

template <class Precision>
EngineStatistics StepEngine<Precision>::statistics() const {
  EngineStatistics statistics;
  statistics.rebuilds = parts_.rebuilds;
  statistics.replayed_blocks = parts_.replayed_blocks;
  parts_.ghosts.report(statistics);
  if (parts_.lists_are_current) {
    statistics.pair_entries = parts_.forces.list_entries();
    statistics.charged_pair_entries = parts_.forces.charge_list_entries();
  }
  parts_.tables.for_each_set([&statistics](auto kind, const auto& set) {
    statistics.term_work += kind.work * set.ends() * set.terms();
  });
  statistics.time = parts_.busy_clock.sum();
  statistics.owned = parts_.state.owned;
  statistics.skin_nm = parts_.lists.skin_nm();
  statistics.skin_is_settled = parts_.lists.skin_is_settled();
  statistics.memory_bytes = device::device_bytes_held();
  return statistics;
}

template <class Precision>
void report_explosion(const StepParts<Precision>& parts) {
  const auto all = gather_state(parts.communicator, parts.owned_state());
  std::string text;
  if (parts.communicator.is_root()) {
    text = describe_explosion(parts.topology, all, parts.settings.time_step_ps);
  }
  throw ExplosionError(parts.communicator.broadcast(text));
}

template class StepEngine<kernels::Mixed>;
template class StepEngine<kernels::Full>;
template void report_explosion(const StepParts<kernels::Mixed>&);
template void report_explosion(const StepParts<kernels::Full>&);

}  // namespace nfold::engine

// Repartition: preparation by a thread, then collective migration of residues.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <future>
#include <utility>

#include "domain/coverage.hpp"
#include "engine/step_constants.hpp"
#include "engine/step_engine.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/work_stream.hpp"
#endif

namespace nfold::engine {
#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// [bytes] Approximate size of arrays that grow when residues arrive; a share for ghosts if none
/// arrive.
std::int64_t bytes_growing_by(const MigrationBuffers& buffers) {
  constexpr double round_up = 1.125, for_ghosts = 0.125;
  const auto rows = static_cast<double>(buffers.source.size());
  const double before =
      rows - static_cast<double>(buffers.came.size()) + static_cast<double>(buffers.leaving.size());
  const double growth = rows / std::max(1.0, before);
  const double part = growth > 1 ? round_up * growth : for_ghosts;
  return static_cast<std::int64_t>(part * static_cast<double>(device::device_bytes_held()));
}

}  // namespace
#endif

/// Reads only data that stays unchanged while steps go on.
template <class Precision>
std::shared_ptr<PreparedRows<Precision>> StepEngine<Precision>::prepared(Map before,
                                                                         Map owner) const {
  auto rows = std::make_shared<PreparedRows<Precision>>(
      parts_.topology, std::move(before), std::move(owner), parts_.communicator.rank(),
      parts_.communicator.size());
  rows->kicks = RowKickTable::host_kicks(rows->mass_amu, [this](double mass) {
    return kick_of(mass, parts_.settings.temperature_kelvin, parts_.settings.time_step_ps,
                   parts_.constants.velocity_decay, Precision::force_quantum);
  });
  return rows;
}

template <class Precision>
void StepEngine<Precision>::check_coverage(const PreparedRows<Precision>& rows) const {
  domain::check_coverage(parts_.communicator, parts_.topology, *rows.owner, rows.tables.local,
                         rows.tables.covered);
}

/// Collective, after positions and velocities have migrated.
template <class Precision>
void StepEngine<Precision>::take_rows(PreparedRows<Precision>& rows) {
  owner_ = rows.owner;
  if (rows.on_device) {
    std::swap(parts_.tables, rows.on_device->tables);
    std::swap(parts_.state.mass, rows.on_device->mass);
    std::swap(parts_.state.kicks, rows.on_device->kicks);
  } else {
    parts_.tables.take(std::move(rows.tables));
    parts_.state.take_masses(rows.mass_amu, rows.kicks);
  }
  parts_.state.make_room_for_copies();
  parts_.mark_outdated();
  parts_.lists.forget_skin_limit();
#ifdef KOKKOS_ENABLE_CUDA
  if (parts_.ghosts.is_needed())
    parts_.ghosts.reserve_kept_positions(kernels::padded(parts_.state.owned));
#endif
  parts_.ghosts.set_rows(std::move(rows.halo));
  parts_.forces.set_owned(parts_.topology, {parts_.state.owned, rows.charged});
  parts_.biases.set_owned(parts_.tables.ids, parts_.state.owned);
  parts_.fields.set_owned(parts_.tables.ids, parts_.state.owned);
  parts_.local_rows_are_ready = false;
}

template <class Precision>
void StepEngine<Precision>::set_owner(domain::Ownership owner) {
  migrate_to(*prepared(owner_, std::make_shared<const domain::Ownership>(std::move(owner))));
}

template <class Precision>
RepartitionPreparation StepEngine<Precision>::repartition_preparation(
    domain::Ownership owner) const {
#ifdef KOKKOS_ENABLE_CUDA
  if (pending_release_.valid()) pending_release_.wait();
#endif
  return
      [this, before = owner_, after = std::make_shared<const domain::Ownership>(std::move(owner))] {
        const auto on_host = [&] {
          auto rows = prepared(before, after);
          rows->tables.make_all(parts_.tables.chain());
          return rows;
        };
        auto rows = on_host();
        try {
          put_on_device(*rows);
        } catch (const device::DeviceMemoryError&) {
          // Lists took the memory meanwhile; the tables that went to the device are built again.
          rows = on_host();
        }
        return rows;
      };
}

/// Uploads tables from a thread, on a stream of its own, if the GPU has memory for a second set.
template <class Precision>
void StepEngine<Precision>::put_on_device([[maybe_unused]] PreparedRows<Precision>& rows) const {
#ifdef KOKKOS_ENABLE_CUDA
  const device::WorkStream stream;
  if (!device::fits_with_list_growth(rows.device_bytes(), parts_.settings.devices.get())) return;
  const auto take = [&] {
    rows.on_device.emplace(parts_.topology, parts_.settings.contact_strength);
    rows.on_device->tables.take(std::move(rows.tables));
    rows.on_device->mass.upload(rows.mass_amu);
    rows.on_device->kicks.take(rows.kicks);
    rows.buffers.emplace(rows.move);
  };
  try {
    stream.run(take);
  } catch (const device::DeviceMemoryError&) {
    // On this stream: freeing on another stream would wait for the whole device.
    stream.run([&] {
      rows.on_device.reset();
      rows.buffers.reset();
    });
    throw;
  }
  stream.wait();
  const auto growing = bytes_growing_by(*rows.buffers);
  if (device::fits_with_list_growth(growing, parts_.settings.devices.get())) {
    rows.ready.emplace(growing);
  }
#endif
}

template <class Precision>
void StepEngine<Precision>::set_owner(std::shared_ptr<PreparedRepartition> prepared) {
  migrate_to(dynamic_cast<PreparedRows<Precision>&>(*prepared));
  parts_.lists.start_clock();  // migration time is not a cost of lists
  parts_.ensure_forces();
  parts_.lists.stop_clock();
#ifdef KOKKOS_ENABLE_CUDA
  // Freeing the tables of the old partition takes milliseconds.
  pending_release_ = std::async(std::launch::async, [left = std::move(prepared)]() mutable {
    const device::WorkStream stream;
    stream.run([&] { left.reset(); });
  });
#endif
}

template <class Precision>
void StepEngine<Precision>::migrate_to(PreparedRows<Precision>& rows) {
  device::fence();
  check_coverage(rows);
  if (rows.before != owner_) {  // the partition changed after the preparation
    rows.move = find_row_migration(*owner_, *rows.owner, parts_.communicator.rank(),
                                   parts_.communicator.size());
    rows.buffers.reset();
  }
  if (!rows.buffers) rows.buffers.emplace(rows.move);
  migrate_rows(parts_.communicator, rows.move, *rows.buffers, parts_.state);
  take_rows(rows);
  // With ghosts, the next halo plan lays out the rows.
  if (!parts_.ghosts.is_needed()) parts_.place_local_rows();
}

template class StepEngine<kernels::Mixed>;
template class StepEngine<kernels::Full>;

}  // namespace nfold::engine

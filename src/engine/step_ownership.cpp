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
      topology_, std::move(before), std::move(owner), communicator_.rank(), communicator_.size());
  rows->kicks = RowKickTable::host_kicks(rows->mass_amu, [this](double mass) {
    return kick_of(mass, settings_.temperature_kelvin, settings_.time_step_ps,
                   constants_.velocity_decay, Precision::force_quantum);
  });
  return rows;
}

template <class Precision>
void StepEngine<Precision>::check_coverage(const PreparedRows<Precision>& rows) const {
  domain::check_coverage(communicator_, topology_, *rows.owner, rows.tables.local,
                         rows.tables.covered);
}

/// Collective, after positions and velocities have migrated.
template <class Precision>
void StepEngine<Precision>::take_rows(PreparedRows<Precision>& rows) {
  owner_ = rows.owner;
  if (rows.on_device) {
    std::swap(tables_, rows.on_device->tables);
    std::swap(state_.mass, rows.on_device->mass);
    std::swap(state_.kicks, rows.on_device->kicks);
  } else {
    tables_.take(std::move(rows.tables));
    state_.take_masses(rows.mass_amu, rows.kicks);
  }
  state_.make_room_for_copies();
  forces_are_current_ = false;
  lists_are_current_ = false;
  lists_.clear_bound();
#ifdef KOKKOS_ENABLE_CUDA
  if (ghosts_.is_needed()) ghosts_.reserve_kept_positions(kernels::padded(state_.owned));
#endif
  ghosts_.set_rows(std::move(rows.halo));
  forces_.set_owned(topology_, {state_.owned, rows.charged});
  biases_.set_owned(tables_.ids, state_.owned);
  rows_are_placed_ = false;
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
          rows->tables.make_all(tables_.chain());
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
  if (!device::fits_with_list_growth(rows.device_bytes(), settings_.devices.get())) return;
  const auto take = [&] {
    rows.on_device.emplace(topology_, settings_.contact_strength);
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
  if (device::fits_with_list_growth(growing, settings_.devices.get())) rows.ready.emplace(growing);
#endif
}

template <class Precision>
void StepEngine<Precision>::set_owner(std::shared_ptr<PreparedRepartition> prepared) {
  migrate_to(dynamic_cast<PreparedRows<Precision>&>(*prepared));
  lists_.start_clock();  // migration time is not a cost of lists
  ensure_forces();
  lists_.stop_clock();
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
    rows.move =
        find_row_migration(*owner_, *rows.owner, communicator_.rank(), communicator_.size());
    rows.buffers.reset();
  }
  if (!rows.buffers) rows.buffers.emplace(rows.move);
  migrate_rows(communicator_, rows.move, *rows.buffers, state_);
  take_rows(rows);
  if (!ghosts_.is_needed()) place_local_rows();  // otherwise the next halo plan lays out the rows
}

template std::shared_ptr<PreparedRows<kernels::Mixed>> StepEngine<kernels::Mixed>::prepared(
    Map, Map) const;
template std::shared_ptr<PreparedRows<kernels::Full>> StepEngine<kernels::Full>::prepared(
    Map, Map) const;
#define NFOLD_INSTANTIATE(Precision)                                                         \
  template void StepEngine<Precision>::check_coverage(const PreparedRows<Precision>&) const; \
  template void StepEngine<Precision>::take_rows(PreparedRows<Precision>&);                  \
  template void StepEngine<Precision>::set_owner(domain::Ownership);                         \
  template RepartitionPreparation StepEngine<Precision>::repartition_preparation(            \
      domain::Ownership) const;                                                              \
  template void StepEngine<Precision>::put_on_device(PreparedRows<Precision>&) const;        \
  template void StepEngine<Precision>::set_owner(std::shared_ptr<PreparedRepartition>);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::engine

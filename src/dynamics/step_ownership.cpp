// How residues change their rank: what is worked out beforehand, and what all ranks then do.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <future>
#include <utility>

#include "domain/coverage.hpp"
#include "dynamics/step_constants.hpp"
#include "dynamics/step_engine.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/work_stream.hpp"
#endif

namespace nfold::dynamics {
#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// [bytes] About what arrays take that grow when residues come; a part for ghosts where none do.
std::int64_t bytes_growing_by(const RowJourney& journey) {
  constexpr double round_up = 1.125, for_ghosts = 0.125;
  const auto rows = static_cast<double>(journey.source.size());
  const double before =
      rows - static_cast<double>(journey.came.size()) + static_cast<double>(journey.leaving.size());
  const double growth = rows / std::max(1.0, before);
  const double part = growth > 1 ? round_up * growth : for_ghosts;
  return static_cast<std::int64_t>(part * static_cast<double>(device::device_bytes_held()));
}

}  // namespace
#endif

/// Looks only at what stays the same while steps go on.
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

/// Collective, once positions and velocities are there.
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
  lists_.forget_bound();
#ifdef KOKKOS_ENABLE_CUDA
  if (ghosts_.is_needed()) ghosts_.make_room_aside(kernels::padded(state_.owned));
#endif
  ghosts_.set_rows(std::move(rows.halo));
  forces_.set_owned(topology_, {state_.owned, rows.charged});
  biases_.set_owned(tables_.ids, state_.owned);
  rows_are_placed_ = false;
}

template <class Precision>
void StepEngine<Precision>::set_owner(domain::Ownership owner) {
  move_to(*prepared(owner_, std::make_shared<const domain::Ownership>(std::move(owner))));
}

template <class Precision>
OwnerPreparation StepEngine<Precision>::owner_preparation(domain::Ownership owner) const {
#ifdef KOKKOS_ENABLE_CUDA
  if (given_back_.valid()) given_back_.wait();
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
          // Lists took the room meanwhile, and what has gone to the device is made once more.
          rows = on_host();
        }
        return rows;
      };
}

/// In a thread, by a stream of its own; where a GPU has room for them beside those in use.
template <class Precision>
void StepEngine<Precision>::put_on_device([[maybe_unused]] PreparedRows<Precision>& rows) const {
#ifdef KOKKOS_ENABLE_CUDA
  const device::WorkStream stream;
  if (!device::has_room_beside_lists(rows.device_bytes(), settings_.devices.get())) return;
  const auto take = [&] {
    rows.on_device.emplace(topology_, settings_.contact_strength);
    rows.on_device->tables.take(std::move(rows.tables));
    rows.on_device->mass.upload(rows.mass_amu);
    rows.on_device->kicks.take(rows.kicks);
    rows.journey.emplace(rows.move);
  };
  try {
    stream.run(take);
  } catch (const device::DeviceMemoryError&) {
    // By this stream: who gives memory back otherwise waits for all of the device.
    stream.run([&] {
      rows.on_device.reset();
      rows.journey.reset();
    });
    throw;
  }
  stream.wait();
  const auto growing = bytes_growing_by(*rows.journey);
  if (device::has_room_beside_lists(growing, settings_.devices.get())) rows.ready.emplace(growing);
#endif
}

template <class Precision>
void StepEngine<Precision>::set_owner(std::shared_ptr<PreparedOwner> prepared) {
  move_to(dynamic_cast<PreparedRows<Precision>&>(*prepared));
  lists_.start_clock();  // what moving took is no part of what lists cost
  ensure_forces();
  lists_.stop_clock();
#ifdef KOKKOS_ENABLE_CUDA
  // What is left of the old map's tables takes milliseconds to give back.
  given_back_ = std::async(std::launch::async, [left = std::move(prepared)]() mutable {
    const device::WorkStream stream;
    stream.run([&] { left.reset(); });
  });
#endif
}

template <class Precision>
void StepEngine<Precision>::move_to(PreparedRows<Precision>& rows) {
  device::fence();
  check_coverage(rows);
  if (rows.before != owner_) {  // another map came between
    rows.move = row_move(*owner_, *rows.owner, communicator_.rank(), communicator_.size());
    rows.journey.reset();
  }
  if (!rows.journey) rows.journey.emplace(rows.move);
  move_rows(communicator_, rows.move, *rows.journey, state_);
  take_rows(rows);
  if (!ghosts_.is_needed()) place_local_rows();  // else where the next plan has them
}

template std::shared_ptr<PreparedRows<kernels::Mixed>> StepEngine<kernels::Mixed>::prepared(
    Map, Map) const;
template std::shared_ptr<PreparedRows<kernels::Full>> StepEngine<kernels::Full>::prepared(
    Map, Map) const;
#define NFOLD_INSTANTIATE(Precision)                                                           \
  template void StepEngine<Precision>::check_coverage(const PreparedRows<Precision>&) const;   \
  template void StepEngine<Precision>::take_rows(PreparedRows<Precision>&);                    \
  template void StepEngine<Precision>::set_owner(domain::Ownership);                           \
  template OwnerPreparation StepEngine<Precision>::owner_preparation(domain::Ownership) const; \
  template void StepEngine<Precision>::put_on_device(PreparedRows<Precision>&) const;          \
  template void StepEngine<Precision>::set_owner(std::shared_ptr<PreparedOwner>);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::dynamics

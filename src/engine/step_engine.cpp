// The engine in one precision: start, advance and snapshots.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_engine.hpp"

#include <utility>

#include "engine/host_blocks.hpp"

namespace nfold::engine {

template <class Precision>
StepEngine<Precision>::StepEngine(const comm::Communicator& communicator,
                                  const topology::Topology& topology,
                                  const EngineSettings& settings, system::State start,
                                  domain::Ownership owner)
    : parts_(communicator, topology, settings, start) {
  const auto rows = prepared(nullptr, std::make_shared<const domain::Ownership>(std::move(owner)));
  check_coverage(*rows);
  parts_.state.take(start, rows->tables.ids, rows->tables.owned, topology.residues.size());
  start = {};  // frees memory before tables are built
  take_rows(*rows);
  parts_.place_local_rows();
}

template <class Precision>
void StepEngine<Precision>::advance(std::int64_t steps) {
  const std::int64_t target = parts_.step + steps;
  parts_.lists.start_clock();
  parts_.busy_clock.start();
#ifdef KOKKOS_ENABLE_CUDA
  const bool captures = BlockPipeline<Precision>::can_capture(parts_);
  if (captures) {
    if (!pipeline_) pipeline_ = std::make_unique<BlockPipeline<Precision>>(parts_);
    pipeline_->advance_to(target);
  }
#else
  constexpr bool captures = false;
#endif
  if (!captures) advance_by_host(parts_, target);
  parts_.busy_clock.stop(steps, !captures);
  parts_.lists.stop_clock();
}

template <class Precision>
RowSnapshot StepEngine<Precision>::snapshot_state() {
  RowSnapshot rows;
#ifdef KOKKOS_ENABLE_CUDA
  device::fence();
  const auto& state = parts_.state;
  if (!held_) held_ = std::make_unique<DeviceSnapshot>();
  rows.had_capacity =
      held_->take(state.position, state.velocity, state.owned, parts_.settings.devices);
  if (rows.had_capacity) {
    const auto& ids = parts_.tables.ids;
    rows.fetch = [held = held_.get(),
                  mine = std::vector<int>(ids.begin(), ids.begin() + state.owned)]() mutable {
      return system::StateSource(
          std::move(mine), [held](std::size_t first, const auto& position, const auto& velocity) {
            held->read(first, position, velocity);
          });
    };
    return rows;
  }
#endif
  rows.fetch = [mine = parts_.owned_state()]() mutable { return std::move(mine); };
  return rows;
}

template <class Precision>
void StepEngine<Precision>::restore_state(const system::State& mine) {
  device::fence();
  parts_.state.put_back(mine);
  parts_.reset_to_state(mine.step);
}

template class StepEngine<kernels::Mixed>;
template class StepEngine<kernels::Full>;

}  // namespace nfold::engine

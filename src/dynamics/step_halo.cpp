// The local rows of a step: the halo plan, how long it lasts, and ghosts at a rebuild.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "comm/mpi_device_memory.hpp"
#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

namespace {

/// By how much a plan reaches beyond what lists need now: more makes plans rarer and ghosts more
/// numerous. A GPU makes lists more often, and stops for a plan.
constexpr double margin_over_skin = 2;
constexpr double least_margin_nm = on_host ? 0 : 2;

}  // namespace

/// Collective. Throws std::runtime_error, on all ranks, where the one that is asked for cannot be.
template <class Precision>
void StepEngine<Precision>::choose_transport() {
  if (communicator_.size() == 1) return;
  auto& words = statistics_.transport;
  const Transport wish = settings_.transport;
  const bool is_automatic = wish == Transport::automatic;
  std::string reasons;
  // True where it shall be, given what stands in its way.
  const auto takes = [&](Transport one, const char* name, const std::string& obstacle) {
    if (!is_automatic && wish != one) return false;
    if (!obstacle.empty()) {
      if (!is_automatic) {
        throw std::runtime_error(
            fmt::format("{} cannot be used: {} (partition.transport: auto "
                        "takes what is possible)",
                        name, obstacle));
      }
      reasons += fmt::format("; no {}: {}", name, obstacle);
      return false;
    }
    words = name + reasons;
    return true;
  };
#ifdef KOKKOS_ENABLE_CUDA
  const auto asked = [&](Transport one) { return is_automatic || wish == one; };
  if (asked(Transport::peer_memory) &&
      takes(Transport::peer_memory, "peer memory",
            settings_.record_steps ? PeerMemory::obstacle(communicator_)
                                   : "steps are not recorded")) {
    peers_ = std::make_unique<PeerHalo<Precision>>(communicator_);
    return;
  }
  if (asked(Transport::nccl) &&
      takes(Transport::nccl, "NCCL",
            comm::NcclTransport::unavailable(communicator_).value_or(std::string()))) {
    halo_.use_nccl(communicator_);
    return;
  }
  if (takes(Transport::mpi_device, "MPI from GPU memory",
            comm::mpi_takes_device_memory() ? "" : "the MPI library does not say that it can")) {
    halo_.use_device_memory();
    return;
  }
#else
  for (const auto& [one, name] : {std::pair{Transport::peer_memory, "peer memory"},
                                  {Transport::nccl, "NCCL"},
                                  {Transport::mpi_device, "MPI from GPU memory"}}) {
    if (wish == one) (void)takes(one, name, "nfold was built without CUDA");
  }
#endif
  (void)takes(Transport::mpi, "MPI through the host", "");
}

/// What the next lists look for.
template <class Precision>
HaloRanges StepEngine<Precision>::halo_ranges() const {
  // Coordinates are rounded to 2^12 counts: two of them, along three axes.
  const auto& box = topology_.box;
  const double rounding_nm =
      0x1p14 * std::max({box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)});
  const double beyond_nm = settings_.skin_nm + rounding_nm;
  HaloRanges ranges;
  ranges.all_nm = forces_.short_range_nm() + beyond_nm;
  if (forces_.charge_range_nm() > 0) ranges.charged_nm = forces_.charge_range_nm() + beyond_nm;
  ranges.margin_nm = std::max(least_margin_nm, margin_over_skin * settings_.skin_nm);
  return ranges;
}

/// Collective.
template <class Precision>
bool StepEngine<Precision>::plan_lasts() {
  if (!planned_) return false;
  const double move_nm = planner_.largest_move_nm(position_.read());
  return !communicator_.any(!planned_->covers(halo_ranges(), move_nm));
}

/// Collective.
template <class Precision>
void StepEngine<Precision>::make_plan() {
  fence();
  const auto start = Clock::now();
  const HaloRanges ranges = halo_ranges();
  planner_.plan(position_.read(), ranges);
  planned_ = ranges;
  set_local_rows();
  halo_.set_plan(communicator_, planner_);
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) {
    const auto places = forces_.records();
    peers_->set_plan(planner_, owned_, places.slot, places.charged_slot);
  }
#endif
  ++statistics_.halo_plans;
  statistics_.halo_plan_seconds += std::chrono::duration<double>(Clock::now() - start).count();
}

/// Collective.
template <class Precision>
void StepEngine<Precision>::exchange_ghosts() {
  halo_.start(coordinate_.read());
  halo_.finish(coordinate_.view(), forces_.records());
}

template <class Precision>
void StepEngine<Precision>::set_local_rows() {
  const auto rows = static_cast<std::int64_t>(std::max(planner_.rows(), kernels::padded(owned_)));
  const auto grow = [&](auto& columns) {
    return rows > columns.size() && columns.reserve(rows + rows / 8);
  };
  [[maybe_unused]] bool is_new = grow(coordinate_);
  is_new = grow(listed_) || is_new;
  forces_.set_local(planner_.row_id(), planner_.rows());
#ifdef KOKKOS_ENABLE_CUDA
  forces_.place_rows(peers_ ? peers_->reserve(forces_.row_count(), forces_.charged_count(),
                                              planner_.send_first().back())
                            : SharedRecords<Precision>{});
  // NCCL's exchanges are recorded with their sizes.
  if (graphs_ && (is_new || halo_.is_stream_ordered() || planner_.row_id() != recorded_ids_)) {
    graphs_->clear();
  }
  recorded_ids_ = planner_.row_id();
#endif
  round_coordinates();
}

#define NFOLD_INSTANTIATE(Precision)                              \
  template void StepEngine<Precision>::choose_transport();        \
  template HaloRanges StepEngine<Precision>::halo_ranges() const; \
  template bool StepEngine<Precision>::plan_lasts();              \
  template void StepEngine<Precision>::make_plan();               \
  template void StepEngine<Precision>::exchange_ghosts();         \
  template void StepEngine<Precision>::set_local_rows();
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::dynamics

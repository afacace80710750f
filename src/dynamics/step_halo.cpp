// The local rows of a step: the halo plan, how long it lasts, and ghosts at a rebuild.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include "dynamics/step_engine.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "comm/first_reason.hpp"
#include "comm/mpi_device_memory.hpp"
#include "halo/cuda/transport_trials.hpp"
#endif

namespace nfold::dynamics {

namespace {

/// By how much a plan reaches beyond what lists need now: more makes plans rarer and ghosts more
/// numerous. A GPU makes lists more often, and stops for a plan.
constexpr double margin_over_skin = 2;
constexpr double least_margin_nm = device::on_host ? 0 : 2;

/// Collective: the transport that is asked for, or all, with what stands in their way. The same on
/// all ranks, though their nodes may have other libraries.
std::vector<comm::TransportTrial> transports_in_question(
    [[maybe_unused]] const comm::Communicator& ranks, comm::Transport wish,
    [[maybe_unused]] bool records_steps) {
  std::vector<comm::TransportTrial> found;
#ifdef KOKKOS_ENABLE_CUDA
  const auto is_asked = [wish](comm::Transport one) {
    return wish == comm::Transport::automatic || wish == one;
  };
  if (is_asked(comm::Transport::peer_memory)) {
    // Where ranks take turns on one GPU each exchange takes as long as a turn: only who asks for it
    // gets it.
    const auto sharing = wish == comm::Transport::peer_memory ? halo::SharedGpu::is_allowed
                                                              : halo::SharedGpu::is_an_obstacle;
    found.push_back(
        {comm::Transport::peer_memory,
         records_steps ? halo::PeerMemory::obstacle(ranks, sharing) : "steps are not recorded",
         {}});
  }
  if (is_asked(comm::Transport::nccl)) {
    found.push_back({comm::Transport::nccl,
                     comm::NcclTransport::unavailable(ranks).value_or(std::string()),
                     {}});
  }
  if (is_asked(comm::Transport::mpi_device)) {
    const auto problem = comm::first_reason(
        ranks, comm::mpi_takes_device_memory() ? "" : "the MPI library does not say that it can");
    found.push_back({comm::Transport::mpi_device, problem ? problem->text : std::string(), {}});
  }
  if (is_asked(comm::Transport::mpi)) found.push_back({comm::Transport::mpi, {}, {}});
#else
  if (wish == comm::Transport::automatic || wish == comm::Transport::mpi) {
    found.push_back({comm::Transport::mpi, {}, {}});
  } else {
    found.push_back({wish, "nfold was built without CUDA", {}});
  }
#endif
  return found;
}

}  // namespace

/// Collective the first time.
template <class Precision>
device::DevicesOfJob& StepEngine<Precision>::devices() {
  if (!settings_.devices) settings_.devices = std::make_shared<device::DevicesOfJob>(communicator_);
  return *settings_.devices;
}

/// Collective. Throws std::runtime_error, on all ranks, where the one that is asked for cannot be.
template <class Precision>
void StepEngine<Precision>::choose_transport() {
  if (communicator_.size() == 1) return;
  const comm::Transport wish = settings_.transport;
  auto& trials = statistics_.transport_trials;
  trials = transports_in_question(communicator_, wish, settings_.record_steps);
#ifdef KOKKOS_ENABLE_CUDA
  std::shared_ptr<comm::NcclTransport> nccl;
  {
    const auto start = Clock::now();
    std::optional<halo::TransportTrials<Precision>> measuring;
    const auto measure = [&](comm::TransportTrial& trial) {
      if (!measuring) measuring.emplace(communicator_, settings_.record_steps);
      measuring->measure(trial);
    };
    const bool has_measured = devices().transports().fill(
        communicator_, {sizeof(Coordinate), settings_.record_steps}, trials, measure);
    if (has_measured) {
      nccl = measuring->nccl();
      statistics_.transport_trial_seconds =
          std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
#endif
  const comm::Transport chosen = comm::choose(wish, trials);
  statistics_.transport = comm::describe_choice(chosen, trials);
#ifdef KOKKOS_ENABLE_CUDA
  if (chosen == comm::Transport::peer_memory) {
    peers_ = std::make_unique<PeerHalo<Precision>>(communicator_);
  } else if (chosen == comm::Transport::nccl) {
    halo_.use_nccl(nccl ? nccl : std::make_shared<comm::NcclTransport>(communicator_));
  } else if (chosen == comm::Transport::mpi_device) {
    halo_.use_device_memory();
  }
#endif
}

/// What the next lists look for.
template <class Precision>
halo::HaloRanges StepEngine<Precision>::halo_ranges() const {
  // Coordinates are rounded to 2^12 counts: two of them, along three axes.
  const auto& box = topology_.box;
  const double rounding_nm =
      0x1p14 * std::max({box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)});
  const double beyond_nm = settings_.skin_nm + rounding_nm;
  halo::HaloRanges ranges;
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
  device::fence();
  const auto start = Clock::now();
  const halo::HaloRanges ranges = halo_ranges();
  planner_.prepare(position_.read(), ranges);
  statistics_.halo_plan_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  adopt_plan(position_.read(), ranges);
}

/// Collective: positions and ranges of what was prepared.
template <class Precision>
void StepEngine<Precision>::adopt_plan(kernels::Columns<const std::int64_t> position,
                                       const halo::HaloRanges& ranges) {
  const auto start = Clock::now();
  planner_.adopt(position);
  planned_ = ranges;
  set_local_rows();
  halo_has_plan_ = false;
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) {
    const auto places = forces_.records();
    peers_->set_plan(planner_, owned_, places.slot, places.charged_slot);
  } else if (halo_.is_stream_ordered()) {
    halo();  // not while steps are being recorded
  }
#endif
  ++statistics_.halo_plans;
  statistics_.halo_plan_seconds += std::chrono::duration<double>(Clock::now() - start).count();
}

/// What moves ghosts by MPI or NCCL; where peers write them it is seldom needed. Local.
template <class Precision>
halo::Halo<Precision>& StepEngine<Precision>::halo() {
  if (!halo_has_plan_) {
    halo_.set_plan(communicator_, {planner_.send_row(), planner_.receive_row(),
                                   planner_.send_first().back(), planner_.receive_first().back(),
                                   owned_, planner_.routes(3 * sizeof(Coordinate))});
    halo_has_plan_ = true;
  }
  return halo_;
}

/// Collective.
template <class Precision>
void StepEngine<Precision>::exchange_ghosts() {
  halo().start(coordinate_.read());
  halo().finish(coordinate_.view(), forces_.records());
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
  forces_.place_rows(peers_
                         ? peers_->reserve(forces_.record_count(), forces_.charged_record_count(),
                                           planner_.send_first().back())
                         : forces::SharedRecords<Precision>{});
  // NCCL's exchanges are recorded with their sizes.
  if (graphs_ && (is_new || halo_.is_stream_ordered() || planner_.row_id() != recorded_ids_)) {
    graphs_->clear();
  }
  recorded_ids_ = planner_.row_id();
#endif
  round_coordinates();
}

#define NFOLD_INSTANTIATE(Precision)                                                    \
  template device::DevicesOfJob& StepEngine<Precision>::devices();                      \
  template void StepEngine<Precision>::choose_transport();                              \
  template halo::HaloRanges StepEngine<Precision>::halo_ranges() const;                 \
  template bool StepEngine<Precision>::plan_lasts();                                    \
  template void StepEngine<Precision>::make_plan();                                     \
  template void StepEngine<Precision>::adopt_plan(kernels::Columns<const std::int64_t>, \
                                                  const halo::HaloRanges&);             \
  template halo::Halo<Precision>& StepEngine<Precision>::halo();                        \
  template void StepEngine<Precision>::exchange_ghosts();                               \
  template void StepEngine<Precision>::set_local_rows();
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::dynamics

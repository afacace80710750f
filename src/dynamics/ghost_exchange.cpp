// The choice of a transport, plans of ghosts and how long they last.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/ghost_exchange.hpp"

#include <algorithm>
#include <string>

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

template <class Precision>
void GhostExchange<Precision>::choose_transport(const EngineSettings& settings,
                                                [[maybe_unused]] device::DevicesOfJob& devices) {
  const comm::Transport wish = settings.transport;
  trials_ = transports_in_question(communicator_, wish, settings.record_steps);
#ifdef KOKKOS_ENABLE_CUDA
  std::shared_ptr<comm::NcclTransport> nccl;
  {
    const auto start = Clock::now();
    std::optional<halo::TransportTrials<Precision>> measuring;
    const auto measure = [&](comm::TransportTrial& trial) {
      if (!measuring) measuring.emplace(communicator_, settings.record_steps);
      measuring->measure(trial);
    };
    const bool has_measured = devices.transports().fill(
        communicator_, {sizeof(Coordinate), settings.record_steps}, trials_, measure);
    if (has_measured) {
      nccl = measuring->nccl();
      trial_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
#endif
  const comm::Transport chosen = comm::choose(wish, trials_);
  transport_ = comm::describe_choice(chosen, trials_);
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

template <class Precision>
void GhostExchange<Precision>::set_rows(std::span<const int> ids, const domain::LocalTerms& terms,
                                        const domain::Ownership& owner,
                                        std::span<const char> is_charged) {
  planner_.set_rows(ids, terms, owner, is_charged);
  planned_.reset();
}

template <class Precision>
halo::HaloRanges GhostExchange<Precision>::ranges_for(const system::Box& box,
                                                      const ListReach& reach) {
  // Coordinates are rounded to 2^12 counts: two of them, along three axes.
  const double rounding_nm =
      0x1p14 * std::max({box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)});
  const double beyond_nm = reach.skin_nm + rounding_nm;
  halo::HaloRanges ranges;
  ranges.all_nm = reach.short_range_nm + beyond_nm;
  if (reach.charge_nm > 0) ranges.charged_nm = reach.charge_nm + beyond_nm;
  ranges.margin_nm = std::max(least_margin_nm, margin_over_skin * reach.skin_nm);
  return ranges;
}

template <class Precision>
bool GhostExchange<Precision>::plan_lasts(kernels::Columns<const std::int64_t> position,
                                          const halo::HaloRanges& ranges) {
  if (!planned_) return false;
  const double move_nm = planner_.largest_move_nm(position);
  return !communicator_.any(!planned_->covers(ranges, move_nm));
}

template <class Precision>
void GhostExchange<Precision>::prepare(kernels::Columns<const std::int64_t> position,
                                       const halo::HaloRanges& ranges) {
  device::fence();
  const auto start = Clock::now();
  planner_.prepare(position, ranges);
  plan_seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

/// Collective: the transport learns of a new plan. places: of the rows' records.
template <class Precision>
void GhostExchange<Precision>::connect(
    [[maybe_unused]] const kernels::PairRecords<Precision>& places) {
  halo_has_plan_ = false;
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) {
    peers_->set_plan(planner_, planner_.owned(), places.slot, places.charged_slot);
  } else if (halo_.is_stream_ordered()) {
    halo();  // not while steps are being recorded
  }
#endif
}

/// What moves ghosts by MPI or NCCL. Local.
template <class Precision>
halo::Halo<Precision>& GhostExchange<Precision>::halo() {
  if (!halo_has_plan_) {
    halo_.set_plan(communicator_, {planner_.send_row(), planner_.receive_row(),
                                   planner_.send_first().back(), planner_.receive_first().back(),
                                   planner_.owned(), planner_.routes(3 * sizeof(Coordinate))});
    halo_has_plan_ = true;
  }
  return halo_;
}

#ifdef KOKKOS_ENABLE_CUDA
template <class Precision>
void GhostExchange<Precision>::keep_positions(kernels::Columns<const std::int64_t> position,
                                              int owned) {
  if (!side_) side_.emplace();
  device::launch("keep for planning", owned,
                 kernels::CopyRows<std::int64_t>{position, kept_position_.view()});
  side_->follow_first();
  has_kept_ = true;
}

template <class Precision>
void GhostExchange<Precision>::prepare_aside(const halo::HaloRanges& ranges) {
  side_->run([&] { planner_.prepare(kept_position_.read(), ranges); });
  has_kept_ = false;
  prepared_ = ranges;
}

/// Of a plan that nobody may need any more.
template <class Precision>
void GhostExchange<Precision>::forget_preparation() {
  has_kept_ = false;
  prepared_.reset();
}
#endif

template <class Precision>
void GhostExchange<Precision>::report(EngineStatistics& statistics) const {
  statistics.ghosts = ghosts();
  statistics.halo_plans = plans_;
  statistics.halo_plan_seconds = plan_seconds_;
  statistics.transport = transport_;
  statistics.transport_trials = trials_;
  statistics.transport_trial_seconds = trial_seconds_;
}

template <class Precision>
std::int64_t GhostExchange<Precision>::bytes() const {
  std::int64_t sum = planner_.bytes() + halo_.bytes() + kept_position_.bytes();
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) sum += peers_->bytes();
#endif
  return sum;
}

template class GhostExchange<kernels::Mixed>;
template class GhostExchange<kernels::Full>;

}  // namespace nfold::dynamics

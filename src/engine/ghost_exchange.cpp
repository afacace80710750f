// Choice of a transport; halo plans and their validity.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ghost_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#ifdef KOKKOS_ENABLE_CUDA
#include "comm/first_reason.hpp"
#include "comm/mpi_device_memory.hpp"
#include "comm/peer_islands.hpp"
#include "comm/rank_locations.hpp"
#include "engine/halo/cuda/transport_trials.hpp"
#endif

namespace nfold::engine {

namespace {

/// Margin of a plan beyond the present range of the lists: a larger one makes plans rarer and
/// ghosts more numerous. A GPU rebuilds lists more often, and a plan interrupts it.
constexpr double margin_over_skin = 2;
constexpr double least_margin_on_gpu_nm = 2;

#ifdef KOKKOS_ENABLE_CUDA
/// Reason for not trying NCCL at once if all GPUs reach each other's memory: it was never faster
/// there, and costs 340 MiB of a rank's host memory, 350 MiB of its GPU and half a second.
constexpr const char* nccl_deferral_reason = "it is tried only where peer memory turns out slow";

/// Collective. Returns the reason why NCCL is not available; empty if it is.
std::string nccl_obstacle(const comm::Communicator& ranks) {
  return comm::NcclTransport::unavailable(ranks).value_or(std::string());
}

/// True if peer memory works and takes less than half the time of MPI through the host.
bool is_peer_memory_fast(const std::vector<comm::TransportTrial>& trials) {
  constexpr double far_less = 0.5;
  const auto& peer_memory = trials.front();
  const auto& by_host = trials.back();
  return peer_memory.obstacle.empty() &&
         peer_memory.typical_microseconds() < far_less * by_host.typical_microseconds();
}

/// Collective. Returns the requested transport, or all of them, each with the reason why it is not
/// available. Same on all ranks, although their nodes may have other libraries. In the order of the
/// enum.
std::vector<comm::TransportTrial> list_transports(const comm::Communicator& ranks,
                                                  const EngineSettings& settings,
                                                  std::vector<int>& island) {
  const comm::Transport wish = settings.transport;
  std::vector<comm::TransportTrial> found;
  constexpr auto peer_memory_and_nccl = comm::Transport::peer_memory_and_nccl;
  const auto is_requested = [wish](comm::Transport one) {
    return wish == comm::Transport::automatic || wish == one;
  };
  bool nccl_waits = false;
  if (is_requested(comm::Transport::peer_memory) || wish == peer_memory_and_nccl) {
    // If ranks share a GPU in time slices, each exchange takes a time slice: used only on explicit
    // request.
    const auto sharing = wish == comm::Transport::peer_memory ? halo::SharedGpu::allowed
                                                              : halo::SharedGpu::forbidden;
    halo::PeerGroups groups;
    groups.reason = "steps are not recorded";
    if (settings.record_steps) {
      const auto node = comm::gather_rank_nodes(ranks, settings.ranks_per_node);
      groups = halo::PeerMemory::groups(ranks, node, sharing);
      island = groups.island;
    }
    if (is_requested(comm::Transport::peer_memory)) {
      found.push_back({comm::Transport::peer_memory, groups.reason, {}});
    }
    nccl_waits = wish == comm::Transport::automatic && groups.reason.empty();
    const bool are_islands = !island.empty() && !comm::are_all_alone(island);
    if (wish == peer_memory_and_nccl ||
        (wish == comm::Transport::automatic && are_islands && !comm::is_one_island(island))) {
      found.push_back(
          {peer_memory_and_nccl, are_islands ? nccl_obstacle(ranks) : groups.reason, {}});
    }
  }
  if (is_requested(comm::Transport::nccl)) {
    found.push_back({comm::Transport::nccl,
                     nccl_waits ? nccl_deferral_reason : nccl_obstacle(ranks),
                     {},
                     nccl_waits});
  }
  if (is_requested(comm::Transport::mpi_device)) {
    const auto problem = comm::first_reason(
        ranks,
        comm::mpi_supports_device_memory() ? "" : "the MPI library does not say that it can");
    found.push_back({comm::Transport::mpi_device, problem ? problem->text : std::string(), {}});
  }
  if (is_requested(comm::Transport::mpi)) found.push_back({comm::Transport::mpi, {}, {}});
  return found;
}
#else
/// Returns MPI, or the requested transport with the reason why it is not available.
comm::TransportTrial host_transport(comm::Transport wish) {
  if (wish == comm::Transport::automatic || wish == comm::Transport::mpi) {
    return {comm::Transport::mpi, {}, {}};
  }
  return {wish, "nfold was built without CUDA", {}};
}
#endif

}  // namespace

template <class Precision>
void GhostExchange<Precision>::choose_transport(const EngineSettings& settings,
                                                [[maybe_unused]] device::JobDevices& devices) {
#ifdef KOKKOS_ENABLE_CUDA
  std::vector<int> island;
  trials_ = list_transports(communicator_, settings, island);
  std::shared_ptr<comm::NcclTransport> nccl;
  {
    const auto start = Clock::now();
    std::optional<halo::TransportTrials<Precision>> measuring;
    const auto measure = [&](comm::TransportTrial& trial) {
      if (!measuring) measuring.emplace(communicator_, settings.record_steps, island);
      measuring->measure(trial);
    };
    const auto measure_those_possible = [&] {
      return devices.transports().fill(communicator_, {sizeof(Coordinate), settings.record_steps},
                                       trials_, measure);
    };
    bool has_measured = measure_those_possible();
    for (auto& trial : trials_) {
      if (!trial.can_wait || is_peer_memory_fast(trials_)) continue;
      trial.can_wait = false;
      trial.obstacle = nccl_obstacle(communicator_);
      has_measured = measure_those_possible() || has_measured;
    }
    if (has_measured) {
      nccl = measuring->nccl();
      trial_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    }
  }
#else
  trials_ = {host_transport(settings.transport)};
#endif
  const comm::Transport chosen = comm::choose(settings.transport, trials_);
  transport_ = comm::describe_choice(chosen, trials_);
#ifdef KOKKOS_ENABLE_CUDA
  const bool by_islands = chosen == comm::Transport::peer_memory_and_nccl;
  if (by_islands || chosen == comm::Transport::peer_memory) {
    peers_ = std::make_unique<PeerHalo<Precision>>(
        communicator_, comm::members_of_island(island, communicator_.rank()));
  }
  if (by_islands || chosen == comm::Transport::nccl) {
    if (!nccl) nccl = std::make_shared<comm::NcclTransport>(communicator_);
    (by_islands ? inter_island_ : halo_).use_nccl(nccl);
  }
  if (chosen == comm::Transport::mpi_device) halo_.use_device_memory();
  island_ = std::move(island);
#endif
}

template <class Precision>
halo::HaloRanges GhostExchange<Precision>::ranges_for(const system::Box& box,
                                                      const ListReach& reach, bool on_gpu) {
  // Coordinates are rounded to 2^12 counts: two of them, along three axes.
  const double rounding_nm =
      0x1p14 * std::max({box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)});
  const double beyond_nm = reach.skin_nm + rounding_nm;
  halo::HaloRanges ranges;
  ranges.all_nm = reach.short_range_nm + beyond_nm;
  if (reach.charge_nm > 0) ranges.charged_nm = reach.charge_nm + beyond_nm;
  ranges.margin_nm =
      std::max(on_gpu ? least_margin_on_gpu_nm : 0, margin_over_skin * reach.skin_nm);
  return ranges;
}

template <class Precision>
bool GhostExchange<Precision>::plan_is_valid(kernels::Columns<const std::int64_t> position,
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

/// Collective. Passes a new plan to the transport. places: slots of the local rows' records. lost:
/// as in PeerHalo::set_plan.
template <class Precision>
void GhostExchange<Precision>::connect(
    [[maybe_unused]] const kernels::PairRecords<Precision>& places, [[maybe_unused]] int* lost) {
  halo_has_plan_ = false;
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) {
    peers_->set_plan(planner_, planner_.owned(), places.slot, places.charged_slot, lost);
  } else if (halo_.is_stream_ordered()) {
    halo();  // set up here, not during a capture
  }
  if (inter_island_.is_stream_ordered()) connect_islands();
  if (has_fixed_sizes()) mark_copied();
#endif
}

#ifdef KOKKOS_ENABLE_CUDA
/// Plans the NCCL exchange: the rows sent to and received from other islands, without gaps.
template <class Precision>
void GhostExchange<Precision>::connect_islands() {
  constexpr std::size_t row_bytes = 3 * sizeof(Coordinate);
  const auto self = static_cast<std::size_t>(communicator_.rank());
  std::vector<comm::Route> beyond;
  for (const auto& route : planner_.routes(row_bytes)) {
    if (island_[static_cast<std::size_t>(route.peer)] != island_[self]) beyond.push_back(route);
  }
  const auto rows_of = [](std::size_t bytes) { return static_cast<int>(bytes / row_bytes); };
  const auto copy = [](const int* from, int* to, int rows) {
    device::launch("copy row numbers", rows, kernels::CopyRowNumbers{from, to});
  };
  std::size_t sent = 0, received = 0;
  for (const auto& route : beyond) sent += route.send_bytes, received += route.receive_bytes;
  sent_between_.reserve(rows_of(sent));
  received_between_.reserve(rows_of(received));
  sent = received = 0;
  for (auto& route : beyond) {
    copy(planner_.send_row() + rows_of(route.send_offset), sent_between_.data() + rows_of(sent),
         rows_of(route.send_bytes));
    copy(planner_.receive_row() + rows_of(route.receive_offset),
         received_between_.data() + rows_of(received), rows_of(route.receive_bytes));
    route.send_offset = std::exchange(sent, sent + route.send_bytes);
    route.receive_offset = std::exchange(received, received + route.receive_bytes);
  }
  inter_island_.set_plan(communicator_, {sent_between_.data(), received_between_.data(),
                                         rows_of(sent), rows_of(received), std::move(beyond)});
}

template <class Precision>
void GhostExchange<Precision>::mark_copied() {
  first_copy_.reserve(planner_.owned());
  device::launch("no copies", planner_.owned(), kernels::ClearCopies{first_copy_.data()});
  device::launch("mark copied", planner_.send_first().back(),
                 kernels::MarkCopied{planner_.send_row(), first_copy_.data()});
}
#endif

/// Returns the MPI or NCCL exchange, set up for the current plan. Not collective.
template <class Precision>
halo::Halo<Precision>& GhostExchange<Precision>::halo() {
  if (!halo_has_plan_) {
    halo_.set_plan(communicator_,
                   {planner_.send_row(), planner_.receive_row(), planner_.send_first().back(),
                    planner_.receive_first().back(), planner_.routes(3 * sizeof(Coordinate))});
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

/// Number of charged rows in the prepared plan: among partners of terms, and among the other
/// ghosts.
template <class Precision>
int GhostExchange<Precision>::count_charged_ghosts(const forces::Forces<Precision>& forces) const {
  const int owned = planner_.owned(), fixed = planner_.fixed_rows();
  return forces.count_charged(planner_.row_id() + owned, fixed - owned) +
         forces.count_charged(planner_.prepared_ids(), planner_.prepared().rows - fixed);
}

/// Discards a prepared plan that may be outdated.
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
  if (planned_) {
    const std::int64_t rows = planner_.send_first().back();
    statistics.halo_bytes_of_step = rows * std::int64_t{3 * sizeof(Coordinate)};
  }
  statistics.halo_plan_seconds = plan_seconds_;
  statistics.transport = transport_;
  statistics.transport_trials = trials_;
  statistics.transport_trial_seconds = trial_seconds_;
}

template class GhostExchange<kernels::Mixed>;
template class GhostExchange<kernels::Full>;

}  // namespace nfold::engine

// Ghosts of a rank: the halo plan, its validity, and the exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/job_devices.hpp"
#include "device/refill.hpp"
#include "engine/engine.hpp"
#include "engine/engine_memory.hpp"
#include "engine/forces/forces.hpp"
#include "engine/halo/halo.hpp"
#include "engine/halo/halo_planner.hpp"
#include "engine/peer_halo_layout.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/side_stream.hpp"
#include "engine/cuda/peer_halo.hpp"
#endif

namespace nfold::engine {

template <class Precision>
class GhostExchange {
 public:
  using Coordinate = typename Precision::Coordinate;

  GhostExchange(const comm::Communicator& communicator, const system::Box& box)
      : communicator_(communicator), box_(box), planner_(communicator, box) {}

  static void estimate(device::MemoryEstimate& estimate, const domain::RankCounts& counts,
                       const ListReach& reach) {
    halo::HaloPlanner::estimate(estimate, counts,
                                ranges_for(counts.box, reach, estimate.is_for_gpu()));
    if (counts.ranks == 1) return;
    GhostExchange ghosts({}, counts.box);
    estimate.in("exchange").count([&] {
      ghosts.halo_.reserve(counts.halo.sent, counts.partners + counts.other_ghosts);
    });
    if (!estimate.is_for_gpu()) return;
    estimate.in("state").count(
        [&] { ghosts.reserve_kept_positions(kernels::padded(static_cast<int>(counts.owned))); });
    if (counts.halo.writes_to_peers) {
      estimate_peer_halo<Precision>(estimate.in("exchange"), counts);
    } else {
      estimate.in("exchange").count([&] { ghosts.first_copy_.reserve(counts.owned); });
    }
  }
  /// Returns the ranges that a halo plan must cover for lists of this reach.
  [[nodiscard]] static halo::HaloRanges ranges_for(const system::Box& box, const ListReach& reach,
                                                   bool on_gpu);

  /// Collective, once. Throws std::runtime_error on all ranks if the requested transport is not
  /// available.
  void choose_transport(const EngineSettings& settings, device::JobDevices& devices);
  /// Collective, after a repartition. Discards the halo plan.
  void set_rows(halo::FixedRows rows) {
    planner_.set_rows(std::move(rows));
    planned_.reset();
  }

  /// True if ranks can have ghosts of each other.
  [[nodiscard]] bool is_needed() const { return communicator_.size() > 1; }
  [[nodiscard]] const halo::HaloPlanner& planner() const { return planner_; }
  [[nodiscard]] int ghosts() const { return planner_.rows() - planner_.owned(); }

  // Halo plans.

  [[nodiscard]] halo::HaloRanges ranges(const ListReach& reach) const {
    return ranges_for(box_, reach, !device::on_host);
  }
  /// True if the plan covers these ranges after a largest residue move of `move_nm`.
  [[nodiscard]] bool plan_covers(const halo::HaloRanges& ranges, double move_nm) const {
    return planned_->covers(ranges, move_nm);
  }
  /// planned(): ranges the plan was made for, all zero without a plan. plans(): number of plans
  /// made.
  [[nodiscard]] halo::HaloRanges planned() const { return planned_.value_or(halo::HaloRanges{}); }
  [[nodiscard]] std::int64_t plans() const { return plans_; }
  /// Collective. True if the plan covers these ranges at the current positions.
  [[nodiscard]] bool plan_is_valid(kernels::Columns<const std::int64_t> position,
                                   const halo::HaloRanges& ranges);
  void forget_plan() { planned_.reset(); }
  /// Reserves the positions from which a plan is prepared while blocks are under way.
  void reserve_kept_positions(std::int64_t rows) {
    device::reserve_for_refill(kept_position_, rows);
  }
  /// Collective, while no steps are under way. Prepares a plan, the slow part of a new one.
  void prepare(kernels::Columns<const std::int64_t> position, const halo::HaloRanges& ranges);
  /// Collective. Puts the prepared plan in use. place_rows() lays out the local rows and returns
  /// the forces' records of them. lost null: waits for the other ranks. Otherwise, if
  /// can_adopt_in_stream(), the plan applies in stream order without waiting, place_rows() must not
  /// reallocate, and *lost is set if a peer does not answer.
  template <class PlaceRows>
  void adopt(kernels::Columns<const std::int64_t> position, const halo::HaloRanges& ranges,
             const PlaceRows& place_rows, int* lost = nullptr) {
    const auto start = Clock::now();
    planner_.adopt(position);
    planned_ = ranges;
    connect(place_rows(), lost);
    ++plans_;
    if (lost == nullptr) {
      plan_seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
    }
  }

  // Exchange by MPI or NCCL; rarely needed if peers write into each other's memory.

  void start(kernels::Columns<const Coordinate> coordinate) { halo().start(coordinate); }
  void finish(kernels::Columns<Coordinate> coordinate,
              const kernels::PairRecords<Precision>& records) {
    halo().finish(coordinate, records);
  }

#ifdef KOKKOS_ENABLE_CUDA
  // Within captured blocks.

  /// Null: all ghosts travel by NCCL or through the host.
  [[nodiscard]] PeerHalo<Precision>* peers() const { return peers_.get(); }
  /// True if peers write their rows into this rank's memory.
  [[nodiscard]] bool receives_from_peers() const { return peers_ && peers_->has_peers(); }
  /// True if some or all rows arrive by NCCL, in stream order.
  [[nodiscard]] bool has_nccl_ghosts() const {
    return inter_island_.is_stream_ordered() ? inter_island_.has_peers()
                                             : halo_.is_stream_ordered() && halo_.has_peers();
  }
  void fetch(kernels::Columns<const Coordinate> from, kernels::Columns<Coordinate> to,
             const kernels::PairRecords<Precision>& records) {
    auto& way = inter_island_.is_stream_ordered() ? inter_island_ : halo();
    way.start(from);
    way.finish(to, records);
  }
  /// can_be_captured(): true if exchanges can be captured. has_fixed_sizes(): true if a
  /// captured graph has the message sizes fixed.
  [[nodiscard]] bool can_be_captured() const { return peers_ || halo_.is_stream_ordered(); }
  [[nodiscard]] bool has_fixed_sizes() const {
    return halo_.is_stream_ordered() || inter_island_.is_stream_ordered();
  }
  /// Reserves the records of local rows that peers write into; empty: the forces use their own.
  [[nodiscard]] forces::SharedRecords<Precision> shared_records(int records, int charged) {
    if (!peers_) return {};
    return peers_->reserve(records, charged, planner_.send_first().back());
  }
  /// Records that the reserving overload returned last.
  [[nodiscard]] forces::SharedRecords<Precision> shared_records() const { return peers_->shared(); }
  /// Returns first_copy as in kernels::HaloPush; null: no ghosts will be waited for.
  [[nodiscard]] const int* copied_rows() const {
    if (has_fixed_sizes())
      return has_nccl_ghosts() || receives_from_peers() ? first_copy_.data() : nullptr;
    return peers_ && peers_->has_peers() ? peers_->first_copy() : nullptr;
  }

  // Plan prepared while blocks are under way, from positions kept between two of them.

  void keep_positions(kernels::Columns<const std::int64_t> position, int owned);
  [[nodiscard]] bool has_kept_positions() const { return has_kept_; }
  [[nodiscard]] bool has_prepared_plan() const { return prepared_.has_value(); }
  /// Collective. fits_arrays(HaloPlanner::Prepared, charged ghosts): true if such a plan fits this
  /// rank's other arrays without reallocation.
  template <class FitsArrays>
  void prepare_concurrently(const halo::HaloRanges& ranges, const forces::Forces<Precision>& forces,
                            const FitsArrays& fits_arrays) {
    int charged_ghosts = 0;
    side_->run([&] {
      planner_.prepare(kept_position_.read(), ranges);
      if (peers_) charged_ghosts = count_charged_ghosts(forces);
    });
    has_kept_ = false;
    prepared_ = {ranges, charged_ghosts, false};
    if (!peers_ || has_fixed_sizes()) return;
    const auto plan = planner_.prepared();
    const bool fits = plan.has_capacity && fits_arrays(plan, charged_ghosts) &&
                      peers_->has_capacity_for(planner_.owned(), plan.sent);
    prepared_->fits = !communicator_.any(!fits);
  }
  /// True if the prepared plan can be adopted in stream order, after the steps under way.
  [[nodiscard]] bool can_adopt_in_stream() const { return prepared_ && prepared_->fits; }
  [[nodiscard]] const halo::HaloRanges& prepared_ranges() const { return prepared_->ranges; }
  /// Known only if can_adopt_in_stream().
  [[nodiscard]] int prepared_charged_ghosts() const { return prepared_->charged_ghosts; }
  [[nodiscard]] kernels::Columns<const std::int64_t> kept_positions() const {
    return kept_position_.read();
  }
  void forget_preparation();
#endif

  /// Adds the statistics of transports and halo plans.
  void report(EngineStatistics& statistics) const;

 private:
  using Clock = std::chrono::steady_clock;
  void connect(const kernels::PairRecords<Precision>& places, int* lost);
  halo::Halo<Precision>& halo();
#ifdef KOKKOS_ENABLE_CUDA
  void connect_islands();
  void mark_copied();
  [[nodiscard]] int count_charged_ghosts(const forces::Forces<Precision>& forces) const;
#endif

  comm::Communicator communicator_;
  const system::Box& box_;
  halo::HaloPlanner planner_;  // local rows: owned ones, partners of terms, other ghosts
  halo::Halo<Precision> halo_;
  bool halo_has_plan_ = false;               // halo_ is set up for the latest plan
  std::optional<halo::HaloRanges> planned_;  // ranges the plan was made for; empty: no plan
  std::int64_t plans_ = 0;
  double plan_seconds_ = 0, trial_seconds_ = 0;
  std::string transport_;
  std::vector<comm::TransportTrial> trials_;
  device::DeviceColumns<std::int64_t> kept_position_{"planning_position",
                                                     device::ArrayUse::spare_buffers};
  device::DeviceArray<int> first_copy_{"halo.first_copy"};  // (owned rows) -1: no rank has a copy
#ifdef KOKKOS_ENABLE_CUDA
  std::unique_ptr<PeerHalo<Precision>> peers_;
  // If not all ranks reach each other's memory: NCCL exchange in blocks with ranks of other
  // islands.
  std::vector<int>
      island_;  // (ranks) index of the group whose members write into each other's memory
  halo::Halo<Precision> inter_island_;
  device::DeviceArray<int> sent_between_{"halo.sent_between"},
      received_between_{"halo.received_between"};
  std::optional<device::SideStream>
      side_;  // stream and thread on which plans are prepared while steps go on
  bool has_kept_ = false;
  struct Prepared {
    halo::HaloRanges ranges;
    int charged_ghosts;
    bool fits;  // on all ranks
  };
  std::optional<Prepared> prepared_;
#endif
};

}  // namespace nfold::engine

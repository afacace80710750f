// Data of one rank's steps, and the operations that steps consist of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/job_devices.hpp"
#include "engine/busy_clock.hpp"
#include "engine/engine.hpp"
#include "engine/forces/biases.hpp"
#include "engine/forces/external_fields.hpp"
#include "engine/forces/force_tables.hpp"
#include "engine/forces/forces.hpp"
#include "engine/ghost_exchange.hpp"
#include "engine/list_lifetime.hpp"
#include "engine/residue_state.hpp"
#include "kernels/loops/integrate.hpp"

namespace nfold::engine {

/// First skin of the autotuning, for the longest cutoff `reach_nm`.
[[nodiscard]] inline double first_skin_nm(double reach_nm, bool on_gpu) {
  return 0.1 + (on_gpu ? 0.05 : 0.1) * reach_nm;
}

/// Device flags that kernels of a step set for the host.
class StepMarks {
 public:
  enum Place { moved = 0, exploded = 1, unread = 2, count = 3 };

  StepMarks() { marks_.reserve(count); }
  void clear() { marks_.fill(0); }
  void clear(Place place) { marks_.set(place, 0); }
  [[nodiscard]] int* at(Place place) const { return marks_.data() + place; }
  [[nodiscard]] int element(Place place) const { return marks_.element(place); }
  [[nodiscard]] std::vector<int> download() const { return marks_.download(count); }

 private:
  device::DeviceArray<int> marks_{"marks"};
};

/// Half kicks that one launch of the integrator adds, before and after the drift.
enum class Kicks {
  first,  ///< first half of the next kick: starts from whole-step velocities
  both,   ///< second half of the previous kick, and first half of the next
  last    ///< second half of the previous kick, without a drift: ends at whole-step velocities
};

/// Options of one launch of the integrator.
struct IntegrationLaunch {
  kernels::StepNumber step;
  StepMarks::Place moved_flag =
      StepMarks::moved;        // flag to set; not needed if lists are rebuilt right after
  bool writes_columns = true;  // false if nothing reads the coordinate columns before the next step
  std::uint32_t* largest_move = nullptr;  // receives the largest squared move [nm^2], as float bits
  int record_set = 0;                     // index of the record set, if double-buffered
  bool pushes = false;                    // writes coordinates to peers
  int saved_copy = -1;  // index of the copy that receives the state before the step; -1: none
};

/// Data of one rank's steps, owned by StepEngine. Blocks of steps on the host (host_blocks.hpp) and
/// captured blocks (BlockPipeline), the minimiser, timings and reports borrow it.
template <class Precision>
struct StepParts {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  /// Collective. Has no residues before StepEngine takes them.
  StepParts(const comm::Communicator& ranks, const topology::Topology& all,
            const EngineSettings& chosen, const system::State& start);
  StepParts(const StepParts&) = delete;
  StepParts& operator=(const StepParts&) = delete;

  comm::Communicator communicator;
  const topology::Topology& topology;
  EngineSettings settings;
  std::int64_t degrees_of_freedom;  ///< from the first state; used for the temperature
  kernels::StepConstants constants;

  std::int64_t step;
  ResidueState<Precision> state;
  forces::ForceTables<Precision> tables;
  forces::Forces<Precision> forces;
  forces::Biases<Precision> biases;
  forces::ExternalFields<Precision> fields;
  GhostExchange<Precision> ghosts;
  ListLifetime lists;
  BusyClock busy_clock;
  StepMarks marks;
  bool forces_are_current = false, lists_are_current = false;
  bool local_rows_are_ready = false;  ///< local rows, since the last repartition
  int layout_version = 0;             ///< changes whenever graphs refer to old local rows
  std::int64_t rebuilds = 0, replayed_blocks = 0;

  /// Collective at the first call.
  [[nodiscard]] device::JobDevices& devices();
  [[nodiscard]] system::State owned_state() const;
  void mark_current() { forces_are_current = lists_are_current = true; }
  void mark_outdated() { forces_are_current = lists_are_current = false; }

  // Integration.

  [[nodiscard]] IntegrationLaunch this_step() const {
    return {{nullptr, static_cast<std::uint64_t>(step)}};
  }
  void integrate(Kicks kicks, const IntegrationLaunch& launch);
  /// Largest move of an owned residue since the lists were built.
  [[nodiscard]] double largest_move_nm() const;
  void round_coordinates();
  /// Restores a saved state.
  void restore(int copy, std::int64_t saved_step);
  /// Updates the step number and coordinates after the exact state was replaced; lists and forces
  /// become outdated.
  void reset_to_state(std::int64_t new_step);

  // Forces.

  /// Collective. Exchanges ghosts and computes forces of the current coordinates into cleared
  /// totals.
  void compute_forces();
  /// Collective. Brings lists and forces up to date.
  void ensure_forces();
  /// Stores the total force of each owned row in state.total_force.
  void store_forces();

  // Lists; step_lists.cpp.

  [[nodiscard]] ListReach reach() const {
    return {forces.short_range_nm(), forces.charge_range_nm(), lists.skin_nm()};
  }
  [[nodiscard]] forces::LocalRows<Precision> local_rows() const {
    return {state.coordinate.read(),
            state.listed.view(),
            {tables.excluded_first.data(), tables.excluded.data(), ghosts.planner().row_id(),
             tables.excluded_span.data()},
            state.owned};
  }
  /// Collective. Rebuilds lists with the chosen skin, after a new halo plan if the old one is not
  /// valid.
  void rebuild();
  /// Collective. Shortens the skin after its lists overflowed to the least `fits_nm` of all ranks,
  /// the longest skin whose lists would fit. Requires lists.can_shorten_skin().
  void shorten_skin(double fits_nm);

  // Ghosts and halo plans; step_plans.cpp.

  /// Collective. Lays out local rows, their ids and their records in the order of the halo plan.
  kernels::PairRecords<Precision> place_local_rows();
  void exchange_ghosts();
  void make_plan();
  /// Collective. Adopts the prepared halo plan.
  void adopt_plan(kernels::Columns<const std::int64_t> position, const halo::HaloRanges& ranges);
#ifdef KOKKOS_ENABLE_CUDA
  /// Fetches ghosts that no peer writes, into one record set, in stream order.
  void fetch_ghosts(int set);
  /// Collective, while steps go on. Prepares a halo plan from the kept positions.
  void prepare_plan_concurrently();
  /// Collective, if ghosts.can_adopt_in_stream(). The prepared plan applies to all work launched
  /// from now on. Does not wait. *lost, on the device, is set if a peer does not answer.
  void adopt_plan_in_stream(int* lost);
#endif

 private:
  template <bool finish, bool begin>
  void launch_integrator(const IntegrationLaunch& launch);
  void add_bias_forces();
  void build_lists();
  [[nodiscard]] double longest_fitting_skin_nm();
  void reserve_for_longest_skin();
  [[nodiscard]] kernels::GatheredForce<Precision> gather(bool clears = false) const {
    return tables.gather(forces.pair_forces(), clears);
  }

  const int* placed_ids_ = nullptr;  // ids of the local rows that were placed last
};

}  // namespace nfold::engine

// The step in one precision: its data and its parts in order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <future>
#include <memory>
#include <vector>

#include "device/job_devices.hpp"
#include "domain/partition.hpp"
#include "engine/busy_clock.hpp"
#include "engine/engine.hpp"
#include "engine/forces/biases.hpp"
#include "engine/forces/forces.hpp"
#include "engine/ghost_exchange.hpp"
#include "engine/list_lifetime.hpp"
#include "engine/prepared_rows.hpp"
#include "engine/residue_state.hpp"
#include "kernels/loops/integrate.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "engine/cuda/block_pipeline.hpp"
#include "engine/cuda/device_snapshot.hpp"
#endif

namespace nfold::engine {

/// Interface behind Engine; one implementation per precision.
class Engine::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual void advance(std::int64_t steps) = 0;
  [[nodiscard]] virtual std::int64_t step() const = 0;
  [[nodiscard]] virtual const comm::Communicator& communicator() const = 0;
  [[nodiscard]] virtual Energies energies() = 0;
  [[nodiscard]] virtual std::vector<double> screened_energies(
      const std::vector<double>& kappa_per_nm) = 0;
  [[nodiscard]] virtual Pressure pressure() = 0;
  virtual MinimiserResult minimise(const MinimiserSettings& settings) = 0;
  [[nodiscard]] virtual system::State owned_state() const = 0;
  [[nodiscard]] virtual std::vector<system::FixedPosition> owned_positions() const = 0;
  [[nodiscard]] virtual std::vector<system::FixedPosition> positions_of_rows(
      const std::vector<int>& rows) const = 0;
  [[nodiscard]] virtual RowSnapshot snapshot_state() = 0;
  virtual void visit_positions_nm(const PositionVisit& visit, int residues_at_a_time) = 0;
  [[nodiscard]] virtual std::vector<std::array<double, 3>> owned_forces() = 0;
  virtual void set_owner(domain::Ownership owner) = 0;
  [[nodiscard]] virtual RepartitionPreparation repartition_preparation(
      domain::Ownership owner) const = 0;
  virtual void set_owner(std::shared_ptr<PreparedRepartition> prepared) = 0;
  [[nodiscard]] virtual std::shared_ptr<const domain::Ownership> owner() const = 0;
  virtual void restore_state(const system::State& mine) = 0;
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;
  [[nodiscard]] virtual std::vector<PartTime> part_times() = 0;
};

/// Collective. Returns all rows in order of id on rank 0, an empty state elsewhere.
[[nodiscard]] system::State gather_state(const comm::Communicator& communicator,
                                         const system::State& mine);
/// Collective. Returns all rows in order of id on every rank.
[[nodiscard]] system::State all_gather_state(const comm::Communicator& communicator,
                                             const system::State& mine);

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

/// Options of one launch of the integrator.
struct IntegrationLaunch {
  kernels::StepNumber step;
  StepMarks::Place moved =
      StepMarks::moved;        // flag to set; not needed if lists are rebuilt right after
  bool writes_columns = true;  // false if nothing reads the coordinate columns before the next step
  std::uint32_t* largest = nullptr;  // receives the largest move
  int set = 0;                       // index of the record set, if double-buffered
  bool pushes = false;               // writes coordinates to peers
  int saved = -1;  // index of the copy that receives the state before the step; -1: none
};

template <class Precision>
class StepEngine final : public Engine::Implementation {
 public:
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  StepEngine(const comm::Communicator& communicator, const topology::Topology& topology,
             const EngineSettings& settings, system::State start, domain::Ownership owner);

  // Interface of Engine.
  void advance(std::int64_t steps) override;
  [[nodiscard]] std::int64_t step() const override { return step_; }
  [[nodiscard]] const comm::Communicator& communicator() const override { return communicator_; }
  [[nodiscard]] Energies energies() override;
  [[nodiscard]] std::vector<double> screened_energies(
      const std::vector<double>& kappa_per_nm) override;
  [[nodiscard]] Pressure pressure() override;
  MinimiserResult minimise(const MinimiserSettings& settings) override;
  [[nodiscard]] system::State owned_state() const override;
  [[nodiscard]] std::vector<system::FixedPosition> owned_positions() const override;
  [[nodiscard]] std::vector<system::FixedPosition> positions_of_rows(
      const std::vector<int>& rows) const override;
  [[nodiscard]] RowSnapshot snapshot_state() override;
  void visit_positions_nm(const PositionVisit& visit, int residues_at_a_time) override;
  [[nodiscard]] std::vector<std::array<double, 3>> owned_forces() override;
  void set_owner(domain::Ownership owner) override;
  [[nodiscard]] RepartitionPreparation repartition_preparation(
      domain::Ownership owner) const override;
  void set_owner(std::shared_ptr<PreparedRepartition> prepared) override;
  [[nodiscard]] std::shared_ptr<const domain::Ownership> owner() const override { return owner_; }
  void restore_state(const system::State& mine) override;
  [[nodiscard]] EngineStatistics statistics() const override;
  [[nodiscard]] std::vector<PartTime> part_times() override;

  // Parts of a step and their data, for reports, the minimiser, timings and captured blocks.
  [[nodiscard]] const topology::Topology& topology() const { return topology_; }
  [[nodiscard]] const EngineSettings& settings() const { return settings_; }
  [[nodiscard]] std::int64_t degrees_of_freedom() const { return degrees_of_freedom_; }
  [[nodiscard]] ResidueState<Precision>& state() { return state_; }
  [[nodiscard]] const forces::ForceTables<Precision>& tables() const { return tables_; }
  [[nodiscard]] forces::Forces<Precision>& forces() { return forces_; }
  [[nodiscard]] const forces::Biases<Precision>& biases() const { return biases_; }
  [[nodiscard]] GhostExchange<Precision>& ghosts() { return ghosts_; }
  [[nodiscard]] ListLifetime& lists() { return lists_; }
  [[nodiscard]] BusyClock& busy_clock() { return busy_clock_; }
  [[nodiscard]] StepMarks& marks() { return marks_; }
  /// Collective at the first call.
  [[nodiscard]] device::JobDevices& devices();

  [[nodiscard]] ListReach reach() const {
    return {forces_.short_range_nm(), forces_.charge_range_nm(), lists_.skin_nm()};
  }
  [[nodiscard]] forces::LocalRows<Precision> local_rows() const {
    return {state_.coordinate.read(),
            state_.listed.view(),
            {tables_.excluded_first.data(), tables_.excluded.data(), ghosts_.planner().row_id(),
             tables_.excluded_span.data()},
            state_.owned};
  }
  /// Integrates one step. finish: adds the second half of the previous kick; begin: adds the first
  /// half of the next.
  template <bool finish, bool begin>
  void integrate(const IntegrationLaunch& launch);
  [[nodiscard]] IntegrationLaunch this_step() const {
    return {{nullptr, static_cast<std::uint64_t>(step_)}};
  }
  /// Collective. Rebuilds lists with the chosen skin, after a new halo plan if the old one is not
  /// valid.
  void rebuild();
  void build_lists();
  bool reserve_for_longest_skin();
  /// Collective. Shortens the skin after its lists overflowed; lists of fits_nm would fit.
  void shorten_skin(double fits_nm);
  /// Collective. Exchanges ghosts and computes forces of the current coordinates into cleared
  /// totals.
  void compute_forces();
  /// Collective. Brings lists and forces up to date.
  void ensure_forces();
  void exchange_ghosts();
#ifdef KOKKOS_ENABLE_CUDA
  /// Fetches ghosts that no peer writes, into one record set, in stream order.
  void fetch_ghosts(int set);
#endif
  /// Collective.
  void add_bias_forces();
  void round_coordinates();
  /// Stores the total force of each owned row in state().total_force.
  void store_forces();
  /// Largest move of an owned residue since the lists were built.
  [[nodiscard]] double largest_move_nm();
  [[nodiscard]] bool lists_are_current() const { return lists_are_current_; }
  void invalidate_lists() { lists_are_current_ = false; }
  void invalidate_forces() { forces_are_current_ = false; }
  void mark_current() { forces_are_current_ = lists_are_current_ = true; }
  /// Restores a saved state; lists and forces become outdated.
  void restore(int copy, std::int64_t step);
  /// Collective. Adopts the prepared halo plan, or makes one.
  void adopt_plan(kernels::Columns<const std::int64_t> position, const halo::HaloRanges& ranges);
#ifdef KOKKOS_ENABLE_CUDA
  /// Collective, while steps go on. Prepares a halo plan from the kept positions.
  void prepare_plan_concurrently();
  /// Collective, if ghosts().can_adopt_in_stream(). The prepared plan applies to all work launched
  /// from now on. Does not wait. *lost, on the device, is set if a peer does not answer.
  void adopt_plan_in_stream(int* lost);
#endif
  void make_plan();
  void set_step(std::int64_t step) { step_ = step; }
  void count_rebuild() { ++statistics_.rebuilds; }
  void count_replay() { ++statistics_.replayed_blocks; }
  /// Collective. Throws ExplosionError.
  [[noreturn]] void report_explosion();

 private:
  enum class Outcome { good, moved, exploded };
  struct BlockEnd {
    Outcome outcome;
    double moved_fraction;  // largest residue move divided by the move that the skin allows
  };

  using Map = std::shared_ptr<const domain::Ownership>;

  [[nodiscard]] std::shared_ptr<PreparedRows<Precision>> prepared(Map before, Map owner) const;
  void put_on_device(PreparedRows<Precision>& rows) const;
  /// Collective.
  void check_coverage(const PreparedRows<Precision>& rows) const;
  void take_rows(PreparedRows<Precision>& rows);
  /// Collective.
  void migrate_to(PreparedRows<Precision>& rows);
  void reset_to_state(std::int64_t step);
  kernels::PairRecords<Precision> place_local_rows();
  void advance_step_by_step(std::int64_t target);
  BlockEnd run_block(std::int64_t steps, bool careful);
  [[nodiscard]] bool must_rebuild_now() const;
  BlockEnd reduce_block_end();
  [[nodiscard]] kernels::GatheredForce<Precision> gather(bool clears = false) const {
    return tables_.gather(forces_.pair_forces(), clears);
  }

  comm::Communicator communicator_;
  const topology::Topology& topology_;
  EngineSettings settings_;
  std::int64_t degrees_of_freedom_;  // from the first state; used for the temperature
  Map owner_;
  kernels::StepConstants constants_{};

  std::int64_t step_ = 0;
  ResidueState<Precision> state_;
  forces::ForceTables<Precision> tables_;
  forces::Forces<Precision> forces_;
  forces::Biases<Precision> biases_;
  GhostExchange<Precision> ghosts_;
  ListLifetime lists_;
  BusyClock busy_clock_;
  StepMarks marks_;
  bool forces_are_current_ = false, lists_are_current_ = false;
  bool rows_are_placed_ = false;  // local rows, since the last repartition
  EngineStatistics statistics_;
#ifdef KOKKOS_ENABLE_CUDA
  std::unique_ptr<BlockPipeline<Precision>> pipeline_;  // created at the first captured step
  std::unique_ptr<DeviceSnapshot> held_;                // created on request
  std::future<void> pending_release_;                   // frees tables of the previous partition
#endif
};

}  // namespace nfold::engine

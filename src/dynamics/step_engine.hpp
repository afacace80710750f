// The engine in one precision: state on the device, rebuilds, blocks of steps that can be replayed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "device/devices_of_job.hpp"
#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "dynamics/row_kicks.hpp"
#include "dynamics/skin_tuner.hpp"
#include "forces/forces.hpp"
#include "halo/halo.hpp"
#include "halo/halo_planner.hpp"
#include "kernels/loops/integrate.hpp"
#include "system/units.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "device/cuda/side_stream.hpp"
#include "dynamics/cuda/block_graphs.hpp"
#include "dynamics/cuda/peer_halo.hpp"
#include "forces/cuda/move_pace.hpp"
#endif

namespace nfold::dynamics {

/// What Engine forwards to; one instance a precision.
class AnyStepEngine {
 public:
  virtual ~AnyStepEngine() = default;
  virtual void advance(std::int64_t steps) = 0;
  [[nodiscard]] virtual std::int64_t step() const = 0;
  [[nodiscard]] virtual Energies energies() = 0;
  [[nodiscard]] virtual std::vector<double> screened_energies(
      const std::vector<double>& kappa_per_nm) = 0;
  [[nodiscard]] virtual Pressure pressure() = 0;
  virtual MinimiserResult minimise(const MinimiserSettings& settings) = 0;
  [[nodiscard]] virtual system::State owned_state() const = 0;
  [[nodiscard]] virtual std::vector<std::array<double, 3>> owned_forces() = 0;
  virtual void set_owner(domain::Ownership owner) = 0;
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;
  [[nodiscard]] virtual std::vector<PartTime> part_times() = 0;
};

/// Collective: all rows in order of id on rank 0, empty elsewhere.
[[nodiscard]] system::State gather_state(const comm::Communicator& communicator,
                                         const system::State& mine);
/// Collective: the same on every rank.
[[nodiscard]] system::State all_gather_state(const comm::Communicator& communicator,
                                             const system::State& mine);

/// Words of the exploding run's report, found on rank 0 from the whole state.
[[nodiscard]] std::string describe_explosion(const topology::Topology& topology,
                                             const system::State& state, double time_step_ps);

template <class Precision>
class StepEngine final : public AnyStepEngine {
 public:
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  StepEngine(const comm::Communicator& communicator, const topology::Topology& topology,
             const EngineSettings& settings, const system::State& start, domain::Ownership owner);

  void advance(std::int64_t steps) override;
  [[nodiscard]] std::int64_t step() const override { return step_; }
  [[nodiscard]] Energies energies() override;
  [[nodiscard]] std::vector<double> screened_energies(
      const std::vector<double>& kappa_per_nm) override;
  [[nodiscard]] Pressure pressure() override;
  MinimiserResult minimise(const MinimiserSettings& settings) override;
  [[nodiscard]] system::State owned_state() const override;
  [[nodiscard]] std::vector<std::array<double, 3>> owned_forces() override;
  void set_owner(domain::Ownership owner) override;
  [[nodiscard]] EngineStatistics statistics() const override;
  [[nodiscard]] std::vector<PartTime> part_times() override;

 private:
  enum class Outcome { good, moved, exploded };
  enum Mark { moved_mark = 0, exploded_mark = 1, unread_mark = 2, mark_count = 3 };

  void take_rows(const system::State& all);
  void save();
  void restore(int copy = 0);
  void rebuild();
  void choose_skin();
  device::DevicesOfJob& devices();
  void choose_transport();
  [[nodiscard]] halo::HaloRanges halo_ranges() const;
  [[nodiscard]] bool plan_lasts();
  void make_plan();
  void adopt_plan(kernels::Columns<const std::int64_t> position, const halo::HaloRanges& ranges);
  halo::Halo<Precision>& halo();
  void exchange_ghosts();
  void set_local_rows();
  void round_coordinates();
  void compute_forces();
  void compute_forces_on_cleared();
  void ensure_forces();
  Outcome run_block(std::int64_t steps, bool careful);
  [[nodiscard]] bool moved_here() const;
  [[nodiscard]] bool lists_are_due() const;
  Outcome agree_on_outcome();
  /// How one launch of the integrator differs from another.
  struct IntegrationLaunch {
    kernels::StepNumber step;
    Mark moved = moved_mark;     // lists made anew right after it need no mark
    bool writes_columns = true;  // nothing reads the coordinates' columns before the next step
    std::uint32_t* largest = nullptr;  // receives the largest move
    int set = 0;                       // of records, where those take turns
    bool pushes = false;               // coordinates to peers
    int saved = -1;                    // copy that receives the state before; -1: none
  };
  template <bool finish, bool begin>
  void integrate(const IntegrationLaunch& drift);
  [[nodiscard]] IntegrationLaunch eager_drift() const {
    return {{nullptr, static_cast<std::uint64_t>(step_)}};
  }
  void advance_step_by_step(std::int64_t target);
#ifdef KOKKOS_ENABLE_CUDA
  [[nodiscard]] bool can_record() const;
  void advance_by_graphs(std::int64_t target);
  void restart_blocks();
  void bound_skin();
  void keep_for_planning();
  void prepare_plan_aside();
  void forget_planning();
  void renew_plan();
  void start_recorded_block(std::int64_t steps, bool begins, int saved);
  void record_block(std::int64_t steps, bool begins, int saved, int set);
  [[nodiscard]] const int* copied_rows() const;
  void take_pushed_ghosts(const kernels::HaloFlags& flags, int set, int last);
  [[nodiscard]] BlockVerdict next_verdict();
  [[nodiscard]] BlockVerdict agree_on(BlockVerdict verdict);
  void go_back_to(int saved, std::int64_t step, bool begins);
  void learn_from_verdict(const BlockVerdict& verdict, std::int64_t steps, double skin_nm);
#endif
  [[noreturn]] void report_explosion();
  [[nodiscard]] double largest_move_nm() const;
  [[nodiscard]] std::int64_t next_block_length(std::int64_t remaining) const;
  void learn_from_block(Outcome outcome, std::int64_t steps);
  [[nodiscard]] int owned_items() const {
    return kernels::lanes == 1 ? owned_ : kernels::padded(owned_) / kernels::lanes;
  }
  [[nodiscard]] kernels::GatheredForce<Precision> gather(bool clears = false) const {
    return tables_->gather(forces_.pair_forces(), clears);
  }

  [[nodiscard]] forces::LocalRows<Precision> local_rows() const {
    return {coordinate_.read(),
            listed_.view(),
            {tables_->excluded_first.data(), tables_->excluded.data(), planner_.row_id(),
             tables_->excluded_span.data()},
            owned_};
  }

  comm::Communicator communicator_;
  const topology::Topology& topology_;
  EngineSettings settings_;
  std::int64_t degrees_of_freedom_;  // of the temperature, as the first state has them
  domain::Ownership owner_;
  kernels::StepConstants constants_{};

  std::int64_t step_ = 0;
  int owned_ = 0;
  std::optional<forces::ForceTables<Precision>> tables_;
  forces::Forces<Precision> forces_;
  halo::HaloPlanner planner_;  // local rows: owned ones, partners of terms, other ghosts
  halo::Halo<Precision> halo_;
  bool halo_has_plan_ = false;               // the last one
  std::optional<halo::HaloRanges> planned_;  // what the plan was made for; empty: there is none
  device::DeviceColumns<std::int64_t> planning_position_{"planning_position"};

  device::DeviceColumns<std::int64_t> position_{"position"};
  device::DeviceColumns<double> velocity_{"velocity"};
  // Two copies, since a recorded block starts before the verdict on the one before it is known.
  std::array<device::DeviceColumns<std::int64_t>, 2> saved_position_{
      device::DeviceColumns<std::int64_t>("saved_position"),
      device::DeviceColumns<std::int64_t>("saved_position2")};
  std::array<device::DeviceColumns<double>, 2> saved_velocity_{
      device::DeviceColumns<double>("saved_velocity"),
      device::DeviceColumns<double>("saved_velocity2")};
  device::DeviceColumns<Coordinate> coordinate_{"coordinate"}, listed_{"listed_coordinate"};
  device::DeviceColumns<std::int64_t> total_force_{"total_force"};
  RowKickTable kicks_;
  device::DeviceArray<double> mass_{"mass"};
  device::DeviceArray<int> marks_{"marks"};
  bool forces_are_current_ = false, lists_are_current_ = false;

  // How long lists last; learned, and never in the bits.
  std::int64_t steps_since_rebuild_ = 0, list_lifetime_ = 10;
  double moved_fraction_ = 0;  // largest move of any residue over what the skin allows
  using Clock = std::chrono::steady_clock;
  std::optional<SkinTuner> skin_tuner_;  // where the skin is not given
  Clock::time_point lap_start_;
  double lap_seconds_ = 0;     // within advance() since the last rebuild
  std::int64_t lap_step_ = 0;  // at the last rebuild
  EngineStatistics statistics_;
#ifdef KOKKOS_ENABLE_CUDA
  std::unique_ptr<BlockGraphs> graphs_;
  std::unique_ptr<PeerHalo<Precision>> peers_;  // null: ghosts go through the host
  std::int64_t exchanges_ = 0;                  // of ghosts in blocks, since they were restarted
  std::optional<device::SideStream> side_;      // where plans are prepared while steps go on
  bool has_kept_for_planning_ = false;
  std::optional<halo::HaloRanges> prepared_;  // from planning_position_
  const int* recorded_ids_ = nullptr;         // where recorded kernels read the rows' ids
  bool skin_is_bounded_ = false;
  forces::MovePace pace_;  // how far residues go in how many steps
#endif
};

}  // namespace nfold::dynamics

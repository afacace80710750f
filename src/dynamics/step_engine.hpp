// The engine in one precision: state on the device, rebuilds, blocks of steps that can be replayed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "domain/partition.hpp"
#include "dynamics/engine.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/halo.hpp"
#include "dynamics/skin_tuner.hpp"
#include "dynamics/units.hpp"
#include "kernels/integrate.hpp"

namespace nfold::dynamics {

/// What Engine forwards to; one instance a precision.
class AnyStepEngine {
 public:
  virtual ~AnyStepEngine() = default;
  virtual void advance(std::int64_t steps) = 0;
  [[nodiscard]] virtual std::int64_t step() const = 0;
  [[nodiscard]] virtual Energies energies() = 0;
  [[nodiscard]] virtual Pressure pressure() = 0;
  virtual MinimiserResult minimise(const MinimiserSettings& settings) = 0;
  [[nodiscard]] virtual system::State owned_state() const = 0;
  [[nodiscard]] virtual std::vector<std::array<double, 3>> owned_forces() = 0;
  virtual void set_owner(domain::Ownership owner) = 0;
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;
};

/// Collective: all rows in order of id on rank 0, empty elsewhere.
[[nodiscard]] system::State gather_state(const comm::Communicator& communicator,
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
  [[nodiscard]] Pressure pressure() override;
  MinimiserResult minimise(const MinimiserSettings& settings) override;
  [[nodiscard]] system::State owned_state() const override;
  [[nodiscard]] std::vector<std::array<double, 3>> owned_forces() override;
  void set_owner(domain::Ownership owner) override;
  [[nodiscard]] EngineStatistics statistics() const override;

 private:
  enum class Outcome { good, moved, exploded };
  enum Mark { moved_mark = 0, exploded_mark = 1, mark_count = 2 };

  void take_rows(const system::State& all);
  void save();
  void restore();
  void rebuild();
  void choose_skin();
  void exchange_ghosts_at_rebuild();
  void set_local_rows(std::vector<int> ids);
  void round_coordinates();
  void compute_forces();
  void ensure_forces();
  Outcome run_block(std::int64_t steps, bool careful);
  [[nodiscard]] bool moved_here() const;
  [[nodiscard]] bool lists_are_due() const;
  Outcome agree_on_outcome();
  template <bool finish, bool begin>
  void integrate();
  [[noreturn]] void report_explosion();
  [[nodiscard]] double largest_move_nm() const;
  [[nodiscard]] std::int64_t next_block_length(std::int64_t remaining) const;
  void learn_from_block(Outcome outcome, std::int64_t steps);
  [[nodiscard]] int owned_items() const { return kernels::padded(owned_) / kernels::lanes; }
  [[nodiscard]] kernels::GatheredForce<Precision> gather() const {
    const auto& force = tables_->end_force;
    return {tables_->ends.view(), force.read(), forces_.pair_force.read(),
            forces_.charge_force.read()};
  }

  comm::Communicator communicator_;
  const topology::Topology& topology_;
  EngineSettings settings_;
  domain::Ownership owner_;
  kernels::StepConstants constants_{};

  std::int64_t step_ = 0;
  int owned_ = 0, total_rows_ = 0;
  std::vector<int> ids_;          // global ids of the local rows: owned, partners, other ghosts
  std::vector<int> row_of_id_;    // (residues) local rows of ghosts, -1 elsewhere
  std::vector<char> is_charged_;  // (owned rows)
  std::optional<ForceTables<Precision>> tables_;
  Forces<Precision> forces_;
  Halo<Precision> halo_;

  DeviceColumns<std::int64_t> position_{"position"}, saved_position_{"saved_position"};
  DeviceColumns<double> velocity_{"velocity"}, saved_velocity_{"saved_velocity"};
  DeviceColumns<Coordinate> coordinate_{"coordinate"}, listed_{"listed_coordinate"};
  DeviceColumns<std::int64_t> total_force_{"total_force"};
  DeviceArray<double> half_kick_{"half_kick"}, noise_{"noise"}, mass_{"mass"};
  DeviceArray<int> residue_{"residue"}, marks_{"marks"};
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
};

}  // namespace nfold::dynamics

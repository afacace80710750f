// Interface of the forms of a replica set, and creation of the resident form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replicas/replica_set.hpp"

namespace nfold::replicas {

/// Interface behind ReplicaSet; one implementation per form.
class ReplicaSetInterface {
 public:
  virtual ~ReplicaSetInterface() = default;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual std::int64_t step() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;
  virtual void advance(std::int64_t steps) = 0;
  [[nodiscard]] virtual std::vector<ReplicaEnergies> energies() = 0;
  virtual void observe(ReplicaObserver& observer, const std::vector<ReplicaLabel>& labels) = 0;
  [[nodiscard]] virtual system::State state(int replica) const = 0;
  [[nodiscard]] virtual system::State states() const = 0;
  virtual void set_states(const std::vector<system::ThermodynamicState>& thermodynamic) = 0;
  [[nodiscard]] virtual std::int64_t steps_by_engine() const = 0;
  [[nodiscard]] virtual std::int64_t rescues() const = 0;
  /// Cost of a step of so many replicas, in any unit; never decreases with their number.
  [[nodiscard]] virtual double relative_cost(int replicas) const = 0;
};

/// Requires a system for which resident_obstacle() is empty.
[[nodiscard]] std::unique_ptr<ReplicaSetInterface> make_resident(
    const topology::Topology& topology, const engine::EngineSettings& settings,
    const std::vector<ReplicaStart>& starts, const ReplicaSetOptions& options);

/// Adds the arrays of a resident set to the estimate; threads: of a CPU.
void estimate_resident(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const engine::EngineSettings& settings, const ReplicaSetOptions& options,
                       const ReplicaSetUse& use);

/// Engine with a single replica.
class EngineAlone {
 public:
  /// settings: thermodynamic state and replica number are ignored. The topology must outlive it.
  EngineAlone(const topology::Topology& topology, const engine::EngineSettings& settings,
              const bias::Variable& umbrella, const ReplicaStart& start);

  [[nodiscard]] engine::Engine& operator*() const { return *engine_; }
  [[nodiscard]] engine::Engine* operator->() const { return engine_.get(); }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] const engine::EngineSettings& settings() const { return settings_; }

  /// Returns an engine for the same replica at a state, with another time step and seed.
  [[nodiscard]] EngineAlone with_time_step(double time_step_ps, std::uint64_t seed,
                                           const system::State& state) const;
  /// Resumes from another state of all its residues.
  void restart(const system::State& state) { engine_->restore_state(state); }

 private:
  void make(engine::EngineSettings settings, const system::State& state);

  const topology::Topology* topology_;
  engine::EngineSettings settings_;
  bias::Variable umbrella_;
  std::uint32_t number_;
  system::ThermodynamicState thermodynamic_;
  // Used if the state has an umbrella or charges of its own; outlives the engine.
  std::unique_ptr<topology::Topology> own_topology_;
  std::unique_ptr<engine::Engine> engine_;
};

/// A native contact is formed up to this multiple of its distance (hard Q).
inline constexpr double native_contact_factor = 1.2;
[[nodiscard]] double native_reach_squared(double distance_nm);  // [nm^2]
/// Length of one count of mixed-precision coordinates along an axis [nm].
[[nodiscard]] inline double nm_per_coarse_count(const topology::Topology& topology,
                                                std::size_t axis) {
  return topology.box.nm_per_count(axis) * 0x1p12;
}
/// Number of formed native contacts from mixed-precision coordinates, same in all forms.
[[nodiscard]] std::int64_t formed_contacts(const topology::Topology& topology,
                                           const system::State& state);
/// Value of an umbrella's variable from mixed-precision coordinates; 0 without an umbrella.
[[nodiscard]] double umbrella_value_nm(const topology::Topology& topology,
                                       const bias::Variable& variable, const system::State& state);
/// Factor of velocities for a change of the thermostat's temperature.
[[nodiscard]] double velocity_scale(double old_kelvin, double new_kelvin);
void scale_velocities(system::State& state, double scale);

}  // namespace nfold::replicas

// Set of replicas of one system on this rank, advanced together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/memory_estimate.hpp"
#include "engine/engine.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_observer.hpp"
#include "system/bias/variables.hpp"
#include "system/state.hpp"
#include "system/thermodynamic_state.hpp"

namespace nfold::replicas {

/// Start of a replica. Its number addresses its noise and never changes, unlike its thermodynamic
/// state; all states of a set are at the same step.
struct ReplicaStart {
  std::uint32_t number = 0;
  system::ThermodynamicState thermodynamic;
  system::State state;
};

/// Quantity that is recorded for each replica at each sample.
struct SampledColumn {
  std::string name;      ///< dataset: "radius_of_gyration_TDP43"
  std::string unit;      ///< H5MD's spelling; empty: dimensionless
  std::string quantity;  ///< in text: "radius of gyration"
  std::string of;    ///< in text, behind the quantity: " of TDP43", if there are several species
  std::string help;  ///< its definition
};
/// Returns the columns of ReplicaEnergies::quantities: see sampled_quantities.cpp.
[[nodiscard]] std::vector<SampledColumn> sampled_columns(const topology::Topology& topology);

struct ReplicaEnergies {
  engine::Energies energies;
  std::int64_t formed_contacts = 0;  ///< native contacts up to 1.2 times their distance
  double umbrella_variable_nm = 0;   ///< value of the umbrellas' variable, if there are umbrellas
  std::vector<double> quantities;    ///< (columns) see sampled_columns()
  std::vector<double> screened;      ///< (kappas of the options) see Engine::screened_energies()
};

/// Method of computation; does not change any bit of the results.
enum class ReplicaForm {
  automatic,
  resident,  ///< many steps a launch, see kernels/resident/resident_system.hpp
  engines    ///< one engine per replica; a CPU thread advances one at a time
};

struct ReplicaSetOptions {
  ReplicaForm form = ReplicaForm::automatic;
  int group_size = 0;             ///< replicas in a group, a power of two; 0: chosen (for tests)
  double strongest_contacts = 1;  ///< upper bound for the starts and all set_states() calls
  bias::Variable umbrella = {};   ///< variable of the umbrellas of all states
  /// Inverse Debye lengths for ReplicaEnergies::screened.
  std::vector<double> kappa_per_nm = {};
};

/// Processor that computes a set of replicas.
enum class ReplicaProcessor { cpu, gpu };
[[nodiscard]] ReplicaProcessor build_processor();

/// Returns why replicas of this system cannot be resident, as the end of "..., because "; empty:
/// they can. strongest_contacts: upper bound of the contact strength of any replica; umbrella:
/// variable of the umbrellas.
[[nodiscard]] std::string resident_obstacle(const topology::Topology& topology,
                                            const engine::EngineSettings& settings,
                                            double strongest_contacts = 1,
                                            const bias::Variable& umbrella = {});

/// Cost of a step for up to `replicas` replicas, in any unit; constant within a step because
/// replicas are computed in groups.
struct CostStep {
  std::int64_t replicas = 0;
  double cost = 0;
};

class ReplicaSetInterface;

/// Expected use of a set, for its memory estimate.
struct ReplicaSetUse {
  std::int64_t replicas = 1;
  int threads = 1;            ///< CPU threads
  bool states_change = true;  ///< set_states() will be called
};
/// Adds all arrays of such a set to the estimate; one_engine: estimate of an engine of one replica.
void estimate_replicas(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const engine::EngineSettings& settings, const ReplicaSetOptions& options,
                       const ReplicaSetUse& use, const device::MemoryEstimate& one_engine);

/// Produces the bits of an Engine with a single replica on this kind of processor.
class ReplicaSet {
 public:
  /// settings: thermodynamic state and replica number are ignored. The topology must outlive the
  /// set. Throws std::invalid_argument for form resident if the system cannot be, and for states
  /// outside the options.
  ReplicaSet(const topology::Topology& topology, const engine::EngineSettings& settings,
             const std::vector<ReplicaStart>& starts, const ReplicaSetOptions& options = {});
  ~ReplicaSet();
  ReplicaSet(ReplicaSet&&) noexcept;
  ReplicaSet& operator=(ReplicaSet&&) noexcept;

  [[nodiscard]] int size() const;
  [[nodiscard]] std::int64_t step() const;
  /// Returns "resident, 132 groups of 32", or why the set is not resident.
  [[nodiscard]] std::string description() const;
  /// Advances all replicas. An exploding step is replaced by smaller ones: replica_rescue.hpp.
  /// Throws ExplosionError that names the replica if that does not help.
  void advance(std::int64_t steps);
  /// Returns (size) the energies of the current states.
  [[nodiscard]] std::vector<ReplicaEnergies> energies();
  /// Adds one sample of each replica's current state to the observer; labels: (size). The counts
  /// are the same integers for any form of the set and any shape.
  void observe(ReplicaObserver& observer, const std::vector<ReplicaLabel>& labels);
  [[nodiscard]] system::State state(int replica) const;
  /// Returns all states concatenated, faster than one by one: residue i of replica k has the id k *
  /// residues + i.
  [[nodiscard]] system::State states() const;
  /// Sets (size) new thermodynamic states; velocities are scaled by the root of the new temperature
  /// over the old (Sugita and Okamoto, Chem. Phys. Lett. 314, 141 (1999)). Throws
  /// std::invalid_argument for states outside the options.
  void set_states(const std::vector<system::ThermodynamicState>& thermodynamic);
  /// Replicas times steps that were recomputed by an engine, because the resident form could not
  /// guarantee their bits.
  [[nodiscard]] std::int64_t steps_by_engine() const;
  /// Steps of all replicas that were replaced by smaller ones since construction.
  [[nodiscard]] std::int64_t rescues() const;
  /// Returns the cost, ascending, for 1 to `most` replicas of this system on this device; empty if
  /// the cost is nearly proportional to their number.
  [[nodiscard]] std::vector<CostStep> cost_steps(int most) const;
  /// Cost of a step of so many replicas of this system on this device, in the unit of cost_steps().
  [[nodiscard]] double relative_cost(int replicas) const;

 private:
  std::unique_ptr<ReplicaSetInterface> implementation_;
  ReplicaSetOptions options_;
  const topology::Topology* topology_;
};

}  // namespace nfold::replicas

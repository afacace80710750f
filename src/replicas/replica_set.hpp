// Many replicas of one system on this rank, advanced together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bias/variables.hpp"
#include "device/memory_plan.hpp"
#include "dynamics/engine.hpp"
#include "replicas/replica_observer.hpp"
#include "replicas/thermodynamic_state.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::replicas {

/// Where a replica begins. Its number addresses its noise and stays with it, whatever its
/// thermodynamic state;
/// all states of a set are at the same step.
struct ReplicaStart {
  std::uint32_t number = 0;
  ThermodynamicState thermodynamic;
  system::State state;
};

struct ReplicaEnergies {
  dynamics::Energies energies;
  std::int64_t formed_contacts = 0;  ///< native contacts up to 1.2 times their distance
  double umbrella_variable_nm = 0;   ///< what umbrellas act on, where there are some
  /// (species) Mean over its chains of each one's own, weighed by mass.
  std::vector<double> radius_of_gyration_nm;
  std::vector<double> screened;  ///< (kappas of the options) see Engine::screened_energies()
};

/// How a set is computed; never a bit of what is computed.
enum class ReplicaForm {
  automatic,
  resident,  ///< many steps a launch, see kernels/resident/resident_system.hpp
  engines    ///< an engine each; a thread of a CPU advances one at a time
};

struct ReplicaSetOptions {
  ReplicaForm form = ReplicaForm::automatic;
  int group_size = 0;             ///< replicas side by side, a power of two; 0: chosen (for tests)
  double strongest_contacts = 1;  ///< of the starts and of all that set_states() will bring
  bias::Variable umbrella = {};   ///< what the umbrellas of all states act on
  /// Whose electrostatic energies are wanted of each replica.
  std::vector<double> kappa_per_nm = {};
};

/// What a set of replicas is computed by.
enum class ReplicaPlace { cpu, gpu };
[[nodiscard]] ReplicaPlace place_of_this_build();

/// Why replicas of this system cannot be resident, as the end of "..., because "; empty: they can.
/// strongest_contacts: the largest contact strength that a replica may come to have; umbrella: what
/// umbrellas act on.
[[nodiscard]] std::string why_not_resident(const topology::Topology& topology,
                                           const dynamics::EngineSettings& settings,
                                           double strongest_contacts = 1,
                                           const bias::Variable& umbrella = {},
                                           ReplicaPlace place = place_of_this_build());

/// Up to so many replicas a step costs as much, in any unit: replicas are computed in groups.
struct CostStep {
  std::int64_t replicas = 0;
  double cost = 0;
};

class AnyReplicaSet;

/// How a set will be used, where its memory is planned.
struct ReplicasToPlan {
  std::int64_t replicas = 1;
  int threads = 1;            ///< of a CPU
  bool states_change = true;  ///< set_states() will be called
};
/// Adds all arrays of such a set; one_engine: those of an engine of one replica alone.
void plan_replicas(device::MemoryPlan& plan, const topology::Topology& topology,
                   const dynamics::EngineSettings& settings, const ReplicaSetOptions& options,
                   const ReplicasToPlan& use, const device::MemoryPlan& one_engine);

/// Bits: those of an Engine that holds the replica alone on this kind of processor.
class ReplicaSet {
 public:
  /// Settings but for the thermodynamic state and the replica's number. The topology must outlive
  /// the set. Throws std::invalid_argument for form resident if the system cannot be, and for
  /// states that the options do not allow for.
  ReplicaSet(const topology::Topology& topology, const dynamics::EngineSettings& settings,
             const std::vector<ReplicaStart>& starts, const ReplicaSetOptions& options = {});
  ~ReplicaSet();
  ReplicaSet(ReplicaSet&&) noexcept;
  ReplicaSet& operator=(ReplicaSet&&) noexcept;

  [[nodiscard]] int size() const;
  [[nodiscard]] std::int64_t step() const;
  /// "resident, 132 groups of 32", or why not.
  [[nodiscard]] std::string description() const;
  /// A step that would explode is made of smaller ones: replica_rescue.hpp. Throws ExplosionError
  /// that names the replica where that does not help.
  void advance(std::int64_t steps);
  /// (size) of the current states.
  [[nodiscard]] std::vector<ReplicaEnergies> energies();
  /// One sample of each replica's current state for what is counted; labels: (size). The counts are
  /// the same integers for any form of the set and any shape.
  void observe(ReplicaObserver& observer, const std::vector<ReplicaLabel>& labels);
  [[nodiscard]] system::State state(int replica) const;
  /// All of them one after another, in less time than each alone: residue i of replica k has the
  /// number k * residues + i.
  [[nodiscard]] system::State states() const;
  /// (size) States from now on; velocities are scaled by the root of the new temperature
  /// over the old (Sugita and Okamoto, Chem. Phys. Lett. 314, 141 (1999)). Throws
  /// std::invalid_argument for states that the options do not allow for.
  void set_states(const std::vector<ThermodynamicState>& thermodynamic);
  /// Replicas times steps that had to be computed by an engine of their own, since the resident
  /// form could not vouch for their bits.
  [[nodiscard]] std::int64_t steps_by_engine() const;
  /// Steps that were made of smaller ones since the set was made, of all replicas.
  [[nodiscard]] std::int64_t rescues() const;
  [[nodiscard]] std::int64_t memory_bytes() const;
  /// Ascending, for 1 to `most` replicas of this system on this device; empty where the cost is in
  /// proportion to their number, or nearly so.
  [[nodiscard]] std::vector<CostStep> cost_steps(int most) const;
  /// Of a step of so many replicas of this system on this device, in the unit of cost_steps().
  [[nodiscard]] double relative_cost(int replicas) const;

 private:
  std::unique_ptr<AnyReplicaSet> implementation_;
  ReplicaSetOptions options_;
  const topology::Topology* topology_;
};

}  // namespace nfold::replicas

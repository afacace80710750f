// The engine: advances a system on all ranks; owns its forces, its halo and its list rebuilds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transport_choice.hpp"
#include "core/failure.hpp"
#include "device/device_memory.hpp"
#include "engine/busy_clock.hpp"
#include "model/topology/topology.hpp"
#include "system/methods.hpp"
#include "system/state.hpp"
#include "system/state_source.hpp"

namespace nfold::device {
class JobDevices;
}

namespace nfold::engine {

using system::Integrator;
using system::Precision;

/// Settings of a trajectory, followed by settings that must not change it.
struct EngineSettings {
  Precision precision = Precision::mixed;
  Integrator integrator = Integrator::langevin_baoab;
  double time_step_ps = 0.0005;
  double temperature_kelvin = 100;  ///< Langevin thermostat
  double friction_per_ps = 1;
  double contact_strength = 1;  ///< factor of native contact energies and forces
  std::uint64_t seed = 1;
  std::uint32_t replica = 0;
  // The settings from here on may not change any bit of the result.
  double skin_nm = 0;        ///< 0: chosen by autotuning
  int rebuild_every = 0;     ///< > 0: rebuilds lists every that many steps (tests); 0: when needed
  bool record_steps = true;  ///< on a GPU, run blocks of steps as captured graphs
  comm::Transport transport = comm::Transport::automatic;
  int ranks_per_node = 0;  ///< argument of comm::gather_rank_nodes()
  /// Backend of the engine; memory estimates may be made for the other one.
  bool on_gpu = device::computes_on_gpu();
  /// Devices of the whole job. Null if this communicator is the whole job.
  std::shared_ptr<device::JobDevices> devices;
};

/// Largest magnitude that one term, pair or residue contributes to sums of energies and virials.
inline constexpr double largest_counted_energy_kj_mol = 0x1p18;
/// Largest component of the force of one term or pair; larger ones are clamped.
inline constexpr double largest_term_force_kj_mol_nm = 0x1p14;

/// Potential energy by term and kinetic energy [kJ/mol], from exact sums: same on any layout.
struct Energies {
  double bond = 0, angle = 0, dihedral = 0;
  double restraint = 0;  ///< elastic networks, biases and external fields
  double contact = 0, short_range = 0, electrostatic = 0;
  double contact_at_full_strength = 0;  ///< `contact` at strength 1; not in any sum
  /// Energy of each kind of bonded term at contact strength 1; in the sums above.
  std::array<double, topology::BondedKinds::size> of_kind{};
  double of_moments = 0;  ///< biases that are no bonded term; in `restraint`
  double external = 0;    ///< external fields; in `restraint`
  double kinetic = 0;     ///< on-step velocities; in BAOAB exact only to O(h^2)
  /// From on-step velocities (NVE) or half-step velocities after O (BAOAB); see temperature.hpp.
  double temperature_kelvin = 0;
  bool saturated = false;  ///< a term, pair or residue exceeds the largest counted energy
  [[nodiscard]] double potential() const {
    return bond + angle + dihedral + restraint + contact + short_range + electrostatic;
  }
  [[nodiscard]] double total() const { return potential() + kinetic; }
};

/// Sums over all residues [kJ/mol]: m v_a v_b (velocities as for temperature_kelvin) and x_a F_b of
/// all terms, pairs and biases, not of external fields, with nearest images. Their sum divided by
/// the volume is the pressure tensor [kJ/mol/nm^3].
struct Pressure {
  using Tensor = std::array<std::array<double, 3>, 3>;
  Tensor kinetic{}, virial{};
  bool saturated = false;  ///< see Energies
};

/// A minimisation ends at a largest force component or after a number of steps.
struct MinimiserSettings {
  std::int64_t steps = 1000;
  double force_kj_mol_nm = 100;
};
struct MinimiserResult {
  std::int64_t steps = 0;
  double largest_force_kj_mol_nm = 0;  ///< largest component of the total force on any residue
  bool converged = false;
  bool forces_were_clamped = false;  ///< a force exceeded the range of a term at some step
};

/// Thrown if a force or sum leaves its range; the message describes the last good state.
class ExplosionError : public core::Failure {
 public:
  explicit ExplosionError(const std::string& message)
      : core::Failure(message, core::Outcome::explosion, core::Reach::all_ranks) {}
};
/// Costs of recent rebuilds and steps; for logs and load balancing, never for the trajectory.
struct EngineStatistics {
  std::int64_t rebuilds = 0, replayed_blocks = 0, pair_entries = 0, owned = 0, ghosts = 0;
  std::int64_t charged_pair_entries = 0;  ///< part of pair_entries
  double term_work = 0;  ///< cost of this rank's bonded terms, weighted by topology::BondedKinds
  std::int64_t memory_bytes = 0;  ///< all arrays of this process on its device
  std::int64_t halo_plans = 0;
  std::int64_t halo_bytes_of_step = 0;  ///< sent by this rank per step with the current halo plan
  double skin_nm = 0;
  bool skin_is_settled = true;   ///< false during autotuning
  double halo_plan_seconds = 0;  ///< excluding plans prepared while steps go on
  std::string
      transport;  ///< description, including transports that were rejected; empty on a single rank
  std::vector<comm::TransportTrial> transport_trials;  ///< candidates that were measured
  double transport_trial_seconds = 0;                  ///< total time of these trials
  BusyTime time;
};

/// Time of one part of a step, run repeatedly on its own [us].
struct PartTime {
  std::string name;
  double microseconds = 0;
};

/// Snapshot of the owned rows.
struct RowSnapshot {
  /// Call once, from any thread; read the result before the engine is destroyed.
  std::function<system::StateSource()> fetch;
  bool had_capacity =
      true;  ///< false: the GPU had no memory for a copy, so the rows were fetched at once
};

/// Everything that this rank derives from a new partition, computed on the host.
struct PreparedRepartition {
  PreparedRepartition() = default;
  PreparedRepartition(const PreparedRepartition&) = delete;
  PreparedRepartition& operator=(const PreparedRepartition&) = delete;
  virtual ~PreparedRepartition() = default;
};
/// Receives positions [nm] of consecutive residues.
using PositionVisit = std::function<void(std::span<const std::array<double, 3>> nm)>;
/// Call once, from any thread, while steps go on and before the engine is destroyed.
using RepartitionPreparation = std::function<std::shared_ptr<PreparedRepartition>()>;

/// True if an engine can start from its own residues' rows alone; otherwise it needs the velocities
/// of all residues or positions of other ranks' residues.
[[nodiscard]] bool can_start_from_owned_rows(const EngineSettings& settings,
                                             const topology::Topology& topology);

class Engine {
 public:
  class Implementation;  ///< one StepEngine, in the precision of the settings

  /// Collective. `start` holds all residues on every rank, or this rank's alone if
  /// can_start_from_owned_rows(); it is freed before tables are built. owner[id] is the rank of
  /// residue id. The topology must outlive the engine. Throws std::invalid_argument if a setting is
  /// out of range, domain::CoverageError if no rank would compute a term.
  Engine(const comm::Communicator& communicator, const topology::Topology& topology,
         const EngineSettings& settings, system::State start, std::vector<int> owner);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Collective. Advances by `steps`. After an ExplosionError the engine holds the last good state.
  void advance(std::int64_t steps);
  [[nodiscard]] std::int64_t step() const;
  /// Collective. Computes the energies of the current state.
  [[nodiscard]] Energies energies();
  /// Collective. Returns (kappas) the electrostatic energy of the current state for each inverse
  /// Debye length [1/nm], with coulomb_kj_mol_nm = 1; from exact sums.
  [[nodiscard]] std::vector<double> screened_energies(const std::vector<double>& kappa_per_nm);
  /// Collective. Computes the pressure from exact sums.
  [[nodiscard]] Pressure pressure();
  /// Collective. Minimises from the current positions (not at all with 0 steps) by FIRE (Bitzek et
  /// al., Phys. Rev. Lett. 97, 170201 (2006)); forces beyond their range are clamped. Same bits on
  /// any layout. Velocities and step stay unchanged.
  MinimiserResult minimise(const MinimiserSettings& settings);
  /// Rows owned by this rank.
  [[nodiscard]] system::State owned_state() const;
  [[nodiscard]] std::vector<system::FixedPosition> owned_positions() const;
  /// Returns (rows) the positions of some owned rows; only these are copied from the device. Row r
  /// is the r-th owned residue.
  [[nodiscard]] std::vector<system::FixedPosition> positions_of_rows(
      const std::vector<int>& rows) const;
  /// Returns a snapshot of the owned rows, to be read while steps go on and before the next call. A
  /// GPU keeps a device copy for it.
  [[nodiscard]] RowSnapshot snapshot_state();
  /// Collective. Passes the positions of all residues to rank 0's `visit` by ascending id, at most
  /// residues_at_a_time per call. visit must not throw.
  void visit_positions_nm(const PositionVisit& visit, int residues_at_a_time = 65'536);
  /// Collective. Returns all rows on every rank.
  [[nodiscard]] system::State shared_state() const;
  /// Collective. Returns forces on the owned residues [kJ/mol/nm], rows as in owned_state(); for
  /// tests.
  [[nodiscard]] std::vector<std::array<double, 3>> owned_forces();
  /// Collective. Repartitions the residues at the current step.
  void set_owner(std::vector<int> owner);
  /// Returns the part of set_owner() that depends on topology and partition alone. The returned
  /// function throws std::invalid_argument if set_owner() would reject the partition,
  /// std::runtime_error if one rank would have too many terms or exclusions to count.
  [[nodiscard]] RepartitionPreparation repartition_preparation(std::vector<int> owner) const;
  /// Collective. Repartitions with what each rank prepared for one partition, and builds lists and
  /// forces, so that steps can go on at once.
  void set_owner(std::shared_ptr<PreparedRepartition> prepared);
  /// (residues) owner of each. A repartition creates a new array; this one stays unchanged.
  [[nodiscard]] std::shared_ptr<const std::vector<int>> owner() const;
  /// Collective. Restores a state from owned_state() that was taken under the current partition.
  void restore_state(const system::State& mine);
  [[nodiscard]] EngineStatistics statistics() const;
  /// Collective. Times forces, a list build, integration and, between GPUs that reach each other's
  /// memory, one halo exchange; slowest rank. Empty for several ranks otherwise. The state stays
  /// unchanged.
  [[nodiscard]] std::vector<PartTime> part_times();

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nfold::engine

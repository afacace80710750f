// The engine: advances a system on all ranks; owns the step, its forces, its halo and its rebuilds.
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
#include "device/device_memory.hpp"
#include "dynamics/busy_clock.hpp"
#include "system/state.hpp"
#include "system/state_source.hpp"
#include "topology/topology.hpp"

namespace nfold::device {
class DevicesOfJob;
}

namespace nfold::dynamics {

enum class Precision { mixed, full };
enum class Integrator { langevin_baoab, velocity_verlet };

/// What steers a trajectory, and (apart, at the end) what must not.
struct EngineSettings {
  Precision precision = Precision::mixed;
  Integrator integrator = Integrator::langevin_baoab;
  double time_step_ps = 0.0005;
  double temperature_kelvin = 100;  ///< of the Langevin bath
  double friction_per_ps = 1;
  double contact_strength = 1;  ///< factor of the native contacts' energies and forces
  std::uint64_t seed = 1;
  std::uint32_t replica = 0;
  // From here on nothing may change a bit of the result.
  double skin_nm = 0;        ///< 0: chosen by measuring
  int rebuild_every = 0;     ///< > 0 forces a rebuild each so many steps (tests); 0: when needed
  bool record_steps = true;  ///< on a GPU, run blocks of steps as recorded graphs
  comm::Transport transport = comm::Transport::automatic;
  int ranks_per_node = 0;  ///< as comm::nodes_of() takes it
  /// Where engines of this build are; plans may be of others.
  bool on_gpu = device::computes_on_gpu();
  /// Of all ranks, of which the engine's may be some; null: it is taken that there are no others.
  std::shared_ptr<device::DevicesOfJob> devices;
};

/// One term, pair or residue counts for at most this much in sums of energies and virials.
inline constexpr double largest_counted_energy_kj_mol = 0x1p18;

/// Potential energy by term and kinetic energy [kJ/mol], from exact sums: the same on any layout.
struct Energies {
  double bond = 0, angle = 0, dihedral = 0;
  double restraint = 0;  ///< elastic networks, and biases on collective variables
  double contact = 0, short_range = 0, electrostatic = 0;
  double contact_at_full_strength = 0;  ///< what `contact` would be at strength 1; no part of sums
  double kinetic = 0;                   ///< on-step velocities; exact in BAOAB only to O(h^2)
  /// NVE: on-step; BAOAB: of the half-step velocities after O. By temperature.hpp's rule.
  double temperature_kelvin = 0;
  bool saturated = false;  ///< a term, pair or residue is beyond what one may count for
  [[nodiscard]] double potential() const {
    return bond + angle + dihedral + restraint + contact + short_range + electrostatic;
  }
  [[nodiscard]] double total() const { return potential() + kinetic; }
};

/// Sums over all residues [kJ/mol]: m v_a v_b (of the velocities that temperature_kelvin is of) and
/// x_a F_b of all terms, pairs and biases, to nearest images. Their sum over the volume is the
/// pressure tensor [kJ/mol/nm^3].
struct Pressure {
  using Tensor = std::array<std::array<double, 3>, 3>;
  Tensor kinetic{}, virial{};
  bool saturated = false;  ///< as in Energies
};

/// When a minimisation ends: at a largest force component, or after so many steps.
struct MinimiserSettings {
  std::int64_t steps = 1000;
  double force_kj_mol_nm = 100;
};
struct MinimiserResult {
  std::int64_t steps = 0;
  double largest_force_kj_mol_nm = 0;  ///< component of the total force on any residue
  bool converged = false;
  bool forces_were_clamped = false;  ///< at some step a force was beyond the range of a term
};

/// A force or sum left its stated range. The state passed is the last good one.
class ExplosionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// What the last rebuilds and steps cost; for the log, never for the trajectory.
struct EngineStatistics {
  std::int64_t rebuilds = 0, replayed_blocks = 0, pair_entries = 0, owned = 0, ghosts = 0;
  std::int64_t charged_pair_entries = 0;  ///< among pair_entries
  double term_work = 0;  ///< of all terms that the rank computes, by topology::BondedKinds
  std::int64_t memory_bytes = 0;
  std::int64_t halo_plans = 0;
  std::int64_t halo_bytes_of_step = 0;  ///< that this rank sends, by the plan as it is
  double skin_nm = 0;
  bool skin_is_settled = true;   ///< false while skins are tried out
  double halo_plan_seconds = 0;  ///< without what plans take while steps go on
  std::string transport;  ///< in words, with what others take or lack; empty on a single rank
  std::vector<comm::TransportTrial> transport_trials;  ///< of those that came into question
  double transport_trial_seconds = 0;                  ///< spent on measuring them
  BusyTime time;
};

/// What one part of a step takes, alone and again and again [microseconds].
struct PartTime {
  std::string name;
  double microseconds = 0;
};

/// Rows that stay as they were.
struct HeldRows {
  /// Once, from any thread; to be read before the engine is gone.
  std::function<system::StateSource()> fetch;
  bool had_room = true;  ///< false: they came from the GPU at once, which had no room for a copy
};

/// All that a map of owners leads to on this rank, worked out on the host.
struct PreparedOwner {
  PreparedOwner() = default;
  PreparedOwner(const PreparedOwner&) = delete;
  PreparedOwner& operator=(const PreparedOwner&) = delete;
  virtual ~PreparedOwner() = default;
};
/// Takes positions [nm] of residues that follow each other.
using PositionVisit = std::function<void(std::span<const std::array<double, 3>> nm)>;
/// Once, from any thread, while steps go on and before the engine is gone.
using OwnerPreparation = std::function<std::shared_ptr<PreparedOwner>()>;

/// Whether a rank's engine can begin with the rows of its own residues alone: else it looks at the
/// motion of all, or at residues of other ranks.
[[nodiscard]] bool begins_with_own_rows(const EngineSettings& settings,
                                        const topology::Topology& topology);

class Engine {
 public:
  class Implementation;  ///< of one precision: step_engine.hpp

  /// Collective. `start` holds all residues on every rank, or where begins_with_own_rows() this
  /// rank's, and is gone before tables are made; owner[id] is the rank of residue id.
  /// The topology must outlive the engine. Throws std::invalid_argument for settings out of range,
  /// domain::CoverageError for a term that no rank would compute.
  Engine(const comm::Communicator& communicator, const topology::Topology& topology,
         const EngineSettings& settings, system::State start, std::vector<int> owner);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Collective: advances by `steps`. After an ExplosionError the engine holds the last good state.
  void advance(std::int64_t steps);
  [[nodiscard]] std::int64_t step() const;
  /// Collective: energies of the current state.
  [[nodiscard]] Energies energies();
  /// Collective: (kappas) what the electrostatic energy of the current state would be with each of
  /// these inverse Debye lengths [1/nm] and a coulomb_kj_mol_nm of 1; from exact sums, like it.
  [[nodiscard]] std::vector<double> screened_energies(const std::vector<double>& kappa_per_nm);
  /// Collective: exact sums, as the energies.
  [[nodiscard]] Pressure pressure();
  /// Collective: walks downhill from the current positions by FIRE (Bitzek et al., Phys. Rev. Lett.
  /// 97, 170201 (2006)); forces beyond their range are clamped. Same bits on any layout. Velocities
  /// and step stay as they are.
  MinimiserResult minimise(const MinimiserSettings& settings);
  /// This rank's rows.
  [[nodiscard]] system::State owned_state() const;
  [[nodiscard]] std::vector<system::FixedPosition> owned_positions() const;
  /// (rows) Of some of its rows, which alone leave the device. Row r is the r-th owned residue.
  [[nodiscard]] std::vector<system::FixedPosition> positions_of_rows(
      const std::vector<int>& rows) const;
  /// This rank's rows as they are now, to be read while steps go on, and before the next call. A
  /// GPU keeps a copy of them for that.
  [[nodiscard]] HeldRows hold_state();
  /// Collective: rank 0 gets the positions of all residues by ascending id, at most
  /// residues_at_a_time of them, and no other rank any. visit: throws nothing.
  void visit_positions_nm(const PositionVisit& visit, int residues_at_a_time = 65'536);
  /// Collective: all rows on every rank.
  [[nodiscard]] system::State shared_state() const;
  /// Collective: forces on the owned residues [kJ/mol/nm], rows as owned_state(); for tests.
  [[nodiscard]] std::vector<std::array<double, 3>> owned_forces();
  /// Collective: gives the residues to other ranks, from the current step on.
  void set_owner(std::vector<int> owner);
  /// What of set_owner() can be done beforehand, of topology and map alone. Throws, when it is
  /// called, std::invalid_argument for a map that set_owner() would not take, std::runtime_error
  /// for more terms or exclusions than one rank can count.
  [[nodiscard]] OwnerPreparation owner_preparation(std::vector<int> owner) const;
  /// Collective: the same, of what each rank prepared for one map, and lists and forces are made:
  /// steps can go on at once.
  void set_owner(std::shared_ptr<PreparedOwner> prepared);
  /// (residues) The rank of each. Residues that move get another map; this one stays as it is.
  [[nodiscard]] std::shared_ptr<const std::vector<int>> owner() const;
  /// Collective: back to what owned_state() gave each rank, while residues belonged to the same.
  void go_back(const system::State& mine);
  [[nodiscard]] EngineStatistics statistics() const;
  /// Collective: forces, new lists, integration and, between GPUs that reach each other's memory,
  /// one exchange of ghosts; of the slowest rank. Empty for several ranks otherwise. The state
  /// stays as it is.
  [[nodiscard]] std::vector<PartTime> part_times();

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nfold::dynamics

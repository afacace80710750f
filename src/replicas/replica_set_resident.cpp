// Resident replicas: memory, launches, and recomputation by engines.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/replica_set_resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "device/compute_environment.hpp"
#include "device/launch.hpp"
#include "engine/step_constants.hpp"
#include "engine/temperature.hpp"
#include "kernels/resident/replica_positions.hpp"
#include "replicas/replica_rescue.hpp"
#include "replicas/resident_arrays.hpp"
#include "replicas/resident_charges.hpp"
#include "replicas/resident_copies.hpp"
#include "replicas/resident_launch.hpp"
#include "replicas/resident_sums.hpp"
#include "replicas/resident_tables.hpp"
#include "replicas/sampled_quantities.hpp"

namespace nfold::replicas {
namespace {

/// Steps per launch before its flags are checked: enough to hide the check, few enough that
/// recomputation is cheap.
constexpr std::int64_t launch_steps = 5000;

/// True if the same positions give the same forces.
bool has_same_forces(const system::ThermodynamicState& a, const system::ThermodynamicState& b) {
  return a.contact_strength == b.contact_strength && a.umbrella_centre_nm == b.umbrella_centre_nm &&
         a.umbrella_k_kj_mol_nm2 == b.umbrella_k_kj_mol_nm2 &&
         a.coulomb_kj_mol_nm == b.coulomb_kj_mol_nm && a.kappa_per_nm == b.kappa_per_nm;
}

template <class Contact>
class ResidentReplicaSet final : public ReplicaSetInterface, private ResidentArrays {
 public:
  ResidentReplicaSet(const topology::Topology& topology, const engine::EngineSettings& settings,
                     const std::vector<ReplicaStart>& starts, const ReplicaSetOptions& options)
      : topology_(topology),
        settings_(settings),
        umbrella_(options.umbrella),
        kappa_per_nm_(options.kappa_per_nm),
        tables_(topology, settings, skin_nm(settings), options.umbrella,
                forces::PairPotentials(topology)),
        size_(static_cast<int>(starts.size())),
        step_(starts.front().state.step),
        shape_(resident_shape<Contact>(topology.residue_count(), size_, options.group_size)),
        launcher_(tables_, shape_, device::thread_count()),
        charges_(topology.electrostatics, tables_.system().charge_pairs > 0),
        quantities_(topology) {
    const int lanes = shape_.groups * shape_.width;
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(lanes));
    for (int lane = 0; lane < lanes; ++lane) {
      const int replica = std::min(lane, size_ - 1);
      numbers[static_cast<std::size_t>(lane)] = starts[static_cast<std::size_t>(replica)].number;
    }
    thermodynamic_.reserve(starts.size());
    for (const auto& start : starts) {
      thermodynamic_.push_back(start.thermodynamic);
      degrees_of_freedom_.push_back(engine::degrees_of_freedom(topology, settings, start.state));
    }
    numbers_ = numbers;
    last_rescue_.assign(starts.size(), -1);
    reserve(size_, lanes, topology.residue_count(), tables_.system().classes,
            umbrella_.is_defined());
    number_.upload(numbers);
    upload_states(starts);
    upload_thermodynamic_states();
  }

  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const engine::EngineSettings& settings, const ReplicaSetOptions& options,
                       const ReplicaSetUse& use) {
    std::optional<forces::PairPotentials> potentials;
    estimate.in("pair tables").count([&] { potentials.emplace(topology); });
    std::optional<ResidentTables<Contact>> tables;
    estimate.in("resident tables").count([&] {
      tables.emplace(topology, settings, skin_nm(settings), options.umbrella,
                     std::move(*potentials));
    });
    const auto system = tables->system();
    const auto shape = resident_shape<Contact>(system.residues, static_cast<int>(use.replicas),
                                               options.group_size);
    const std::int64_t lanes = std::int64_t{shape.groups} * shape.width;
    const bool has_charges = system.charge_pairs > 0;
    estimate.in("replicas").count([&] {
      const ResidentLauncher<Contact> launcher(*tables, shape, use.threads);
      ResidentArrays().reserve(use.replicas, lanes, system.residues, system.classes,
                               options.umbrella.is_defined());
      ResidentCharges(topology.electrostatics, has_charges).reserve(lanes);
      ReplicaSums<kernels::ResidentSums>().reserve(lanes);
      if (has_charges && !options.kappa_per_nm.empty()) {
        ReplicaSums<kernels::ExactSums<1>>().reserve(lanes);
      }
      SampledQuantities(topology).reserve(use.replicas);
    });
  }

  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::int64_t step() const override { return step_; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("resident, {} group{} of {}", shape_.groups, shape_.groups == 1 ? "" : "s",
                       shape_.width);
  }

  [[nodiscard]] double relative_cost(int replicas) const override {
    return resident_cost<Contact>(topology_.residue_count(), replicas);
  }

  void advance(std::int64_t steps) override {
    for (std::int64_t left = steps; left > 0;) {
      const auto now = std::min(left, launch_steps);
      saved_position_.copy_from(position_, position_.size());
      saved_velocity_.copy_from(velocity_, velocity_.size());
      const auto unsure = run(now);
      forces_are_current_ = true;
      recompute_unsure(unsure, now);
      step_ += now;
      left -= now;
    }
  }

  std::vector<ReplicaEnergies> energies() override {
    ensure_forces();
    const int width = shape_.width;
    sums_.begin(kernels::ResidentEnergyLoop<Contact>{places_and_pairs(), charges_.exact()},
                shape_.groups);
    if (umbrella_.is_defined()) {
      device::launch("umbrella distances", size_,
                     kernels::UmbrellaDistances{replicas(), umbrella_.residues[0],
                                                umbrella_.residues[1], topology_.residue_count(),
                                                width, tables_.exact().scale, distance_.data()});
    }
    quantities_.begin(positions());
    yield_to_others();
    auto quantities = quantities_.values(size_);
    const auto screened = screened_energies();
    const auto sums = sums_.download(size_);
    const auto distances =
        umbrella_.is_defined() ? distance_.download(size_) : std::vector<double>(sums.size());
    std::vector<ReplicaEnergies> all;
    all.reserve(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      all.push_back(to_replica_energies(sums[k], thermodynamic_[k].contact_strength,
                                        degrees_of_freedom_[k], step_ > 0));
      all.back().umbrella_variable_nm = distances[k];
      all.back().quantities = std::move(quantities[k]);
      for (const auto& of_all : screened) all.back().screened.push_back(of_all[k]);
    }
    return all;
  }

  void observe(ReplicaObserver& observer, const std::vector<ReplicaLabel>& labels) override {
    observer.add(positions(), labels);
  }

  [[nodiscard]] system::State state(int replica) const override {
    return read(replica, position_, velocity_);
  }
  [[nodiscard]] system::State states() const override {
    device::fence();
    const auto position = position_.download(position_.size());
    const auto velocity = velocity_.download(velocity_.size());
    const int residues = topology_.residue_count();
    system::State all;
    all.step = step_;
    all.id.resize(static_cast<std::size_t>(size_) * static_cast<std::size_t>(residues));
    std::iota(all.id.begin(), all.id.end(), 0);
    all.position.resize(all.id.size());
    all.velocity.resize(all.id.size());
    std::size_t row = 0;
    for (int replica = 0; replica < size_; ++replica) {
      auto at = static_cast<std::size_t>(place_of(replica));
      for (int i = 0; i < residues; ++i, ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          all.position[row][axis] = position[at];
          all.velocity[row][axis] = velocity[at];
          at += static_cast<std::size_t>(shape_.width);
        }
      }
    }
    return all;
  }

  void set_states(const std::vector<system::ThermodynamicState>& thermodynamic) override {
    std::vector<double> scale(static_cast<std::size_t>(shape_.groups * shape_.width), 1);
    for (std::size_t k = 0; k < thermodynamic.size(); ++k) {
      scale[k] =
          velocity_scale(thermodynamic_[k].temperature_kelvin, thermodynamic[k].temperature_kelvin);
      forces_are_current_ =
          forces_are_current_ && has_same_forces(thermodynamic[k], thermodynamic_[k]);
    }
    thermodynamic_ = thermodynamic;
    upload_thermodynamic_states();
    velocity_scale_.upload(scale);
    const int components = 3 * topology_.residue_count();
    device::launch(
        "scale velocities", shape_.groups * components,
        ScaleVelocities{velocity_.data(), velocity_scale_.data(), components, shape_.width});
  }
  [[nodiscard]] std::int64_t steps_by_engine() const override { return steps_by_engine_; }
  [[nodiscard]] std::int64_t rescues() const override { return rescues_; }

 private:
  [[nodiscard]] static double skin_nm(const engine::EngineSettings& settings) {
    return settings.skin_nm > 0 ? settings.skin_nm : resident_skin_nm<Contact>;
  }
  [[nodiscard]] kernels::ReplicaPositions positions() const {
    return {size_, topology_.residue_count(), shape_.width, position_.data(),
            tables_.exact().scale};
  }
  [[nodiscard]] kernels::ResidentReplicas replicas() const {
    return {size_,
            shape_.groups,
            position_.data(),
            velocity_.data(),
            force_.data(),
            number_.data(),
            noise_.data(),
            contact_strength_.data(),
            umbrella_of_.data(),
            charges_.rounded(),
            unsure_.data()};
  }
  [[nodiscard]] kernels::ResidentReplicaView<Contact> places_and_pairs() const {
    return {tables_.system(), tables_.exact(), replicas(), shape_.width};
  }
  /// Returns (kappas, size) energies.
  [[nodiscard]] std::vector<std::vector<double>> screened_energies() {
    std::vector<std::vector<double>> all;
    for (const double kappa : kappa_per_nm_) {
      auto& of_one = all.emplace_back(static_cast<std::size_t>(size_), 0.0);
      if (!charges_.act()) continue;
      charge_sums_.begin(
          kernels::ResidentChargeEnergyLoop<Contact>{places_and_pairs(),
                                                     charges_.of_unit_charges(kappa)},
          shape_.groups);
      const auto sums = charge_sums_.download(size_);
      for (std::size_t k = 0; k < of_one.size(); ++k)
        of_one[k] = forces::to_energy_kj_mol(sums[k].sum[0]);
    }
    return all;
  }
  [[nodiscard]] std::int64_t place_of(int replica) const {
    return static_cast<std::int64_t>(replica / shape_.width) * topology_.residue_count() * 3 *
               shape_.width +
           replica % shape_.width;
  }

  void upload_states(const std::vector<ReplicaStart>& starts) {
    const auto residues = static_cast<std::size_t>(topology_.residue_count());
    const auto width = static_cast<std::size_t>(shape_.width);
    const auto lanes = static_cast<std::size_t>(shape_.groups) * width;
    std::vector<std::int64_t> position(lanes * residues * 3);
    std::vector<double> velocity(position.size());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto& state = starts[std::min(lane, starts.size() - 1)].state;
      const auto first = static_cast<std::size_t>(place_of(static_cast<int>(lane)));
      for (std::size_t i = 0; i < residues; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          position[first + (i * 3 + axis) * width] = state.position[i][axis];
          velocity[first + (i * 3 + axis) * width] = state.velocity[i][axis];
        }
      }
    }
    position_.upload(position);
    velocity_.upload(velocity);
  }
  /// State of a lane; padding lanes repeat the last replica.
  [[nodiscard]] const system::ThermodynamicState& of_lane(std::size_t lane) const {
    return thermodynamic_[std::min(lane, thermodynamic_.size() - 1)];
  }
  void upload_thermodynamic_states() {
    const auto lanes =
        static_cast<std::size_t>(shape_.groups) * static_cast<std::size_t>(shape_.width);
    const auto& masses = tables_.class_masses_amu();
    const double decay = tables_.system().constants.velocity_decay;
    std::vector<double> noise(masses.size() * lanes);
    for (std::size_t c = 0; c < masses.size(); ++c) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double kelvin = of_lane(lane).temperature_kelvin;
        noise[c * lanes + lane] = engine::kick_of(masses[c], kelvin, settings_.time_step_ps, decay,
                                                  kernels::Mixed::force_quantum)
                                      .noise;
      }
    }
    noise_.upload(noise);
    std::vector<float> strength(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      strength[lane] = static_cast<float>(of_lane(lane).contact_strength);
    }
    contact_strength_.upload(strength);
    if (charges_.act()) {
      std::vector<system::ThermodynamicState> of_lanes;
      of_lanes.reserve(lanes);
      for (std::size_t lane = 0; lane < lanes; ++lane) of_lanes.push_back(of_lane(lane));
      charges_.upload(of_lanes);
    }
    if (!umbrella_.is_defined()) return;
    std::vector<kernels::ResidentUmbrella> umbrella(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto& of = of_lane(lane);
      umbrella[lane] = {{of.umbrella_centre_nm, of.umbrella_k_kj_mol_nm2},
                        {static_cast<float>(of.umbrella_centre_nm),
                         static_cast<float>(of.umbrella_k_kj_mol_nm2) * quanta_per_unit}};
    }
    umbrella_of_.upload(umbrella);
  }

  /// Runs a launch. Returns (size) flags of replicas whose bits it cannot guarantee. The state
  /// before must be saved, unless steps is 0.
  [[nodiscard]] std::vector<int> run(std::int64_t steps) {
    while (true) {
      unsure_.fill(0);
      launcher_.advance(replicas(), static_cast<std::uint64_t>(step_), steps);
      yield_to_others();
      device::fence();
      auto flags = unsure_.download(size_);
      if (!launcher_.should_repeat(flags)) return flags;
      if (steps == 0) continue;
      position_.copy_from(saved_position_, position_.size());
      velocity_.copy_from(saved_velocity_, velocity_.size());
    }
  }
  void ensure_forces() {
    if (forces_are_current_) return;
    const auto unsure = run(0);
    forces_are_current_ = true;
    for (int replica = 0; replica < size_; ++replica) {
      if (unsure[static_cast<std::size_t>(replica)] == 0) continue;
      put(replica, *engine_at(replica, state(replica)));
    }
  }

  [[nodiscard]] EngineAlone engine_at(int replica, const system::State& state) const {
    const auto k = static_cast<std::size_t>(replica);
    return {topology_, settings_, umbrella_, {numbers_[k], thermodynamic_[k], state}};
  }
  /// Recomputes with engines the replicas that the launch is unsure of.
  void recompute_unsure(const std::vector<int>& unsure, std::int64_t steps) {
    for (int replica = 0; replica < size_; ++replica) {
      if (unsure[static_cast<std::size_t>(replica)] == 0) continue;
      auto engine = engine_at(replica, read(replica, saved_position_, saved_velocity_));
      const auto k = static_cast<std::size_t>(replica);
      advance_with_rescues(engine, steps, last_rescue_[k], rescues_);
      put(replica, *engine);
      steps_by_engine_ += steps;
    }
  }

  [[nodiscard]] system::State read(int replica, const device::DeviceArray<std::int64_t>& position,
                                   const device::DeviceArray<double>& velocity) const {
    const int components = 3 * topology_.residue_count();
    auto from = replicas();
    from.position = position.data();
    from.velocity = velocity.data();
    device::launch("read replica", components,
                   CopyReplica{from, place_of(replica), shape_.width, one_position_.data(),
                               one_velocity_.data(), nullptr, false});
    device::fence();
    const auto x = one_position_.download(components);
    const auto v = one_velocity_.download(components);
    system::State state;
    state.step = step_;
    for (std::size_t i = 0; i < topology_.residues.size(); ++i) {
      state.id.push_back(static_cast<int>(i));
      state.position.push_back({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
      state.velocity.push_back({v[3 * i], v[3 * i + 1], v[3 * i + 2]});
    }
    return state;
  }
  void put(int replica, engine::Engine& engine) {
    const auto state = engine.owned_state();
    const auto forces = engine.owned_forces();
    const auto residues = static_cast<std::size_t>(topology_.residue_count());
    std::vector<std::int64_t> x(3 * residues);
    std::vector<double> v(x.size());
    std::vector<std::int32_t> f(x.size());
    for (std::size_t i = 0; i < residues; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        x[3 * i + axis] = state.position[i][axis];
        v[3 * i + axis] = state.velocity[i][axis];
        f[3 * i + axis] =
            static_cast<std::int32_t>(forces[i][axis] / kernels::Mixed::force_quantum);
      }
    }
    one_position_.upload(x);
    one_velocity_.upload(v);
    one_force_.upload(f);
    device::launch("put replica", static_cast<int>(x.size()),
                   CopyReplica{replicas(), place_of(replica), shape_.width, one_position_.data(),
                               one_velocity_.data(), one_force_.data(), true});
    device::fence();
  }

  const topology::Topology& topology_;
  engine::EngineSettings settings_;
  bias::Variable umbrella_;
  std::vector<double> kappa_per_nm_;
  ResidentTables<Contact> tables_;
  int size_;
  std::int64_t step_, steps_by_engine_ = 0;
  ResidentShape shape_;
  ResidentLauncher<Contact> launcher_;
  ResidentCharges charges_;
  SampledQuantities quantities_;
  bool forces_are_current_ = false;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::int64_t> last_rescue_;  // (size)
  std::int64_t rescues_ = 0;
  std::vector<system::ThermodynamicState> thermodynamic_;  // (size)
  std::vector<std::int64_t> degrees_of_freedom_;           // (size)
  ReplicaSums<kernels::ResidentSums> sums_;
  ReplicaSums<kernels::ExactSums<1>> charge_sums_;
};

template <class Contact>
struct OfContact {
  using Set = ResidentReplicaSet<Contact>;
};

/// Calls visit(OfContact) for the kernels that compute this system.
template <class Visit>
auto with_contact(const topology::Topology& topology, const Visit& visit) {
  const auto form = topology.short_range.form;
  using topology::ShortRangeForm;
  if (form == ShortRangeForm::ashbaugh_hatch) {
    return visit(OfContact<kernels::AshbaughHatchChains>{});
  }
  if (form == ShortRangeForm::wang_frenkel) return visit(OfContact<kernels::WangFrenkelChains>{});
  if (form != ShortRangeForm::repulsion_12) {
    throw std::logic_error("resident replicas of a potential that there is no kernel for");
  }
  if (topology.contacts_gaussian.empty()) return visit(OfContact<kernels::Contact1210>{});
  return visit(OfContact<kernels::ContactGaussian>{});
}

}  // namespace

std::unique_ptr<ReplicaSetInterface> make_resident(const topology::Topology& topology,
                                                   const engine::EngineSettings& settings,
                                                   const std::vector<ReplicaStart>& starts,
                                                   const ReplicaSetOptions& options) {
  return with_contact(topology, [&](auto of) -> std::unique_ptr<ReplicaSetInterface> {
    return std::make_unique<typename decltype(of)::Set>(topology, settings, starts, options);
  });
}

void estimate_resident(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const engine::EngineSettings& settings, const ReplicaSetOptions& options,
                       const ReplicaSetUse& use) {
  with_contact(topology, [&](auto of) {
    decltype(of)::Set::estimate(estimate, topology, settings, options, use);
  });
}

}  // namespace nfold::replicas

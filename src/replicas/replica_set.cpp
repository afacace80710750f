// Set of replicas: choice of its form, and the form with one engine per replica.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/replica_set.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "kernels/resident/replica_positions.hpp"
#include "replicas/replica_rescue.hpp"
#include "replicas/replica_set_resident.hpp"
#include "replicas/resident_tables.hpp"
#include "replicas/sampled_quantities.hpp"

namespace nfold::replicas {
namespace {

/// Difference vector from j to i [nm], in the coordinates of mixed precision.
std::array<double, 3> coarse_difference_nm(const topology::Topology& topology,
                                           const system::State& state, int i, int j) {
  std::array<double, 3> d{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto at = [&](int id) {
      return kernels::Mixed::coordinate(state.position[static_cast<std::size_t>(id)][axis]);
    };
    d[axis] = kernels::Mixed::to_nm(kernels::Mixed::difference(at(i), at(j)),
                                    nm_per_coarse_count(topology, axis));
  }
  return d;
}

class ReplicaEngines final : public ReplicaSetInterface {
  static constexpr const char* position_label = "replicas.observed";

 public:
  ReplicaEngines(const topology::Topology& topology, const engine::EngineSettings& settings,
                 const std::vector<ReplicaStart>& starts, const ReplicaSetOptions& options,
                 std::string reason)
      : topology_(topology),
        settings_(settings),
        options_(options),
        starts_(starts),
        reason_(std::move(reason)),
        quantities_(topology) {
    engines_.reserve(starts.size());
    last_rescue_.assign(starts.size(), -1);
    rescues_.assign(starts.size(), 0);
    for (auto& start : starts_) {
      engines_.emplace_back(topology, settings, options.umbrella, start);
      start.state = {};
    }
  }
  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const ReplicaSetUse& use, const device::MemoryEstimate& one_engine) {
    // A replica that changes its state gets a new engine before the old one is destroyed.
    const std::int64_t both =
        use.states_change ? (use.replicas >= use.threads ? use.threads : 1) : 0;
    estimate.add(one_engine, use.replicas + both);
    estimate.in("replicas").count([&] {
      device::DeviceArray<std::int64_t>(position_label)
          .reserve(3 * use.replicas * topology.residue_count());
      SampledQuantities(topology).reserve(use.replicas);
    });
  }
  [[nodiscard]] int size() const override { return static_cast<int>(engines_.size()); }
  [[nodiscard]] std::int64_t step() const override { return engines_.front()->step(); }
  [[nodiscard]] std::string description() const override {
    return "an engine each" + (reason_.empty() ? "" : ", because " + reason_);
  }
  [[nodiscard]] double relative_cost(int replicas) const override {
    const int at_once = device::on_host ? device::Space().concurrency() : 1;
    const int rounds = (replicas + at_once - 1) / at_once;
    return rounds;
  }
  void advance(std::int64_t steps) override {
    device::for_each_concurrently(size(), [&](int replica) {
      const auto k = static_cast<std::size_t>(replica);
      advance_with_rescues(engines_[k], steps, last_rescue_[k], rescues_[k]);
    });
  }
  std::vector<ReplicaEnergies> energies() override {
    quantities_.begin(uploaded_positions());
    auto quantities = quantities_.values(size());
    std::vector<ReplicaEnergies> all(engines_.size());
    device::for_each_concurrently(size(), [&](int replica) {
      const auto k = static_cast<std::size_t>(replica);
      auto& engine = engines_[k];
      const auto state = engine->owned_state();
      all[k] = {engine->energies(), formed_contacts(topology_, state),
                umbrella_value_nm(topology_, options_.umbrella, state), std::move(quantities[k]),
                engine->screened_energies(options_.kappa_per_nm)};
    });
    return all;
  }
  void observe(ReplicaObserver& observer, const std::vector<ReplicaLabel>& labels) override {
    observer.add(uploaded_positions(), labels);
  }
  [[nodiscard]] system::State state(int replica) const override {
    return engines_[static_cast<std::size_t>(replica)]->owned_state();
  }
  [[nodiscard]] system::State states() const override {
    system::State all;
    all.step = step();
    for (int k = 0; k < size(); ++k) {
      const auto one = state(k);
      for (const int id : one.id) all.id.push_back(k * topology_.residue_count() + id);
      all.position.insert(all.position.end(), one.position.begin(), one.position.end());
      all.velocity.insert(all.velocity.end(), one.velocity.begin(), one.velocity.end());
    }
    return all;
  }
  void set_states(const std::vector<system::ThermodynamicState>& thermodynamic) override {
    device::for_each_concurrently(size(), [&](int replica) {
      const auto k = static_cast<std::size_t>(replica);
      auto& now = starts_[k].thermodynamic;
      if (thermodynamic[k] == now) return;
      ReplicaStart next{starts_[k].number, thermodynamic[k], engines_[k]->owned_state()};
      scale_velocities(next.state,
                       velocity_scale(now.temperature_kelvin, thermodynamic[k].temperature_kelvin));
      now = thermodynamic[k];
      engines_[k] = EngineAlone(topology_, settings_, options_.umbrella, next);
    });
  }
  [[nodiscard]] std::int64_t steps_by_engine() const override { return 0; }
  [[nodiscard]] std::int64_t rescues() const override {
    return std::accumulate(rescues_.begin(), rescues_.end(), std::int64_t{0});
  }

 private:
  kernels::ReplicaPositions uploaded_positions() {
    std::vector<std::int64_t> position;
    position.reserve(3 * engines_.size() * topology_.residues.size());
    for (auto& engine : engines_) {
      for (const auto& row : engine->owned_state().position) {
        position.insert(position.end(), row.begin(), row.end());
      }
    }
    position_.upload(position);
    return {size(),
            topology_.residue_count(),
            1,
            position_.data(),
            {nm_per_coarse_count(topology_, 0), nm_per_coarse_count(topology_, 1),
             nm_per_coarse_count(topology_, 2)}};
  }

  const topology::Topology& topology_;
  engine::EngineSettings settings_;
  ReplicaSetOptions options_;
  std::vector<ReplicaStart> starts_;  // without system states, which are in the engines
  std::vector<EngineAlone> engines_;
  std::vector<std::int64_t> last_rescue_, rescues_;  // (size)
  std::string reason_;
  SampledQuantities quantities_;
  device::DeviceArray<std::int64_t> position_{position_label};
};

void require_allowed(const system::ThermodynamicState& thermodynamic,
                     const ReplicaSetOptions& options, const topology::Topology& topology) {
  if (thermodynamic.contact_strength > options.strongest_contacts) {
    throw std::invalid_argument("contacts stronger than the set of replicas was made for");
  }
  if (thermodynamic.umbrella_k_kj_mol_nm2 != 0 && !options.umbrella.is_defined()) {
    throw std::invalid_argument("an umbrella on no residues");
  }
  if (thermodynamic.coulomb_kj_mol_nm != 0 && !topology.electrostatics.acts()) {
    throw std::invalid_argument("a state with charges of a system without");
  }
}

std::unique_ptr<ReplicaSetInterface> make(const topology::Topology& topology,
                                          const engine::EngineSettings& settings,
                                          const std::vector<ReplicaStart>& starts,
                                          const ReplicaSetOptions& options) {
  if (starts.empty()) throw std::invalid_argument("a set of no replicas");
  for (const auto& start : starts) {
    require_allowed(start.thermodynamic, options, topology);
    if (start.state.step == starts.front().state.step) continue;
    throw std::invalid_argument("replicas of one set are at different steps");
  }
  const std::string why_not =
      resident_obstacle(topology, settings, options.strongest_contacts, options.umbrella);
  if (options.form == ReplicaForm::resident && !why_not.empty()) {
    throw std::invalid_argument("replicas cannot be resident, because " + why_not);
  }
  if (options.form == ReplicaForm::engines || !why_not.empty()) {
    return std::make_unique<ReplicaEngines>(topology, settings, starts, options, why_not);
  }
  return make_resident(topology, settings, starts, options);
}

}  // namespace

EngineAlone::EngineAlone(const topology::Topology& topology, const engine::EngineSettings& settings,
                         const bias::Variable& umbrella, const ReplicaStart& start)
    : topology_(&topology),
      settings_(settings),
      umbrella_(umbrella),
      number_(start.number),
      thermodynamic_(start.thermodynamic) {
  make(settings, start.state);
}
void EngineAlone::make(engine::EngineSettings settings, const system::State& state) {
  settings.replica = number_;
  settings.temperature_kelvin = thermodynamic_.temperature_kelvin;
  settings.contact_strength = thermodynamic_.contact_strength;
  const bool is_biased = thermodynamic_.umbrella_k_kj_mol_nm2 != 0;
  const bool is_charged = thermodynamic_.coulomb_kj_mol_nm != 0;
  if ((is_biased || is_charged) && own_topology_ == nullptr) {
    own_topology_ = std::make_unique<topology::Topology>(*topology_);
    if (is_biased) {
      topology::add_bias(*own_topology_,
                         {umbrella_, bias::BiasForm::harmonic, thermodynamic_.umbrella_centre_nm,
                          thermodynamic_.umbrella_k_kj_mol_nm2});
    }
    if (is_charged) {
      own_topology_->electrostatics.coulomb_kj_mol_nm = thermodynamic_.coulomb_kj_mol_nm;
      own_topology_->electrostatics.kappa_per_nm = thermodynamic_.kappa_per_nm;
    }
  }
  engine_ = std::make_unique<engine::Engine>(
      comm::Communicator(), own_topology_ ? *own_topology_ : *topology_, settings, state,
      std::vector<int>(topology_->residues.size(), 0));
}
EngineAlone EngineAlone::with_time_step(double time_step_ps, std::uint64_t seed,
                                        const system::State& state) const {
  auto settings = settings_;
  settings.time_step_ps = time_step_ps;
  settings.seed = seed;
  return {*topology_, settings, umbrella_, {number_, thermodynamic_, state}};
}

double umbrella_value_nm(const topology::Topology& topology, const bias::Variable& variable,
                         const system::State& state) {
  if (!variable.is_defined()) return 0;
  if (variable.kind == bias::VariableKind::distance) {  // same rounding as in the resident form
    const auto d =
        coarse_difference_nm(topology, state, variable.residues[1], variable.residues[0]);
    return std::sqrt(kernels::inner_product(d.data(), d.data()));
  }
  std::vector<bias::Vector> x_nm;
  std::vector<double> mass_amu;
  for (const int id : variable.residues) {
    const auto at = static_cast<std::size_t>(id);
    mass_amu.push_back(topology.residues[at].mass_amu);
    auto& x = x_nm.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x[axis] = topology.box.to_nm(axis, state.position[at][axis]);
    }
  }
  return bias::with_variable(
      variable.kind, [&](auto one) { return one.direct(x_nm, mass_amu, topology.box).value; });
}

double velocity_scale(double old_kelvin, double new_kelvin) {
  return std::sqrt(new_kelvin / old_kelvin);
}
void scale_velocities(system::State& state, double scale) {
  for (auto& v : state.velocity) {
    for (double& component : v) component *= scale;
  }
}

double native_reach_squared(double distance_nm) {
  return std::pow(native_contact_factor * distance_nm, 2);
}

std::int64_t formed_contacts(const topology::Topology& topology, const system::State& state) {
  std::int64_t formed = 0;
  const auto count = [&](const auto& contacts) {
    for (const auto& c : contacts) {
      const auto d = coarse_difference_nm(topology, state, c.i, c.j);
      if (kernels::inner_product(d.data(), d.data()) <= native_reach_squared(c.distance_nm))
        ++formed;
    }
  };
  count(topology.contacts_12_10);
  count(topology.contacts_gaussian);
  return formed;
}

void estimate_replicas(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const engine::EngineSettings& settings, const ReplicaSetOptions& options,
                       const ReplicaSetUse& use, const device::MemoryEstimate& one_engine) {
  const bool is_resident =
      options.form != ReplicaForm::engines &&
      resident_obstacle(topology, settings, options.strongest_contacts, options.umbrella).empty();
  if (is_resident) {
    estimate_resident(estimate, topology, settings, options, use);
  } else {
    ReplicaEngines::estimate(estimate, topology, use, one_engine);
  }
}

ReplicaSet::ReplicaSet(const topology::Topology& topology, const engine::EngineSettings& settings,
                       const std::vector<ReplicaStart>& starts, const ReplicaSetOptions& options)
    : implementation_(make(topology, settings, starts, options)),
      options_(options),
      topology_(&topology) {}
ReplicaSet::~ReplicaSet() = default;
ReplicaSet::ReplicaSet(ReplicaSet&&) noexcept = default;
ReplicaSet& ReplicaSet::operator=(ReplicaSet&&) noexcept = default;

int ReplicaSet::size() const { return implementation_->size(); }
std::int64_t ReplicaSet::step() const { return implementation_->step(); }
std::string ReplicaSet::description() const { return implementation_->description(); }
void ReplicaSet::advance(std::int64_t steps) { implementation_->advance(steps); }
std::vector<ReplicaEnergies> ReplicaSet::energies() { return implementation_->energies(); }
void ReplicaSet::observe(ReplicaObserver& observer, const std::vector<ReplicaLabel>& labels) {
  implementation_->observe(observer, labels);
}
system::State ReplicaSet::state(int replica) const { return implementation_->state(replica); }
system::State ReplicaSet::states() const { return implementation_->states(); }
void ReplicaSet::set_states(const std::vector<system::ThermodynamicState>& thermodynamic) {
  if (thermodynamic.size() != static_cast<std::size_t>(size())) {
    throw std::invalid_argument("states of another number of replicas");
  }
  for (const auto& one : thermodynamic) require_allowed(one, options_, *topology_);
  implementation_->set_states(thermodynamic);
}
std::int64_t ReplicaSet::steps_by_engine() const { return implementation_->steps_by_engine(); }
std::vector<CostStep> ReplicaSet::cost_steps(int most) const {
  constexpr std::size_t most_steps = 4096;  // more steps are approximated as proportional cost
  std::vector<CostStep> steps;
  for (int first = 1; first <= most;) {
    const double cost = implementation_->relative_cost(first);
    int last = first, beyond = most + 1;  // the last number with this cost is in [last, beyond)
    while (last + 1 < beyond) {
      const int middle = last + (beyond - last) / 2;
      (implementation_->relative_cost(middle) > cost ? beyond : last) = middle;
    }
    steps.push_back({last, cost});
    if (steps.size() > most_steps) return {};
    first = last + 1;
  }
  return steps;
}
double ReplicaSet::relative_cost(int replicas) const {
  return implementation_->relative_cost(replicas);
}
std::int64_t ReplicaSet::rescues() const { return implementation_->rescues(); }

}  // namespace nfold::replicas

// Engine: checks its arguments and selects the precision.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/minimiser.hpp"
#include "engine/part_times.hpp"
#include "engine/step_engine.hpp"
#include "engine/step_reports.hpp"
#include "engine/temperature.hpp"

namespace nfold::engine {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("engine: " + what);
}

void check(const comm::Communicator& communicator, const topology::Topology& topology,
           const EngineSettings& s, const system::State& start, const std::vector<int>& owner) {
  const auto residues = topology.residues.size();
  require(residues > 0, "the system has no residue");
  require(s.time_step_ps > 0 && std::isfinite(s.time_step_ps), "time_step_ps must be > 0");
  require(s.temperature_kelvin >= 0 && std::isfinite(s.temperature_kelvin),
          "temperature_kelvin must be >= 0");
  require(s.friction_per_ps >= 0 && std::isfinite(s.friction_per_ps),
          "friction_per_ps must be >= 0");
  const auto owned =
      static_cast<std::size_t>(std::count(owner.begin(), owner.end(), communicator.rank()));
  const bool is_whole = start.position.size() == residues;
  require(
      start.velocity.size() == start.position.size() &&
          (is_whole || (can_start_from_owned_rows(s, topology) && start.position.size() == owned)),
      "the start has " + std::to_string(start.position.size()) + " rows, the system " +
          std::to_string(residues) + " residues");
  require(owner.size() == residues, "the owner map has " + std::to_string(owner.size()) +
                                        " entries, the system " + std::to_string(residues) +
                                        " residues");
  const auto& charges = topology.electrostatics;
  const double cutoff =
      std::max(topology.short_range.cutoff_nm, charges.acts() ? charges.cutoff_nm : 0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = topology.box.length_nm[axis];
    require(std::isfinite(length) && length >= 0, "the box has a length that is no number");
    require(!topology.box.is_periodic(axis) || length >= 2 * cutoff,
            fmt::format("the box is {} nm along {}; it must be at least twice the longest cutoff, "
                        "{} nm",
                        length, "xyz"[axis], 2 * cutoff));
  }
  require(std::ssize(topology.short_range.site_factors) <= kernels::domains_at_most,
          fmt::format("{} factors of residues' pairs, more than the {} that pairs can tell apart",
                      topology.short_range.site_factors.size(), kernels::domains_at_most));
  int domains = 0;
  for (const auto& residue : topology.residues) domains = std::max(domains, residue.domain + 1);
  require(domains <= kernels::domains_at_most,
          fmt::format("{} folded domains, more than the {} that pairs can tell apart; take fewer "
                      "molecules, or no folded domains",
                      domains, kernels::domains_at_most));
  const auto stray = std::find_if(owner.begin(), owner.end(), [&](int rank) {
    return rank < 0 || rank >= communicator.size();
  });
  if (stray == owner.end()) return;
  require(false, fmt::format("the owner map names rank {} of {}", *stray, communicator.size()));
}

}  // namespace

bool can_start_from_owned_rows(const EngineSettings& settings, const topology::Topology& topology) {
  return !conserves_momentum(settings) && topology.biases.empty();
}

/// The engine in one of its precisions.
class Engine::Implementation {
 public:
  Implementation(const comm::Communicator& communicator, const topology::Topology& topology,
                 const EngineSettings& settings, system::State start, std::vector<int> owner) {
    if (settings.precision == Precision::mixed) {
      mixed_ = std::make_unique<StepEngine<kernels::Mixed>>(communicator, topology, settings,
                                                            std::move(start), std::move(owner));
    } else {
      full_ = std::make_unique<StepEngine<kernels::Full>>(communicator, topology, settings,
                                                          std::move(start), std::move(owner));
    }
  }

  /// Returns use(StepEngine).
  template <class Use>
  auto with(const Use& use) {
    return mixed_ ? use(*mixed_) : use(*full_);
  }

 private:
  std::unique_ptr<StepEngine<kernels::Mixed>> mixed_;  // this one
  std::unique_ptr<StepEngine<kernels::Full>> full_;    // or this one; the other is null
};

Engine::Engine(const comm::Communicator& communicator, const topology::Topology& topology,
               const EngineSettings& settings, system::State start, std::vector<int> owner) {
  check(communicator, topology, settings, start, owner);
  implementation_ = std::make_unique<Implementation>(communicator, topology, settings,
                                                     std::move(start), std::move(owner));
}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::advance(std::int64_t steps) {
  implementation_->with([&](auto& engine) { engine.advance(steps); });
}
RowSnapshot Engine::snapshot_state() {
  return implementation_->with([](auto& engine) { return engine.snapshot_state(); });
}
void Engine::restore_state(const system::State& mine) {
  implementation_->with([&](auto& engine) { engine.restore_state(mine); });
}
void Engine::set_owner(std::vector<int> owner) {
  implementation_->with([&](auto& engine) { engine.set_owner(std::move(owner)); });
}
void Engine::set_owner(std::shared_ptr<PreparedRepartition> prepared) {
  implementation_->with([&](auto& engine) { engine.set_owner(std::move(prepared)); });
}
RepartitionPreparation Engine::repartition_preparation(std::vector<int> owner) const {
  return implementation_->with(
      [&](auto& engine) { return engine.repartition_preparation(std::move(owner)); });
}
std::shared_ptr<const std::vector<int>> Engine::owner() const {
  return implementation_->with([](auto& engine) { return engine.owner(); });
}

std::int64_t Engine::step() const {
  return implementation_->with([](auto& engine) { return engine.parts().step; });
}
Energies Engine::energies() {
  return implementation_->with([](auto& engine) { return engine.energies(); });
}
std::vector<double> Engine::screened_energies(const std::vector<double>& kappa_per_nm) {
  return implementation_->with(
      [&](auto& engine) { return engine.screened_energies(kappa_per_nm); });
}
Pressure Engine::pressure() {
  return implementation_->with([](auto& engine) { return engine.pressure(); });
}
MinimiserResult Engine::minimise(const MinimiserSettings& settings) {
  return implementation_->with(
      [&](auto& engine) { return minimise_energy(engine.parts(), settings); });
}
system::State Engine::owned_state() const {
  return implementation_->with([](auto& engine) { return engine.parts().owned_state(); });
}
system::State Engine::shared_state() const {
  return implementation_->with([](auto& engine) {
    const auto& parts = engine.parts();
    return all_gather_state(parts.communicator, parts.owned_state());
  });
}
std::vector<system::FixedPosition> Engine::owned_positions() const {
  return implementation_->with([](auto& engine) { return engine.owned_positions(); });
}
std::vector<system::FixedPosition> Engine::positions_of_rows(const std::vector<int>& rows) const {
  return implementation_->with([&](auto& engine) { return engine.positions_of_rows(rows); });
}
void Engine::visit_positions_nm(const PositionVisit& visit, int residues_at_a_time) {
  implementation_->with(
      [&](auto& engine) { engine.visit_positions_nm(visit, residues_at_a_time); });
}
std::vector<std::array<double, 3>> Engine::owned_forces() {
  return implementation_->with([](auto& engine) { return engine.owned_forces(); });
}
EngineStatistics Engine::statistics() const {
  return implementation_->with([](auto& engine) { return engine.statistics(); });
}
std::vector<PartTime> Engine::part_times() {
  return implementation_->with([](auto& engine) { return measure_parts(engine.parts()); });
}

}  // namespace nfold::engine

// Settings of the engine, and partitions.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/system_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "comm/rank_locations.hpp"
#include "domain/cluster_partition.hpp"
#include "domain/domain_partition.hpp"
#include "domain/residue_graph.hpp"
#include "domain/space_partition.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/host_memory.hpp"
#include "session/setup/partition_choice.hpp"
#include "session/setup/partition_domains.hpp"

namespace nfold::setup {
namespace {

std::string describe_partition(input::PartitionMethod method, const std::string& comparison,
                               const domain::Ownership& owner) {
  return fmt::format("partition {}{}: map {:016x}", method_name(method), comparison,
                     domain::partition_checksum(owner));
}

}  // namespace

engine::EngineSettings engine_settings(const input::Settings& settings) {
  const auto& dynamics = settings.dynamics;
  engine::EngineSettings engine;
  engine.precision = dynamics.precision;
  engine.integrator = dynamics.integrator;
  engine.time_step_ps = dynamics.time_step_ps;
  engine.temperature_kelvin = dynamics.temperature_kelvin;
  engine.friction_per_ps = dynamics.friction_per_ps;
  engine.seed = dynamics.seed;
  engine.replica = dynamics.replica;
  if (settings.neighbour_list.skin_nm > 0) engine.skin_nm = settings.neighbour_list.skin_nm;
  engine.rebuild_every = settings.neighbour_list.rebuild_every;
  engine.transport = settings.partition.transport;
  engine.ranks_per_node = settings.partition.ranks_per_node;
  return engine;
}

domain::Ownership owners(const input::Settings& settings, const topology::Topology& topology,
                         const system::State& state, int rank_count, std::span<const double> speed,
                         std::span<const int> node, std::span<const double> work) {
  if (compares(settings, topology, rank_count)) {
    const auto compared =
        compare_partitions(settings, topology, state, rank_count, speed, node, work);
    return best_partition(compared, preference_for(topology)).owner;
  }
  const auto method = method_of(settings, topology);
  if (method == input::PartitionMethod::random) {
    return domain::random_owners(topology.residue_count(), rank_count, settings.partition.seed);
  }
  std::vector<double> counted;
  const auto work_in_place = [&] {
    if (!work.empty()) return work;
    counted = domain::counted_work(topology, state.position, typical_skin_nm);
    return std::span<const double>(counted);
  };
  if (uses_graph(method) && rank_count > 1) {
    const auto each = work_in_place();
    const auto graph = domain::residue_graph(topology, state.position);
    if (method == input::PartitionMethod::clusters) {
      return domain::contact_clusters(graph, each, rank_count, speed, node);
    }
    const auto given = given_domains(topology, settings.partition.domains);
    return domain::whole_domains(graph, domain::structural_domains(topology, graph, given), each,
                                 rank_count, speed, node);
  }
  if (rank_count == 1 || method == input::PartitionMethod::residue_ranges) {
    if (!work.empty()) return domain::residue_ranges(work, rank_count, speed, node);
    return domain::residue_ranges(domain::counted_work(topology), rank_count, speed, node);
  }
  const auto each = work_in_place();
  if (method == input::PartitionMethod::hilbert_curve) {
    return domain::hilbert_curve(topology.box, state.position, each, rank_count, speed, node);
  }
  return domain::recursive_bisection(topology.box, state.position, each, rank_count, speed, node);
}

SharedPartition make_shared_partition(const comm::Communicator& communicator,
                                      const input::Settings& settings,
                                      const topology::Topology& topology,
                                      const system::State& state, std::span<const double> speed) {
  (void)given_domains(topology, settings.partition.domains);  // throws on one rank, too
  const auto method = settings.partition.method;
  const int ranks = communicator.size();
  const bool is_compared = compares(settings, topology, ranks);
  SharedPartition shared;
  std::string comparison;
  const auto node = comm::gather_rank_nodes(communicator, settings.partition.ranks_per_node);
  if (ranks == 1 || (!is_compared && !uses_graph(method))) {
    shared.owner = owners(settings, topology, state, ranks, speed, node);
  } else {
    job::on_root(communicator, [&] {
      if (!is_compared) {
        shared.owner = owners(settings, topology, state, ranks, speed, node);
        return;
      }
      const auto compared = compare_partitions(settings, topology, state, ranks, speed, node);
      const auto& best = best_partition(compared, preference_for(topology));
      comparison = describe_comparison(compared, best.method);
      shared.owner = best.owner;
    });
    shared.owner = communicator.all_gather(std::span<const int>(shared.owner));
  }
  shared.message = describe_partition(method, comparison, shared.owner);
  return shared;
}

SharedPartition make_shared_partition(const comm::Communicator& communicator,
                                      const input::Settings& settings,
                                      const topology::Topology& topology, const FirstState& first,
                                      std::span<const double> speed) {
  if (!first.is_share)
    return make_shared_partition(communicator, settings, topology, first.state, speed);
  (void)given_domains(topology, settings.partition.domains);
  const int first_id = first.state.id.empty() ? 0 : first.state.id.front();
  const auto& positions = first.state.position;
  const auto work =
      domain::counted_work(communicator, topology, first_id, positions, typical_skin_nm);
  const auto node = comm::gather_rank_nodes(communicator, settings.partition.ranks_per_node);
  SharedPartition shared;
  shared.owner = domain::distributed_bisection(
      communicator, topology.box, {first_id, positions, work}, communicator.size(), speed, node);
  shared.message = describe_partition(settings.partition.method, "", shared.owner);
  return shared;
}

std::vector<double> speeds_by_score(const comm::Communicator& communicator,
                                    const device::JobDevices& devices,
                                    const input::Settings& settings) {
  if (settings.devices.split != core::SplitStrategy::score) return {};
  const double own = devices.own_score();
  auto scores = communicator.all_gather(std::span<const double>(&own, 1));
  const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
  return *least == *most ? std::vector<double>() : scores;
}

engine::Engine make_engine(const comm::Communicator& communicator,
                           std::shared_ptr<device::JobDevices> devices,
                           const input::Settings& settings, const topology::Topology& topology,
                           system::State start, domain::Ownership owner) {
  auto of_engine = engine_settings(settings);
  of_engine.devices = std::move(devices);
  return job::with_host_memory(
      fmt::format("building the engine's tables for {} residues", topology.residue_count()), [&] {
        return engine::Engine(communicator, topology, of_engine, std::move(start),
                              std::move(owner));
      });
}

engine::Engine make_engine(const comm::Communicator& communicator,
                           std::shared_ptr<device::JobDevices> devices,
                           const input::Settings& settings, const topology::Topology& topology,
                           system::State start) {
  auto owner = make_shared_partition(communicator, settings, topology, start).owner;
  return make_engine(communicator, std::move(devices), settings, topology, std::move(start),
                     std::move(owner));
}

std::string minimise_start(engine::Engine& engine, const input::StartSettings& start) {
  if (start.minimise_steps == 0) return {};
  const auto done = engine.minimise({start.minimise_steps, start.minimise_force_kj_mol_nm});
  return fmt::format("minimised in {} steps, {}: largest force component {:.4g} kJ/mol/nm{}",
                     done.steps, done.converged ? "converged" : "not converged",
                     done.largest_force_kj_mol_nm,
                     done.forces_were_clamped ? "; forces were clamped on the way" : "");
}

}  // namespace nfold::setup

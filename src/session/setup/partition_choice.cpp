// Partitions by every method, counted as in the engine, in time by the model of plan.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/partition_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "device/device_memory.hpp"
#include "domain/counted_work.hpp"
#include "engine/engine_memory.hpp"
#include "engine/rank_counts.hpp"
#include "estimate/step_model.hpp"
#include "input/keys.hpp"
#include "session/setup/machine_lookup.hpp"
#include "session/setup/step_demand.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

using input::PartitionMethod;

constexpr std::array compared_methods{
    PartitionMethod::residue_ranges, PartitionMethod::recursive_bisection,
    PartitionMethod::hilbert_curve, PartitionMethod::clusters, PartitionMethod::domains};
constexpr double usual_tolerance = 1.03, clusters_tolerance = 1.01;

/// Data common to all partitions of a system.
class Comparison {
 public:
  Comparison(const input::Settings& settings, const topology::Topology& topology,
             const system::State& state, int rank_count, std::span<const double> work)
      : settings_(settings),
        topology_(topology),
        state_(state),
        rank_count_(rank_count),
        engine_(engine_settings(settings)),
        network_(machine_here().network),
        coefficients_(machine_here().step(device::computes_on_gpu())),
        work_(work.begin(), work.end()),
        neighbours_(engine::sample_neighbours({topology, state, engine_})) {
    if (work.empty()) work_ = domain::counted_work(topology, state.position, typical_skin_nm);
    const domain::Ownership alone(work_.size(), 0);
    seconds_alone_ = rank_seconds(count_ranks(alone, 1, {}), {}, {}).front();
  }

  [[nodiscard]] PartitionFigures figures(PartitionMethod method, std::span<const double> speed,
                                         std::span<const int> node) const {
    PartitionFigures figures;
    figures.method = method;
    auto by_method = settings_;
    by_method.partition.method = method;
    // Ranges ignore positions, as they do at a start.
    const bool uses_positions = method != PartitionMethod::residue_ranges;
    figures.owner = owners(by_method, topology_, state_, rank_count_, speed, node,
                           uses_positions ? work_ : std::span<const double>());
    const auto ranks = count_ranks(figures.owner, rank_count_, node);
    add_ranks(ranks, rank_seconds(ranks, speed, node), speed, node, figures);
    add_traffic(ranks, figures);
    figures.contacts_cut = domain::contacts_cut(topology_, figures.owner);
    figures.efficiency = seconds_alone_ / (figures.step_seconds * rank_count_);
    return figures;
  }

 private:
  using RankCounts = std::vector<domain::RankCounts>;

  [[nodiscard]] RankCounts count_ranks(const domain::Ownership& owner, int rank_count,
                                       std::span<const int> node) const {
    return engine::count_ranks({topology_, state_, engine_}, neighbours_, owner, rank_count, node);
  }

  /// (ranks) Estimated times of a step.
  [[nodiscard]] std::vector<double> rank_seconds(const RankCounts& ranks,
                                                 std::span<const double> speed,
                                                 std::span<const int> node) const {
    std::vector<estimate::StepDemand> demands;
    demands.reserve(ranks.size());
    for (const auto& one : ranks) demands.push_back(step_demand(topology_, settings_, one));
    return estimate::rank_step_seconds(coefficients_, demands, speed, node, network_);
  }

  void add_ranks(const RankCounts& ranks, const std::vector<double>& seconds,
                 std::span<const double> speed, std::span<const int> node,
                 PartitionFigures& figures) const {
    const auto work = domain::rank_loads(work_, figures.owner, rank_count_);
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    const double all_speeds = std::accumulate(speed.begin(), speed.end(), 0.0);
    double largest_load = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto& halo = ranks[rank].halo;
      auto& one = figures.ranks.emplace_back();
      one.node = node.empty() ? 0 : node[rank];
      one.speed = speed.empty() ? 1 : speed[rank] * rank_count_ / all_speeds;
      one.work_share = all > 0 ? work[rank] / all : 0;
      one.step_seconds = seconds[rank];
      one.residues = ranks[rank].owned;
      one.ghosts = ranks[rank].partners + ranks[rank].other_ghosts;
      one.bytes_within_node = (halo.sent - halo.sent_far) * row_bytes();
      one.bytes_between_nodes = halo.sent_far * row_bytes();
      figures.ghosts += one.ghosts;
      figures.most_ghosts = std::max(figures.most_ghosts, one.ghosts);
      figures.step_seconds = std::max(figures.step_seconds, one.step_seconds);
      largest_load = std::max(largest_load, one.work_share / one.speed);
    }
    figures.balance = largest_load > 0 ? 1 / (largest_load * rank_count_) : 1;
  }

  void add_traffic(const RankCounts& ranks, PartitionFigures& figures) const {
    const auto add = [this](Traffic& traffic, std::int64_t rows, std::int64_t peers) {
      traffic.rows += rows;
      traffic.bytes += rows * row_bytes();
      traffic.peers = std::max(traffic.peers, peers);
    };
    for (const auto& one : ranks) {
      add(figures.within_nodes, one.halo.sent - one.halo.sent_far,
          one.halo.peers - one.halo.far_peers);
      add(figures.between_nodes, one.halo.sent_far, one.halo.far_peers);
    }
  }

  [[nodiscard]] std::int64_t row_bytes() const { return engine::bytes_of_row(engine_.precision); }

  const input::Settings& settings_;
  const topology::Topology& topology_;
  const system::State& state_;
  int rank_count_;
  engine::EngineSettings engine_;
  estimate::NetworkSpeed network_;
  estimate::StepCoefficients coefficients_;
  std::vector<double> work_;  // (residues)
  engine::NeighbourSample neighbours_;
  double seconds_alone_ = 0;  // step on one rank
};

}  // namespace

std::string method_name(PartitionMethod method) {
  input::Settings settings;
  settings.partition.method = method;
  return input::value_text(*input::find_key("partition.method"), settings);
}

PartitionMethod usual_method(const topology::Topology& topology) {
  return topology.chains.size() > 1 ? PartitionMethod::recursive_bisection
                                    : PartitionMethod::residue_ranges;
}

Preference preference_for(const topology::Topology& topology) {
  return {usual_method(topology), topology.contact_count() > 0};
}

PartitionMethod method_of(const input::Settings& settings, const topology::Topology& topology) {
  return settings.partition.method == PartitionMethod::automatic ? usual_method(topology)
                                                                 : settings.partition.method;
}

bool uses_graph(PartitionMethod method) {
  return method == PartitionMethod::clusters || method == PartitionMethod::domains;
}

int residues_per_repartition_unit(const input::Settings& settings,
                                  const topology::Topology& topology, std::int64_t residues,
                                  std::int64_t most_units) {
  if (settings.partition.method == PartitionMethod::automatic &&
      residues <= max_compared_residues) {
    return 1;
  }
  if (uses_graph(method_of(settings, topology))) return 1;
  return static_cast<int>(std::max<std::int64_t>(1, (residues + most_units - 1) / most_units));
}

std::vector<PartitionFigures> compare_partitions(const input::Settings& settings,
                                                 const topology::Topology& topology,
                                                 const system::State& state, int rank_count,
                                                 std::span<const double> speed,
                                                 std::span<const int> node,
                                                 std::span<const double> work) {
  const Comparison comparison(settings, topology, state, rank_count, work);
  std::vector<PartitionFigures> compared;
  compared.reserve(compared_methods.size());
  for (const auto method : compared_methods) {
    compared.push_back(comparison.figures(method, speed, node));
  }
  return compared;
}

const PartitionFigures& best_partition(std::span<const PartitionFigures> compared,
                                       const Preference& preference) {
  const auto best = std::min_element(
      compared.begin(), compared.end(),
      [](const auto& a, const auto& b) { return a.step_seconds < b.step_seconds; });
  const auto within = [&](PartitionMethod method, double times) {
    return std::find_if(compared.begin(), compared.end(), [&](const auto& one) {
      return one.method == method && one.step_seconds <= times * best->step_seconds;
    });
  };
  if (preference.prefers_clusters) {
    const auto clusters = within(PartitionMethod::clusters, clusters_tolerance);
    if (clusters != compared.end()) return *clusters;
  }
  const auto usual = within(preference.usual, usual_tolerance);
  return usual != compared.end() ? *usual : *best;
}

bool compares(const input::Settings& settings, const topology::Topology& topology, int rank_count) {
  return settings.partition.method == PartitionMethod::automatic && rank_count > 1 &&
         rank_count <= max_compared_ranks && topology.residue_count() <= max_compared_residues;
}

std::string describe_comparison(std::span<const PartitionFigures> compared, PartitionMethod taken) {
  constexpr double microseconds = 1e6;
  std::string own, others;
  for (const auto& one : compared) {
    const double step_us = microseconds * one.step_seconds;
    if (one.method == taken) {
      own = fmt::format(" takes {} (predicted step {:.4g} us", method_name(taken), step_us);
    } else {
      others +=
          fmt::format("{} {} {:.4g}", others.empty() ? ";" : ",", method_name(one.method), step_us);
    }
  }
  return own + others + ")";
}

}  // namespace nfold::setup

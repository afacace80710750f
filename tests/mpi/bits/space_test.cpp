// Engine bits of space partitions: thin slabs, droplets in near-empty boxes, empty ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "domain/cluster_partition.hpp"
#include "domain/counted_work.hpp"
#include "domain/domain_partition.hpp"
#include "domain/space_partition.hpp"
#include "engine/engine.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

constexpr std::int64_t steps = 40;

struct Case {
  const char* name;
  test::CondensateOptions options;
};

class SpacePartitions : public testing::TestWithParam<Case> {};

EngineSettings settings() {
  EngineSettings s;
  s.time_step_ps = 0.01;
  s.temperature_kelvin = 300;
  s.friction_per_ps = 0.1;
  s.seed = 5;
  s.devices = test::devices_of_test();
  return s;
}

enum class Method { bisection, curve, clusters, domains };

/// (ranks) Two nodes, on which a launcher places ranks in turn.
std::vector<int> two_nodes(int ranks) {
  std::vector<int> node;
  for (int rank = 0; rank < ranks; ++rank) node.push_back(rank % 2);
  return node;
}

std::vector<int> make_owners(const topology::Topology& topology, const system::State& all,
                             int ranks, Method method, std::span<const int> node = {}) {
  const auto work = domain::counted_work(topology, all.position, 0.3);
  if (method == Method::clusters || method == Method::domains) {
    const auto graph = domain::residue_graph(topology, all.position);
    if (method == Method::clusters) return domain::contact_clusters(graph, work, ranks, {}, node);
    return domain::whole_domains(graph, domain::structural_domains(topology, graph), work, ranks,
                                 {}, node);
  }
  return method == Method::curve
             ? domain::hilbert_curve(topology.box, all.position, work, ranks, {}, node)
             : domain::recursive_bisection(topology.box, all.position, work, ranks, {}, node);
}

TEST_P(SpacePartitions, MatchOneRankBitwise) {
  const auto world = comm::Communicator::world();
  const auto topology = test::condensate(GetParam().options);
  const auto start = test::shaken_native(topology, 0.02, 3);
  Engine one = test::engine_alone(topology, settings(), start);
  (void)one.minimise({20, 1});
  one.advance(2 * steps);
  const auto expected = one.owned_state();
  for (const Method method :
       {Method::bisection, Method::curve, Method::clusters, Method::domains}) {
    Engine many(world, topology, settings(), start,
                make_owners(topology, start, world.size(), method));
    (void)many.minimise({20, 1});
    many.advance(steps);
    // Repartition by the current positions, over two nodes.
    const auto whole = many.shared_state();
    const auto new_owners = world.is_root() ? make_owners(topology, whole, world.size(), method,
                                                          two_nodes(world.size()))
                                            : std::vector<int>();
    many.set_owner(world.all_gather(std::span<const int>(new_owners)));
    many.advance(steps);
    EXPECT_EQ(many.energies().potential(), one.energies().potential());
    const auto mine = many.owned_state();
    int wrong = 0;
    for (std::size_t row = 0; row < mine.id.size(); ++row) {
      const auto id = static_cast<std::size_t>(mine.id[row]);
      if (mine.position[row] != expected.position[id] ||
          mine.velocity[row] != expected.velocity[id]) {
        ++wrong;
      }
    }
    EXPECT_EQ(wrong, 0) << "rows that differ, method " << static_cast<int>(method);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Systems, SpacePartitions,
    testing::Values(Case{"box", {}},
                    // A rank's part is thinner than the cutoff on eight ranks.
                    Case{"thin_slab", {.box = {{5.2, 4.8, 60}}, .layers = 2}},
                    Case{"droplet", {.box = {{70, 70, 70}}, .rows = 3, .layers = 3}},
                    // Fewer chains than ranks, so some ranks are empty.
                    Case{"two_chains", {.box = {{30, 30, 30}}, .rows = 1, .layers = 2}},
                    Case{"open", {.box = {}, .layers = 3}}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace nfold::engine

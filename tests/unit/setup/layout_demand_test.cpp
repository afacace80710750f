// Work of the slowest rank as plan estimates it, against partitions of all residues.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/rank_counts.hpp"
#include "estimate/machine.hpp"
#include "input/input.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/partition_choice.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/step_demand.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::setup {
namespace {

using Demands = std::vector<estimate::StepDemand>;

/// An input as plan and as a run count it. Runs have the usual method: `auto` takes seconds, and
/// its choice has steps that differ by few per cent.
class CountedInput {
 public:
  CountedInput(const std::string& name, bool on_gpu)
      : file_(NFOLD_INPUT "/" + name),
        settings_(input::parse_input(input::read_input_text(file_), file_, {})),
        system_(build_system(alone_, settings_, file_)),
        first_(first_state(alone_, settings_, file_, system_.topology)),
        engine_(engine_settings(settings_)) {
    engine_.on_gpu = on_gpu;
    neighbours_ = engine::sample_neighbours({system_.topology, first_.state, engine_});
    auto part = build_part(alone_, settings_, file_, predicted_residues);
    planner_ =
        stands_for_whole(part, settings_)
            ? std::make_unique<MemoryEstimator>(settings_, file_, std::move(part), on_gpu)
            : std::make_unique<MemoryEstimator>(settings_, system_.topology, first_.state, on_gpu);
    settings_.partition.method = usual_method(system_.topology);
  }
  [[nodiscard]] Demands planned(int nodes, int ranks_per_node) const {
    return step_demands(*planner_, settings_, nodes, ranks_per_node);
  }
  [[nodiscard]] Demands partitioned(int nodes, int ranks_per_node) const {
    const int ranks = nodes * ranks_per_node;
    std::vector<int> node;
    for (int rank = 0; rank < ranks; ++rank) node.push_back(rank / ranks_per_node);
    const auto owner = owners(settings_, system_.topology, first_.state, ranks, {}, node);
    Demands demands;
    for (const auto& counts : engine::count_ranks({system_.topology, first_.state, engine_},
                                                  neighbours_, owner, ranks, node)) {
      demands.push_back(step_demand(system_.topology, settings_, counts));
    }
    return demands;
  }
  [[nodiscard]] int residues() const { return system_.topology.residue_count(); }

 private:
  const comm::Communicator alone_;
  std::string file_;
  input::Settings settings_;
  SystemSetup system_;
  FirstState first_;
  engine::EngineSettings engine_;
  engine::NeighbourSample neighbours_;
  std::unique_ptr<MemoryEstimator> planner_;
};

template <class Value>
double most_of(const Demands& ranks, Value estimate::StepDemand::*member) {
  return static_cast<double>((*std::ranges::max_element(ranks, {}, member)).*member);
}

double slowest_seconds(bool on_gpu, const Demands& ranks) {
  static const auto machine = estimate::builtin_machine("h200");
  const auto& step = machine.step(on_gpu);
  const auto on_node = static_cast<int>(ranks.size());
  return step_time(step, slowest_rank(step, ranks, machine.network, on_node), machine.network,
                   on_node)
      .seconds();
}

/// Inputs of a folded complex, which is built completely, a slab and a droplet, of which parts are.
constexpr const char* inputs[] = {"protease-dimer.yaml", "hps-urry-slab.yaml",
                                  "mpipi-droplet.yaml"};
constexpr int most_ranks = 64;

template <class Value>
void expect_same(const Demands& planned, const Demands& partitioned,
                 Value estimate::StepDemand::*member, const std::string& label) {
  constexpr double tolerance = 0.25;
  const double expected = most_of(partitioned, member);
  EXPECT_NEAR(most_of(planned, member), expected, tolerance * expected) << label;
}

TEST(LayoutDemand, MatchesPartitionsForAnyNumberOfRanks) {
  constexpr int fewest_residues = 20;  // on a rank: with fewer their work is uneven
  for (const auto* const name : inputs) {
    const CountedInput input(name, true);
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
      const auto planned = input.planned(1, ranks), partitioned = input.partitioned(1, ranks);
      const auto label = std::string(name) + " on " + std::to_string(ranks);
      expect_same(planned, partitioned, &estimate::StepDemand::ghosts, label + ": ghosts");
      expect_same(planned, partitioned, &estimate::StepDemand::peers, label + ": peers");
      if (input.residues() >= ranks * fewest_residues) {
        expect_same(planned, partitioned, &estimate::StepDemand::pairs, label + ": pairs");
        expect_same(planned, partitioned, &estimate::StepDemand::term_work, label + ": terms");
      }
      EXPECT_NEAR(slowest_seconds(true, planned) / slowest_seconds(true, partitioned), 1, 0.17)
          << label;
    }
  }
}

TEST(LayoutDemand, MatchesPartitionsOverNodes) {
  for (const auto* const name : {inputs[1], inputs[2]}) {
    const CountedInput input(name, true);
    for (const int nodes : {2, 4}) {
      for (const int ranks_per_node : {1, 2, 4, 8}) {
        const auto planned = input.planned(nodes, ranks_per_node);
        const auto partitioned = input.partitioned(nodes, ranks_per_node);
        const auto label = std::string(name) + " on " + std::to_string(nodes) + " nodes of " +
                           std::to_string(ranks_per_node);
        expect_same(planned, partitioned, &estimate::StepDemand::far_peers, label + ": peers");
        expect_same(planned, partitioned, &estimate::StepDemand::sent_to_far_bytes,
                    label + ": bytes");
      }
    }
  }
}

TEST(LayoutDemand, MoreRanksAreHardlySlowerUntilTheFastest) {
  for (const auto* const name : inputs) {
    for (const bool on_gpu : {true, false}) {
      const CountedInput input(name, on_gpu);
      std::vector<double> seconds;
      for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        seconds.push_back(slowest_seconds(on_gpu, input.planned(1, ranks)));
      }
      const auto fastest = std::ranges::min_element(seconds);
      for (auto next = seconds.begin() + 1; next <= fastest && next != seconds.end(); ++next) {
        EXPECT_LT(*next, 1.1 * *(next - 1)) << name << " on " << next - seconds.begin() + 1;
      }
    }
  }
}

}  // namespace
}  // namespace nfold::setup

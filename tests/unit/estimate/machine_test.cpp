// Machines: built-in entries, scaling, and text there and back.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/input_error.hpp"

namespace nfold::estimate {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Machine, ReadsAllBuiltInEntries) {
  const auto& names = builtin_machine_names();
  for (const char* name : {"a100", "cpu-node", "h100", "h200", "l40s", "laptop", "rtx4060"}) {
    EXPECT_THAT(names, Contains(name));
  }
  for (const auto& name : names) {
    const auto machine = builtin_machine(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_GT(machine.core_step.pair_ns.at(0), 0) << name;
    EXPECT_GT(machine.speeds.gpu.go.steps_per_second(76, 1), 0) << name;
    EXPECT_EQ(machine.has_gpus(), machine.gpus_per_node > 0) << name;
  }
  EXPECT_THROW((void)builtin_machine("h300"), std::out_of_range);
}

TEST(Machine, ScalesByDataSheet) {
  const auto h200 = builtin_machine("h200"), a100 = builtin_machine("a100");
  ASSERT_TRUE(a100.steps_are_scaled && a100.replicas_are_scaled);
  ASSERT_FALSE(h200.steps_are_scaled || h200.replicas_are_scaled);
  EXPECT_EQ(h200.measured_ranks, 4);
  EXPECT_EQ(a100.measured_ranks, 2) << "what an entry leaves open";
  EXPECT_EQ(parse_machine(format_text(h200), "mine", "mine.yaml").measured_ranks, 4);
  const double computing = 108.0 * 1410 / (132 * 1980), memory = 2039.0 / 4800;
  for (std::size_t form = 0; form < pair_form_count; ++form) {
    EXPECT_DOUBLE_EQ(a100.gpu_step.pair_ns.at(form), h200.gpu_step.pair_ns.at(form) / computing);
  }
  EXPECT_DOUBLE_EQ(a100.gpu_step.residue_ns, h200.gpu_step.residue_ns / memory);
  EXPECT_DOUBLE_EQ(a100.gpu_step.launch_us, h200.gpu_step.launch_us);
  EXPECT_DOUBLE_EQ(a100.speeds.gpu.resident.steps_per_second(76, 4224),
                   h200.speeds.gpu.resident.steps_per_second(76, 4224) * computing);
  EXPECT_THAT(a100.speed_source, HasSubstr("scaled from h200"));
}

TEST(Machine, ScalesUnmeasuredPartOnly) {
  const auto h100 = builtin_machine("h100");
  EXPECT_FALSE(h100.steps_are_scaled);
  EXPECT_TRUE(h100.replicas_are_scaled);
  EXPECT_THAT(h100.speed_source, HasSubstr("measured on one and two H100"));
  EXPECT_THAT(h100.speed_source, HasSubstr("; of replicas and batches scaled from h200"));
}

TEST(Machine, RoundTripsThroughText) {
  auto machine = builtin_machine("h200");
  machine.description = R"(mine: "quoted" and \ more)";
  machine.gpu_step.launch_us = 7.25;
  const auto text = format_text(machine);
  const auto read = parse_machine(text, "mine", "mine.yaml");
  EXPECT_EQ(read.description, machine.description);
  EXPECT_EQ(read.gpu_step.launch_us, 7.25);
  EXPECT_EQ(format_text(read), text);
}

TEST(Machine, HasOneNodeUnlessItSaysMore) {
  const std::string text(builtin_machine_text("a100"));
  const std::string limits = "limits: {nodes: 64, hours: 24}\n";
  auto without = text;
  without.erase(without.find(limits), limits.size());
  EXPECT_EQ(parse_machine(text, "mine", "mine.yaml").most_nodes, 64);
  EXPECT_EQ(parse_machine(without, "mine", "mine.yaml").most_nodes, 1);
  const auto hours = parse_machine(without + "limits: {hours: 48}\n", "mine", "mine.yaml");
  EXPECT_EQ(hours.most_nodes, 1);
  EXPECT_EQ(hours.most_hours, 48);
}

TEST(Machine, KeepsWattsOfItsOwnDataSheet) {
  const auto h200 = builtin_machine("h200");
  EXPECT_EQ(h200.gpu->watts, 700);
  EXPECT_EQ(parse_machine(format_text(h200), "mine", "mine.yaml").gpu->watts, 700);
  EXPECT_EQ(builtin_machine("l40s").gpu->watts, 350) << "watts are not scaled";
  for (const auto& name : builtin_machine_names()) {
    EXPECT_GT(builtin_machine(name).core.watts, 0) << name;
  }
}

TEST(Machine, NodeCostsItsGpusOrItsCores) {
  auto machine = builtin_machine("h200");
  machine.gpus_per_node = 4;
  machine.cores_per_node = 10;
  machine.gpu_hour = 2;
  machine.core_hour = 0.1;
  EXPECT_DOUBLE_EQ(machine.node_hour(), 8);
  machine.gpu_hour = 0;
  EXPECT_DOUBLE_EQ(machine.node_hour(), 1);
}

TEST(Machine, RefusesUnknownScalingSource) {
  try {
    (void)parse_machine("description: x\nscaled_from: h300\n", "mine", "mine.yaml");
    FAIL() << "nothing was thrown";
  } catch (const core::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mine.yaml:2:"));
    EXPECT_THAT(error.what(), HasSubstr("scaled_from = h300"));
    EXPECT_THAT(error.what(), HasSubstr("h200"));
  }
}

TEST(StepModel, SumsItsParts) {
  StepCoefficients step;
  step.launch_us = 5;
  step.residue_ns = 2;
  step.term_ns = 3;
  step.pair_ns = {0, 0.5, 0, 0};
  step.charge_pair_ns = 0.25;
  step.neighbour_ns = 50;
  step.full_precision_factor = 2;
  step.ghost_ns = 10;
  step.exchange_us = 4;
  step.message_us = 1;
  StepDemand demand;
  demand.residues = 1000;
  demand.term_work = 100;
  demand.pair_form = 1;
  demand.pairs = 20'000;
  demand.charge_pairs = 4'000;
  const double launch_us = 5;
  const double alone_us = launch_us + 2 + 0.3 + 10 + 1 + 0.05 * 24;
  EXPECT_NEAR(1e6 * step_time(step, demand, {}, 1).seconds(), alone_us, 1e-9);
  EXPECT_THAT(std::string(step_time(step, demand, {}, 1).bottleneck()), HasSubstr("short-range"));
  demand.is_in_full_precision = true;
  EXPECT_NEAR(1e6 * step_time(step, demand, {}, 1).seconds(),
              launch_us + 2 * (alone_us - launch_us), 1e-9);
  demand.is_in_full_precision = false;
  demand.ghosts = 200;
  demand.peers = 3;
  EXPECT_NEAR(1e6 * step_time(step, demand, {}, 1).seconds(), alone_us + 2 + 4 + 2, 1e-9);
  step.crowding = 1.5;
  EXPECT_NEAR(1e6 * step_time(step, demand, {}, 2).seconds(),
              launch_us + 1.5 * (alone_us - launch_us) + 2 + 4 + 2, 1e-9);
  step.crowding = 1;
  demand.far_peers = 1;
  demand.sent_to_far_bytes = 1e4;
  const NetworkSpeed network{1e9, 7};
  EXPECT_NEAR(1e6 * step_time(step, demand, network, 4).seconds(),
              alone_us + 2 + (4 + 1) + (7 + 4) + 40, 1e-9);
}

TEST(StepModel, RanksWaitForMessagesAtAnySpeed) {
  StepCoefficients step;
  step.launch_us = 5;
  step.residue_ns = 1;
  step.ghost_ns = 4;
  step.exchange_us = 3;
  step.message_us = 1;
  std::vector<StepDemand> ranks(3);
  ranks[0].residues = 1000;
  ranks[0].ghosts = 100;
  ranks[0].peers = 1;
  ranks[1].residues = 2000;
  ranks[1].peers = 2;
  ranks[2].residues = 500;
  EXPECT_NEAR(1e6 * rank_step_seconds(step, ranks)[1], 5 + 2 + 4, 1e-9);
  // A rank of half the mean speed computes for twice as long; messages take as long as before.
  EXPECT_NEAR(1e6 * rank_step_seconds(step, ranks, std::vector<double>{0.5, 1.5, 1})[0],
              5 + 2 * 1.4 + 3, 1e-9);
  // The only rank of a node has the node's network for itself.
  ranks[0].far_peers = 1;
  ranks[0].sent_to_far_bytes = 1e4;
  EXPECT_NEAR(1e6 * rank_step_seconds(step, ranks, {}, std::vector<int>{1, 0, 0}, {1e9, 7})[0],
              5 + 1.4 + (7 + 3) + 10, 1e-9);
  ranks.resize(1);
  EXPECT_EQ(rank_step_seconds(step, ranks)[0], step_time(step, ranks[0], {}, 1).seconds());
}

TEST(StepModel, ResiduesBeyondCachesTakeLonger) {
  StepCoefficients step;
  step.residue_ns = 100;
  step.far_residue_ns = 50;
  StepDemand demand;
  demand.residues = near_residues;
  const double near_us = 1e-3 * near_residues * 100;
  EXPECT_NEAR(1e6 * step_time(step, demand, {}, 1).seconds(), near_us, 1e-9);
  demand.residues += 1000;
  EXPECT_NEAR(1e6 * step_time(step, demand, {}, 1).seconds(), near_us + 100 + 50, 1e-9);
}

TEST(StepModel, FittedValuesMatchModel) {
  auto step = builtin_machine("h200").gpu_step;
  step.far_residue_ns = 0.5;
  StepDemand demand;
  demand.residues = 5000;
  demand.term_work = 7000;
  demand.pair_form = 2;
  demand.pairs = 1e6;
  demand.charge_pairs = 3e5;
  const auto amounts = fitted_amounts(demand);
  const auto values = fitted_values(step);
  double sum = 0;
  for (std::size_t k = 0; k < fitted_count; ++k) sum += amounts.at(k) * values.at(k);
  EXPECT_NEAR(sum, 1e6 * step_time(step, demand, {}, 1).seconds(), 1e-9);
  StepCoefficients copy;
  set_fitted_values(copy, values);
  EXPECT_EQ(fitted_values(copy), values);
}

}  // namespace
}  // namespace nfold::estimate

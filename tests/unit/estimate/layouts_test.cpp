// Layouts of a machine, and the choice of a machine and a layout by time or cost.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/choice.hpp"

namespace nfold::estimate {
namespace {

using testing::HasSubstr;

Machine two_nodes_of_four() {
  auto machine = builtin_machine("h200");
  machine.gpus_per_node = 4;
  machine.most_nodes = 2;
  machine.gpu_hour = 2;
  return machine;
}

/// An hour on one rank; a tenth of it is serial.
LayoutWork amdahl(const Layout& layout) {
  LayoutWork work;
  work.time.steps = 3600 * (0.1 + 0.9 / layout.ranks());
  work.bottleneck = "pairs";
  return work;
}

std::vector<std::string> described(const std::vector<Layout>& layouts) {
  std::vector<std::string> texts;
  for (const auto& layout : layouts) texts.push_back(describe(layout));
  return texts;
}

/// Layouts of GPUs: each number in a node, then whole nodes.
std::vector<Layout> gpu_layouts(const Machine& machine) {
  auto layouts = list_layouts(machine);
  std::erase_if(layouts, [](const Layout& layout) { return !layout.on_gpu; });
  return layouts;
}

LayoutEstimate best(const Choice& choice) { return choice.all.at(choice.best.value()); }
Choice chosen(const PlanGoal& goal, const std::function<LayoutWork(const Layout&)>& work = amdahl,
              const Machine& on = two_nodes_of_four()) {
  return choose(on, gpu_layouts(on), work, goal);
}

TEST(Layouts, AreNumbersOfGpusAndWholeNodes) {
  EXPECT_THAT(described(gpu_layouts(two_nodes_of_four())),
              testing::ElementsAre("1 GPU", "2 GPUs", "3 GPUs", "4 GPUs", "2 nodes of 4 GPUs"));
  auto large = two_nodes_of_four();
  large.gpus_per_node = 6;
  large.most_nodes = 61;
  const auto layouts = gpu_layouts(large);
  EXPECT_EQ(layouts.back().ranks(), 6 * 61);
  for (std::size_t k = 1; k < layouts.size(); ++k) {
    const int more = layouts[k].ranks(), fewer = layouts[k - 1].ranks();
    EXPECT_GT(more, fewer);
    EXPECT_TRUE(8 * (more - fewer) <= more || more - fewer == (fewer < 6 ? 1 : 6)) << more;
  }
  EXPECT_FALSE(list_layouts(builtin_machine("laptop")).front().on_gpu);
}

TEST(Layouts, OfferCoresOfMachineWithGpus) {
  auto machine = two_nodes_of_four();
  machine.cores_per_node = 3;
  EXPECT_THAT(described(list_layouts(machine)),
              testing::ElementsAre("1 GPU", "2 GPUs", "3 GPUs", "4 GPUs", "2 nodes of 4 GPUs",
                                   "1 core", "2 cores", "3 cores", "2 nodes of 3 cores"));
}

TEST(Layouts, MixGpusWithTheirShareOfCores) {
  auto machine = two_nodes_of_four();
  machine.cores_per_node = 10;
  LayoutWish wish;
  wish.mixes = true;
  auto layouts = list_layouts(machine, wish);
  std::erase_if(layouts, [](const Layout& layout) { return layout.cores_beside_gpus == 0; });
  EXPECT_THAT(described(layouts),
              testing::ElementsAre("1 GPU and 1 core", "2 GPUs and 3 cores", "3 GPUs and 4 cores",
                                   "4 GPUs and 6 cores", "2 nodes of 4 GPUs and 6 cores"))
      << "each GPU keeps a core for its host thread";
  const auto ranks = job_of(layouts.back());
  EXPECT_EQ(ranks.gpu, 8);
  EXPECT_EQ(ranks.cpu, 12);
}

TEST(Layouts, AreThoseAsked) {
  const auto machine = two_nodes_of_four();
  LayoutWish wish;
  wish.nodes = 2;
  wish.gpus_per_node = 3;
  EXPECT_THAT(described(list_layouts(machine, wish)), testing::ElementsAre("2 nodes of 3 GPUs"));
  wish.gpus_per_node = 5;
  EXPECT_TRUE(list_layouts(machine, wish).empty());
  EXPECT_EQ(describe_limits(machine), "up to 2 nodes of 4 GPUs and 192 cores");
  wish = {};
  wish.ranks = 4;
  EXPECT_THAT(described(list_layouts(machine, wish)),
              testing::ElementsAre("4 GPUs", "2 nodes of 2 GPUs", "4 cores", "2 nodes of 2 cores"));
  wish.ranks = 5;
  EXPECT_THAT(described(list_layouts(machine, wish)), testing::ElementsAre("5 cores"));
  wish = {};
  wish.cores_per_node = 17;
  EXPECT_THAT(described(list_layouts(machine, wish)),
              testing::ElementsAre("17 cores", "2 nodes of 17 cores"));
  wish.cores_per_node = 193;
  EXPECT_TRUE(list_layouts(machine, wish).empty());
  wish = {};
  wish.lists_every_number = true;
  EXPECT_EQ(list_layouts(machine, wish).size(), 4U + 1 + 192 + 1);
}

TEST(Layouts, HaveSpeedUpAndEfficiencyOverSmallest) {
  const auto all = chosen({}).all;
  EXPECT_DOUBLE_EQ(all[0].speed_up, 1);
  EXPECT_DOUBLE_EQ(all[1].speed_up, 1 / 0.55);
  EXPECT_DOUBLE_EQ(all[1].efficiency, 1 / 1.1);
  EXPECT_DOUBLE_EQ(all[3].cost, 2 * 4 * 0.325);
}

TEST(Layouts, FollowObjective) {
  EXPECT_EQ(best(chosen({Objective::time, {}, {}})).layout.ranks(), 8);
  EXPECT_EQ(best(chosen({Objective::cost, {}, {}})).layout.ranks(), 1);
  // Efficiencies 1, 0.91, 0.83, 0.77, 0.59.
  const auto choice = chosen({});
  EXPECT_EQ(best(choice).layout.ranks(), 4);
  EXPECT_THAT(choice.reason, HasSubstr("at least 70 %"));
}

TEST(Layouts, CheapestOfEquallyFastIsTaken) {
  const auto longest_target = [](double saved) {
    return [saved](const Layout& layout) {
      auto work = amdahl(layout);
      work.time.steps = layout.ranks() < 3 ? 3600.0 / layout.ranks() : 1200;
      if (layout.ranks() > 3) work.time.steps -= saved;
      return work;
    };
  };
  EXPECT_EQ(best(chosen({}, longest_target(1))).layout.ranks(), 3);
  EXPECT_EQ(best(chosen({Objective::time, {}, {}}, longest_target(1))).layout.ranks(), 3);
  EXPECT_EQ(best(chosen({Objective::time, {}, {}}, longest_target(100))).layout.ranks(), 4);
  EXPECT_EQ(best(chosen({Objective::efficiency, {}, 10.0}, longest_target(1))).layout.ranks(), 3);
}

TEST(Layouts, CheapestWithinDeadlineIsTaken) {
  const auto choice = chosen({Objective::efficiency, 2500, {}});  // 2 GPUs take 1,980 s
  EXPECT_EQ(best(choice).layout.ranks(), 2);
  EXPECT_TRUE(choice.meets_deadline);
  // 2 GPUs end within 2,000 s in every second case only.
  const auto tight = chosen({Objective::efficiency, 2000, {}});
  EXPECT_EQ(best(tight).layout.ranks(), 3);
  EXPECT_NEAR(tight.all[1].chance_in_time, 0.54, 0.02);
  const auto hopeless = chosen({Objective::efficiency, 100, {}});
  EXPECT_FALSE(hopeless.meets_deadline);
  EXPECT_EQ(best(hopeless).layout.ranks(), 8);
  EXPECT_THAT(hopeless.reason, HasSubstr("nothing meets the deadline"));
}

TEST(Layouts, FastestWithinBudgetIsTaken) {
  EXPECT_EQ(best(chosen({Objective::efficiency, {}, 2.3})).layout.ranks(), 2);
  const auto poor = chosen({Objective::efficiency, {}, 0.5});
  EXPECT_FALSE(poor.meets_budget);
  EXPECT_EQ(best(poor).layout.ranks(), 1);
  EXPECT_THAT(poor.reason, HasSubstr("nothing is within the budget"));
}

TEST(Layouts, TooSmallLayoutsAreRefused) {
  const auto large = [](const Layout& layout) {
    auto work = amdahl(layout);
    work.device_bytes = 300'000'000'000 / layout.ranks();
    return work;
  };
  const auto choice = chosen({Objective::cost, {}, {}}, large);
  EXPECT_THAT(choice.all[0].refused, HasSubstr("takes 315 GB of a GPU's 141"));
  EXPECT_THAT(choice.all[1].refused, HasSubstr("158 GB"));
  EXPECT_EQ(best(choice).layout.ranks(), 3);
  EXPECT_DOUBLE_EQ(choice.all[2].efficiency, 1);
  const auto none = chosen({}, [](const Layout&) {
    LayoutWork work;
    work.impossible = "too large";
    return work;
  });
  EXPECT_FALSE(none.best);
  EXPECT_THAT(none.reason, HasSubstr("too large"));
}

TEST(Layouts, MovableArraysMakeASmallerLayoutPossible) {
  const auto movable = [](const Layout& layout) {
    auto work = amdahl(layout);
    work.device_bytes = 300'000'000'000 / layout.ranks();
    work.spare_device_bytes = work.device_bytes / 30;
    work.movable_device_bytes = work.device_bytes / 5;
    return work;
  };
  const auto machine = two_nodes_of_four();
  const auto choice = chosen({Objective::cost, {}, {}}, movable);
  EXPECT_THAT(choice.all[0].refused, HasSubstr("takes 242 GB of a GPU's 141"));
  const auto& two = choice.all[1];
  EXPECT_TRUE(two.is_feasible()) << two.refused;
  EXPECT_TRUE(two.moves_arrays);
  EXPECT_FALSE(choice.all[2].moves_arrays);
  const auto without_host = chosen({Objective::cost, {}, {}}, [&](const Layout& layout) {
    auto work = movable(layout);
    work.host_bytes = static_cast<std::int64_t>(0.94e9 * machine.host_memory_gb);
    return work;
  });
  EXPECT_THAT(without_host.all[1].refused, HasSubstr("of a node's"));
  EXPECT_TRUE(without_host.all[2].is_feasible()) << "nothing moves";
}

TEST(Layouts, ScaledMachineHasWiderSpread) {
  auto one = two_nodes_of_four();
  const double spread = one.gpu_step.spread;
  EXPECT_DOUBLE_EQ(one.spread(true, false), spread);
  one.steps_are_scaled = true;
  EXPECT_DOUBLE_EQ(one.spread(true, false), std::hypot(spread, 0.3));
  EXPECT_DOUBLE_EQ(one.spread(true, true), std::hypot(spread, 0.06)) << "replicas were measured";
  EXPECT_NEAR(chosen({}).all[0].high_seconds, 3600 * std::exp(1.6448536269514727 * 0.1), 1e-6);
}

TEST(Layouts, CoresOfGpuNodeCostTheirShareOfIt) {
  auto machine = two_nodes_of_four();
  machine.cores_per_node = 16;  // a node costs 8 an hour
  const auto all =
      choose(machine, {{1, 4, false}, {1, 2, true, 6}, {1, 2, true, 14}}, amdahl, {}).all;
  EXPECT_DOUBLE_EQ(all[0].cost, 8 * 4.0 / 16 * 0.325);
  EXPECT_DOUBLE_EQ(all[1].cost, 2 * 2 * 0.55) << "the cores are the GPUs' share of the node";
  EXPECT_DOUBLE_EQ(all[2].cost, 8 * 0.55) << "all cores are the whole node";
}

TEST(Layouts, EnergyIsWattsTimesTime) {
  auto machine = two_nodes_of_four();
  machine.gpu->watts = 700;
  machine.core.watts = 5;
  const auto all = choose(machine, {{1, 2, true}, {1, 4, false}, {2, 4, true, 3}}, amdahl, {}).all;
  EXPECT_DOUBLE_EQ(all[0].kilowatt_hours.value(), 0.705 * 2 * 0.55);
  EXPECT_DOUBLE_EQ(all[1].kilowatt_hours.value(), 0.005 * 4 * 0.325);
  EXPECT_DOUBLE_EQ(all[2].kilowatt_hours.value(), (0.705 * 8 + 0.005 * 6) * (0.1 + 0.9 / 8));
  machine.gpu->watts = 0;
  EXPECT_FALSE(choose(machine, {{1, 2, true}}, amdahl, {}).all[0].kilowatt_hours);
}

TEST(Layouts, WaitForMachineCostsNothing) {
  auto machine = two_nodes_of_four();
  machine.gpu->watts = 700;
  machine.core.watts = 5;
  const auto waiting = [](const Layout& layout) {
    auto work = amdahl(layout);
    work.time.transfer = 7200;
    return work;
  };
  const auto all = choose(machine, {{1, 1, true}, {1, 2, true}}, waiting, {}).all;
  EXPECT_DOUBLE_EQ(all[1].seconds, 7200 + 3600 * 0.55);
  EXPECT_DOUBLE_EQ(all[1].cost, 2 * 2 * 0.55);
  EXPECT_DOUBLE_EQ(all[1].kilowatt_hours.value(), 0.705 * 2 * 0.55);
  EXPECT_DOUBLE_EQ(all[1].efficiency, 1 / 1.1);
}

TEST(Layouts, UnequalGpusHaveMeanSpeedAndLeastMemory) {
  auto machine = two_nodes_of_four();
  machine.unequal_gpus = {{1, 141}, {0.5, 24}};
  const auto large = [](const Layout& layout) {
    auto work = amdahl(layout);
    work.device_bytes = 30'000'000'000;
    return work;
  };
  const auto all = choose(machine, {{1, 1, true}, {1, 2, true}}, amdahl, {}).all;
  EXPECT_DOUBLE_EQ(all[0].seconds, 3600);
  EXPECT_DOUBLE_EQ(all[1].seconds, 3600 * 0.55 / 0.75);
  EXPECT_THAT(choose(machine, {{1, 1, true}, {1, 2, true}}, large, {}).all[1].refused,
              HasSubstr("of a GPU's 24"));
}

/// A free machine of one GPU, a tenth as fast as the paid one of two_nodes_of_four().
class SeveralMachines : public testing::Test {
 protected:
  SeveralMachines() {
    here_.name = "here";
    here_.gpus_per_node = here_.most_nodes = 1;
    here_.gpu_hour = here_.core_hour = 0;
  }
  [[nodiscard]] Choice choose_for(const PlanGoal& goal, double here_seconds = 36000,
                                  double spread = 0.1) const {
    const auto with_spread = [spread](LayoutWork work) {
      work.spread = spread;
      return work;
    };
    const std::vector<MachineOffer> offers{{here_,
                                            {{1, 1, true}},
                                            [=](const Layout&) {
                                              LayoutWork work;
                                              work.time.steps = here_seconds;
                                              return with_spread(work);
                                            }},
                                           {paid_, gpu_layouts(paid_), [=](const Layout& layout) {
                                              return with_spread(amdahl(layout));
                                            }}};
    return choose(offers, goal);
  }

  Machine here_ = two_nodes_of_four(), paid_ = two_nodes_of_four();
};

TEST_F(SeveralMachines, GoalDecidesBetweenHereAndThere) {
  const auto cheap = choose_for({Objective::cost, {}, {}});
  EXPECT_EQ(best(cheap).machine, 0U);
  EXPECT_EQ(best(cheap).cost, 0);
  EXPECT_EQ(cheap.confidence, 1) << "the other one costs something in any case";
  EXPECT_THAT(cheap.reason, HasSubstr("1 GPU of here costs least"));
  const auto soon = choose_for({Objective::time, {}, {}});
  EXPECT_EQ(best(soon).machine, 1U);
  EXPECT_EQ(best(soon).layout.ranks(), 8);
  const auto in_time = choose_for({Objective::efficiency, 50000, {}});
  EXPECT_EQ(best(in_time).machine, 0U);
  const auto hurried = choose_for({Objective::efficiency, 20000, {}});
  EXPECT_EQ(best(hurried).machine, 1U);
  EXPECT_EQ(best(hurried).layout.ranks(), 1);
  ASSERT_FALSE(hurried.alternatives.empty());
  EXPECT_EQ(hurried.alternatives[0].index, 0U);
  EXPECT_FALSE(hurried.alternatives[0].meets_goal) << "here takes 36,000 s";
  EXPECT_FALSE(hurried.confidence);
  ASSERT_EQ(hurried.alternatives.size(), 2U) << "what costs least is listed once";
  EXPECT_EQ(hurried.all[hurried.alternatives[1].index].layout.ranks(), 8) << "the soonest";
}

TEST_F(SeveralMachines, ConfidenceFollowsSpreadsOfBoth) {
  const PlanGoal goal{Objective::time, {}, {}};
  // The paid machine takes 765 s; errors of both machines are independent.
  const double even = 3600 * (0.1 + 0.9 / 8), log_ratio = std::log(1.2);
  const auto close = choose_for(goal, 1.2 * even);
  const double deviation = std::hypot(0.1, std::hypot(0.1, 0.2));  // two nodes have a wider one
  EXPECT_NEAR(close.confidence.value(), 0.5 * std::erfc(-log_ratio / deviation / std::sqrt(2)),
              1e-9);
  EXPECT_GT(choose_for(goal, 3 * even).confidence.value(), 0.99);
  EXPECT_LT(choose_for(goal, 1.2 * even, 0.4).confidence.value(), close.confidence.value());
  EXPECT_FALSE(chosen(goal).confidence) << "one machine and one kind of devices";
}

TEST_F(SeveralMachines, SoonestAndCheapestAreListed) {
  const auto choice = choose_for({Objective::efficiency, {}, {}});
  EXPECT_EQ(best(choice).layout.ranks(), 4) << "of 8 the efficiency is too low";
  ASSERT_EQ(choice.alternatives.size(), 2U);
  EXPECT_EQ(choice.all[choice.alternatives[0].index].machine, 0U);
  EXPECT_EQ(choice.all[choice.alternatives[1].index].layout.ranks(), 8);
  EXPECT_FALSE(choice.alternatives[1].choice_is_better);
}

TEST(Layouts, LongWorkNeedsSeveralJobs) {
  const auto choice = chosen({Objective::cost, {}, {}}, [](const Layout& layout) {
    auto work = amdahl(layout);
    work.time.steps *= 50;
    return work;
  });
  EXPECT_EQ(choice.all[0].jobs, 3);  // 24 hours each
  EXPECT_EQ(format_time_span(90), "90 s");
  EXPECT_EQ(format_time_span(5400), "90 min");
  EXPECT_EQ(format_time_span(1e5), "27.8 h");
  EXPECT_EQ(format_time_span(1e6), "11.6 days");
}

}  // namespace
}  // namespace nfold::estimate

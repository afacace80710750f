// Layout of a plan: for time or cost, with a deadline, a budget or too little memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/layouts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

LayoutEstimate best(const Choice& choice) { return choice.all.at(choice.best.value()); }
Choice chosen(const PlanGoal& goal, const std::function<LayoutWork(const Layout&)>& work = amdahl,
              const Machine& on = two_nodes_of_four()) {
  return choose(on, list_layouts(on), work, goal);
}

TEST(Layouts, AreNumbersOfGpusAndWholeNodes) {
  std::vector<std::string> descriptions;
  for (const auto& layout : list_layouts(two_nodes_of_four()))
    descriptions.push_back(describe(layout));
  EXPECT_THAT(descriptions,
              testing::ElementsAre("1 GPU", "2 GPUs", "3 GPUs", "4 GPUs", "2 nodes of 4 GPUs"));
  auto large = two_nodes_of_four();
  large.gpus_per_node = 6;
  large.most_nodes = 61;
  const auto layouts = list_layouts(large);
  EXPECT_EQ(layouts.back().ranks(), 6 * 61);
  for (std::size_t k = 1; k < layouts.size(); ++k) {
    const int more = layouts[k].ranks(), fewer = layouts[k - 1].ranks();
    EXPECT_GT(more, fewer);
    EXPECT_TRUE(8 * (more - fewer) <= more || more - fewer == (fewer < 6 ? 1 : 6)) << more;
  }
  EXPECT_FALSE(list_layouts(builtin_machine("laptop")).front().on_gpu);
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
  EXPECT_TRUE(moves_arrays(machine, two.layout, two.work));
  EXPECT_FALSE(moves_arrays(machine, choice.all[2].layout, choice.all[2].work));
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

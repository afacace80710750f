// Which layout a plan takes: for time, for cost, with a deadline, a budget and too little memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/layouts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nfold::plan {
namespace {

using testing::HasSubstr;

Machine two_nodes_of_four() {
  auto machine = builtin_machine("h200");
  machine.gpus_per_node = 4;
  machine.most_nodes = 2;
  machine.gpu_hour = 2;
  return machine;
}

/// An hour on one rank, of which a tenth cannot be shared out.
LayoutWork amdahl(const Layout& layout) {
  LayoutWork work;
  work.seconds_of_steps = 3600 * (0.1 + 0.9 / layout.ranks());
  work.bottleneck = "pairs";
  return work;
}

Forecast best(const Choice& choice) { return choice.all.at(choice.best.value()); }
Choice chosen(const Question& question,
              const std::function<LayoutWork(const Layout&)>& work = amdahl,
              const Machine& on = two_nodes_of_four()) {
  return choose(on, layouts_of(on), work, question);
}

TEST(Layouts, AreNumbersOfGpusAndWholeNodes) {
  std::vector<std::string> words;
  for (const auto& layout : layouts_of(two_nodes_of_four())) words.push_back(in_words(layout));
  EXPECT_THAT(words,
              testing::ElementsAre("1 GPU", "2 GPUs", "3 GPUs", "4 GPUs", "2 nodes of 4 GPUs"));
  auto large = two_nodes_of_four();
  large.gpus_per_node = 6;
  large.most_nodes = 61;
  const auto layouts = layouts_of(large);
  EXPECT_EQ(layouts.back().ranks(), 6 * 61);
  for (std::size_t k = 1; k < layouts.size(); ++k) {
    const int more = layouts[k].ranks(), fewer = layouts[k - 1].ranks();
    EXPECT_GT(more, fewer);
    EXPECT_TRUE(8 * (more - fewer) <= more || more - fewer == (fewer < 6 ? 1 : 6)) << more;
  }
  EXPECT_FALSE(layouts_of(builtin_machine("laptop")).front().on_gpu);
}

TEST(Layouts, HaveSpeedUpAndEfficiencyOverTheSmallest) {
  const auto all = chosen({}).all;
  EXPECT_DOUBLE_EQ(all[0].speed_up, 1);
  EXPECT_DOUBLE_EQ(all[1].speed_up, 1 / 0.55);
  EXPECT_DOUBLE_EQ(all[1].efficiency, 1 / 1.1);
  EXPECT_DOUBLE_EQ(all[3].cost, 2 * 4 * 0.325);
}

TEST(Layouts, TheObjectiveDecides) {
  EXPECT_EQ(best(chosen({Objective::time, {}, {}})).layout.ranks(), 8);
  EXPECT_EQ(best(chosen({Objective::cost, {}, {}})).layout.ranks(), 1);
  // Efficiencies 1, 0.91, 0.83, 0.77, 0.59.
  const auto choice = chosen({});
  EXPECT_EQ(best(choice).layout.ranks(), 4);
  EXPECT_THAT(choice.reason, HasSubstr("at least 70 %"));
}

TEST(Layouts, OfThoseThatEndAsSoonTheCheapestIsTaken) {
  const auto longest_target = [](double saved) {
    return [saved](const Layout& layout) {
      auto work = amdahl(layout);
      work.seconds_of_steps = layout.ranks() < 3 ? 3600.0 / layout.ranks() : 1200;
      if (layout.ranks() > 3) work.seconds_of_steps -= saved;
      return work;
    };
  };
  EXPECT_EQ(best(chosen({}, longest_target(1))).layout.ranks(), 3);
  EXPECT_EQ(best(chosen({Objective::time, {}, {}}, longest_target(1))).layout.ranks(), 3);
  EXPECT_EQ(best(chosen({Objective::time, {}, {}}, longest_target(100))).layout.ranks(), 4);
  EXPECT_EQ(best(chosen({Objective::efficiency, {}, 10.0}, longest_target(1))).layout.ranks(), 3);
}

TEST(Layouts, TheCheapestThatMeetsTheDeadlineIsTaken) {
  const auto choice = chosen({Objective::efficiency, 2500, {}});  // 2 GPUs take 1,980 s
  EXPECT_EQ(best(choice).layout.ranks(), 2);
  EXPECT_TRUE(choice.meets_deadline);
  // In 2,000 s they would end in every second case only.
  const auto tight = chosen({Objective::efficiency, 2000, {}});
  EXPECT_EQ(best(tight).layout.ranks(), 3);
  EXPECT_NEAR(tight.all[1].chance_in_time, 0.54, 0.02);
  const auto hopeless = chosen({Objective::efficiency, 100, {}});
  EXPECT_FALSE(hopeless.meets_deadline);
  EXPECT_EQ(best(hopeless).layout.ranks(), 8);
  EXPECT_THAT(hopeless.reason, HasSubstr("nothing meets the deadline"));
}

TEST(Layouts, TheFastestWithinTheBudgetIsTaken) {
  EXPECT_EQ(best(chosen({Objective::efficiency, {}, 2.3})).layout.ranks(), 2);
  const auto poor = chosen({Objective::efficiency, {}, 0.5});
  EXPECT_FALSE(poor.meets_budget);
  EXPECT_EQ(best(poor).layout.ranks(), 1);
  EXPECT_THAT(poor.reason, HasSubstr("nothing is within the budget"));
}

TEST(Layouts, WhatDoesNotFitIsRefusedAndTheSmallestThatDoesIsTheMeasure) {
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

TEST(Layouts, AScaledMachineIsLessSure) {
  auto one = two_nodes_of_four();
  const double spread = one.gpu_step.spread;
  EXPECT_DOUBLE_EQ(one.spread(true, false), spread);
  one.steps_are_scaled = true;
  EXPECT_DOUBLE_EQ(one.spread(true, false), std::hypot(spread, 0.3));
  EXPECT_DOUBLE_EQ(one.spread(true, true), std::hypot(spread, 0.06)) << "replicas were measured";
  EXPECT_NEAR(chosen({}).all[0].high_seconds, 3600 * std::exp(1.645 * 0.1), 1e-6);
}

TEST(Layouts, LongWorkIsSeveralJobs) {
  const auto choice = chosen({Objective::cost, {}, {}}, [](const Layout& layout) {
    auto work = amdahl(layout);
    work.seconds_of_steps *= 50;
    return work;
  });
  EXPECT_EQ(choice.all[0].jobs, 3);  // of 24 hours each
  EXPECT_EQ(span_text(90), "90 s");
  EXPECT_EQ(span_text(5400), "90 min");
  EXPECT_EQ(span_text(1e5), "27.8 h");
  EXPECT_EQ(span_text(1e6), "11.6 days");
}

}  // namespace
}  // namespace nfold::plan

// Choice between this computer and another machine, sizes of files, and the script of the stages.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/site_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/input_error.hpp"
#include "estimate/machine.hpp"
#include "estimate/site_script.hpp"
#include "estimate/transfer.hpp"

namespace nfold::estimate {
namespace {

using testing::HasSubstr;
using testing::Not;

JobOption option(const std::string& name, double seconds, double cost, double spread = 0.1) {
  return {name, {{"steps", Site::here, seconds, spread, cost}}, {}};
}

std::string chosen(const std::vector<JobOption>& options, const PlanGoal& goal = {}) {
  const auto choice = choose_site(options, goal);
  return choice.is_feasible ? options[choice.best].name : "none";
}

TEST(JobOption, SumsIndependentStages) {
  const JobOption two{"two", {{"a", Site::here, 30, 0.1, 1}, {"b", Site::there, 40, 0.1, 2}}, {}};
  EXPECT_DOUBLE_EQ(two.seconds(), 70);
  EXPECT_DOUBLE_EQ(two.cost(), 3);
  EXPECT_NEAR(two.spread(), std::hypot(3, 4) / 70, 1e-12);
  EXPECT_LT(two.interval().low, 70);
  EXPECT_GT(two.interval().high, 70);
}

TEST(JobOption, ChanceOfAnEarlierEndIsSymmetric) {
  const auto fast = option("fast", 100, 0), slow = option("slow", 120, 0);
  EXPECT_DOUBLE_EQ(chance_sooner(fast, fast), 0.5);
  EXPECT_NEAR(chance_sooner(fast, slow) + chance_sooner(slow, fast), 1, 1e-12);
  // ln(1.2) / (0.1 sqrt(2)) = 1.289 standard deviations
  EXPECT_NEAR(chance_sooner(fast, slow), 0.9013, 1e-4);
}

TEST(JobOption, EqualStagesDoNotBlurTheChance) {
  const Stage wait{"wait", Site::between, 300, 1, 0};
  auto fast = option("fast", 100, 0), slow = option("slow", 120, 0);
  const double alone = chance_sooner(fast, slow);
  fast.stages.push_back(wait);
  slow.stages.push_back(wait);
  EXPECT_DOUBLE_EQ(chance_sooner(fast, slow), alone);
  slow.stages.back().seconds = 301;
  EXPECT_LT(chance_sooner(fast, slow), 0.6);
}

TEST(SiteChoice, SmallGainDoesNotJustifyACost) {
  EXPECT_EQ(chosen({option("here", 100, 0, 1e-3), option("there", 98, 5, 1e-3)}), "here");
  EXPECT_EQ(chosen({option("here", 100, 0, 1e-3), option("there", 90, 5, 1e-3)}), "there");
}

TEST(SiteChoice, FreeOptionWinsUnlessAnotherIsSurelySooner) {
  EXPECT_EQ(chosen({option("here", 100, 0), option("there", 95, 5)}), "here");
  EXPECT_EQ(chosen({option("here", 100, 0), option("there", 50, 5)}), "there");
  EXPECT_EQ(chosen({option("here", 100, 0, 1), option("there", 60, 5, 1)}), "here")
      << "both are too uncertain";
}

TEST(SiteChoice, HybridIsChosenIfItIsCheaperThanTheMachineAlone) {
  const std::vector<JobOption> options{option("here", 1000, 0), option("there", 100, 5),
                                       option("hybrid", 101, 4)};
  EXPECT_EQ(chosen(options), "hybrid");
  EXPECT_EQ(chosen(options, {Objective::time, {}, {}}), "there");
  EXPECT_EQ(chosen(options, {Objective::cost, {}, {}}), "here");
}

TEST(SiteChoice, DeadlineAndBudgetLimitTheOptions) {
  const std::vector<JobOption> options{option("here", 1000, 0), option("there", 100, 5),
                                       option("hybrid", 300, 4)};
  EXPECT_EQ(chosen(options, {Objective::efficiency, 2000, {}}), "here");
  EXPECT_EQ(chosen(options, {Objective::efficiency, 500, {}}), "hybrid");
  EXPECT_EQ(chosen(options, {Objective::efficiency, 200, {}}), "there");
  EXPECT_EQ(chosen(options, {Objective::efficiency, {}, 4.5}), "hybrid");
  const auto missed = choose_site(options, {Objective::efficiency, 50, {}});
  EXPECT_EQ(options[missed.best].name, "there");
  EXPECT_THAT(missed.reason, HasSubstr("best chance"));
  EXPECT_THAT(choose_site(std::vector{option("a", 1, 3)}, {Objective::time, {}, 1}).reason,
              HasSubstr("nothing is within the budget"));
}

TEST(SiteChoice, RefusedOptionIsNotChosen) {
  auto small = option("here", 10, 0);
  small.refused = "takes 100 GB of a node's 16";
  EXPECT_EQ(chosen({small, option("there", 100, 5)}), "there");
  const auto none = choose_site(std::vector{small}, {});
  EXPECT_FALSE(none.is_feasible);
  EXPECT_THAT(none.reason, HasSubstr("takes 100 GB"));
}

TEST(SiteChoice, BreakEvenBalancesMoveAndSpeed) {
  // 10 s of load against 130 s of a move; of all steps 300 s here and 60 s there.
  const double part = break_even_fraction(10, 300, 130, 60);
  EXPECT_DOUBLE_EQ(10 + part * 300, 130 + part * 60);
  EXPECT_TRUE(std::isinf(break_even_fraction(10, 300, 130, 301)));
  EXPECT_EQ(break_even_fraction(130, 300, 10, 60), 0);
}

TEST(Transfer, SizesGrowWithCounts) {
  OutputCounts counts;
  counts.residues = 1000;
  const auto empty = output_bytes(counts);
  EXPECT_EQ(checkpoint_bytes(counts), 48'000);
  EXPECT_GE(empty, 2 * checkpoint_bytes(counts));
  counts.frames = 500;
  EXPECT_EQ(output_bytes(counts) - empty, 500 * 1000 * 12);
  counts.pair_tables = 1;
  counts.distinct_residues = 100;
  EXPECT_EQ(output_bytes(counts) - empty, 500 * 1000 * 12 + 100 * 100 * 16);
}

TEST(Transfer, OnlyDataThatLeaveCost) {
  TransferLink link;
  link.gb_per_s = 0.1;
  link.price_per_gb = 0.09;
  EXPECT_NEAR(transfer_seconds(link, 1'000'000'000), 10, 3);
  EXPECT_DOUBLE_EQ(transfer_price(link, 2'000'000'000), 0.18);
}

TEST(Transfer, EntryOfAMachineHasItsLink) {
  auto text = format_text(builtin_machine("laptop"));
  auto machine = parse_machine(text, "mine", "mine.yaml");
  EXPECT_EQ(machine.transfer.wait_minutes, 0);
  machine.transfer.host = "me@login";
  machine.transfer.folder = "/scratch/a \"b\"";
  const auto read = parse_machine(format_text(machine), "mine", "mine.yaml").transfer;
  EXPECT_EQ(read.host, "me@login");
  EXPECT_EQ(read.folder, machine.transfer.folder);
  EXPECT_EQ(builtin_machine("h200").transfer.price_per_gb, 0.09);
  text.replace(text.find("gb_per_s: 0.1,"), 14, "gb_per_s: 0,");
  EXPECT_THROW((void)parse_machine(text, "mine", "mine.yaml"), core::InputError);
}

TEST(SiteScript, HasTheStagesOfItsJob) {
  SiteScript script;
  script.name = "it's";
  script.steps = 100;
  script.output = "it's-1.out";
  script.ranks_here = 2;
  const auto here = format_text(script);
  EXPECT_THAT(here, HasSubstr("launch -n 2 run"));
  EXPECT_THAT(here, Not(HasSubstr("ssh")));
  script.makes_first_state = true;
  script.there = RemoteJob{"h200", {}, {"there.sh"}, Scheduler::lsf, "it's-1"};
  const auto by_hand = format_text(script);
  EXPECT_THAT(by_hand, HasSubstr("\nfolder=''"));
  EXPECT_THAT(by_hand, HasSubstr("dynamics.steps=0"));
  EXPECT_THAT(by_hand, HasSubstr("bsub < there.sh"));
  script.there->link.host = "me@login";
  EXPECT_THAT(format_text(script), HasSubstr("\nfolder='it'\\''s-1'"));
}

}  // namespace
}  // namespace nfold::estimate

// What inputs ask for on layouts, which machine a node is like, and what is said of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "document/input_error.hpp"
#include "forecast/answer.hpp"
#include "forecast/target_list.hpp"
#include "forecast/target_sizes.hpp"
#include "forecast/workload.hpp"
#include "setup/machine_here.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::forecast {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

std::string input(const std::string& name) {
  return std::string(NFOLD_SOURCE_DIR) + "/input/" + name;
}

TEST(Workload, OfARunTakesLessOfEachRankTheMoreThereAre) {
  const auto machine = plan::builtin_machine("h200");
  const auto workload = workload_of(input("calvados2-slab.yaml"), {}, machine);
  EXPECT_EQ(workload.kind, "run");
  EXPECT_EQ(workload.residues, 6850);
  EXPECT_EQ(workload.folding_gpu_seconds, 0) << "it is not about folding";
  EXPECT_EQ(workload.steps, 500'000);
  const auto one = workload.on({1, 1, true}), two = workload.on({1, 2, true}),
             far = workload.on({2, 8, true});
  EXPECT_GT(one.device_bytes, two.device_bytes);
  EXPECT_GT(far.seconds_of_steps, workload.on({1, 8, true}).seconds_of_steps)
      << "a network is no faster than links";
  EXPECT_GT(one.seconds_of_steps, 500'000 * 6e-6);
  EXPECT_LT(one.seconds_of_steps, 500'000 * 20e-6);  // 12 us were measured on an H100
  EXPECT_THAT(workload.on({64, 256, true}).impossible, HasSubstr("more ranks than residues"));
}

TEST(Workload, BeyondTheLimitOfMemoryIsRefusedAsByARun) {
  const auto machine = plan::builtin_machine("h200");
  for (const char* name : {"calvados2-slab.yaml", "ubiquitin-exchange.yaml"}) {
    const auto workload = workload_of(input(name), {"devices.memory_limit_gb=0.0001"}, machine);
    EXPECT_THAT(workload.on({1, 1, true}).impossible, HasSubstr("devices.memory_limit_gb allows"));
  }
}

TEST(Workload, OfALargeSystemIsCountedOnAPartOfIt) {
  auto machine = plan::builtin_machine("h200");
  machine.core_step.far_residue_ns = 0;  // a copy takes the same among many as alone
  const auto small = workload_of(input("go-ubq.yaml"), {"system.copies=1"}, machine);
  const auto large =
      workload_of(input("go-ubq.yaml"),
                  {"system.copies=2000", "system.box_nm=[200]", "start.from=random"}, machine);
  EXPECT_EQ(large.residues, 2000 * 76);
  const double ratio = large.on({1, 1, false}).seconds_of_steps /
                       small.on({1, 1, false}).seconds_of_steps * static_cast<double>(small.steps) /
                       static_cast<double>(large.steps);
  EXPECT_NEAR(ratio, 2000, 400);
}

TEST(Workload, OfAnEnsembleSharesReplicas) {
  const auto machine = plan::builtin_machine("h200");
  const auto workload = workload_of(input("ubiquitin-exchange.yaml"), {}, machine);
  EXPECT_EQ(workload.kind, "ensemble");
  EXPECT_EQ(workload.replicas, 64);
  EXPECT_EQ(workload.folding_gpu_seconds, 10) << "the class of 76 residues";
  EXPECT_NEAR(workload.given_gpu_seconds, workload.on({1, 1, true}).seconds_of_steps, 1e-9);
  EXPECT_LT(workload.on({1, 4, true}).seconds_of_steps, workload.on({1, 1, true}).seconds_of_steps);
  EXPECT_THAT(workload.on({1, 65, false}).impossible, HasSubstr("more ranks than replicas"));
}

TEST(Workload, OfAListIsThatOfItsTargets) {
  const auto machine = plan::builtin_machine("h200");
  const auto workload = workload_of(input("targets.yaml"), {}, machine);
  EXPECT_EQ(workload.kind, "batch");
  EXPECT_THAT(workload.lines.front(), HasSubstr("4 of 4 targets"));
  const double one = workload.on({1, 1, true}).seconds_of_steps;
  EXPECT_GT(one, 0);
  EXPECT_GE(workload.on({1, 2, true}).seconds_of_steps, one / 2 * 0.999);
}

TEST(Workload, OfAListIsLessSideBySide) {
  const auto machine = plan::builtin_machine("h200");
  const auto seconds = [&](int side_by_side) {
    const auto workload = workload_of(input("targets.yaml"), {}, machine, side_by_side);
    double sum = 0;
    for (const auto& target : workload.targets) sum += target.seconds;
    return workload.on({1, 1, true}).seconds_of_steps / sum;
  };
  EXPECT_NEAR(seconds(1), 1, 1e-9);
  EXPECT_LT(seconds(16), 0.95);
}

/// Every number of GPUs of a node, and of nodes.
std::vector<plan::Layout> all_layouts(const plan::Machine& machine) {
  std::vector<plan::Layout> layouts;
  for (int gpus = 1; gpus <= machine.gpus_per_node; ++gpus) layouts.push_back({1, gpus, true});
  for (int nodes = 2; nodes <= machine.most_nodes; ++nodes) {
    layouts.push_back({nodes, machine.gpus_per_node, true});
  }
  return layouts;
}

TEST(Workload, TwentyQuestionsAreAnsweredAsByAFullSweep) {
  const auto machine = plan::builtin_machine("h100");
  const std::vector<std::pair<std::string, std::vector<std::string>>> inputs{
      {"calvados2-slab.yaml", {}},
      {"ubiquitin-exchange.yaml", {}},
      {"go-ubq.yaml", {"system.copies=4000", "system.box_nm=[250]", "start.from=random"}},
      {"calvados2-slab.yaml", {"dynamics.steps=1e8"}},
      {"go-ubq.yaml",
       {"system.copies=40000", "system.box_nm=[600]", "start.from=random", "dynamics.steps=1e7"}}};
  int questions = 0, on_several = 0;
  for (const auto& [name, overrides] : inputs) {
    const auto workload = workload_of(input(name), overrides, machine);
    const double alone = plan::choose(machine, {{1, 1, true}}, workload.on, {}).all.at(0).seconds;
    for (const double share : {1.5, 0.7, 0.3, 0.12}) {
      const plan::Question question{plan::Objective::efficiency, share * alone, {}};
      const auto taken = plan::choose(machine, plan::layouts_of(machine), workload.on, question);
      const auto swept = plan::choose(machine, all_layouts(machine), workload.on, question);
      ASSERT_TRUE(taken.best && swept.best) << name;
      EXPECT_EQ(taken.meets_deadline, swept.meets_deadline) << name << ' ' << share;
      const auto &best = taken.all[*taken.best], &cheapest = swept.all[*swept.best];
      if (swept.meets_deadline) {
        EXPECT_LE(best.cost, 1.05 * cheapest.cost) << name << " " << share;
      }
      on_several += best.layout.ranks() > 1 ? 1 : 0;
      ++questions;
    }
  }
  EXPECT_EQ(questions, 20);
  EXPECT_GE(on_several, 8) << "the questions are too easy";
}

TEST(TargetList, IsAListOrAFolder) {
  const auto list = target_list_of(input("targets.yaml"));
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->targets.size(), 4U);
  EXPECT_GT(target_list_of(input("structures"))->targets.size(), 20U);
  EXPECT_FALSE(target_list_of(input("ubiquitin.yaml")).has_value());
  EXPECT_THROW((void)target_list_of(input("no-such.yaml")), document::InputError);
}

/// Its history is one of its own, and gone afterwards.
class TargetSizes : public testing::Test {
 protected:
  void SetUp() override { setenv("NFOLD_HISTORY", (folder_ / "history.sqlite").c_str(), 1); }
  void TearDown() override { setenv("NFOLD_HISTORY", "off", 1); }
  [[nodiscard]] std::vector<std::int64_t> residues() const {
    std::vector<std::int64_t> found;
    for (const auto& target : sizes_of(*target_list_of(folder_ / "list.yaml"), {})) {
      found.push_back(target.size.work.residues);
    }
    return found;
  }

  const test::TemporaryFolder folder_;
};

TEST_F(TargetSizes, AreKeptUntilAFileIsAnother) {
  const fs::path structures = input("structures");
  std::ofstream list(folder_ / "list.yaml");
  list << "targets:\n";
  for (int k = 0; k < 8; ++k) {
    list << "- structure: " << k << ".pdb.gz\n";
    fs::copy_file(structures / "1ubq.pdb.gz", folder_ / (std::to_string(k) + ".pdb.gz"));
  }
  list.close();
  ASSERT_EQ(residues(), std::vector<std::int64_t>(8, 76));
  ASSERT_TRUE(fs::exists(folder_ / "history.sqlite"));
  const auto first = sizes_of(*target_list_of(folder_ / "list.yaml"), {});
  EXPECT_EQ(first[3].size.work.parts.size(), 3U);
  EXPECT_GT(first[3].size.work.parts[1].steps, 0);
  EXPECT_TRUE(first[3].size.folds);
  const auto with_more =
      sizes_of(*target_list_of(folder_ / "list.yaml"), {"force_field.contacts.cutoff_nm=0.5"});
  EXPECT_LT(with_more[0].size.work.terms, first[0].size.work.terms)
      << "overrides are part of the question";
  fs::copy_file(structures / "1a8o.pdb.gz", folder_ / "5.pdb.gz",
                fs::copy_options::overwrite_existing);
  const auto after = residues();
  EXPECT_NE(after[5], 76);
  EXPECT_EQ(after[4], 76);
}

TEST_F(TargetSizes, OfTargetsThatWereThereBeforeAreNotReadAgain) {
  const fs::path ubiquitin = input("structures/1ubq.pdb.gz");
  const auto write = [&](int targets) {
    std::ofstream list(folder_ / "list.yaml");
    list << "targets:\n";
    for (int k = targets; k-- > 0;) {
      list << "- {structure: " << k << ".pdb.gz, name: of-" << targets << '-' << k << "}\n";
      if (!fs::exists(folder_ / (std::to_string(k) + ".pdb.gz"))) {
        fs::copy_file(ubiquitin, folder_ / (std::to_string(k) + ".pdb.gz"));
      }
    }
  };
  write(8);
  ASSERT_EQ(residues(), std::vector<std::int64_t>(8, 76));
  // As long and as old, so that only who reads it finds out.
  const auto file = folder_ / "3.pdb.gz";
  const auto age = fs::last_write_time(file);
  const std::string nothing(fs::file_size(file), 'x');
  std::ofstream(file) << nothing;
  fs::last_write_time(file, age);
  write(9);
  EXPECT_EQ(residues(), std::vector<std::int64_t>(9, 76)) << "in another order, with other names";
  fs::last_write_time(file, age + std::chrono::hours(1));
  EXPECT_NE(residues()[5], 76) << "it is another file";
}

TEST_F(TargetSizes, OfTargetsThatDifferInNamesAreTheSame) {
  std::ofstream list(folder_ / "list.yaml");
  fs::copy_file(input("structures/1ubq.pdb.gz"), folder_ / "1ubq.pdb.gz");
  fs::copy_file(input("structures/1a8o.pdb.gz"), folder_ / "1a8o.pdb.gz");
  list << "targets:\n- {structure: 1ubq.pdb.gz, name: a}\n- {structure: 1a8o.pdb.gz, name: b}\n"
          "- {structure: 1ubq.pdb.gz, name: c}\n- {structure: 1ubq.pdb.gz, name: d, input: {no: "
          "1}}\n"
          "- {structure: 1ubq.pdb.gz, name: e, input: {no: 1}}\n";
  list.close();
  const auto sizes = sizes_of(*target_list_of(folder_ / "list.yaml"), {});
  EXPECT_EQ(sizes[0].size.work.residues, 76);
  EXPECT_NE(sizes[1].size.work.residues, 76);
  EXPECT_EQ(sizes[2].size.work.residues, 76);
  EXPECT_THAT(sizes[3].size.problem, testing::HasSubstr("list.yaml:5"));
  EXPECT_THAT(sizes[4].size.problem, testing::HasSubstr("list.yaml:6"));
}

TEST(TargetList, IsCheckedTargetByTarget) {
  auto list = *target_list_of(input("targets.yaml"));
  list.budget_gpu_seconds = 20;
  auto checked = check_targets(list, {});
  EXPECT_TRUE(checked.errors.empty());
  EXPECT_THAT(checked.notes,
              Contains(HasSubstr("target 'ubiquitin': 76 residues, budget 20 s of an "
                                 "H200, predicted 20 s: scan")));
  EXPECT_THAT(checked.notes, Contains(HasSubstr("run by its input")));
  // 1UBQ has 58 waters.
  EXPECT_THAT(checked.notes, Contains(HasSubstr("target 'ubiquitin': water left out: 58")));
  checked = check_targets(list, {"system.chains=[Q]"});
  EXPECT_EQ(checked.errors.size(), 4U);
  EXPECT_TRUE(checked.notes.empty());
}

hardware::NodeInventory node() {
  hardware::NodeInventory node;
  node.host = "n1";
  node.cpu.model = "a processor";
  node.cpu.cores = 12;
  node.cpu.memory_total_bytes = 64'000'000'000;
  return node;
}

TEST(MachineHere, IsTheBuiltInOneWithItsGpus) {
  auto with_gpus = node();
  for (int k = 0; k < 2; ++k) {
    hardware::Gpu gpu;
    gpu.index = k;
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.memory_total_bytes = 85'000'000'000;
    with_gpus.gpus.push_back(gpu);
  }
  const auto machine = setup::machine_like(with_gpus), h100 = plan::builtin_machine("h100");
  EXPECT_EQ(machine.gpus_per_node, 2);
  EXPECT_EQ(machine.cores_per_node, 12);
  EXPECT_DOUBLE_EQ(machine.gpu->memory_gb, 85);
  EXPECT_EQ(machine.gpu_step.pair_ns, h100.gpu_step.pair_ns);
  EXPECT_EQ(plan::layouts_of(machine).size(), 2U);
}

TEST(MachineHere, IsScaledWhereItsGpuIsUnknownAndHasCoresWithoutOne) {
  auto unknown = node();
  hardware::Gpu gpu;
  gpu.name = "NVIDIA Something";
  gpu.compute_units = 66;
  gpu.most_clock_mhz = 1980;
  unknown.gpus.push_back(gpu);
  const auto machine = setup::machine_like(unknown), h200 = plan::builtin_machine("h200");
  EXPECT_TRUE(machine.steps_are_scaled);
  EXPECT_DOUBLE_EQ(machine.gpu_step.pair_ns[1], 2 * h200.gpu_step.pair_ns[1]);
  const auto without = setup::machine_like(node());
  EXPECT_FALSE(without.has_gpus());
  EXPECT_FALSE(plan::layouts_of(without).front().on_gpu);
}

TEST(MachineHere, KnowsAGpuByWholeWords) {
  const auto pairs_of = [](const std::string& name) {
    auto one = node();
    hardware::Gpu gpu;
    gpu.name = name;
    one.gpus.push_back(gpu);
    return setup::machine_like(one).gpu_step.pair_ns;
  };
  const auto of = [](const char* machine) {
    return plan::builtin_machine(machine).gpu_step.pair_ns;
  };
  ASSERT_NE(of("a100"), of("h200"));
  EXPECT_EQ(pairs_of("NVIDIA A100-SXM4-80GB"), of("a100"));
  EXPECT_EQ(pairs_of("NVIDIA H100 80GB HBM3"), of("h100"));
  EXPECT_EQ(pairs_of("NVIDIA GeForce RTX 4060 Laptop GPU"), of("rtx4060"));
  EXPECT_EQ(pairs_of("NVIDIA RTX A1000"), of("h200")) << "nothing is known of it";
}

TEST(MachineHere, RefusesAWordThatIsNoMachine) {
  try {
    (void)setup::machine_for("h20");
    FAIL() << "nothing was thrown";
  } catch (const document::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no built-in machine and no file"));
    EXPECT_THAT(error.what(), HasSubstr("h200"));
  }
}

TEST(Answer, TellsTheSameInWordsAndNumbers) {
  const auto machine = plan::builtin_machine("h100");
  const auto workload = workload_of(input("ubiquitin.yaml"), {}, machine);
  const plan::Question question{plan::Objective::efficiency, 3600, {}};
  const auto choice = plan::choose(machine, plan::layouts_of(machine), workload.on, question);
  const Answer answer{"ubiquitin.yaml", machine, workload, question, choice};
  const auto told = nlohmann::json::parse(json_of(answer));
  EXPECT_EQ(told.at("residues"), 76);
  EXPECT_EQ(told.at("best"), 0);
  EXPECT_EQ(told.at("layouts").size(), choice.all.size());
  EXPECT_EQ(told.at("deadline_seconds"), 3600);
  EXPECT_TRUE(told.at("budget").is_null());
  EXPECT_FALSE(told.at("layouts").at(1).at("extrapolated"));
  EXPECT_TRUE(told.at("layouts").at(2).at("extrapolated"));
  const auto text = text_of(answer);
  EXPECT_THAT(text, HasSubstr("* 1 GPU"));
  EXPECT_THAT(text, HasSubstr("plan: 1 GPU"));
  EXPECT_THAT(text, HasSubstr("larger layouts end no sooner"));
  EXPECT_THAT(csv_of(answer), HasSubstr("nodes,ranks,on_gpu"));
}

}  // namespace
}  // namespace nfold::forecast

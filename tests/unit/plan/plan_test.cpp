// Workloads of inputs on layouts, and reports of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/plan/plan_report.hpp"
#include "cli/plan/target_list.hpp"
#include "cli/plan/target_sizes.hpp"
#include "cli/plan/workload.hpp"
#include "core/input_error.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

std::string input(const std::string& name) {
  return std::string(NFOLD_SOURCE_DIR) + "/input/" + name;
}

TEST(Workload, RunSplitsOverRanks) {
  const auto machine = estimate::builtin_machine("h200");
  const auto workload = count_workload(input("calvados2-slab.yaml"), {}, machine);
  EXPECT_EQ(workload.kind, "run");
  EXPECT_EQ(workload.residues, 6850);
  EXPECT_EQ(workload.folding_gpu_seconds, 0) << "it is not about folding";
  EXPECT_EQ(workload.steps, 500'000);
  const auto one = workload.on({1, 1, true}), two = workload.on({1, 2, true}),
             far = workload.on({2, 8, true});
  EXPECT_GT(one.device_bytes, two.device_bytes);
  EXPECT_GT(far.time.steps, workload.on({1, 8, true}).time.steps)
      << "a network is no faster than links";
  EXPECT_GT(one.time.steps, 500'000 * 6e-6);
  EXPECT_LT(one.time.steps, 500'000 * 20e-6);  // 12 us were measured on an H100
  EXPECT_THAT(workload.on({64, 256, true}).impossible, HasSubstr("more ranks than residues"));
}

TEST(Workload, ExceededMemoryLimitIsRefused) {
  const auto machine = estimate::builtin_machine("h200");
  for (const char* name : {"calvados2-slab.yaml", "ubiquitin-exchange.yaml"}) {
    const auto workload = count_workload(input(name), {"devices.memory_limit_gb=0.0001"}, machine);
    EXPECT_THAT(workload.on({1, 1, true}).impossible, HasSubstr("devices.memory_limit_gb allows"));
  }
  const auto list =
      count_workload(input("targets.yaml"), {"devices.memory_limit_gb=0.0001"}, machine);
  for (const bool on_gpu : {true, false}) {
    EXPECT_THAT(list.on({1, 1, on_gpu}).impossible,
                AllOf(StartsWith("target '"), HasSubstr("devices.memory_limit_gb allows")));
  }
}

TEST(Workload, LargeSystemScalesWithCopies) {
  auto machine = estimate::builtin_machine("h200");
  machine.core_step.far_residue_ns = 0;  // makes the cost of a copy independent of their number
  const auto small = count_workload(input("go-ubq.yaml"), {"system.copies=1"}, machine);
  const auto large =
      count_workload(input("go-ubq.yaml"),
                     {"system.copies=2000", "system.box_nm=[200]", "start.from=random"}, machine);
  EXPECT_EQ(large.residues, 2000 * 76);
  const double ratio = large.on({1, 1, false}).time.steps / small.on({1, 1, false}).time.steps *
                       static_cast<double>(small.steps) / static_cast<double>(large.steps);
  EXPECT_NEAR(ratio, 2000, 400);
}

TEST(Workload, EnsembleSplitsReplicas) {
  const auto machine = estimate::builtin_machine("h200");
  const auto workload = count_workload(input("ubiquitin-exchange.yaml"), {}, machine);
  EXPECT_EQ(workload.kind, "ensemble");
  EXPECT_EQ(workload.replicas, 64);
  EXPECT_EQ(workload.folding_gpu_seconds, 10) << "the class of 76 residues";
  const auto one = workload.on({1, 1, true}).time;
  EXPECT_GT(workload.given_gpu_seconds, one.steps);
  EXPECT_LT(workload.given_gpu_seconds, one.seconds()) << "without the start of the program";
  EXPECT_LT(workload.on({1, 4, true}).time.steps, workload.on({1, 1, true}).time.steps);
  EXPECT_THAT(workload.on({1, 65, false}).impossible, HasSubstr("more ranks than replicas"));
}

TEST(Workload, ObservablesOfManyResiduesAreTheBottleneck) {
  const auto machine = estimate::builtin_machine("h100");
  const std::vector<std::string> large{"system.copies=643421", "system.box_nm=[1600]",
                                       "start.from=random", "dynamics.steps=100000"};
  auto observed = large;
  observed.emplace_back("observables.every_steps=1000");
  const auto choice = estimate::choose(machine, {{1, 4, true}, {1, 8, true}},
                                       count_workload(input("go-ubq.yaml"), observed, machine).on,
                                       {estimate::Objective::time, {}, {}});
  EXPECT_THAT(choice.reason, HasSubstr("most of the time goes to observables"));
  const auto &four = choice.all.at(0).work.time, &eight = choice.all.at(1).work.time;
  EXPECT_LT(eight.observables, four.observables) << "contacts are shared";
  EXPECT_GT(eight.observables, four.observables / 2) << "rank 0 sums the rest";
  EXPECT_LT(eight.steps, 0.6 * four.steps);
  const auto without = count_workload(input("go-ubq.yaml"), large, machine).on({1, 8, true}).time;
  EXPECT_EQ(without.observables, 0);
}

/// Returns the time of a list beside the start of its processes [s].
double list_seconds(const Workload& workload, int gpus, const estimate::Machine& machine) {
  return workload.on({1, gpus, true}).time.seconds() - machine.job.gpu_start_seconds;
}

TEST(Workload, ListSumsItsTargets) {
  const auto machine = estimate::builtin_machine("h200");
  const auto workload = count_workload(input("targets.yaml"), {}, machine, 1);
  EXPECT_EQ(workload.kind, "batch");
  EXPECT_THAT(workload.lines.front(), HasSubstr("4 of 4 targets"));
  const double one = list_seconds(workload, 1, machine);
  EXPECT_EQ(workload.targets.size(), 4U);
  double sum = 0;
  for (const auto& target : workload.targets) sum += target.seconds;
  EXPECT_GT(sum, 0);
  EXPECT_NEAR(one, sum, 1e-9 * sum);
  EXPECT_GE(list_seconds(workload, 2, machine), one / 2 * 0.999);
  const auto time = workload.on({1, 1, true}).time;
  EXPECT_GT(time.analysis, 0);
  EXPECT_GT(time.observables, 0);
  EXPECT_NEAR(time.start,
              machine.job.gpu_start_seconds + 10 * machine.speeds.gpu.part.start_seconds, 1e-9)
      << "three parts of three targets and a run";
}

TEST(Workload, ConcurrentTargetsTakeLessTime) {
  const auto machine = estimate::builtin_machine("h200");
  const auto seconds = [&](int side_by_side) {
    const auto workload = count_workload(input("targets.yaml"), {}, machine, side_by_side);
    double sum = 0;
    for (const auto& target : workload.targets) sum += target.seconds;
    return list_seconds(workload, 1, machine) / sum;
  };
  EXPECT_NEAR(seconds(1), 1, 1e-9);
  EXPECT_LT(seconds(16), 0.95);
}

TEST(Workload, MoreGpusNeverLengthenTheListOfStructures) {
  const auto machine = estimate::builtin_machine("h200");
  const auto workload = count_workload(input("structures"), {}, machine);
  double longest_on_one = 0, before = std::numeric_limits<double>::max();
  for (const auto& target : workload.targets) {
    longest_on_one = std::max(longest_on_one, target.seconds);
  }
  for (int gpus = 1; gpus <= 64; ++gpus) {
    const auto on = workload.on({1, gpus, true});
    EXPECT_LE(on.time.seconds(), before * (1 + 1e-9)) << gpus;
    before = on.time.seconds();
    if (gpus <= 6) {
      EXPECT_GE(on.time.seconds(), longest_on_one / gpus) << gpus;
    }
  }
  EXPECT_GT(workload.on({1, 4, true}).time.seconds(), longest_on_one)
      << "four targets of the same length do not share four GPUs";
  EXPECT_THAT(workload.on({1, 4, true}).bottleneck, HasSubstr("the longest target, '"));
}

/// List of some targets in a temporary folder.
class TargetLists : public testing::Test {
 protected:
  /// entries: keys of each target beside its name and structure.
  [[nodiscard]] Workload count(const std::vector<std::string>& entries,
                               const estimate::Machine& machine, int side_by_side = 16) const {
    std::ofstream list(folder_ / "list.yaml");
    list << "targets:\n";
    for (std::size_t k = 0; k < entries.size(); ++k) {
      list << "- {name: n" << k << ", structure: " << input("structures/1ubq.pdb.gz");
      list << (entries[k].empty() ? "" : ", ") << entries[k] << "}\n";
    }
    list.close();
    return count_workload(folder_ / "list.yaml", {}, machine, side_by_side);
  }

  const test::TemporaryFolder folder_;
  const estimate::Machine machine_ = estimate::builtin_machine("h200");
};

TEST_F(TargetLists, FixedTargetsNeedTheirBackend) {
  const estimate::Layout gpu{1, 1, true, 0}, cores{1, 2, false, 0}, both{1, 1, true, 2};
  const auto on_cores = count({"execution: cpu", ""}, machine_);
  EXPECT_THAT(on_cores.on(gpu).impossible,
              HasSubstr("target 'n0' has execution: cpu; take cores beside the GPUs"));
  EXPECT_EQ(on_cores.on(cores).impossible, "");
  EXPECT_EQ(on_cores.on(both).impossible, "");
  const auto on_gpus = count({"", "execution: gpu"}, machine_);
  EXPECT_THAT(on_gpus.on(cores).impossible, HasSubstr("target 'n1' has execution: gpu; take GPUs"));
  EXPECT_EQ(on_gpus.on(gpu).impossible, "");
  EXPECT_EQ(on_gpus.on(both).impossible, "");
}

TEST_F(TargetLists, MixedJobEndsWithTheLaterBackend) {
  const estimate::Layout gpu{1, 1, true, 0}, core{1, 1, false, 0}, both{1, 1, true, 1};
  const std::string run = "protocol: run, input: {dynamics: {steps: 300000}}, execution: ";
  const auto cpu_alone = count({run + "cpu"}, machine_).on(core);
  const auto gpu_alone = count({run + "gpu"}, machine_).on(gpu);
  const auto mixed = count({run + "cpu", run + "gpu"}, machine_).on(both);
  EXPECT_NEAR(mixed.time.steps, std::max(cpu_alone.time.steps, gpu_alone.time.steps),
              1e-9 * mixed.time.steps);
  EXPECT_EQ(mixed.device_bytes, gpu_alone.device_bytes);
  EXPECT_NEAR(static_cast<double>(mixed.host_bytes),
              static_cast<double>(cpu_alone.host_bytes + gpu_alone.host_bytes),
              0.01 * static_cast<double>(mixed.host_bytes));
}

TEST_F(TargetLists, AutoTargetsGoWhereTheBatchSendsThem) {
  const std::string run = "protocol: run, input: {dynamics: {steps: 20000}}";
  const std::vector<std::string> entries{run, "", run, "chains: ['A:1-40']", run};
  const auto planned = count(entries, machine_);
  const auto sizes = find_sizes(*read_target_list(folder_ / "list.yaml"), {});
  for (const auto& layout :
       {estimate::Layout{1, 1, true, 2}, estimate::Layout{1, 2, true, 46}, {2, 8, true, 184}}) {
    auto fixed = entries;
    int on_cores = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto decision = estimate::decide(sizes[k].size.work, machine_.speeds,
                                             estimate::job_of(layout), std::nullopt);
      const std::string name = estimate::backend_name(*decision.space);
      fixed[k] += (fixed[k].empty() ? "execution: " : ", execution: ") + name;
      on_cores += name == "cpu" ? 1 : 0;
    }
    EXPECT_GE(on_cores, 3);
    EXPECT_DOUBLE_EQ(planned.on(layout).time.seconds(),
                     count(fixed, machine_).on(layout).time.seconds());
  }
}

TEST_F(TargetLists, MemoryCountsConcurrentTargets) {
  const estimate::Layout gpu{1, 1, true, 0}, two_gpus{1, 2, true, 0};
  const std::string small =
      "protocol: run, input: {dynamics: {steps: 1000}, ensemble: {temperatures: 4, lowest_kelvin: "
      "100, "
      "highest_kelvin: 200}}";
  const auto one = count({small}, machine_).on(gpu);
  EXPECT_GT(one.device_bytes, 0);
  EXPECT_GT(one.host_bytes, one.device_bytes);
  const std::vector<std::string> eight(8, small);
  const auto together = count(eight, machine_).on(gpu);
  EXPECT_EQ(together.device_bytes, 8 * one.device_bytes);
  EXPECT_EQ(count(eight, machine_).on(two_gpus).device_bytes, 7 * one.device_bytes)
      << "the other GPU has one at least";
  EXPECT_EQ(count(eight, machine_, 1).on(gpu).device_bytes, one.device_bytes);
  const auto on_cores = count(eight, machine_);
  const auto one_core = on_cores.on({1, 1, false}).host_bytes;
  EXPECT_EQ(on_cores.on({1, 4, false}).host_bytes, 4 * one_core) << "one target at once on a core";
}

/// Layouts of every number of GPUs and cores in a node and of every number of nodes.
std::vector<estimate::Layout> all_layouts(const estimate::Machine& machine) {
  estimate::LayoutWish wish;
  wish.lists_every_number = true;
  return estimate::list_layouts(machine, wish);
}

TEST(Workload, ChosenLayoutsMatchFullSweep) {
  const auto machine = estimate::builtin_machine("h100");
  const std::vector<std::pair<std::string, std::vector<std::string>>> inputs{
      {"calvados2-slab.yaml", {}},
      {"ubiquitin-exchange.yaml", {}},
      {"go-ubq.yaml", {"system.copies=4000", "system.box_nm=[250]", "start.from=random"}},
      {"calvados2-slab.yaml", {"dynamics.steps=1e8"}},
      {"go-ubq.yaml",
       {"system.copies=40000", "system.box_nm=[600]", "start.from=random", "dynamics.steps=1e7"}}};
  int questions = 0, on_several = 0, in_time = 0;
  for (const auto& [name, overrides] : inputs) {
    const auto workload = count_workload(input(name), overrides, machine);
    const double alone =
        estimate::choose(machine, {{1, 1, true}}, workload.on, {}).all.at(0).seconds;
    for (const double share : {1.5, 0.7, 0.3, 0.12}) {
      const estimate::PlanGoal goal{estimate::Objective::efficiency, share * alone, {}};
      const auto taken =
          estimate::choose(machine, estimate::list_layouts(machine), workload.on, goal);
      const auto swept = estimate::choose(machine, all_layouts(machine), workload.on, goal);
      ASSERT_TRUE(taken.best && swept.best) << name;
      EXPECT_EQ(taken.meets_deadline, swept.meets_deadline) << name << ' ' << share;
      const auto &best = taken.all[*taken.best], &cheapest = swept.all[*swept.best];
      if (swept.meets_deadline) {
        EXPECT_LE(best.cost, 1.05 * cheapest.cost) << name << " " << share;
        ++in_time;
      }
      on_several += best.layout.ranks() > 1 ? 1 : 0;
      ++questions;
    }
  }
  EXPECT_EQ(questions, 20);
  EXPECT_GT(in_time, 0);
  EXPECT_GE(on_several, 8) << "the questions are too easy";
}

TEST(TargetList, ReadsListsAndFolders) {
  const auto list = read_target_list(input("targets.yaml"));
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->targets.size(), 4U);
  EXPECT_GT(read_target_list(input("structures"))->targets.size(), 20U);
  EXPECT_FALSE(read_target_list(input("ubiquitin.yaml")).has_value());
  EXPECT_THROW((void)read_target_list(input("no-such.yaml")), core::InputError);
}

/// Uses a history file in a temporary folder.
class TargetSizes : public testing::Test {
 protected:
  void SetUp() override { setenv("NFOLD_HISTORY", (folder_ / "history.sqlite").c_str(), 1); }
  void TearDown() override { setenv("NFOLD_HISTORY", "off", 1); }
  [[nodiscard]] std::vector<std::int64_t> residues() const {
    std::vector<std::int64_t> found;
    for (const auto& target : find_sizes(*read_target_list(folder_ / "list.yaml"), {})) {
      found.push_back(target.size.work.residues);
    }
    return found;
  }

  const test::TemporaryFolder folder_;
};

TEST_F(TargetSizes, AreCachedUntilAFileChanges) {
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
  const auto first = find_sizes(*read_target_list(folder_ / "list.yaml"), {});
  EXPECT_EQ(first[3].size.work.parts.size(), 3U);
  EXPECT_GT(first[3].size.work.parts[1].steps, 0);
  EXPECT_EQ(first[3].size.protocol, input::Protocol::folding);
  EXPECT_GT(first[3].memory.device, 0);
  EXPECT_GT(first[3].memory.core, first[3].memory.host);
  const auto with_more =
      find_sizes(*read_target_list(folder_ / "list.yaml"), {"force_field.contacts.cutoff_nm=0.5"});
  EXPECT_LT(with_more[0].size.work.terms, first[0].size.work.terms)
      << "overrides are part of the question";
  fs::copy_file(structures / "1a8o.pdb.gz", folder_ / "5.pdb.gz",
                fs::copy_options::overwrite_existing);
  const auto after = residues();
  EXPECT_NE(after[5], 76);
  EXPECT_EQ(after[4], 76);
}

TEST_F(TargetSizes, KnownFilesAreNotReadAgain) {
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
  // Equal size and time stamp, so only reading the file reveals the change.
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

TEST_F(TargetSizes, DoNotDependOnNames) {
  std::ofstream list(folder_ / "list.yaml");
  fs::copy_file(input("structures/1ubq.pdb.gz"), folder_ / "1ubq.pdb.gz");
  fs::copy_file(input("structures/1a8o.pdb.gz"), folder_ / "1a8o.pdb.gz");
  list << "targets:\n- {structure: 1ubq.pdb.gz, name: a}\n- {structure: 1a8o.pdb.gz, name: b}\n"
          "- {structure: 1ubq.pdb.gz, name: c}\n- {structure: 1ubq.pdb.gz, name: d, input: {no: "
          "1}}\n"
          "- {structure: 1ubq.pdb.gz, name: e, input: {no: 1}}\n";
  list.close();
  const auto sizes = find_sizes(*read_target_list(folder_ / "list.yaml"), {});
  EXPECT_EQ(sizes[0].size.work.residues, 76);
  EXPECT_NE(sizes[1].size.work.residues, 76);
  EXPECT_EQ(sizes[2].size.work.residues, 76);
  EXPECT_THAT(sizes[3].size.problem, testing::HasSubstr("list.yaml:5"));
  EXPECT_THAT(sizes[4].size.problem, testing::HasSubstr("list.yaml:6"));
}

TEST(TargetList, ChecksEachTarget) {
  auto list = *read_target_list(input("targets.yaml"));
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

TEST(PlanReport, FormatsAgree) {
  const std::vector machines{estimate::builtin_machine("h100")};
  const std::vector workloads{count_workload(input("ubiquitin.yaml"), {}, machines[0])};
  const estimate::PlanGoal goal{estimate::Objective::efficiency, 3600, {}};
  const auto choice =
      estimate::choose(machines[0], estimate::list_layouts(machines[0]), workloads[0].on, goal);
  const PlanReport answer{"ubiquitin.yaml", machines, workloads, goal, choice};
  const auto json = nlohmann::json::parse(format_json(answer));
  EXPECT_EQ(json.at("residues"), 76);
  EXPECT_EQ(json.at("layouts").at(json.at("best").get<std::size_t>()).at("layout"), "1 core");
  EXPECT_EQ(json.at("machine").at("name"), "h100");
  EXPECT_EQ(json.at("layouts").size(), choice.all.size());
  EXPECT_EQ(json.at("deadline_seconds"), 3600);
  EXPECT_TRUE(json.at("budget").is_null());
  EXPECT_FALSE(json.at("layouts").at(1).at("extrapolated"));
  EXPECT_TRUE(json.at("layouts").at(2).at("extrapolated"));
  const auto text = format_text(answer);
  EXPECT_THAT(text, HasSubstr("* 1 core"));
  EXPECT_THAT(text, HasSubstr("plan: 1 core"));
  EXPECT_THAT(text, HasSubstr("  1 GPU"));
  EXPECT_THAT(text, HasSubstr("or 1 GPU: "));
  EXPECT_THAT(text, HasSubstr("further layouts"));
  EXPECT_THAT(text, HasSubstr("parts: start "));
  EXPECT_THAT(format_csv(answer), HasSubstr("nodes,ranks,on_gpu"));
}

}  // namespace
}  // namespace nfold::plan

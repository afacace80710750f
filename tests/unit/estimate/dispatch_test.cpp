// Choice of GPU or CPU ranks for a target, and its description.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/dispatch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "estimate/machine.hpp"

namespace nfold::estimate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const MachineTable& machine() {
  static const auto table = builtin_machine(default_machine).speeds;
  return table;
}

/// One trajectory of a Go model with as many terms per residue as ubiquitin.
TargetWork trajectory(std::int64_t residues, std::int64_t steps = 1'000'000) {
  return {residues, 412 * residues / 76, true, false, {{1, steps}}};
}
TargetWork replicated(std::int64_t residues, std::int64_t replicas) {
  return {residues, 412 * residues / 76, true, true, {{replicas, 1'000'000}}};
}
Decision choice(const TargetWork& work, const JobRanks& job) {
  return decide(work, machine(), job, std::nullopt);
}

/// Seconds of the steps of a target with one part on one rank.
double steps_alone(const TargetWork& work, const JobRanks& job, Backend backend) {
  return seconds_of_steps(work.parts.front(), work, machine(), job, backend, 1);
}

/// Seconds of a target on one rank.
double seconds_alone(const TargetWork& work, const JobRanks& job, Backend backend) {
  return work_seconds(work, machine(), job, backend, 1).all();
}

TEST(SecondsOfSteps, AreStepsOverSpeed) {
  const JobRanks job{2, 1, 2};
  EXPECT_NEAR(steps_alone(trajectory(76), job, Backend::cpu), 1e6 / 120'000, 0.05);
  EXPECT_NEAR(steps_alone(trajectory(76), job, Backend::gpu), 1e6 / 197'000, 0.05);
  EXPECT_NEAR(steps_alone(replicated(76, 1056), job, Backend::cpu), 1e6 * 1056 / 335e3, 5);
  // Two threads advance twice as many replicas.
  EXPECT_NEAR(steps_alone(replicated(76, 1056), {1, 1, 2}, Backend::cpu), 1e6 * 1056 / 670e3, 5);
}

// Measured by nfold bench on one H200: go-ubq-1056, go-ubq-4224, go-300-1000 and go-ubq-alone.
TEST(SecondsOfSteps, DependOnRepulsionCutoff) {
  const auto step_us = [](std::int64_t residues, std::int64_t contacts, std::int64_t replicas,
                          double repulsion_nm) {
    TargetWork work{residues, 3 * residues - 6 + contacts, true, true, {{replicas, 1'000'000}}};
    work.repulsion_nm = repulsion_nm;
    return steps_alone(work, {0, 1, 0}, Backend::gpu);
  };
  EXPECT_NEAR(step_us(76, 190, 1056, 0.8), 1056 / 308.0, 0.1);
  EXPECT_NEAR(step_us(76, 190, 4224, 0.8), 4224 / 406.0, 0.2);
  EXPECT_NEAR(step_us(300, 1154, 1000, 0.8), 1000 / 62.9, 0.5);
  EXPECT_NEAR(step_us(76, 190, 1, 0.8), 1 / 1.08, 0.01) << "which no repulsion shortens";
  EXPECT_DOUBLE_EQ(step_us(76, 190, 1056, 1.1), step_us(76, 190, 1056, 0));
}

/// Target of a batch and its measured seconds.
struct Measured {
  struct Part {
    std::int64_t replicas, steps, temperatures;
  };
  std::int64_t residues, contacts;  // fewer than counted with several chains: ends have no terms
  Part scan, ladder, kinetics;
  double seconds;
};

// Data to which the table is fitted. First with a budget of 26 s by earlier tables, one after
// another on one H200, 2026-11-26; then with default budgets, each alone on an H200 or H100,
// 2026-11-27 and 28.
TEST(SecondsOfTargets, MatchMeasuredGpuTimes) {
  const std::vector<Measured> targets{
      {51, 124, {1056, 802000, 24}, {1056, 7792000, 12}, {1056, 2584000, 1}, 60.1},
      {58, 59, {1056, 942000, 24}, {1056, 8832000, 12}, {1056, 3072000, 1}, 65.9},
      {70, 142, {1056, 630000, 24}, {1056, 6176000, 12}, {1056, 2024000, 1}, 55.3},
      {71, 221, {1056, 514000, 24}, {1056, 5168000, 12}, {1056, 1624000, 1}, 49.8},
      {99, 255, {528, 398000, 24}, {520, 4304000, 13}, {528, 1280000, 1}, 38.3},
      {115, 229, {528, 366000, 24}, {504, 3976000, 14}, {528, 1176000, 1}, 37.7},
      {128, 392, {528, 230500, 24}, {510, 2648000, 15}, {528, 752000, 1}, 27.4},
      {186, 616, {12, 420000, 12}, {252, 2344000, 18}, {264, 660000, 1}, 30.2},
      {187, 512, {12, 448000, 12}, {252, 2496000, 18}, {264, 706000, 1}, 26.5},
      {211, 690, {12, 383000, 12}, {228, 2168000, 19}, {155, 664000, 1}, 27.9},
      {222, 849, {12, 395000, 12}, {240, 2208000, 20}, {96, 750000, 1}, 32.4},
      {237, 918, {12, 439000, 12}, {252, 2416000, 21}, {75, 878000, 1}, 39.3},
      {274, 668, {12, 385000, 12}, {264, 2088000, 22}, {16, 1028000, 1}, 32.3},
      {329, 1041, {12, 243500, 12}, {96, 2328000, 24}, {16, 690000, 1}, 30.5},
      {400, 964, {12, 202500, 12}, {36, 1996000, 18}, {16, 572000, 1}, 25.5},
      {455, 1152, {12, 175000, 12}, {38, 1704000, 19}, {16, 488000, 1}, 25.6},
      {198, 666, {264, 2728000, 24}, {228, 23940000, 19}, {264, 6928000, 1}, 316},
      {248, 917, {264, 2152000, 24}, {252, 18500000, 21}, {264, 5456000, 1}, 276},
      {327, 1052, {120, 2872000, 24}, {96, 24000000, 24}, {132, 7296000, 1}, 319},
      {339, 1215, {120, 2576000, 24}, {100, 21700000, 25}, {132, 6512000, 1}, 293},
      {416, 1419, {12, 2696000, 12}, {112, 16960000, 28}, {132, 5072000, 1}, 283.7},
      {333, 1106, {120, 2792000, 24}, {100, 23300000, 25}, {132, 7072000, 1}, 309.5},
      {329, 1021, {120, 2864000, 24}, {96, 24000000, 24}, {132, 7264000, 1}, 326.9},
      {232, 489, {264, 2888000, 24}, {240, 24580000, 20}, {264, 7328000, 1}, 309.5},
      {220, 419, {264, 3144000, 24}, {240, 26690000, 20}, {264, 7968000, 1}, 338.2},
      {67, 135, {1056, 77000, 24}, {1056, 1116000, 12}, {1056, 328000, 1}, 11.3},
      {93, 263, {216, 92500, 24}, {520, 1080000, 13}, {528, 310000, 1}, 8.55},
      {90, 203, {408, 85500, 24}, {520, 1168000, 13}, {528, 336000, 1}, 10.36},
      {89, 182, {504, 83500, 24}, {528, 1200000, 12}, {528, 347000, 1}, 9.98},
      {91, 198, {360, 88500, 24}, {520, 1168000, 13}, {528, 337000, 1}, 9.83},
      {90, 222, {360, 86500, 24}, {520, 1144000, 13}, {528, 329000, 1}, 9.68},
      {222, 849, {22, 758000, 22}, {240, 3936000, 20}, {264, 1144000, 1}, 55.9},
  };
  double squares = 0;
  for (const auto& one : targets) {
    TargetWork work{one.residues, 3 * one.residues - 6 + one.contacts, true, true, {}};
    work.repulsion_nm = 1.1;
    for (const auto* part : {&one.scan, &one.ladder, &one.kinetics}) {
      std::int64_t every = 500;
      while (500 * every < part->steps) every *= 2;
      const bool is_ladder = part == &one.ladder;
      const auto samples = part->steps / every;
      work.parts.push_back({part->replicas, part->steps, is_ladder ? part->steps / 500 : samples,
                            samples, part->temperatures, is_ladder});
    }
    const double ratio = seconds_alone(work, {0, 1, 0}, Backend::gpu) / one.seconds;
    EXPECT_NEAR(ratio, 1, 0.12) << one.residues << " residues";
    squares += (ratio - 1) * (ratio - 1);
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(targets.size())), 0.05);
}

TEST(SecondsOfSteps, RoundUpToWholeGroupsOnCore) {
  const double group = steps_alone(replicated(76, 16), {1, 0, 1}, Backend::cpu);
  const double one = steps_alone(replicated(76, 1), {1, 0, 1}, Backend::cpu);
  EXPECT_LT(one, group) << "its lists are shorter";
  EXPECT_GT(one, 0.7 * group) << "but all places are computed";
  EXPECT_GT(steps_alone(replicated(76, 17), {1, 0, 1}, Backend::cpu), 1.8 * group);
  EXPECT_DOUBLE_EQ(steps_alone(replicated(76, 32), {1, 0, 2}, Backend::cpu), group);
  EXPECT_GT(steps_alone(replicated(76, 33), {1, 0, 2}, Backend::cpu), 1.8 * group);
}

TEST(SecondsOfSteps, ReplicasDependOnResiduesAndTerms) {
  const JobRanks job{1, 1, 1};
  auto dense = replicated(76, 16), plain = dense;
  dense.terms *= 2;
  const auto ratio = [&](Backend backend) {
    return steps_alone(dense, job, backend) / steps_alone(plain, job, backend);
  };
  EXPECT_GT(ratio(Backend::cpu), 1.4);
  EXPECT_LT(ratio(Backend::cpu), 1.7);
  EXPECT_GT(ratio(Backend::gpu), 1.2);
}

TEST(WorkSeconds, SumsAllParts) {
  auto work = trajectory(76);
  const double start = machine().cpu_core.part.start_seconds;
  const double one = seconds_alone(work, {1, 0, 1}, Backend::cpu) - start;
  work.parts.push_back({3, 2'000'000});  // the replicas run one after another
  EXPECT_NEAR(seconds_alone(work, {1, 0, 1}, Backend::cpu), 7 * one + 2 * start, 1e-9);
  work.terms *= 2;  // counts as twice the residues
  EXPECT_GT(seconds_alone(work, {1, 0, 1}, Backend::cpu), 12 * one);
}

TEST(WorkSeconds, IncludeStartGathersTablesAndAnalysis) {
  auto table = machine();
  table.cpu_core.part = {1, 1, 2, 3, 4, 5, 6, 8, 7};
  auto work = replicated(10, 20);
  auto& part = work.parts.front();
  const JobRanks job{1, 0, 1};
  const auto beside = [&] {
    return work_seconds(work, table, job, Backend::cpu, 1).all() -
           seconds_of_steps(part, work, table, job, Backend::cpu, 1);
  };
  EXPECT_NEAR(beside(), 1, 1e-9);
  part.energy_gathers = 100;  // 20 replicas of 10 residues
  EXPECT_NEAR(beside(), 1 + 1e-6 * 100 * (4 + 10 * 10 * 8 + 20 * 10 * (5 + 10 * 6)), 1e-9);
  part.energy_gathers = 0;
  part.samples = 50;
  EXPECT_NEAR(beside(), 1, 1e-9);
  part.counts_contacts = true;
  EXPECT_NEAR(beside(), 1 + 1e-6 * (10 * 10 * 2 + 50 * 20 * 10 * 7), 1e-9);
  part.counts_contacts = false;
  part.temperatures = 4;
  EXPECT_NEAR(beside(), 1 + 1e-6 * 3 * 25 * 50 * 20 * 4, 1e-9);
  table.cpu_core.part.step_factor = 1.5;
  const double steps = seconds_of_steps(part, work, table, job, Backend::cpu, 1);
  EXPECT_NEAR(beside(), 0.5 * steps + 1 + 1e-6 * 3 * 25 * 50 * 20 * 4, 1e-9);
  table.cpu_core.part.step_factor = 1;
  part.samples = 1'000'000;  // the analysis uses a limited number of samples
  EXPECT_NEAR(beside(), 1 + 1e-6 * 3 * 25 * 15'000 * 4, 1e-9);
}

TEST(Decide, SmallTargetGoesToCpu) {
  const auto small = choice(trajectory(12), {1, 1, 1});
  EXPECT_EQ(small.space, Backend::cpu);
  EXPECT_LT(small.cpu_seconds, small.gpu_seconds);
  EXPECT_EQ(small.seconds(), small.cpu_seconds);
  EXPECT_THAT(small.reason, AllOf(HasSubstr("predicted 3.63 s on a CPU rank, 5.18 s on a GPU"),
                                  HasSubstr("3.63 s of the time of 1 CPU rank against "
                                            "5.18 s of 1 GPU rank")));
}

TEST(Decide, TargetFillingGpuGoesToGpu) {
  const auto many = choice(replicated(76, 1056), {64, 1, 64});
  EXPECT_EQ(many.space, Backend::gpu);
  EXPECT_EQ(many.seconds(), many.gpu_seconds);
  EXPECT_EQ(choice(trajectory(2000), {8, 1, 8}).space, Backend::gpu);
  TargetWork condensate{100'000, 0, false, false, {{1, 1000}}};
  EXPECT_EQ(choice(condensate, {64, 1, 64}).space, Backend::gpu);
}

/// A thousand disordered chains run together on a GPU, and faster than engines on a core.
TEST(Decide, ResidentChainsAreFasterThanEngines) {
  TargetWork chains{154, 0, false, true, {{1000, 1'000'000}}};
  const JobRanks job{8, 1, 8};
  const double on_gpu = seconds_alone(chains, job, Backend::gpu);
  const double on_cpu = seconds_alone(chains, job, Backend::cpu);
  chains.is_resident = false;
  EXPECT_GT(seconds_alone(chains, job, Backend::gpu), 20 * on_gpu);
  EXPECT_GT(seconds_alone(chains, job, Backend::cpu), 2 * on_cpu);
}

TEST(Decide, ManyCoresRelieveGpu) {
  // A core takes 1.4 times as long for ubiquitin, but eight cores work at the same time.
  EXPECT_EQ(choice(trajectory(76), {1, 1, 1}).space, Backend::gpu);
  EXPECT_EQ(choice(trajectory(76), {8, 1, 8}).space, Backend::cpu);
  EXPECT_EQ(choice(trajectory(76), {8, 8, 8}).space, Backend::gpu);
}

TEST(Decide, AvoidsMuchLaterEndOfOneTarget) {
  // A core takes about five times as long for 250 residues.
  const auto late = choice(trajectory(250), {100, 1, 100});
  EXPECT_EQ(late.space, Backend::gpu);
  EXPECT_THAT(late.reason, AllOf(HasSubstr("100 CPU ranks against"), HasSubstr("times as late on "
                                                                               "the CPU")));
}

TEST(Decide, SingleBackendTakesAll) {
  const auto cpu = choice(replicated(76, 1056), {3, 0, 3});
  EXPECT_EQ(cpu.space, Backend::cpu);
  EXPECT_THAT(cpu.reason, HasSubstr("the job has 3 CPU ranks only"));
  const auto gpu = choice(trajectory(12), {0, 1, 0});
  EXPECT_EQ(gpu.space, Backend::gpu);
  EXPECT_THAT(gpu.reason, HasSubstr("the job has 1 GPU rank only"));
}

TEST(Decide, FollowsFixedBackend) {
  const auto fixed = decide(trajectory(12), machine(), {4, 1, 4}, Backend::gpu);
  EXPECT_EQ(fixed.space, Backend::gpu);
  EXPECT_THAT(fixed.reason, HasSubstr("execution: gpu"));
  EXPECT_EQ(decide(replicated(76, 4224), machine(), {4, 1, 4}, Backend::cpu).space, Backend::cpu);
}

TEST(Decide, AdvisesOnMissingBackend) {
  const auto missing = decide(trajectory(12), machine(), {4, 0, 4}, Backend::gpu);
  EXPECT_FALSE(missing.space.has_value());
  EXPECT_THAT(missing.reason, AllOf(HasSubstr("execution: gpu, and the job has 4 CPU ranks only"),
                                    HasSubstr("mpirun -n 1 nfold batch LIST : -n 4 nfold-cpu"),
                                    HasSubstr("execution: auto")));
}

TEST(Backend, RoundTripsThroughName) {
  for (const auto backend : {Backend::cpu, Backend::gpu}) {
    EXPECT_EQ(parse_backend(backend_name(backend)), backend);
  }
  EXPECT_FALSE(parse_backend("tpu").has_value());
}

}  // namespace
}  // namespace nfold::estimate

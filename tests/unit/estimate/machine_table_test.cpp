// Speeds of a machine: built-in values, interpolation, extrapolation and errors of a file.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/machine_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>

#include "core/input_error.hpp"
#include "estimate/machine.hpp"

namespace nfold::estimate {
namespace {

using testing::AllOf;
using testing::HasSubstr;

MachineTable builtin() { return builtin_machine(default_machine).speeds; }

/// The built-in text with one piece of it replaced.
std::string changed(const std::string& piece, const std::string& by) {
  std::string text(builtin_machine_text(default_machine));
  const auto at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), by);
}

std::string parse_error(const std::string& text) {
  try {
    (void)parse_machine(text, "mine", "mine.yaml");
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

// Measured on an H200 and on a core of an EPYC, see README.md, "Many replicas" and "Speed".
TEST(MachineTable, MatchesMeasurements) {
  const auto table = builtin();
  EXPECT_EQ(table.gpu.name, "NVIDIA H200");
  EXPECT_DOUBLE_EQ(table.gpu.resident.most_steps_per_second, 1.08e6);
  EXPECT_DOUBLE_EQ(table.gpu.resident.repulsion_nm, 1.1);
  EXPECT_NEAR(table.gpu.resident.steps_per_second(76, 1056), 1.389e10 / 76, 1);
  EXPECT_NEAR(table.gpu.resident.steps_per_second(76, 4224), 1.805e10 / 76, 1);
  EXPECT_NEAR(table.gpu.resident.steps_per_second(224, 264), 6.67e9 / 224, 1);
  EXPECT_DOUBLE_EQ(table.gpu.resident_chains.steps_per_second(154, 1000), 17.8e6);
  EXPECT_DOUBLE_EQ(table.gpu.go.steps_per_second(76, 1), 197'000);
  EXPECT_DOUBLE_EQ(table.cpu_core.resident_chains.steps_per_second(154, 16), 145'000);
  EXPECT_DOUBLE_EQ(table.cpu_core.go.steps_per_second(76, 1), 120'000);
  EXPECT_DOUBLE_EQ(2 * table.cpu_core.resident.steps_per_second(76, 1000), 0.67e6);
}

TEST(MachineTable, InterpolatesInLogarithms) {
  const auto table = builtin();
  // Halfway between 1,056 and 4,224 replicas in logarithms.
  EXPECT_NEAR(table.gpu.resident.steps_per_second(76, 2112), std::sqrt(1.389e10 * 1.805e10) / 76,
              1);
  const double middle = std::sqrt(76.0 * 2052);
  const double residue_steps = std::sqrt(76 * 120'000.0 * 2052 * 3200);
  EXPECT_NEAR(table.cpu_core.go.steps_per_second(middle, 1), residue_steps / middle, 1e-3);
}

TEST(MachineTable, ExtrapolatesBeyondPoints) {
  const auto table = builtin();
  // A GPU is not faster with less work; a core is, in proportion, up to a bound.
  EXPECT_DOUBLE_EQ(table.gpu.go.steps_per_second(10, 1), 197'000);
  EXPECT_DOUBLE_EQ(table.cpu_core.go.steps_per_second(10, 1), 334'800);
  EXPECT_DOUBLE_EQ(table.cpu_core.go.steps_per_second(1, 1), 370'000);
  EXPECT_DOUBLE_EQ(table.cpu_core.go.steps_per_second(20'520, 1), 320);
  EXPECT_DOUBLE_EQ(table.gpu.resident.steps_per_second(76, 100'000), 1.805e10 / 76);
  EXPECT_DOUBLE_EQ(table.cpu_core.resident.steps_per_second(76, 8), 335'000.0 / 2);
}

TEST(MachineTable, ScalesReplicasFromSmallerSystem) {
  const auto& resident = builtin().gpu.resident;
  // For 258 residues only 264 replicas were measured. 132 replicas have as many residues as 448 of
  // 76, and 528 as many as 1,792; speeds scale as those do relative to 896 replicas of 76.
  for (const double replicas : {132.0, 528.0}) {
    const double smaller_ratio = resident.steps_per_second(76, replicas * 258 / 76) /
                                 resident.steps_per_second(76, 264 * 258.0 / 76);
    EXPECT_NEAR(resident.steps_per_second(258, replicas), 6.96e9 / 258 * smaller_ratio, 1);
    EXPECT_GE(resident.steps_per_second(258, replicas), 0.5 * 6.96e9 / 258);
  }
  EXPECT_LT(resident.steps_per_second(258, 528), 1.9 * 6.96e9 / 258);
  double before = 0;
  for (double replicas = 1; replicas < 1e5; replicas *= 1.5) {
    EXPECT_GE(resident.steps_per_second(331, replicas), before);
    before = resident.steps_per_second(331, replicas);
  }
}

TEST(MachineTable, HasOverheadOfParts) {
  const auto own = builtin();
  for (const auto& key : part_keys()) {
    EXPECT_GE(std::get<double>(key.field.get(own.gpu.part)), 0) << key.name;
  }
  EXPECT_GT(own.gpu.part.start_seconds, 0);
  // Missing values of an entry are taken from the built-in one.
  std::string text(builtin_machine_text(default_machine));
  for (auto at = text.find("    part: {"); at != std::string::npos; at = text.find("    part: {")) {
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  const auto mine = parse_machine(text, "mine", "mine.yaml").speeds;
  EXPECT_EQ(mine.cpu_core.part.analysis_us, own.cpu_core.part.analysis_us);
  EXPECT_EQ(mine.gpu.part.look_us, own.gpu.part.look_us);
  EXPECT_THAT(parse_error(changed("look_us: 58", "look: 58")),
              AllOf(HasSubstr("unknown key 'look' in 'gpu.speeds.part'"),
                    HasSubstr("key 'look_us' is missing in gpu.speeds.part")));
}

TEST(MachineTable, ReportsAllErrors) {
  const auto error = parse_error(
      "node: {gpus: 1, cores: 0, memory_gb: 1}\n"
      "gpu: {name: mine, speed: 2, speeds: {resident: {most_steps_per_second: -1, points: []},\n"
      "  go: {most_steps_per_second: 1, points: [{residues: 10}, 5]}}}\n"
      "cpu_core: 3\n");
  EXPECT_THAT(error,
              AllOf(HasSubstr("mine.yaml:1:"), HasSubstr("most_steps_per_second = -1"),
                    HasSubstr("gpu.speeds.resident has no points"), HasSubstr("no speed, or two"),
                    HasSubstr("cores = 0"), HasSubstr("gpu.speeds.go.points[1] is 5")));
  EXPECT_THAT(error, AllOf(HasSubstr("unknown key 'speed' in 'gpu'"),
                           HasSubstr("key 'condensate' is missing in gpu.speeds"),
                           HasSubstr("key 'terms_per_residue' is missing"),
                           HasSubstr("cpu_core = 3 (must be a section)")));
}

TEST(MachineTable, RefusesTwoSpeedsOfOnePoint) {
  EXPECT_THAT(parse_error(changed("{residues: 2052, steps_per_second: 3200}",
                                  "{residues: 76, steps_per_second: 3200}")),
              HasSubstr("two points of 76 residues and 1 replicas in cpu_core.speeds.go"));
  EXPECT_THAT(parse_error(changed("steps_per_second: 3200", "steps_per_second: fast")),
              HasSubstr("steps_per_second = fast (must be a number > 0)"));
  EXPECT_EQ(parse_error(changed("steps_per_second: 3200", "residue_steps_per_second: 6.5e6")), "");
}

}  // namespace
}  // namespace nfold::estimate

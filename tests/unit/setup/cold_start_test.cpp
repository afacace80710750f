// When a start at an energy minimum is warned of, and when not.
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/cold_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "input_files/input.hpp"

namespace nfold::setup {
namespace {

using testing::HasSubstr;

/// The example is at 100 K, 0.2/ps and steps of 0.0005 ps or as the input says: three times 5 ps.
std::string warning_of(const std::vector<std::string>& changes) {
  const std::string input = NFOLD_INPUT "/ubiquitin.yaml";
  std::vector<std::string> all{"dynamics.time_step_ps=0.01", "dynamics.friction_per_ps=0.2"};
  all.insert(all.end(), changes.begin(), changes.end());
  return cold_start_warning(
      input_files::parse_input(input_files::read_input_text(input), input, all));
}

const std::string native = "start.from=native", observed = "observables.every_steps=100";

TEST(ColdStart, IsWarnedOfWithTheKeyAndTheNumber) {
  const auto warning = warning_of({native, observed});
  EXPECT_THAT(warning, HasSubstr("start.from = native"));
  EXPECT_THAT(warning, HasSubstr("1/friction = 5 ps (500 steps)"));
  EXPECT_THAT(warning, HasSubstr("averages begin at step 0"));
  EXPECT_THAT(warning, HasSubstr("Set observables.equilibration_steps to at least 1500"));
  EXPECT_THAT(warning_of({"start.minimise_steps=200", observed}),
              HasSubstr("start.minimise_steps = 200"));
  EXPECT_THAT(warning_of({native, observed, "observables.equilibration_steps=1499"}),
              HasSubstr("averages begin at step 1499"));
}

TEST(ColdStart, IsNotWarnedOfWhereItDoesNotMatter) {
  EXPECT_EQ(warning_of({native}), "") << "nothing is averaged";
  EXPECT_EQ(warning_of({observed}), "") << "a coil is no minimum";
  EXPECT_EQ(warning_of({native, observed, "observables.equilibration_steps=1500"}), "");
  EXPECT_EQ(warning_of({native, observed, "dynamics.temperature_kelvin=0"}), "");
  EXPECT_EQ(warning_of({native, observed, "dynamics.friction_per_ps=100",
                        "observables.equilibration_steps=10"}),
            "");
}

TEST(ColdStart, StaysColdWithoutABath) {
  for (const auto* const no_bath :
       {"dynamics.integrator=velocity-verlet", "dynamics.friction_per_ps=0"}) {
    EXPECT_THAT(warning_of({native, no_bath}), HasSubstr("no bath heats it"));
    EXPECT_EQ(warning_of({no_bath}), "");
  }
}

TEST(ColdStart, OfReplicasGoesByTheirEquilibration) {
  const std::vector<std::string> replicas{native, "ensemble.temperatures=4",
                                          "ensemble.lowest_kelvin=100",
                                          "ensemble.highest_kelvin=120"};
  EXPECT_THAT(warning_of(replicas), HasSubstr("Set ensemble.equilibration_steps to at least 1500"));
  auto later = replicas;
  later.emplace_back("ensemble.equilibration_steps=1500");
  EXPECT_EQ(warning_of(later), "");
}

}  // namespace
}  // namespace nfold::setup

// Warnings of a start at an energy minimum.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/cold_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "input/input.hpp"

namespace nfold::setup {
namespace {

using testing::HasSubstr;

/// Uses the example at 100 K with 0.2/ps and 0.01 ps. Three decay times are 15 ps, 1,500 steps.
std::string make_warning(const std::vector<std::string>& changes) {
  const std::string input = NFOLD_INPUT "/ubiquitin.yaml";
  std::vector<std::string> all{"dynamics.time_step_ps=0.01", "dynamics.friction_per_ps=0.2"};
  all.insert(all.end(), changes.begin(), changes.end());
  return cold_start_warning(input::parse_input(input::read_input_text(input), input, all));
}

const std::string native = "start.from=native", observed = "observables.every_steps=100";

TEST(ColdStart, WarningNamesKeyAndSteps) {
  const auto warning = make_warning({native, observed});
  EXPECT_THAT(warning, HasSubstr("start.from = native"));
  EXPECT_THAT(warning, HasSubstr("1/friction = 5 ps (500 steps)"));
  EXPECT_THAT(warning, HasSubstr("averages begin at step 0"));
  EXPECT_THAT(warning, HasSubstr("Set observables.equilibration_steps to at least 1500"));
  EXPECT_THAT(make_warning({"start.minimise_steps=200", observed}),
              HasSubstr("start.minimise_steps = 200"));
  EXPECT_THAT(make_warning({native, observed, "observables.equilibration_steps=1499"}),
              HasSubstr("averages begin at step 1499"));
}

TEST(ColdStart, NoWarningWithoutEffect) {
  EXPECT_EQ(make_warning({native}), "") << "nothing is averaged";
  EXPECT_EQ(make_warning({observed}), "") << "a coil is no minimum";
  EXPECT_EQ(make_warning({native, observed, "observables.equilibration_steps=1500"}), "");
  EXPECT_EQ(make_warning({native, observed, "dynamics.temperature_kelvin=0"}), "");
  EXPECT_EQ(make_warning({native, observed, "dynamics.friction_per_ps=100",
                          "observables.equilibration_steps=10"}),
            "");
}

TEST(ColdStart, WarnsWithoutThermostat) {
  for (const auto* const no_thermostat :
       {"dynamics.integrator=velocity-verlet", "dynamics.friction_per_ps=0"}) {
    EXPECT_THAT(make_warning({native, no_thermostat}), HasSubstr("no thermostat heats it"));
    EXPECT_EQ(make_warning({no_thermostat}), "");
  }
}

TEST(ColdStart, ReplicasUseEnsembleEquilibration) {
  const std::vector<std::string> replicas{native, "ensemble.temperatures=4",
                                          "ensemble.lowest_kelvin=100",
                                          "ensemble.highest_kelvin=120"};
  EXPECT_THAT(make_warning(replicas),
              HasSubstr("Set ensemble.equilibration_steps to at least 1500"));
  auto later = replicas;
  later.emplace_back("ensemble.equilibration_steps=1500");
  EXPECT_EQ(make_warning(later), "");
}

}  // namespace
}  // namespace nfold::setup

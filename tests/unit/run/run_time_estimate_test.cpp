// Estimated time of a run from a measured speed, as text.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/run_time_estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nfold::run {
namespace {

using testing::HasSubstr;

input::Settings settings_with_steps(std::int64_t steps) {
  input::Settings settings;
  settings.dynamics.steps = steps;
  return settings;
}

TEST(RunTime, IsStepsOverSpeed) {
  const MeasuredSpeed speed{0, 1e-4, 0.5, 1, 2};
  EXPECT_EQ(describe(speed, settings_with_steps(2'000'000), 0),
            "time here: about 3.33 min on 1 rank x 2 threads (2000000 steps at 10k steps/s, "
            "measured for 0.5 s, without output and analysis)");
  EXPECT_THAT(describe(speed, settings_with_steps(1000), 0),
              HasSubstr("about less than a second on 1 rank"));
  auto disturbed = speed;
  disturbed.is_disturbed = true;
  EXPECT_THAT(describe(disturbed, settings_with_steps(2'000'000), 0),
              HasSubstr("; with more threads the measure"));
  EXPECT_THAT(describe(speed, settings_with_steps(2'000'000), 1'550'000),
              HasSubstr("about 45 s on 1 rank x 2 threads (450000 steps that are left at"));
}

TEST(RunTime, CountsReplicasAndMinimiser) {
  auto settings = settings_with_steps(1'000'000);
  settings.ensemble.temperatures = 8;
  settings.ensemble.ladders = 2;
  settings.start.minimise_steps = 1000;
  const MeasuredSpeed speed{1e-3, 1e-6, 0.5, 4, 1};  // 16 replicas: 16 s each of both
  EXPECT_EQ(describe(speed, settings, 0),
            "time here: about 32 s on 1 rank x 1 thread, 16 s of it for the minimiser at most (16 "
            "replicas x 1000000 steps at 1M replica-steps/s, measured with 4 for 0.5 s, without "
            "output and analysis)");
  EXPECT_THAT(describe(speed, settings, 500'000), HasSubstr("about 8 s on 1 rank x 1 thread (16"))
      << "a run that goes on is minimised already";
}

}  // namespace
}  // namespace nfold::run

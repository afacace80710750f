// Time of the parts of GPU steps over a run.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/run_profile.hpp"

#include <gtest/gtest.h>

namespace nfold::run {
namespace {

using telemetry::Phase;

TEST(PhaseWeights, CountPartsByTheirFrequency) {
  const auto weights = phase_weights(
      {{"forces", 10}, {"forces with float sums", 8}, {"lists", 50}, {"integrate", 2}}, 1000, 20);
  EXPECT_DOUBLE_EQ(weights[to_index(Phase::pair)], 10'000);
  EXPECT_DOUBLE_EQ(weights[to_index(Phase::lists)], 1'000);
  EXPECT_DOUBLE_EQ(weights[to_index(Phase::integrate)], 2'000);
  EXPECT_DOUBLE_EQ(weights[to_index(Phase::exchange)], 0);
}

}  // namespace
}  // namespace nfold::run

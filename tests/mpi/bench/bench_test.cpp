// Benchmark suite on several ranks: a system that one rank cannot build fails on all ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "cli/bench/suite.hpp"
#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::bench {
namespace {

const auto* const scope = test::start_kokkos();

class BenchOnRanks : public testing::Test {
 protected:
  BenchOnRanks() {
    options.timing = {0.01, 1};
    options.warm_up_steps = 10;
  }
  const comm::Communicator world = comm::Communicator::world();
  const BenchSystem system = condensate_system("small", 1200);
  SuiteOptions options;
};

TEST_F(BenchOnRanks, MeasuresOnAllRanks) {
  const auto result = measure_system(world, system, options);
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(result.chains, 8);
  // Each pair is in the lists of both residues, independent of their owners.
  EXPECT_EQ(result.measurement.pair_entries, world.max(result.measurement.pair_entries));
  EXPECT_GT(result.measurement.pair_entries, 1200 * 60);
  EXPECT_EQ(result.measurement.parts.empty(), world.size() > 1);
}

TEST_F(BenchOnRanks, BuildFailureOfOneRankFailsOnAll) {
  BenchSystem broken = system;
  const int last = world.size() - 1;
  broken.build = [this, last](const input::Settings& settings) {
    if (world.rank() == last) throw std::runtime_error("no room\non the last rank");
    return system.build(settings);
  };
  EXPECT_EQ(measure_system(world, broken, options).reason, "no room on the last rank");
  EXPECT_EQ(measure_system(world, system, options).reason, "");
}

}  // namespace
}  // namespace nfold::bench

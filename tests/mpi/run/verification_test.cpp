// Verified steps: equal bits without an error, and the right rank named after an error.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/verification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "comm/rank_record.hpp"
#include "model/start/initial_state.hpp"
#include "support/condensates.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::run {
namespace {

using testing::HasSubstr;

const auto* const scope = test::start_kokkos();

class Verifications : public testing::Test {
 protected:
  Verifications() {
    comm::initialize_own_record(world.rank());
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    start::draw_velocities(topology, 300, 1, 0, start);
  }
  engine::Engine engine() const {
    return {world, topology, engine_settings, start,
            domain::random_owners(topology.residue_count(), world.size(), 3)};
  }
  Verification verification(
      std::function<system::State(engine::Engine&, std::int64_t)> compute = compute_block) const {
    return {world, topology, engine_settings.time_step_ps, std::move(compute)};
  }
  /// Flips one bit of a velocity on rank `who` in computation `pass` (0: in each).
  auto erring(int who, int pass) {
    return [this, who, pass](engine::Engine& engine, std::int64_t steps) {
      ++passes_;
      engine.advance(steps / 2);
      auto half_way = engine.owned_state();
      if (world.rank() == who && (pass == 0 || pass == passes_) && !half_way.velocity.empty()) {
        double& v = half_way.velocity[half_way.velocity.size() / 2][1];
        v = std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) ^ (1ULL << 44U));
      }
      engine.restore_state(half_way);
      engine.advance(steps - steps / 2);
      return engine.owned_state();
    };
  }
  void expect_state_of_plain_steps(engine::Engine& one, std::int64_t steps) const {
    auto plain = engine();
    plain.advance(steps);
    const auto a = one.shared_state(), b = plain.shared_state();
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
  }
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = test::condensate({});
  engine::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  int passes_ = 0;
};

TEST_F(Verifications, AgreeAndChangeNoBit) {
  for (const auto precision : {engine::Precision::mixed, engine::Precision::full}) {
    engine_settings.precision = precision;
    auto verified = engine();
    const auto owner = verified.owner();
    auto verification = this->verification();
    EXPECT_FALSE(verification.advance(verified, 40));
    verified.advance(7);
    EXPECT_FALSE(verification.advance(verified, 20));
    expect_state_of_plain_steps(verified, 67);
    EXPECT_EQ(*verified.owner(), *owner) << "each residue is back on its owner";
    EXPECT_EQ(verification.work().blocks, 2);
    EXPECT_EQ(verification.work().repeated_steps, 60);
    EXPECT_EQ(verification.work().errors, 0);
  }
}

TEST_F(Verifications, FindRankThatErredOnce) {
  const int last = world.size() - 1;
  for (const int pass : {1, 2}) {
    passes_ = 0;
    auto verified = engine();
    auto verification = this->verification(erring(last, pass));
    const auto error = verification.advance(verified, 40);
    ASSERT_FALSE(world.any(!error || !error->suspect)) << "pass " << pass;
    EXPECT_TRUE(error->has_majority);
    EXPECT_EQ(error->suspect->rank, last) << "pass " << pass << ": " << error->details;
    EXPECT_EQ(error->last_step, 40);
    EXPECT_EQ(verification.work().errors, 1);
    expect_state_of_plain_steps(verified, 40);
  }
}

TEST_F(Verifications, NameRankThatAlwaysErrs) {
  if (world.size() == 1) GTEST_SKIP() << "alone it errs alike each time";
  auto verified = engine();
  auto verification = this->verification(erring(1, 0));
  const auto error = verification.advance(verified, 4);
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->has_majority);
  ASSERT_TRUE(error->suspect) << error->details;
  EXPECT_EQ(error->suspect->rank, 1);
}

TEST_F(Verifications, DoNotReportExplosionsAsErrors) {
  start.velocity[5][0] = 1e6;
  auto verified = engine();
  auto verification = this->verification();
  EXPECT_THROW(static_cast<void>(verification.advance(verified, 40)), engine::ExplosionError);
  EXPECT_EQ(verification.work().errors, 0);
}

TEST(ThirdComputationOwners, DifferFromThePreviousOnes) {
  const domain::Ownership home{0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_EQ(shifted(home, 1, 2), (domain::Ownership{1, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(alternately_shifted(home, 2), (domain::Ownership{1, 0, 1, 0, 0, 1, 0, 1}));
}

}  // namespace
}  // namespace nfold::run

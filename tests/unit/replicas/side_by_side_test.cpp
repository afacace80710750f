// Works that take turns: the bits of each alone, who goes on when, what exceptions do.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/side_by_side.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "replicas/replica_set.hpp"
#include "start/initial_state.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

std::vector<ReplicaStart> starts_of(const topology::Topology& topology, int count) {
  std::vector<ReplicaStart> starts;
  for (int k = 0; k < count; ++k) {
    const auto number = static_cast<std::uint32_t>(k);
    auto state = test::shaken_native(topology, 0.01, number);
    start::draw_velocities(topology, 120, 99, number, state);
    starts.push_back({number, {120.0}, state});
  }
  return starts;
}

struct Outcome {
  std::vector<system::State> state;
  std::vector<double> potential;
};

/// In several calls, between which energies are asked for and states are changed.
Outcome outcome_of(const topology::Topology& topology, int replicas, int calls) {
  ReplicaSet set(topology, test::settings_of_go(), starts_of(topology, replicas),
                 {ReplicaForm::resident});
  Outcome outcome;
  std::vector<replicas::ThermodynamicState> states(static_cast<std::size_t>(replicas), {120.0});
  for (int call = 0; call < calls; ++call) {
    set.advance(150);
    for (const auto& one : set.energies()) outcome.potential.push_back(one.energies.potential());
    states[0].temperature_kelvin += 1;
    set.set_states(states);
  }
  for (int k = 0; k < replicas; ++k) outcome.state.push_back(set.state(k));
  return outcome;
}

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.potential, b.potential);
  ASSERT_EQ(a.state.size(), b.state.size());
  for (std::size_t k = 0; k < a.state.size(); ++k) {
    EXPECT_EQ(a.state[k].position, b.state[k].position) << k;
    EXPECT_EQ(a.state[k].velocity, b.state[k].velocity) << k;
  }
}

TEST(SideBySide, KnowsWhetherAWorkHasHadCompany) {
  EXPECT_FALSE(has_had_company());
  const auto small = test::hairpin();
  SideBySide works;
  std::vector<bool> told;
  const auto work = [&](int calls) {
    return [&, calls] {
      (void)outcome_of(small, 2, calls);
      told.push_back(has_had_company());
    };
  };
  works.begin(work(1));
  while (works.works() > 0) works.go_on();
  EXPECT_EQ(told, std::vector<bool>{false});
  told.clear();
  works.begin(work(3));
  works.begin(work(1));
  while (works.works() > 0) works.go_on();
  EXPECT_EQ(told, (std::vector<bool>{true, true})) << "the longer one was alone at its end";
}

TEST(SideBySide, SetsHaveTheBitsOfEachAlone) {
  const auto small = test::hairpin(), large = test::ubiquitin();
  const auto gaussian = test::hairpin(topology::ContactPotential::gaussian);
  struct Of {
    const topology::Topology& topology;
    int replicas, calls;
  };
  const std::vector<Of> all{{small, 3, 4}, {large, 2, 2}, {gaussian, 5, 3}, {small, 40, 1}};
  std::vector<Outcome> outcome(all.size());
  std::vector<std::size_t> ended;
  SideBySide works;
  for (std::size_t k = 0; k < all.size(); ++k) {
    works.begin([&, k] {
      outcome[k] = outcome_of(all[k].topology, all[k].replicas, all[k].calls);
      ended.push_back(k);
    });
  }
  EXPECT_EQ(works.works(), 4) << "each waits for its first steps";
  EXPECT_TRUE(ended.empty());
  while (works.works() > 0) works.go_on();
  EXPECT_EQ(ended.size(), 4U);
  for (std::size_t k = 0; k < all.size(); ++k) {
    expect_same(outcome[k], outcome_of(all[k].topology, all[k].replicas, all[k].calls));
  }
}

TEST(SideBySide, WhatNeedNotWaitEndsAtOnce) {
  SideBySide works;
  int calls = 0;
  works.begin([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(works.works(), 0);
  works.go_on();
  EXPECT_EQ(calls, 1);
}

TEST(SideBySide, BordersArePassedInPairs) {
  const auto topology = test::hairpin();
  SideBySide works;
  std::string passed;
  const auto work = [&](const char* name, int calls) {
    works.begin(
        [&passed, &topology, name, calls] {
          passed += name;
          (void)outcome_of(topology, 2, calls);
          passed += name;
        },
        [&passed] { passed += passed.empty() || passed.back() == ')' ? '(' : ')'; });
  };
  work("a", 1);
  work("b", 1);
  while (works.works() > 0) works.go_on();
  EXPECT_EQ(passed.rfind("(a)(b)(", 0), 0U) << passed;
  EXPECT_EQ(passed.back(), ')');
}

TEST(SideBySide, ExceptionsReachTheCaller) {
  const auto topology = test::hairpin();
  SideBySide works;
  bool other_ended = false;
  works.begin([&] {
    (void)outcome_of(topology, 2, 3);
    other_ended = true;
  });
  EXPECT_THROW(works.begin([] { throw std::runtime_error("at once"); }), std::runtime_error);
  EXPECT_EQ(works.works(), 1);
  works.begin([&] {
    (void)outcome_of(topology, 2, 1);
    throw std::invalid_argument("later");
  });
  EXPECT_THROW(
      {
        while (works.works() > 1) works.go_on();
      },
      std::invalid_argument);
  while (works.works() > 0) works.go_on();
  EXPECT_TRUE(other_ended);
}

/// What handles an exception keeps its turn: of those there is one at a time in a thread.
TEST(SideBySide, HandlersOfExceptionsAreNotLeft) {
  const auto topology = test::hairpin();
  SideBySide works;
  Outcome outcome;
  std::string message;
  works.begin([&] {
    try {
      throw std::runtime_error("first");
    } catch (const std::runtime_error& error) {
      outcome = outcome_of(topology, 2, 2);
      message = error.what();
    }
  });
  EXPECT_EQ(works.works(), 0);
  EXPECT_EQ(message, "first");
  expect_same(outcome, outcome_of(topology, 2, 2));
}

TEST(SideBySide, WhatIsAsideStopsNoOther) {
  const auto topology = test::hairpin();
  SideBySide works;
  std::atomic<bool> other_ended = false;
  std::thread::id of_part;
  works.begin([&] {
    // Would wait for ever if the other had to wait for it.
    aside([&] {
      of_part = std::this_thread::get_id();
      while (!other_ended) std::this_thread::yield();
    });
    (void)outcome_of(topology, 2, 1);
  });
  works.begin([&] {
    (void)outcome_of(topology, 3, 2);
    other_ended = true;
  });
  while (works.works() > 0) works.go_on();
  EXPECT_NE(of_part, std::this_thread::get_id());
  aside([&] { of_part = std::this_thread::get_id(); });
  EXPECT_EQ(of_part, std::this_thread::get_id()) << "outside of works";
}

TEST(SideBySide, WhatAPartThrowsIsItsWorks) {
  SideBySide works;
  std::string caught;
  works.begin([&] {
    try {
      aside([] { throw std::runtime_error("aside"); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });
  while (works.works() > 0) works.go_on();
  EXPECT_EQ(caught, "aside");
}

TEST(SideBySide, ASharePartlyOrWhollyFills) {
  EXPECT_GT(share_of_processor(76, 1), 0);
  EXPECT_LE(share_of_processor(76, 1), share_of_processor(76, 100'000));
  EXPECT_EQ(share_of_processor(76, 100'000), 1);
}

}  // namespace
}  // namespace nfold::replicas

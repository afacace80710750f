// Tasks that take turns: results, order and exceptions.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/side_by_side.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "model/start/initial_state.hpp"
#include "replicas/replica_set.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

std::vector<ReplicaStart> make_starts(const topology::Topology& topology, int count) {
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

/// Advances in several calls and changes states between them.
Outcome run_set(const topology::Topology& topology, int replicas, int calls) {
  ReplicaSet set(topology, test::settings_of_go(), make_starts(topology, replicas),
                 {ReplicaForm::resident});
  Outcome outcome;
  std::vector<system::ThermodynamicState> states(static_cast<std::size_t>(replicas), {120.0});
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

TEST(SideBySide, RecordsConcurrentTasks) {
  EXPECT_FALSE(ran_beside_others());
  const auto small = test::hairpin();
  SideBySide tasks;
  std::vector<bool> beside_others;
  const auto task = [&](int calls) {
    return [&, calls] {
      (void)run_set(small, 2, calls);
      beside_others.push_back(ran_beside_others());
    };
  };
  tasks.begin(task(1));
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_EQ(beside_others, std::vector<bool>{false});
  beside_others.clear();
  tasks.begin(task(3));
  tasks.begin(task(1));
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_EQ(beside_others, (std::vector<bool>{true, true}))
      << "the longer one was alone at its end";
}

TEST(SideBySide, SetsMatchSeparateRuns) {
  const auto small = test::hairpin(), large = test::ubiquitin();
  const auto gaussian = test::hairpin(system::ContactPotential::gaussian);
  struct Load {
    const topology::Topology& topology;
    int replicas, calls;
  };
  const std::vector<Load> all{{small, 3, 4}, {large, 2, 2}, {gaussian, 5, 3}, {small, 40, 1}};
  std::vector<Outcome> outcome(all.size());
  std::vector<std::size_t> ended;
  SideBySide tasks;
  for (std::size_t k = 0; k < all.size(); ++k) {
    tasks.begin([&, k] {
      outcome[k] = run_set(all[k].topology, all[k].replicas, all[k].calls);
      ended.push_back(k);
    });
  }
  EXPECT_EQ(tasks.task_count(), 4) << "each waits for its first steps";
  EXPECT_TRUE(ended.empty());
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_EQ(ended.size(), 4U);
  for (std::size_t k = 0; k < all.size(); ++k) {
    expect_same(outcome[k], run_set(all[k].topology, all[k].replicas, all[k].calls));
  }
}

TEST(SideBySide, TaskWithoutWaitEndsAtOnce) {
  SideBySide tasks;
  int calls = 0;
  tasks.begin([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(tasks.task_count(), 0);
  tasks.go_on();
  EXPECT_EQ(calls, 1);
}

TEST(SideBySide, CallbacksComeInPairs) {
  const auto topology = test::hairpin();
  SideBySide tasks;
  std::string passed;
  const auto task = [&](const char* name, int calls) {
    tasks.begin(
        [&passed, &topology, name, calls] {
          passed += name;
          (void)run_set(topology, 2, calls);
          passed += name;
        },
        [&passed] { passed += passed.empty() || passed.back() == ')' ? '(' : ')'; });
  };
  task("a", 1);
  task("b", 1);
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_EQ(passed.rfind("(a)(b)(", 0), 0U) << passed;
  EXPECT_EQ(passed.back(), ')');
}

TEST(SideBySide, ExceptionsReachTheCaller) {
  const auto topology = test::hairpin();
  SideBySide tasks;
  bool other_ended = false;
  tasks.begin([&] {
    (void)run_set(topology, 2, 3);
    other_ended = true;
  });
  EXPECT_THROW(tasks.begin([] { throw std::runtime_error("at once"); }), std::runtime_error);
  EXPECT_EQ(tasks.task_count(), 1);
  tasks.begin([&] {
    (void)run_set(topology, 2, 1);
    throw std::invalid_argument("later");
  });
  EXPECT_THROW(
      {
        while (tasks.task_count() > 1) tasks.go_on();
      },
      std::invalid_argument);
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_TRUE(other_ended);
}

/// A task keeps its turn in an exception handler, because a thread handles one exception at a time.
TEST(SideBySide, ExceptionHandlersKeepTheirTurn) {
  const auto topology = test::hairpin();
  SideBySide tasks;
  Outcome outcome;
  std::string message;
  tasks.begin([&] {
    try {
      throw std::runtime_error("first");
    } catch (const std::runtime_error& error) {
      outcome = run_set(topology, 2, 2);
      message = error.what();
    }
  });
  EXPECT_EQ(tasks.task_count(), 0);
  EXPECT_EQ(message, "first");
  expect_same(outcome, run_set(topology, 2, 2));
}

TEST(SideBySide, SideThreadBlocksNoTask) {
  const auto topology = test::hairpin();
  SideBySide tasks;
  std::atomic<bool> other_ended = false;
  std::thread::id side_thread;
  tasks.begin([&] {
    // Waits for ever if the other task waits for it.
    run_on_side_thread([&] {
      side_thread = std::this_thread::get_id();
      while (!other_ended) std::this_thread::yield();
    });
    (void)run_set(topology, 2, 1);
  });
  tasks.begin([&] {
    (void)run_set(topology, 3, 2);
    other_ended = true;
  });
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_NE(side_thread, std::this_thread::get_id());
  run_on_side_thread([&] { side_thread = std::this_thread::get_id(); });
  EXPECT_EQ(side_thread, std::this_thread::get_id()) << "outside of works";
}

TEST(SideBySide, SideThreadExceptionReachesItsTask) {
  SideBySide tasks;
  std::string caught;
  tasks.begin([&] {
    try {
      run_on_side_thread([] { throw std::runtime_error("aside"); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });
  while (tasks.task_count() > 0) tasks.go_on();
  EXPECT_EQ(caught, "aside");
}

TEST(SideBySide, ProcessorShareIsAtMostOne) {
  EXPECT_GT(share_of_processor(76, 1), 0);
  EXPECT_LE(share_of_processor(76, 1), share_of_processor(76, 100'000));
  EXPECT_EQ(share_of_processor(76, 100'000), 1);
}

}  // namespace
}  // namespace nfold::replicas

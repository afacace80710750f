// Simulated clock of nfold_slowed and of tests, by which some ranks are slow.
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/session/run/busy_time.cpp. SLOWNESS="1,3,1" is the relative time of each rank for
// the same work. Work is counted from lists, rows and ghosts; no second is measured.
#include "support/posed_clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>

#include "comm/rank_record.hpp"
#include "session/run/busy_time.hpp"

namespace nfold {
namespace {

/// Slowness of this rank; 0 if pose_slowness() was not called.
double& posed_slowness() {
  static double posed = 0;
  return posed;
}

double slowness_here() {
  if (posed_slowness() > 0) return posed_slowness();
  const char* const text = std::getenv("SLOWNESS");
  std::istringstream parts(text == nullptr ? "" : text);
  std::string part;
  for (int rank = 0; std::getline(parts, part, ','); ++rank) {
    if (rank == comm::own_record().rank) return std::stod(part);
  }
  return 1;
}

std::map<const engine::Engine*, engine::BusyTime>& sums() {
  static std::map<const engine::Engine*, engine::BusyTime> by_engine;
  return by_engine;
}

}  // namespace

double test::posed_seconds_of_a_step(const engine::Engine& engine) {
  const auto counted = engine.statistics();
  const auto work =
      static_cast<double>(counted.pair_entries + 20 * counted.owned + 4 * counted.ghosts);
  return 1e-3 * slowness_here() * work;
}

double test::posed_balance(const comm::Communicator& world, const engine::Engine& engine) {
  const double mine = posed_seconds_of_a_step(engine);
  const auto all = world.all_gather(std::span<const double>(&mine, 1));
  return std::accumulate(all.begin(), all.end(), 0.0) / world.size() / std::ranges::max(all);
}

void test::pose_slowness(double slowness) {
  posed_slowness() = slowness;
  sums().clear();
}

/// Adds all steps since the last call at the present cost of a step.
engine::BusyTime run::busy_time(const engine::Engine& engine) {
  auto& sum = sums()[&engine];
  const auto steps = engine.step() - sum.steps;
  const double seconds = test::posed_seconds_of_a_step(engine) * static_cast<double>(steps);
  sum.steps += steps;
  sum.timed_steps += steps;
  sum.busy_seconds += seconds;
  sum.seconds += seconds;
  return sum;
}

}  // namespace nfold

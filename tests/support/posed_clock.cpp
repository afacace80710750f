// In place of src/run/busy_time.cpp, in nfold_slowed and in tests: a clock that is not a clock.
// SPDX-License-Identifier: BSD-3-Clause
//
// SLOWNESS: "1,3,1", by rank: how much longer than others it takes for the same work, which is
// counted from its lists, rows and ghosts. No second is measured.
#include "support/posed_clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>

#include "comm/rank_record.hpp"
#include "run/busy_time.hpp"

namespace nfold {
namespace {

/// 0: not posed.
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

std::map<const dynamics::Engine*, dynamics::BusyTime>& sums() {
  static std::map<const dynamics::Engine*, dynamics::BusyTime> by_engine;
  return by_engine;
}

}  // namespace

double test::posed_seconds_of_a_step(const dynamics::Engine& engine) {
  const auto counted = engine.statistics();
  const auto work =
      static_cast<double>(counted.pair_entries + 20 * counted.owned + 4 * counted.ghosts);
  return 1e-3 * slowness_here() * work;
}

double test::posed_balance(const comm::Communicator& world, const dynamics::Engine& engine) {
  const double mine = posed_seconds_of_a_step(engine);
  const auto all = world.all_gather(std::span<const double>(&mine, 1));
  return std::accumulate(all.begin(), all.end(), 0.0) / world.size() / std::ranges::max(all);
}

void test::pose_slowness(double slowness) {
  posed_slowness() = slowness;
  sums().clear();
}

/// All steps since the last call were as the ones now would be.
dynamics::BusyTime run::busy_time(const dynamics::Engine& engine) {
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

// Ranks with nearly full memory get fewer residues at equal load; the capacity is simulated.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "session/run/repartition.hpp"
#include "session/run/residue_capacity.hpp"
#include "support/kokkos_scope.hpp"
#include "support/shared_box.hpp"

namespace nfold::run {
namespace {

/// Simulated capacity of this rank [residues].
std::int64_t& simulated_capacity() {
  static std::int64_t capacity = std::numeric_limits<std::int64_t>::max();
  return capacity;
}

}  // namespace

/// Replaces src/session/run/residue_capacity.cpp at link time.
std::int64_t residue_capacity(const engine::EngineStatistics& /*statistics*/,
                              device::JobDevices* /*devices*/) {
  return simulated_capacity();
}

namespace {

using testing::HasSubstr;

const auto* const scope = test::start_kokkos();

class MemoryPressure : public testing::Test, protected test::SharedBox {
 protected:
  MemoryPressure() { settings.partition.balance.by = input::BalanceBy::work; }
  /// Log lines of five assessments of an even load.
  std::string collect_log(engine::Engine& engine) {
    Repartition repartition(world, settings, topology);
    std::string log_line;
    for (int k = 0; k < 5; ++k) {
      log_line += repartition.run_if_due(engine).log_line;
      engine.advance(20);
    }
    return log_line;
  }
};

TEST_F(MemoryPressure, MigratesResiduesFromAFullRank) {
  auto crowded = engine();
  const auto had = crowded.statistics().owned;
  simulated_capacity() =
      world.rank() == 0 ? had * 8 / 10 : std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(collect_log(crowded), HasSubstr("shared out anew"));
  EXPECT_THAT(collect_log(crowded), testing::Not(HasSubstr("shared out anew"))) << "it is done";
  if (world.is_root()) {
    EXPECT_LE(crowded.statistics().owned, had * 8 / 10);
  }
}

TEST_F(MemoryPressure, KeepsPartitionIfAllOrNoneAreFull) {
  for (const bool all_are_full : {false, true}) {
    auto even = engine();
    simulated_capacity() = all_are_full ? even.statistics().owned - 1 : even.statistics().owned;
    EXPECT_EQ(collect_log(even), "");
  }
}

TEST_F(MemoryPressure, TriesLessOftenIfNoPartitionHelps) {
  auto crowded = engine();
  settings.partition.balance.patience = 1'000;
  simulated_capacity() = world.rank() == 0 ? 1 : std::numeric_limits<std::int64_t>::max();
  Repartition repartition(world, settings, topology);
  int attempts = 0;
  std::string lines;
  for (int k = 0; k < 16; ++k) {
    const auto log_line = repartition.run_if_due(crowded).log_line;
    attempts += log_line.find("foreseen") != std::string::npos ? 1 : 0;
    lines += log_line + "\n";
    crowded.advance(20);
  }
  EXPECT_GE(attempts, 2) << lines;
  EXPECT_LE(attempts, 5) << lines;
}

TEST_F(MemoryPressure, NamesTheFullRank) {
  auto crowded = engine();
  const bool is_full = world.rank() == world.size() - 1;
  simulated_capacity() = is_full ? crowded.statistics().owned / 2 : 1'000'000;
  EXPECT_THAT(collect_log(crowded), HasSubstr("; rank " + std::to_string(world.size() - 1) +
                                              " has more residues than its memory has room for"));
}

}  // namespace
}  // namespace nfold::run

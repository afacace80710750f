// Estimated memory of neighbour lists whose skin a run tunes.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/memory_estimate.hpp"

#include <gtest/gtest.h>

#include "engine/engine_memory.hpp"
#include "engine/rank_counts.hpp"
#include "model/start/initial_state.hpp"
#include "session/setup/system_setup.hpp"
#include "support/condensates.hpp"

namespace nfold::setup {
namespace {

class EstimatedMemory : public testing::Test {
 protected:
  [[nodiscard]] RunMemory memory(double skin_nm, bool on_gpu = device::computes_on_gpu()) const {
    input::Settings settings;
    settings.force_field.model = input::find_model("hps-kr");
    settings.neighbour_list.skin_nm = skin_nm;
    settings.output.checkpoint_in_background = false;
    return MemoryEstimator(settings, topology, state, on_gpu).on(1);
  }
  static std::int64_t group_bytes(const RunMemory& memory, const std::string& group) {
    std::int64_t bytes = 0;
    for (const auto& one : memory.of(0).arrays()) {
      if (one.group == group) bytes += one.device_bytes;
    }
    return bytes;
  }
  const topology::Topology topology = test::condensate({});
  const system::State state = start::native_start(topology);
};

TEST_F(EstimatedMemory, HoldsListsOfTheLongestSkin) {
  const auto first = engine::first_reach(topology, engine_settings({}));
  const auto longest =
      engine::longest_reach(topology, engine_settings({}), topology.residue_count());
  EXPECT_GT(longest.skin_nm, 1.5 * first.skin_nm);
  const auto tuned = memory(0), with_first = memory(first.skin_nm),
             with_longest = memory(longest.skin_nm);
  EXPECT_GT(group_bytes(tuned, "lists"), group_bytes(with_first, "lists"));
  const auto lists = static_cast<double>(group_bytes(with_longest, "lists"));
  EXPECT_NEAR(static_cast<double>(group_bytes(tuned, "lists")), lists, 0.1 * lists);
  EXPECT_EQ(group_bytes(tuned, "terms"), group_bytes(with_first, "terms"));
  EXPECT_EQ(tuned.needed_device_bytes(), with_first.device_bytes())
      << "it goes on with the first skin where there is no room";
}

TEST_F(EstimatedMemory, HasArraysOfAGpuInAnyBuild) {
  constexpr double skin_nm = 0.3;
  const auto on_gpu = memory(skin_nm, true);
  const auto& arrays = on_gpu.of(0);
  EXPECT_TRUE(arrays.is_for_gpu());
  for (const char* const name : {"term_force.x", "saved_position2.x", "mass_class", "chain",
                                 "rows.record", "charged.entry", "scan"}) {
    EXPECT_NE(arrays.find(name), nullptr) << name;
  }
  for (const char* const name : {"end_force.x", "noise", "neighbour.cell"}) {
    EXPECT_EQ(arrays.find(name), nullptr) << name;
  }
  auto engine = engine_settings({});
  engine.on_gpu = true;
  engine.skin_nm = skin_nm;
  const domain::Ownership owner(topology.residues.size(), 0);
  const auto counts = engine::count_ranks({topology, state, engine}, owner, 1).front();
  // Lists of teams of 16 lanes, four entries each, with an eighth to spare, for rows in groups.
  const std::int64_t longest = counts.pairs.longest(), chunk = 64;
  const std::int64_t capacity = (longest + longest / 8 + chunk - 1) / chunk * chunk;
  const std::int64_t residues = topology.residue_count(), rows = (residues + 31) / 32 * 32;
  EXPECT_EQ(arrays.find("rows.entry")->device_bytes, 4 * rows * capacity);
}

TEST_F(EstimatedMemory, GpuStartsWithThinnerSkin) {
  auto here = engine_settings({}), there = here;
  here.on_gpu = false;
  there.on_gpu = true;
  EXPECT_LT(engine::first_reach(topology, there).skin_nm,
            0.8 * engine::first_reach(topology, here).skin_nm);
}

TEST_F(EstimatedMemory, GivenSkinNeedsAllBytes) {
  EXPECT_EQ(memory(0.3).needed_device_bytes(), memory(0.3).device_bytes());
}

}  // namespace
}  // namespace nfold::setup

// What is planned for lists of skins that a run tries.
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/memory_plan.hpp"

#include <gtest/gtest.h>

#include "dynamics/engine_memory.hpp"
#include "setup/system_setup.hpp"
#include "start/initial_state.hpp"
#include "support/condensates.hpp"

namespace nfold::setup {
namespace {

class PlannedMemory : public testing::Test {
 protected:
  [[nodiscard]] RunMemory memory(std::int64_t steps, double skin_nm) const {
    config::Settings settings;
    settings.force_field.model = config::ForceFieldModel::hps_kr;
    settings.dynamics.steps = steps;
    settings.neighbour_list.skin_nm = skin_nm;
    settings.output.checkpoint_in_background = false;
    return MemoryPlanner(settings, topology, state).on(1);
  }
  static std::int64_t bytes_of(const RunMemory& memory, const std::string& group) {
    std::int64_t bytes = 0;
    for (const auto& one : memory.of(0).arrays()) {
      if (one.group == group) bytes += one.device_bytes;
    }
    return bytes;
  }
  const topology::Topology topology = test::condensate({});
  const system::State state = start::native_start(topology);
};

TEST_F(PlannedMemory, OfALongRunHasListsOfSkinsThatItTries) {
  const auto soon_over = memory(999, 0), goes_on = memory(1'000, 0);
  EXPECT_EQ(soon_over.device_bytes(), soon_over.needed_device_bytes());
  const auto reach = dynamics::first_reach(topology, engine_settings({}));
  const double tried_nm = dynamics::tried_reach(topology, engine_settings({})).skin_nm;
  EXPECT_DOUBLE_EQ(tried_nm, 1.5625 * reach.skin_nm);
  EXPECT_GT(bytes_of(goes_on, "lists"), bytes_of(soon_over, "lists"));
  const auto as_long = memory(1'000, tried_nm);
  const auto lists = static_cast<double>(bytes_of(as_long, "lists"));
  EXPECT_NEAR(static_cast<double>(bytes_of(goes_on, "lists")), lists, 0.1 * lists);
  EXPECT_EQ(bytes_of(goes_on, "terms"), bytes_of(soon_over, "terms"));
  EXPECT_EQ(goes_on.needed_device_bytes(), soon_over.device_bytes())
      << "it goes on with the first skin where there is no room";
}

TEST_F(PlannedMemory, OfAGivenSkinIsOfThatSkin) {
  EXPECT_EQ(memory(999, 0.3).device_bytes(), memory(1'000, 0.3).device_bytes());
  EXPECT_EQ(memory(1'000, 0.3).needed_device_bytes(), memory(1'000, 0.3).device_bytes());
}

}  // namespace
}  // namespace nfold::setup

// What is told of memory after a run: of the fullest rank, by the name of what outgrew its plan.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device_array.hpp"
#include "device/devices_of_job.hpp"
#include "setup/host_arrays.hpp"
#include "setup/memory_plan.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::setup {
namespace {

const auto* const scope = test::start_kokkos();

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t mib = std::int64_t{1} << 20U;

class PlannedAndPeak : public testing::Test {
 protected:
  /// After a run whose last rank had an array of so many bytes, after another that went before.
  [[nodiscard]] std::vector<std::string> told_of(std::int64_t bytes, std::int64_t trial = 0) const {
    device::DeviceArray<char> lists("lists.made_up");
    device::forget_device_peaks();
    if (trial > 0) device::DeviceArray<char>("trial.made_up").reserve(trial);
    if (world_.rank() == world_.size() - 1) lists.reserve(bytes);
    device::MemoryPlan plan;
    plan.in("lists").array<char>("lists.made_up", mib);
    return planned_and_peak(world_, device::DevicesOfJob(world_), plan, {});
  }

 private:
  comm::Communicator world_ = comm::Communicator::world();
};

TEST_F(PlannedAndPeak, NameWhatOutgrewItsPlan) {
  EXPECT_THAT(told_of(2 * mib), Contains(HasSubstr("beyond the plan: lists 2 MiB, planned 1 MiB")));
}

TEST_F(PlannedAndPeak, AreSilentWherePlansHold) {
  EXPECT_THAT(told_of(mib), Not(Contains(HasSubstr("beyond the plan"))));
}

TEST_F(PlannedAndPeak, TellOfTrialsOnlyWhereTheyTookMore) {
  EXPECT_THAT(told_of(mib, mib), Not(Contains(HasSubstr("beyond the plan"))));
  EXPECT_THAT(told_of(mib, 2 * mib), Contains(HasSubstr("arrays that no plan has 2 MiB")));
}

/// A plan has room for a new map, whether or not there will be one.
TEST(PlannedForNewMaps, IsToldApartWhereThereWereNone) {
  const auto world = comm::Communicator::world();
  device::DeviceArray<char> lists("lists.made_up");
  device::forget_device_peaks();
  lists.reserve(mib);
  device::MemoryPlan plan;
  plan.in("lists").array<char>("lists.made_up", mib);
  plan.in(new_map_group).device("tables", mib);
  plan.can_spare(mib);
  const auto planned = [&](const NewMaps& new_maps) {
    return planned_and_peak(world, device::DevicesOfJob(world), plan, new_maps).front();
  };
  EXPECT_THAT(planned({}), HasSubstr("planned 1 MiB, peak 1 MiB"));
  EXPECT_THAT(planned({.sought = true}), HasSubstr("planned 1 MiB, peak 1 MiB"));
  EXPECT_THAT(planned({.sought = true, .prepared = true}), HasSubstr("planned 2 MiB, peak 1 MiB"));
  EXPECT_EQ(plan.needed_device_bytes(), mib);
}

}  // namespace
}  // namespace nfold::setup

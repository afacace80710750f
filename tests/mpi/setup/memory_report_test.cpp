// Memory report after a run: the fullest rank, and arrays that exceed their estimate.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device_array.hpp"
#include "device/job_devices.hpp"
#include "session/setup/host_arrays.hpp"
#include "session/setup/memory_estimate.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::setup {
namespace {

const auto* const scope = test::start_kokkos();

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t mib = std::int64_t{1} << 20U;

class EstimateAndPeak : public testing::Test {
 protected:
  /// Report of a run whose last rank held an array of `bytes`, after a trial array of `trial`
  /// bytes.
  [[nodiscard]] std::vector<std::string> report(std::int64_t bytes, std::int64_t trial = 0) const {
    device::DeviceArray<char> lists("lists.made_up");
    device::forget_device_peaks();
    if (trial > 0) device::DeviceArray<char>("trial.made_up").reserve(trial);
    if (world_.rank() == world_.size() - 1) lists.reserve(bytes);
    device::MemoryEstimate estimate;
    estimate.in("lists").count([] { device::DeviceArray<char>("lists.made_up").reserve(mib); });
    return describe_peak_memory(world_, device::JobDevices(world_), estimate, {});
  }

 private:
  comm::Communicator world_ = comm::Communicator::world();
};

TEST_F(EstimateAndPeak, NameArraysBeyondTheEstimate) {
  EXPECT_THAT(report(2 * mib), Contains(HasSubstr("beyond the plan: lists 2 MiB, planned 1 MiB")));
}

TEST_F(EstimateAndPeak, AreSilentWithinTheEstimate) {
  EXPECT_THAT(report(mib), Not(Contains(HasSubstr("beyond the plan"))));
}

TEST_F(EstimateAndPeak, ReportTrialsOnlyIfTheyTookMore) {
  EXPECT_THAT(report(mib, mib), Not(Contains(HasSubstr("beyond the plan"))));
  EXPECT_THAT(report(mib, 2 * mib), Contains(HasSubstr("arrays that no plan has 2 MiB")));
}

/// An estimate includes memory for a repartition even if none happens.
TEST(RepartitionMemory, IsExcludedIfNoneHappened) {
  const auto world = comm::Communicator::world();
  device::DeviceArray<char> lists("lists.made_up");
  device::forget_device_peaks();
  lists.reserve(mib);
  device::MemoryEstimate estimate;
  estimate.in("lists").count([] { device::DeviceArray<char>("lists.made_up").reserve(mib); });
  estimate.in(repartition_group).device("tables", mib);
  estimate.mark_optional(mib);
  const auto reported = [&](const RepartitionHistory& history) {
    return describe_peak_memory(world, device::JobDevices(world), estimate, history).front();
  };
  EXPECT_THAT(reported({}), HasSubstr("planned 1 MiB, peak 1 MiB"));
  EXPECT_THAT(reported({.sought = true}), HasSubstr("planned 1 MiB, peak 1 MiB"));
  EXPECT_THAT(reported({.sought = true, .prepared = true}), HasSubstr("planned 2 MiB, peak 1 MiB"));
  EXPECT_EQ(estimate.needed_device_bytes(), mib);
}

}  // namespace
}  // namespace nfold::setup

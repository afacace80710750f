// Arrays that move to host memory: the order, the decision, and their accounting.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "device/device_array.hpp"

namespace nfold::device {
namespace {

class ArrayPlacement : public testing::Test {
 protected:
  ArrayPlacement() { limit_device_memory(0); }
  ~ArrayPlacement() override {
    limit_device_memory(0);
    set_moved_uses(0);
  }
  /// Estimate of a rank that needs 1,000 bytes in each step.
  static MemoryEstimate estimate(bool for_gpu = true) {
    MemoryEstimate one(for_gpu);
    one.in("state").device("position", 1000);
    one.device("saved", 300, ArrayUse::spare_buffers);
    one.in("counted").device("pairs", 200, ArrayUse::contact_maps);
    one.device("copies", 100, ArrayUse::checkpoint_copies);
    one.host("files", 50);
    return one;
  }
  static constexpr std::int64_t plenty = 1'000'000;
};

TEST_F(ArrayPlacement, MovesNothingIfAllFits) {
  EXPECT_EQ(estimate().count_uses_to_move(1680, plenty), 0);
  EXPECT_EQ(estimate().least_device_bytes(), 1000);
}

TEST_F(ArrayPlacement, MovesTheSeldomestFirstAndNoMoreThanNeeded) {
  EXPECT_EQ(estimate().count_uses_to_move(1679, plenty), to_index(ArrayUse::checkpoint_copies) + 1);
  EXPECT_EQ(estimate().count_uses_to_move(1575, plenty), to_index(ArrayUse::checkpoint_copies) + 1);
  EXPECT_EQ(estimate().count_uses_to_move(1574, plenty), to_index(ArrayUse::contact_maps) + 1);
  EXPECT_EQ(estimate().count_uses_to_move(1364, plenty), to_index(ArrayUse::spare_buffers) + 1);
  EXPECT_EQ(estimate().count_uses_to_move(0, plenty), moving_order.size());
}

TEST_F(ArrayPlacement, MovesNoMoreThanTheHostHolds) {
  EXPECT_EQ(estimate().count_uses_to_move(0, 299), to_index(ArrayUse::contact_maps));
  EXPECT_EQ(estimate().count_uses_to_move(0, 99), 0);
}

TEST_F(ArrayPlacement, IgnoresOptionalBytes) {
  auto with_optional = estimate();
  with_optional.device("longer lists", 5000);
  with_optional.mark_optional(5000);
  EXPECT_EQ(with_optional.count_uses_to_move(1680, plenty), 0);
}

TEST_F(ArrayPlacement, MovesNothingOnACpu) {
  EXPECT_EQ(estimate(false).count_uses_to_move(0, plenty), 0);
  EXPECT_EQ(estimate(false).least_device_bytes(), 1600);
  EXPECT_EQ(estimate(false).with_moved(moving_order.size()).device_bytes(), 1600);
}

TEST_F(ArrayPlacement, MovedBytesStandOnTheHost) {
  const auto moved = estimate().with_moved(to_index(ArrayUse::contact_maps) + 1);
  EXPECT_EQ(moved.device_bytes(), 1300);
  EXPECT_EQ(moved.host_bytes(), 350);
  EXPECT_EQ(moved.find("pairs")->device_bytes, 0);
  EXPECT_EQ(moved.find("pairs")->host_bytes, 200);
  EXPECT_EQ(moved.find("saved")->device_bytes, 300);
  EXPECT_EQ(moved.movable_bytes(moving_order.size()), 300);
}

TEST_F(ArrayPlacement, CountsTheUseOfArrays) {
  MemoryEstimate counted(true);
  counted.in("state").count([] {
    DeviceColumns<double>("saved", ArrayUse::spare_buffers).reserve(10);
    DeviceArray<int>("map", ArrayUse::contact_maps).reserve(10);
    DeviceArray<int>("position").reserve(10);
  });
  EXPECT_EQ(counted.movable_bytes(to_index(ArrayUse::contact_maps)), 0);
  EXPECT_EQ(counted.movable_bytes(to_index(ArrayUse::contact_maps) + 1), 40);
  EXPECT_EQ(counted.movable_bytes(moving_order.size()), 280);
  MemoryEstimate twice(true);
  twice.add(counted, 2);
  EXPECT_EQ(twice.movable_bytes(moving_order.size()), 560);
  EXPECT_EQ(twice.on_device().movable_bytes(moving_order.size()), 560);
}

TEST_F(ArrayPlacement, MovedArraysAreNoDeviceMemory) {
  const auto before = device_bytes_held();
  limit_device_memory(before + 100);
  set_moved_uses(to_index(ArrayUse::samples) + 1);
  DeviceArray<int> sample("sample", ArrayUse::samples), map("map", ArrayUse::contact_maps);
  sample.reserve(1000);
  EXPECT_EQ(device_bytes_held(), before);
  EXPECT_EQ(sample.download(1000), std::vector<int>(1000, 0));
  sample.upload({1, 2, 3});
  EXPECT_TRUE(sample.reserve_keeping(2000));
  EXPECT_EQ(sample.download(4), (std::vector<int>{1, 2, 3, 0}));
  EXPECT_THROW(map.reserve(1000), DeviceMemoryError) << "its use has not moved";
  set_moved_uses(0);
  EXPECT_EQ(sample.element(2), 3) << "existing arrays stay";
  EXPECT_THROW(sample.reserve(3000), DeviceMemoryError) << "new ones are on the device";
}

}  // namespace
}  // namespace nfold::device

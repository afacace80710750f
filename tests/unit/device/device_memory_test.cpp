// Device memory: bytes held, failed allocations, limits and shares of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/device_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/device_array.hpp"
#include "device/job_devices.hpp"
#include "device/refill.hpp"
#include "device/staged_array.hpp"
#include "engine/forces/term_set.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::device {
namespace {

using testing::HasSubstr;

const auto* const scope = test::start_kokkos();

class DeviceMemory : public testing::Test {
 protected:
  void TearDown() override {
    limit_device_memory(0);
    set_device_load({});
  }
  const std::int64_t before = device_bytes_held();
  [[nodiscard]] std::int64_t held() const { return device_bytes_held() - before; }

  /// Returns the error of an array that reserves n doubles, or "no error".
  static std::string reserve_error(DeviceArray<double>& array, std::int64_t n) {
    try {
      array.reserve(n);
    } catch (const DeviceMemoryError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(DeviceMemory, CountsBytesOfArrays) {
  {
    DeviceArray<double> one("one");
    EXPECT_EQ(held(), 0);
    one.reserve(100);
    EXPECT_EQ(held(), 800);
    one.reserve(50);
    EXPECT_EQ(held(), 800);
    one.reserve(200);
    EXPECT_EQ(held(), 1600);
    DeviceArray<double> other(std::move(one));
    EXPECT_EQ(held(), 1600);
    other = DeviceArray<double>("new");
    EXPECT_EQ(held(), 0);
    DeviceColumns<int> columns("columns");
    columns.reserve(10);
    EXPECT_EQ(held(), 120);
  }
  EXPECT_EQ(held(), 0);
}

TEST_F(DeviceMemory, ReportsLimitAndRemedy) {
  DeviceArray<double> first("first"), second("second");
  set_device_load({1000, 3});
  limit_device_memory(device_bytes_held() + (8 << 20));
  first.reserve(3 << 17);  // 3 MiB
  const auto text = reserve_error(second, 13 << 17);
  EXPECT_THAT(text, HasSubstr("out of "));
  EXPECT_THAT(text, HasSubstr("array 'second' asks for 13 MiB"));
  EXPECT_THAT(text, HasSubstr("the limit given is 8 MiB"));
  EXPECT_THAT(text, HasSubstr("nfold's arrays hold 3 MiB"));
  // 1000 residues need 16 MiB of the 8 MiB given: half of them fit, or 6 ranks instead of 3.
  EXPECT_THAT(text, HasSubstr("16777 bytes a residue"));
  EXPECT_THAT(text, HasSubstr("at most 500 of this rank's 1000 residues fit"));
  EXPECT_THAT(text, HasSubstr("mpirun -np 6 or more"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(DeviceMemory, IsUsableAfterFailedAllocation) {
  DeviceArray<double> array("array");
  limit_device_memory(device_bytes_held() + 1000);
  array.reserve(100);
  EXPECT_NE(reserve_error(array, 200), "no error");
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(array.size(), 0);
  array.reserve(100);
  EXPECT_EQ(held(), 800);
  limit_device_memory(0);
  EXPECT_EQ(reserve_error(array, 200), "no error");
}

TEST_F(DeviceMemory, GrowthFreesOldArrayFirst) {
  DeviceArray<double> array("array");
  limit_device_memory(device_bytes_held() + 1000);
  array.reserve(100);
  EXPECT_EQ(reserve_error(array, 120), "no error");
}

TEST_F(DeviceMemory, RefusesMoreThanMachineHas) {
  DeviceArray<double> array("array");
  const auto text = reserve_error(array, std::int64_t{1} << 50U);
  EXPECT_THAT(text, HasSubstr("array 'array' asks for 8 PiB"));
  EXPECT_THAT(text, HasSubstr(" are free, nfold's arrays hold "));
  EXPECT_EQ(held(), 0);
}

TEST(RequireCountable, RefusesMoreThanIntHolds) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  EXPECT_NO_THROW(forces::require_countable(most, "exclusions"));
  EXPECT_THAT([] { forces::require_countable(most + 1, "exclusions"); },
              testing::ThrowsMessage<std::runtime_error>(
                  HasSubstr("one rank has 2147483648 exclusions, more than the 2147483647")));
}

TEST_F(DeviceMemory, LimitBoundsFreeMemory) {
  limit_device_memory(device_bytes_held() + 12345);
  EXPECT_EQ(free_memory(JobDevices(comm::Communicator())).device_bytes, 12345);
  limit_device_memory(0);
  EXPECT_GT(free_memory(JobDevices(comm::Communicator())).device_bytes, 12345);
}

constexpr std::int64_t gib = std::int64_t{1} << 30U;

comm::RankLocation on_gpu(char name, int node = 0) {
  comm::RankLocation location{node, {}};
  location.gpu.front() = name;
  return location;
}

TEST_F(DeviceMemory, ExclusiveGpuIsNotDivided) {
  // With Slurm's --gpus-per-task=1 each of four ranks sees one GPU of its own.
  const JobDevices own({on_gpu('a'), on_gpu('b'), on_gpu('c'), on_gpu('d')}, 2, 64 * gib, gib);
  EXPECT_EQ(own.sharing().of_device, 1);
  EXPECT_EQ(own.sharing().of_node, 4);
  EXPECT_EQ(own.note(), "");
  const JobDevices shared({on_gpu('a'), on_gpu('b'), on_gpu('a'), on_gpu('a')}, 2, 64 * gib, gib);
  EXPECT_EQ(shared.sharing().of_device, 3);
  EXPECT_THAT(shared.note(), HasSubstr("up to 3 ranks share one GPU"));
}

TEST_F(DeviceMemory, IsDividedAmongRanksOfNode) {
  if (computes_on_gpu()) GTEST_SKIP() << "a GPU's memory is not this host's";
  // This process may be a group of a batch; four ranks of the job are on its node.
  const auto all = host_memory().free_bytes;
  const JobDevices four({{0, {}}, {0, {}}, {0, {}}, {0, {}}, {4, {}}}, 1, all, all);
  const auto share = free_memory(four);
  // Other programs may take or free memory meanwhile.
  EXPECT_LT(share.device_bytes, all / 2);
  EXPECT_LT(share.host_bytes, all / 2);
  EXPECT_GT(share.host_bytes, all / 8);
}

TEST_F(DeviceMemory, EstimateCountsArraysThatAreNotAllocated) {
  for (const bool on_gpu : {false, true}) {
    MemoryEstimate estimate(on_gpu);
    estimate.in("lists").count([&] {
      EXPECT_EQ(reserves_on_gpu(), on_gpu);
      DeviceArray<int> array("grown");
      reserve_for_refill(array, 10);
      reserve_for_refill(array, 16);
      array.upload(std::vector<int>(17));
      EXPECT_EQ(array.size(), 18);
      StagedArray<int> staged("staged");
      staged.reserve(8);
      staged.reserve(9);
      DeviceArray<double>("two").reserve(0);
      DeviceArray<double>("two").reserve(3);
    });
    EXPECT_EQ(held(), 0);
    EXPECT_EQ(reserves_on_gpu(), computes_on_gpu());
    ASSERT_EQ(estimate.arrays().size(), 3);
    EXPECT_EQ(estimate.find("grown")->device_bytes, 72);
    EXPECT_EQ(estimate.find("staged")->device_bytes, 40);
    EXPECT_EQ(estimate.find("staged")->host_bytes, on_gpu ? 40 : 0);
    EXPECT_EQ(estimate.find("two")->device_bytes, 32);
    EXPECT_EQ(estimate.find("two")->group, "lists");
  }
}

TEST_F(DeviceMemory, EstimateCountsArraysOfItsThreadAlone) {
  MemoryEstimate estimate;
  std::promise<void> counting, allocated;
  const auto counted = std::async(std::launch::async, [&] {
    estimate.count([&] {
      counting.set_value();
      allocated.get_future().wait();
      DeviceArray<int>("counted").reserve(10);
    });
  });
  counting.get_future().wait();
  DeviceArray<int> array("allocated");
  array.reserve(5);
  EXPECT_NE(array.data(), nullptr);
  allocated.set_value();
  counted.wait();
  EXPECT_EQ(held(), 20);
  ASSERT_EQ(estimate.arrays().size(), 1);
  EXPECT_EQ(estimate.find("counted")->device_bytes, 40);
}

TEST_F(DeviceMemory, EstimateStopsCountingAfterException) {
  MemoryEstimate estimate;
  const auto fail = [&] { estimate.count([] { throw std::runtime_error("no counts"); }); };
  EXPECT_THROW(fail(), std::runtime_error);
  DeviceArray<int> array("allocated");
  array.reserve(5);
  EXPECT_EQ(held(), 20);
  EXPECT_TRUE(estimate.arrays().empty());
}

TEST(FairShare, AccountsForMemoryTakenByOthers) {
  EXPECT_EQ(fair_share({100, 100, 4, 0}), 25);
  EXPECT_EQ(fair_share({40, 100, 4, 0}), 25) << "three have taken 20 each";
  EXPECT_EQ(fair_share({55, 100, 4, 20}), 13) << "a fourth of what is free is more than 5";
  EXPECT_EQ(fair_share({8, 100, 4, 0}), 8) << "never more than there is";
  EXPECT_EQ(fair_share({80, 20, 4, 0}), 20) << "another program has ended";
  EXPECT_EQ(fair_share({0, 100, 2, 70}), 0);
}

}  // namespace
}  // namespace nfold::device

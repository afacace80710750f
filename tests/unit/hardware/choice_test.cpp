// Choice of the GPU of each rank: options, filters, health and visibility.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace nfold::hardware {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Offers = std::vector<GpuOffer>;
using Indices = std::vector<std::size_t>;

comm::GpuId id(int number) {
  comm::GpuId id{};
  id.fill(static_cast<char>(0x10 + number));
  return id;
}

/// Node with `count` equal GPUs as NVML reports them.
NodeInventory make_node(int count) {
  NodeInventory node;
  for (int k = 0; k < count; ++k) {
    Gpu gpu;
    gpu.index = k;
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.uuid = comm::format_uuid(id(k));
    gpu.memory_total_bytes = 80'000'000'000;
    gpu.memory_free_bytes = 79'000'000'000;
    gpu.compute_units = 132;
    gpu.utilisation = 0;
    node.gpus.push_back(gpu);
  }
  return node;
}

std::vector<comm::GpuId> ids(std::initializer_list<int> numbers) {
  std::vector<comm::GpuId> all;
  for (const int number : numbers) all.push_back(id(number));
  return all;
}

DeviceWish read_wish(const char* option) {
  DeviceWish wish;
  EXPECT_EQ(read_gpus_option(option, wish), "") << option;
  return wish;
}
DeviceWish filtered(const char* condition) {
  DeviceWish wish;
  wish.filter.push_back(*parse_condition(condition));
  return wish;
}

/// Numbers of the GPUs that `ranks` ranks of one node take if each sees all of them.
std::vector<int> taken(const NodeInventory& node, std::size_t ranks, const DeviceWish& wish) {
  std::vector<comm::GpuId> seen;
  for (std::size_t k = 0; k < node.gpus.size(); ++k) seen.push_back(id(static_cast<int>(k)));
  const std::vector<Offers> by_rank(ranks, list_offers(seen, node, wish));
  const auto choice = choose_gpus(by_rank, wish);
  EXPECT_EQ(choice.problem, "");
  std::vector<int> numbers;
  for (std::size_t rank = 0; rank < choice.by_rank.size(); ++rank) {
    numbers.push_back(by_rank[rank][choice.by_rank[rank]].index);
  }
  return numbers;
}

std::string problem(const NodeInventory& node, const DeviceWish& wish) {
  const auto seen = ids({0, 1, 2});
  const std::vector<Offers> by_rank(2, list_offers(seen, node, wish));
  return choose_gpus(by_rank, wish).problem;
}

TEST(Choice, ParsesGpusOption) {
  EXPECT_EQ(read_wish("2").count, 2);
  EXPECT_EQ(read_wish("all").which, DeviceWish::Which::all);
  EXPECT_THAT(read_wish("0,2,3").listed, ElementsAre("0", "2", "3"));
  EXPECT_THAT(read_wish("2,").listed, ElementsAre("2"));
  EXPECT_THAT(read_wish("GPU-8f1c,1").listed, ElementsAre("GPU-8f1c", "1"));
  DeviceWish wish;
  for (const char* wrong : {"0", "-1", "", ",", "two", "0,x", "1,1", "0,-2"}) {
    EXPECT_NE(read_gpus_option(wrong, wish), "") << wrong;
  }
}

TEST(Choice, ParsesConditions) {
  EXPECT_EQ(parse_condition("name = h100")->text, "h100");
  EXPECT_EQ(parse_condition("name!=A100")->kind, Condition::Kind::not_name);
  EXPECT_EQ(parse_condition("memory_gb>=40")->gigabytes, 40);
  EXPECT_EQ(parse_condition("free_memory_gb >= 12.5")->gigabytes, 12.5);
  EXPECT_EQ(parse_condition("healthy")->kind, Condition::Kind::healthy);
  EXPECT_EQ(parse_condition("fit")->kind, Condition::Kind::fit);
  for (const char* wrong :
       {"", "name=", "memory_gb=40", "memory_gb>=x", "memory_gb>=-1", "sick", "Name=H100"}) {
    EXPECT_FALSE(parse_condition(wrong)) << wrong;
  }
}

TEST(Choice, OrdersEqualGpusByNumber) {
  EXPECT_THAT(taken(make_node(4), 4, {}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(taken(make_node(4), 2, {}), ElementsAre(0, 1));
  EXPECT_THAT(taken(make_node(2), 4, {}), ElementsAre(0, 1, 0, 1)) << "ranks share evenly";
}

TEST(Choice, PrefersBestAndTakesUnfitLast) {
  auto node = make_node(4);
  node.gpus[0].utilisation = 0.9;
  EXPECT_THAT(taken(node, 2, {}), ElementsAre(1, 2));
  EXPECT_THAT(taken(node, 1, {}), ElementsAre(1));
  node.gpus[1].throttle_reasons = {{"hardware slowdown"}};
  EXPECT_THAT(taken(node, 2, {}), ElementsAre(2, 3)) << "of equals the healthier";
  node.gpus[1].uncorrected_errors = 1;
  EXPECT_THAT(taken(node, 3, {}), ElementsAre(0, 2, 3)) << "a busy one is better than an unfit one";
  EXPECT_THAT(taken(node, 4, {}), ElementsAre(0, 1, 2, 3)) << "a GPU each comes first";
  EXPECT_THAT(taken(node, 4, filtered("fit")), ElementsAre(0, 2, 3, 0));
  EXPECT_THAT(taken(node, 2, filtered("healthy")), ElementsAre(2, 3));
}

TEST(Choice, RespectsRequest) {
  const auto node = make_node(4);
  EXPECT_THAT(taken(node, 3, read_wish("3,1,0")), ElementsAre(3, 1, 0));
  EXPECT_THAT(taken(node, 4, read_wish("2,3")), ElementsAre(2, 3, 2, 3));
  EXPECT_THAT(taken(node, 2, read_wish((comm::format_uuid(id(2)) + ",0").c_str())),
              ElementsAre(2, 0));
  EXPECT_THAT(taken(node, 4, read_wish("2")), ElementsAre(0, 1, 0, 1));
  DeviceWish at_most;
  at_most.max = 3;
  EXPECT_THAT(taken(node, 4, at_most), ElementsAre(0, 1, 2, 0));
  at_most.max = 9;
  EXPECT_THAT(taken(node, 4, at_most), ElementsAre(0, 1, 2, 3));
}

TEST(Choice, FiltersByNameAndMemory) {
  auto node = make_node(3);
  node.gpus[0].name = "NVIDIA A100-SXM4-40GB";
  node.gpus[0].memory_total_bytes = 40'000'000'000;
  node.gpus[2].memory_free_bytes = 10'000'000'000;
  EXPECT_THAT(taken(node, 2, filtered("name=h100")), ElementsAre(1, 2));
  EXPECT_THAT(taken(node, 2, filtered("name!=H100")), ElementsAre(0, 0));
  EXPECT_THAT(taken(node, 2, filtered("memory_gb>=80")), ElementsAre(1, 2));
  node.gpus[0].memory_free_bytes = 39'000'000'000;
  EXPECT_THAT(taken(node, 2, filtered("free_memory_gb>=20")), ElementsAre(0, 1));
}

TEST(Choice, ReportsUnmetRequest) {
  const auto node = make_node(3);
  EXPECT_THAT(problem(node, read_wish("4")),
              HasSubstr("sets 4 GPUs of each node, and rank 0 sees 3"));
  EXPECT_THAT(problem(node, read_wish("1,7")),
              HasSubstr("--gpus names 7, and rank 0 sees no such GPU"));
  EXPECT_THAT(problem(node, filtered("name=B200")), HasSubstr("none of the 3 GPUs"));
  EXPECT_THAT(problem({}, filtered("fit")), HasSubstr("none of the 3 GPUs"))
      << "without NVML nothing can be told of them";
  EXPECT_EQ(problem({}, {}), "");
}

TEST(Choice, WorksWithOneVisibleGpuPerRank) {
  const auto node = make_node(4);
  std::vector<Offers> by_rank;
  for (const int number : {2, 0, 3}) {
    const auto seen = ids({number});
    by_rank.push_back(list_offers(seen, node, {}));
  }
  EXPECT_EQ(choose_gpus(by_rank, {}).by_rank, (Indices{0, 0, 0}));
  // CUDA_VISIBLE_DEVICES=3,1 for all ranks: CUDA's numbers are indices of this list.
  const auto seen = ids({3, 1});
  by_rank.assign(2, list_offers(seen, node, {}));
  EXPECT_EQ(choose_gpus(by_rank, {}).by_rank, (Indices{1, 0})) << "GPU 1, then GPU 3";
}

TEST(Choice, UsesReadingsOfRankZero) {
  auto calm = make_node(2), busy = make_node(2);
  busy.gpus[0].utilisation = 0.5;
  const auto seen = ids({0, 1});
  const std::vector<Offers> by_rank{list_offers(seen, calm, {}), list_offers(seen, busy, {})};
  EXPECT_EQ(choose_gpus(by_rank, {}).by_rank, (Indices{0, 1})) << "a GPU each, as rank 0 read them";
}

TEST(Choice, WarnsOfUnhealthyGpu) {
  auto node = make_node(1);
  EXPECT_EQ(choice_warning(node.gpus[0], 0), "");
  node.gpus[0].uncorrected_errors = 2;
  EXPECT_THAT(
      choice_warning(node.gpus[0], 5),
      HasSubstr("rank 5 computes on GPU 0 (" + node.gpus[0].uuid + "), which is unfit: 2 unc"));
}

TEST(GpuUuid, MatchesNvmlFormat) {
  comm::GpuId raw{};
  for (std::size_t k = 0; k < raw.size(); ++k) raw[k] = static_cast<char>(0xA0 + k);
  EXPECT_EQ(comm::format_uuid(raw), "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
}

}  // namespace
}  // namespace nfold::hardware

// Ranks that share a GPU, counted by the identity of the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/gpu_identity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "comm/rank_locations.hpp"

namespace nfold::comm {
namespace {

GpuIdentity gpu_identity(char id, std::string_view pci_bus) {
  GpuIdentity made;
  made.id.back() = id;
  std::copy(pci_bus.begin(), pci_bus.end(), made.pci_bus.begin());
  return made;
}

TEST(GpuIdentity, OneGpuPerRankIsNoObstacle) {
  // Nodes are alike: the same bus address on another node is another GPU.
  EXPECT_EQ(describe_shared_gpu(std::vector{gpu_identity(1, "0000:1B:00.0"),
                                            gpu_identity(2, "0000:1C:00.0"),
                                            gpu_identity(3, "0000:1B:00.0")}),
            "");
  EXPECT_EQ(describe_shared_gpu({}), "");
}

TEST(GpuIdentity, FormatsUuidLikeNvidiaSmi) {
  GpuId id{};
  for (std::size_t k = 0; k < id.size(); ++k) id[k] = static_cast<char>(0xf0 + k);
  EXPECT_EQ(format_uuid(id), "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

TEST(GpuIdentity, NamesGpuSharedByTwoRanks) {
  EXPECT_EQ(describe_shared_gpu(
                std::vector{gpu_identity(1, "0000:1B:00.0"), gpu_identity(2, "0000:1C:00.0"),
                            gpu_identity(2, "0000:1C:00.0"), gpu_identity(1, "0000:1B:00.0")}),
            "ranks 1 and 2 share one GPU (0000:1C:00.0); start one rank per GPU");
}

GpuId id(char name) { return gpu_identity(name, "").id; }

TEST(GpuSharing, CountsRanksByGpuIdentity) {
  // Two nodes: ranks 0 and 1 share a GPU, rank 2 has its own, rank 3 computes on processors.
  const std::vector<RankLocation> job{{0, id(1)}, {0, id(1)}, {0, id(2)}, {0, no_gpu}, {4, id(3)}};
  const auto ranks_on_device = [&](int rank) { return count_sharing_ranks(job, rank).of_device; };
  const auto ranks_on_node = [&](int rank) { return count_sharing_ranks(job, rank).of_node; };
  EXPECT_EQ(ranks_on_device(0), 2);
  EXPECT_EQ(ranks_on_device(1), 2);
  EXPECT_EQ(ranks_on_device(2), 1);
  EXPECT_EQ(ranks_on_device(3), 4) << "memory of the host, which ranks with a GPU use too";
  EXPECT_EQ(ranks_on_device(4), 1);
  EXPECT_EQ(ranks_on_node(0), 4);
  EXPECT_EQ(ranks_on_node(4), 1);
}

TEST(GpuSharing, ReportsRanksSharingGpu) {
  EXPECT_EQ(describe_gpu_sharing(
                std::vector<RankLocation>{{0, id(1)}, {0, id(2)}, {0, no_gpu}, {0, no_gpu}}),
            "");
  EXPECT_EQ(describe_gpu_sharing(std::vector<RankLocation>{{0, id(1)}, {0, id(2)}, {0, id(1)}}),
            "up to 2 ranks share one GPU and take turns on it: 2 GPUs are used, and each rank is "
            "slower than alone. Start one rank per GPU: mpirun -n 2, or srun --gpus-per-task=1");
}

TEST(AssignGpus, CyclesOverVisibleGpus) {
  using Seen = std::vector<std::vector<GpuId>>;
  using Chosen = std::vector<std::size_t>;
  const std::vector<GpuId> both{id(1), id(2)};
  EXPECT_EQ(assign_gpus(Seen{both, both, both, both}), (Chosen{0, 1, 0, 1}));
  // --gpus-per-task=1: each rank sees one GPU, and no two see the same.
  EXPECT_EQ(assign_gpus(Seen{{id(1)}, {id(2)}, {id(3)}}), (Chosen{0, 0, 0}));
  // --gpus-per-task=2.
  EXPECT_EQ(assign_gpus(Seen{{id(1), id(2)}, {id(3), id(4)}}), (Chosen{0, 0}));
  // A task that sees one GPU, and one that sees all.
  EXPECT_EQ(assign_gpus(Seen{{id(1)}, both}), (Chosen{0, 1}));
  EXPECT_EQ(assign_gpus(Seen{{}, both}), (Chosen{0, 0}));
}

}  // namespace
}  // namespace nfold::comm

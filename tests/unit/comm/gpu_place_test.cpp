// Ranks that share a GPU are named and counted by what the GPU is called.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/gpu_place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "comm/rank_places.hpp"

namespace nfold::comm {
namespace {

GpuPlace place(char id, std::string_view pci_place) {
  GpuPlace made;
  made.id.back() = id;
  std::copy(pci_place.begin(), pci_place.end(), made.pci_place.begin());
  return made;
}

TEST(GpuPlace, OfOneGpuEachIsNoObstacle) {
  // Nodes are alike: the same place on the bus is another GPU there.
  EXPECT_EQ(shared_gpu(std::vector{place(1, "0000:1B:00.0"), place(2, "0000:1C:00.0"),
                                   place(3, "0000:1B:00.0")}),
            "");
  EXPECT_EQ(shared_gpu({}), "");
}

TEST(GpuPlace, HasAUuidAsToolsPrintIt) {
  GpuId id{};
  for (std::size_t k = 0; k < id.size(); ++k) id[k] = static_cast<char>(0xf0 + k);
  EXPECT_EQ(uuid_text(id), "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

TEST(GpuPlace, OfTwoRanksIsNamed) {
  EXPECT_EQ(shared_gpu(std::vector{place(1, "0000:1B:00.0"), place(2, "0000:1C:00.0"),
                                   place(2, "0000:1C:00.0"), place(1, "0000:1B:00.0")}),
            "ranks 1 and 2 share one GPU (0000:1C:00.0); start one rank per GPU");
}

GpuId id(char name) { return place(name, "").id; }

TEST(Sharing, IsCountedByNameAndNotByWhatARankSees) {
  // Two nodes; ranks 0 and 1 share a GPU, rank 2 has one, rank 3 of the same job has processors.
  const std::vector<RankPlace> job{{0, id(1)}, {0, id(1)}, {0, id(2)}, {0, no_gpu}, {4, id(3)}};
  const auto of_device = [&](int rank) { return sharing_of(job, rank).of_device; };
  const auto of_node = [&](int rank) { return sharing_of(job, rank).of_node; };
  EXPECT_EQ(of_device(0), 2);
  EXPECT_EQ(of_device(1), 2);
  EXPECT_EQ(of_device(2), 1);
  EXPECT_EQ(of_device(3), 4) << "memory of the host, which ranks with a GPU use too";
  EXPECT_EQ(of_device(4), 1);
  EXPECT_EQ(of_node(0), 4);
  EXPECT_EQ(of_node(4), 1);
}

TEST(Sharing, IsToldWhereRanksTakeTurns) {
  EXPECT_EQ(sharing_note(std::vector<RankPlace>{{0, id(1)}, {0, id(2)}, {0, no_gpu}, {0, no_gpu}}),
            "");
  EXPECT_EQ(sharing_note(std::vector<RankPlace>{{0, id(1)}, {0, id(2)}, {0, id(1)}}),
            "up to 2 ranks share one GPU and take turns on it: 2 GPUs are used, and each rank is "
            "slower than alone. Start one rank per GPU: mpirun -n 2, or srun --gpus-per-task=1");
}

TEST(ChosenGpus, GoRoundAmongThoseThatAreSeen) {
  using Seen = std::vector<std::vector<GpuId>>;
  using Chosen = std::vector<std::size_t>;
  const std::vector<GpuId> both{id(1), id(2)};
  EXPECT_EQ(chosen_gpus(Seen{both, both, both, both}), (Chosen{0, 1, 0, 1}));
  // --gpus-per-task=1: all see one, which is another's nowhere.
  EXPECT_EQ(chosen_gpus(Seen{{id(1)}, {id(2)}, {id(3)}}), (Chosen{0, 0, 0}));
  // --gpus-per-task=2.
  EXPECT_EQ(chosen_gpus(Seen{{id(1), id(2)}, {id(3), id(4)}}), (Chosen{0, 0}));
  // A task that sees one GPU, and one that sees all.
  EXPECT_EQ(chosen_gpus(Seen{{id(1)}, both}), (Chosen{0, 1}));
  EXPECT_EQ(chosen_gpus(Seen{{}, both}), (Chosen{0, 0}));
}

}  // namespace
}  // namespace nfold::comm

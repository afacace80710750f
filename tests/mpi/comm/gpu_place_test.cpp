// Ranks that share a GPU are named, with the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/gpu_place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

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

TEST(GpuPlace, OfTwoRanksIsNamed) {
  EXPECT_EQ(shared_gpu(std::vector{place(1, "0000:1B:00.0"), place(2, "0000:1C:00.0"),
                                   place(2, "0000:1C:00.0"), place(1, "0000:1B:00.0")}),
            "ranks 1 and 2 share one GPU (0000:1C:00.0); start one rank per GPU");
}

}  // namespace
}  // namespace nfold::comm

// Build without NCCL: every rank reports the same reason and keeps running.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "comm/mpi_device_memory.hpp"
#include "comm/nccl_transport.hpp"

namespace nfold::comm {
namespace {

/// Concatenation of `count` copies of `text`.
std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}
std::string gather_text(const Communicator& world, const std::string& mine) {
  const auto all = world.all_gather(std::span<const char>(mine));
  return {all.begin(), all.end()};
}

TEST(NcclAbsent, GivesEveryRankTheSameReason) {
  const auto world = Communicator::world();
  const auto reason = NcclTransport::unavailable(world).value_or("");
  EXPECT_NE(reason.find("built without CUDA"), std::string::npos) << reason;
  EXPECT_EQ(gather_text(world, reason), repeated(reason, world.size()));
}

TEST(NcclAbsent, RefusesToStartWithTheReason) {
  const auto world = Communicator::world();
  std::string text;
  try {
    const NcclTransport transport(world);
  } catch (const CommunicationError& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("NCCL cannot be used: " + NcclTransport::unavailable(world).value_or("")),
            std::string::npos)
      << text;
}

TEST(MpiDeviceMemory, IsTheSameOnAllRanks) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const int mine = mpi_supports_device_memory() ? 1 : 0;
  EXPECT_EQ(world.sum(mine), mine * world.size());
}

}  // namespace
}  // namespace nfold::comm

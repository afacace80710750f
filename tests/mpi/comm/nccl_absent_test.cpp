// A build without NCCL says so, in the same words on every rank, and runs on.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "comm/mpi_device_memory.hpp"
#include "comm/nccl_transport.hpp"

namespace nfold::comm {
namespace {

/// The texts of all ranks, one after the other, if each is this rank's.
std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}
std::string of_all_ranks(const Communicator& world, const std::string& mine) {
  const auto all = world.all_gather(std::span<const char>(mine));
  return {all.begin(), all.end()};
}

TEST(NcclAbsent, GivesEveryRankTheSameReason) {
  const auto world = Communicator::world();
  const auto reason = NcclTransport::unavailable(world).value_or("");
  EXPECT_NE(reason.find("built without CUDA"), std::string::npos) << reason;
  EXPECT_EQ(of_all_ranks(world, reason), repeated(reason, world.size()));
}

TEST(NcclAbsent, RefusesToStartWithThatReason) {
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

TEST(MpiDeviceMemory, IsTheSameEverywhere) {
  const auto world = Communicator::world();
  const int mine = mpi_takes_device_memory() ? 1 : 0;
  EXPECT_EQ(world.sum(mine), mine * world.size());
}

}  // namespace
}  // namespace nfold::comm

// Communicator without mpirun: before MPI starts, and after the program initialised MPI itself.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {
namespace {

void expect_group_of_one(const Communicator& one) {
  EXPECT_EQ(one.rank(), 0);
  EXPECT_EQ(one.size(), 1);
  EXPECT_TRUE(one.is_root());
  one.barrier();
  EXPECT_EQ(one.sum(7), 7);
  EXPECT_EQ(one.max(-3), -3);
  EXPECT_EQ(one.min(4), 4);
  EXPECT_FALSE(one.any(false));
  EXPECT_EQ(one.broadcast("text"), "text");
  const std::vector<int> mine{3, 1, 2};
  EXPECT_EQ(one.all_gather(std::span<const int>(mine)), mine);
  EXPECT_EQ(one.gather(std::span<const int>(mine)), mine);
  EXPECT_EQ(one.all_to_all(std::vector<std::vector<int>>{mine}),
            std::vector<std::vector<int>>{mine});
  EXPECT_THROW((void)one.all_to_all(std::vector<std::vector<int>>{}), std::invalid_argument);
  const std::vector<std::int64_t> all{3};
  EXPECT_EQ(one.exchange(std::span<const int>(mine), all).values, mine);
  EXPECT_EQ(one.node_position().size, 1);

  HaloTransport transport(one, {Route{0, 1, 2, 0, 2}});
  const std::vector<std::byte> send{std::byte{1}, std::byte{2}, std::byte{3}};
  std::vector<std::byte> received(2);
  transport.start(send.data(), received.data());
  transport.finish();
  EXPECT_EQ(received, (std::vector<std::byte>{std::byte{2}, std::byte{3}}));
}

TEST(SingleProcess, WorksBeforeAndWithMpi) {
  expect_group_of_one(Communicator{});
  EXPECT_THROW((void)Communicator::world(), CommunicationError);
  int argc = 0;
  char** argv = nullptr;
  const Environment environment(argc, argv);
  expect_group_of_one(Communicator::world());
  // The variable only speeds up the start of this process; children must not inherit it.
  EXPECT_EQ(std::getenv("OMPI_MCA_ess_singleton_isolated"), nullptr);
}

TEST(SingleProcessDeathTest, AbortExitsWithTheCode) {
  EXPECT_EXIT(Communicator{}.abort(3), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace nfold::comm

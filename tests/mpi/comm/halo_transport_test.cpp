// Halo transport: bytes of every rank arrive at the offsets of the routes in each exchange.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "comm/communicator.hpp"

namespace nfold::comm {
namespace {

/// Number of values that rank `from` sends to rank `to`; 0 between some pairs.
int message_length(int from, int to) {
  return from == to || (from + 2 * to) % 5 == 1 ? 0 : 3 + from;
}
double message_value(int from, int to, int index, int round) {
  return 1000 * from + 100 * to + index + 0.001 * round;
}

void exchange_rounds(const Communicator& world, int length_factor) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const int rank = world.rank();
  std::vector<Route> routes;
  std::size_t sent = 0, received = 0;
  for (int peer = 0; peer < world.size(); ++peer) {
    const std::size_t out = sizeof(double) * static_cast<std::size_t>(length_factor) *
                            static_cast<std::size_t>(message_length(rank, peer));
    const std::size_t in = sizeof(double) * static_cast<std::size_t>(length_factor) *
                           static_cast<std::size_t>(message_length(peer, rank));
    routes.push_back({peer, sent, out, received, in});
    sent += out;
    received += in;
  }
  EXPECT_TRUE(world.any(received > 0));
  HaloTransport first(world, routes);
  HaloTransport transport = std::move(first);
  for (int round = 0; round < 3; ++round) {
    std::vector<double> to_send, arrived(received / sizeof(double), -1.0), expected;
    for (int peer = 0; peer < world.size(); ++peer) {
      for (int i = 0; i < length_factor * message_length(rank, peer); ++i) {
        to_send.push_back(message_value(rank, peer, i, round));
      }
      for (int i = 0; i < length_factor * message_length(peer, rank); ++i) {
        expected.push_back(message_value(peer, rank, i, round));
      }
    }
    transport.start(reinterpret_cast<const std::byte*>(to_send.data()),
                    reinterpret_cast<std::byte*>(arrived.data()));
    transport.finish();
    EXPECT_EQ(arrived, expected) << "round " << round;
  }
}

TEST(HaloTransport, DeliversMessagesAtRouteOffsets) { exchange_rounds(Communicator::world(), 1); }
TEST(HaloTransport, DeliversLongMessages) { exchange_rounds(Communicator::world(), 20000); }
TEST(HaloTransport, DeliversMessagesInPieces) { exchange_rounds(Communicator::world(13), 5); }

TEST(HaloTransport, DoesNothingWithoutRoutes) {
  HaloTransport transport(Communicator::world(), {});
  transport.start(nullptr, nullptr);
  transport.finish();
  EXPECT_EQ(Communicator::world().sum(1), Communicator::world().size());
}

TEST(HaloTransport, RefusesRouteToMissingRank) {
  const auto world = Communicator::world();
  EXPECT_THROW(HaloTransport(world, {Route{world.size(), 0, 1, 0, 1}}), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::comm

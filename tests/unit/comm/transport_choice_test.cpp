// Choice of the transport and its description, for made-up times.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace nfold::comm {
namespace {

using Trials = std::vector<TransportTrial>;

Trials two_h200() {
  return {{Transport::peer_memory, "", {6.5, 9.4}},
          {Transport::nccl, "", {9.2, 16}},
          {Transport::mpi_device, "the MPI library does not say that it can", {}},
          {Transport::mpi, "", {41.2, 240}}};
}

TEST(TransportChoice, TakesTheFastest) {
  auto trials = two_h200();
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::peer_memory);
  trials[0].microseconds = {12, 25};
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::nccl);
  trials[1].microseconds = {80, 500};
  trials[0].microseconds = {90, 600};
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::mpi);
}

TEST(TransportChoice, NeverTakesImpossibleTransport) {
  auto trials = two_h200();
  trials[0].obstacle = "ranks share a GPU";  // its times are ignored
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::nccl);
  trials[1].obstacle = "no libnccl.so.2";
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::mpi);
  trials[3].obstacle = "no";
  EXPECT_THROW((void)choose(Transport::automatic, trials), std::invalid_argument);
}

TEST(TransportChoice, KeepsPreferredWithinTenPercent) {
  auto trials = two_h200();
  trials[0].microseconds = {10.9, 21.8};
  trials[1].microseconds = {10, 20};
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::peer_memory);
  trials[0].microseconds = {11.1, 22.2};
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::nccl);
  // The transport that is earlier in the order needs no margin.
  trials[0].microseconds = {9.9, 20};
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::peer_memory);
}

TEST(TransportChoice, WeighsSizesEqually) {
  auto trials = two_h200();
  trials[0].microseconds = {5, 400};
  trials[1].microseconds = {25, 40};  // five times slower, ten times faster
  EXPECT_DOUBLE_EQ(trials[1].typical_microseconds(), std::sqrt(25.0 * 40.0));
  EXPECT_EQ(choose(Transport::automatic, trials), Transport::nccl);
}

TEST(TransportChoice, OnlyPossibleTransportNeedsNoTrial) {
  const Trials only{{Transport::nccl, "no libnccl.so.2", {}}, {Transport::mpi, "", {}}};
  EXPECT_EQ(choose(Transport::automatic, only), Transport::mpi);
  EXPECT_EQ(only[1].typical_microseconds(), 0);
  auto trials = two_h200();
  trials[1].microseconds.clear();
  EXPECT_THROW((void)choose(Transport::automatic, trials), std::invalid_argument);
}

TEST(TransportChoice, RequestIsGrantedOrRefusedWithReason) {
  const auto trials = two_h200();
  EXPECT_THROW((void)choose(Transport::nccl, {{Transport::mpi, {}, {}}}), std::invalid_argument);
  EXPECT_EQ(choose(Transport::mpi, trials), Transport::mpi);
  try {
    (void)choose(Transport::mpi_device, trials);
    FAIL() << "what cannot be was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "MPI from GPU memory cannot be used: the MPI library does not say that it can "
                 "(partition.transport: auto takes what is possible)");
  }
}

TEST(TransportChoice, DescribesTimesAndObstacles) {
  EXPECT_EQ(describe_choice(Transport::peer_memory, two_h200()),
            "peer memory (microseconds for 5000 and 80000 residues to a neighbour: peer memory 6.5 "
            "and 9.4, NCCL 9.2 and 16, MPI through the host 41.2 and 240); no MPI from GPU memory: "
            "the MPI library does not say that it can");
  EXPECT_EQ(describe_choice(Transport::mpi, {{Transport::mpi, "", {}}}), "MPI through the host");
}

}  // namespace
}  // namespace nfold::comm

// Which processors each rank of a node gets, on made-up nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "hardware/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "processor_range.hpp"

namespace nfold::hardware {
namespace {

using testing::HasSubstr;

std::vector<Seat> seats(std::size_t count, const Seat& like) { return std::vector(count, like); }
Seat free_on(std::size_t processors) {
  Seat seat;
  seat.bound = seat.reachable = from_to(0, processors);
  return seat;
}

/// Binds every rank, and checks what holds of any binding: parts of their own, none empty.
std::vector<ProcessorSet> parts_of(const std::vector<Seat>& ranks,
                                   const std::vector<ProcessorSet>& cores = {}) {
  std::vector<ProcessorSet> parts;
  ProcessorSet taken;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const auto binding = binding_of(ranks, k, cores);
    EXPECT_TRUE(binding.processors.any()) << k;
    EXPECT_TRUE((taken & binding.processors).none()) << "ranks share a processor";
    EXPECT_LE(binding.threads, static_cast<int>(binding.processors.count()));
    taken |= binding.processors;
    parts.push_back(binding.processors);
  }
  return parts;
}

TEST(Binding, SharesANodeEvenlyAmongRanksWithoutGpus) {
  const auto four = parts_of(seats(4, free_on(16)));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(four[k], from_to(4 * k, 4 * k + 4));
  const auto three = parts_of(seats(3, free_on(16)));
  EXPECT_EQ(three[0].count() + three[1].count() + three[2].count(), 16U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(binding_of(seats(3, free_on(16)), k, {}).threads, 5) << "as many as without binding";
  }
}

TEST(Binding, KeepsTheThreadsOfACoreTogether) {
  // As Linux counts: the second threads of four cores come after the first ones.
  std::vector<ProcessorSet> cores;
  for (std::size_t k = 0; k < 4; ++k) cores.push_back(from_to(k, k + 1) | from_to(k + 4, k + 5));
  const auto two = parts_of(seats(2, free_on(8)), cores);
  EXPECT_EQ(list_text(two[0]), "0-1,4-5");
  EXPECT_EQ(list_text(two[1]), "2-3,6-7");
}

TEST(Binding, LeavesRanksAloneWhereThereAreTooFewProcessors) {
  const auto many = seats(4, free_on(2));
  for (std::size_t k = 0; k < 4; ++k) {
    const auto binding = binding_of(many, k, {});
    EXPECT_TRUE(binding.processors.none()) << "two ranks would fall onto one core";
    EXPECT_EQ(binding.threads, 1);
  }
}

TEST(Binding, PutsRanksBesideTheirGpus) {
  auto ranks = seats(4, free_on(32));
  ranks[0].near = ranks[1].near = from_to(0, 16);
  ranks[2].near = ranks[3].near = from_to(16, 32);
  const auto parts = parts_of(ranks);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(parts[k], from_to(8 * k, 8 * k + 8));
  // Two GPUs at one socket of two: the other socket stays empty, as it is far from both.
  ranks.resize(2);
  const auto two = parts_of(ranks);
  EXPECT_EQ(two[1], from_to(8, 16));
  EXPECT_EQ(binding_of(ranks, 1, {}).threads, 8);
  // More ranks than processors beside the GPU: all of the node is shared instead.
  auto crowd = seats(4, free_on(32));
  for (auto& rank : crowd) rank.near = from_to(0, 2);
  for (const auto& part : parts_of(crowd)) EXPECT_EQ(part.count(), 8U);
}

TEST(Binding, MendsWhatMpirunBoundByItself) {
  std::vector<Seat> ranks;
  for (std::size_t k = 0; k < 2; ++k) {
    Seat seat;
    seat.bound = from_to(k, k + 1);
    seat.reachable = from_to(0, 64);
    seat.how = Bound::by_launcher;
    ranks.push_back(seat);
  }
  const auto parts = parts_of(ranks);
  EXPECT_EQ(parts[0], from_to(0, 32));
  EXPECT_EQ(parts[1], from_to(32, 64));
  const auto binding = binding_of(ranks, 1, {});
  EXPECT_EQ(binding.threads, 32);
  EXPECT_THAT(binding_note(ranks, 1, binding),
              HasSubstr("mpirun had bound each of 2 ranks to 1 of 64 processors; now it has 32"));
}

TEST(Binding, SaysWhereTheSystemRefuses) {
  Seat seat;
  seat.bound = from_to(0, 1);
  seat.how = Bound::by_launcher;
  const auto ranks = seats(1, seat);
  const auto binding = binding_of(ranks, 0, {});
  EXPECT_TRUE(binding.processors.none());
  EXPECT_THAT(binding_note(ranks, 0, binding),
              HasSubstr("the system does not let that be changed"));
}

TEST(Binding, LeavesWhatASchedulerOrAUserBound) {
  // Slurm's --cpus-per-task=4, without a fence around them.
  std::vector<Seat> ranks;
  for (std::size_t k = 0; k < 2; ++k) {
    Seat seat;
    seat.bound = from_to(4 * k, 4 * k + 4);
    seat.reachable = from_to(0, 64);
    ranks.push_back(seat);
  }
  EXPECT_TRUE(binding_of(ranks, 0, {}).processors.none());
  EXPECT_EQ(binding_of(ranks, 0, {}).threads, 4);
  EXPECT_THAT(binding_note(ranks, 0, {}),
              HasSubstr("bound to 4 of 64 processors, so that 56 are idle"));
  // taskset on all ranks alike, by a user who says so.
  auto kept = seats(2, free_on(8));
  for (auto& seat : kept) seat.how = Bound::on_purpose;
  EXPECT_TRUE(binding_of(kept, 0, {}).processors.none());
  EXPECT_EQ(binding_of(kept, 0, {}).threads, 4);
}

/// The variables that a test poses, for own_seat().
std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> all;
  return all;
}
const char* posed(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? nullptr : found->second.c_str();
}

Bound bound_where(const std::map<std::string, std::string>& environment) {
  variables() = environment;
  return own_seat(false, posed).how;
}

TEST(OwnSeat, KnowsWhoBoundIt) {
  EXPECT_EQ(bound_where({}), Bound::by_nobody_known);
  const std::pair<std::string, std::string> mpirun{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"};
  EXPECT_EQ(bound_where({mpirun}), Bound::by_launcher);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_hwloc_base_binding_policy", "core"}}),
            Bound::on_purpose);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_hwloc_base_binding_policy", "none"}}),
            Bound::by_nobody_known);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_rmaps_base_mapping_policy", "slot:PE=4"}}),
            Bound::on_purpose);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_rmaps_base_mapping_policy", "node"}}),
            Bound::by_launcher);
  EXPECT_EQ(bound_where({mpirun, {"OMP_PROC_BIND", "close"}}), Bound::on_purpose);
  EXPECT_EQ(bound_where({mpirun, {"OMP_PROC_BIND", "false"}}), Bound::by_launcher);
  EXPECT_FALSE(own_seat(false, posed).may_narrow) << "threads may move, the user says";
  variables() = {mpirun};
  EXPECT_TRUE(own_seat(false, posed).may_narrow);
  EXPECT_EQ(own_seat(true, posed).how, Bound::on_purpose) << "devices.binding: keep";
}

TEST(OwnSeat, GoesNoFurtherThanAJobThatIsNotFencedIn) {
  const std::pair<std::string, std::string> mpirun{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"};
  EXPECT_EQ(bound_where({mpirun, {"SLURM_CPUS_ON_NODE", "0"}}), Bound::by_nobody_known);
  EXPECT_EQ(bound_where({mpirun, {"SLURM_CPUS_ON_NODE", "1024"}}), Bound::by_launcher);
}

}  // namespace
}  // namespace nfold::hardware

// Work and partitions that ranks compute from shares, against those of one rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

#include "domain/counted_work.hpp"
#include "domain/space_partition.hpp"
#include "support/random_topology.hpp"

namespace nfold::domain {
namespace {

constexpr int residue_count = 900;

struct Case {
  const char* name;
  system::Box box;
  std::array<double, 3> spread_nm;
};

const Case cases[] = {{"open", {}, {20, 6, 6}},
                      {"periodic", {{18, 9, 9}}, {18, 9, 9}},
                      {"periodic along x alone", {{18, 0, 0}}, {18, 9, 7}},
                      {"of few cells", {{3.5, 4.1, 20}}, {3.5, 4.1, 20}},
                      {"long, and empty but for the ends", {{90, 9, 9}}, {6, 9, 9}},
                      {"one point", {{18, 9, 9}}, {0, 0, 0}}};

class SharedPartitions : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    topology_.box = GetParam().box;
    topology_.short_range.cutoff_nm = 2;
    topology_.electrostatics.coulomb_kj_mol_nm = 1;
    topology_.electrostatics.cutoff_nm = 3;
    topology::Repeated<topology::Residue> charged;
    for (std::size_t id = 0; id < residue_count; ++id) {
      auto residue = topology_.residues[id];
      if (id % 3 == 0) residue.charge_e = 1;
      charged.push_back(residue);
    }
    topology_.residues = charged;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> fraction(-0.5, 0.5);
    for (auto& x : positions_) {
      for (std::size_t k = 0; k < 3; ++k) {
        x[k] = topology_.box.to_counts(k, GetParam().spread_nm[k] * fraction(random));
      }
    }
  }
  /// First residue of a rank's share. Shares are uneven; the last of three or more ranks has none.
  [[nodiscard]] int first_residue(int rank) const {
    const int ranks = world_.size();
    return rank >= ranks - 1 && ranks > 2 ? residue_count : residue_count * rank / ranks;
  }
  [[nodiscard]] std::span<const system::FixedPosition> own_positions() const {
    const auto first = static_cast<std::size_t>(first_residue(world_.rank()));
    const auto end = world_.rank() + 1 == world_.size()
                         ? std::size_t{residue_count}
                         : static_cast<std::size_t>(first_residue(world_.rank() + 1));
    return std::span(positions_).subspan(first, end - first);
  }

  comm::Communicator world_ = comm::Communicator::world();
  topology::Topology topology_ = testing_support::random_topology(residue_count, 40, 4);
  std::vector<system::FixedPosition> positions_ = std::vector<system::FixedPosition>(residue_count);
};

TEST_P(SharedPartitions, MatchThoseOfOneRank) {
  const int first = first_residue(world_.rank());
  const auto own = own_positions();
  const auto whole = counted_work(topology_, positions_, 0.3);
  const auto work = counted_work(world_, topology_, first, own, 0.3);
  EXPECT_EQ(world_.all_gather(std::span<const double>(work)), whole) << "to the last bit";
  for (const int ranks : {1, 2, 3, 8}) {
    EXPECT_EQ(distributed_bisection(world_, topology_.box, {first, own, work}, ranks),
              recursive_bisection(topology_.box, positions_, whole, ranks))
        << ranks;
  }
}

INSTANTIATE_TEST_SUITE_P(Boxes, SharedPartitions, testing::ValuesIn(cases),
                         [](const auto& one) { return "Case" + std::to_string(one.index); });

}  // namespace
}  // namespace nfold::domain

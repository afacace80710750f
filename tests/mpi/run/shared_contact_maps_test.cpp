// Contact maps summed by all ranks, against plain loops over all pairs, on any rank count.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/shared_contact_maps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/sparse_contact_maps.hpp"
#include "shared_sums.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::run {
namespace {

using Counts = std::map<std::pair<int, int>, std::int64_t>;

const auto* const scope = test::start_kokkos();

struct PlainMaps {
  Counts within, between;
  Words per_chain;
};

/// Counts contacts by a loop over all pairs of each frame.
PlainMaps plain_maps(const topology::Topology& topology, const std::vector<system::State>& frames,
                     double cutoff_nm) {
  const analysis::DistinctResidues rows(topology);
  const auto kinds = rows.kinds().size();
  PlainMaps maps;
  maps.per_chain.assign(2 * kinds, 0);
  for (const auto& frame : frames) {
    for (int i = 0; i < topology.residue_count(); ++i) {
      const auto x = system::position_nm(topology.box, frame.position[static_cast<std::size_t>(i)]);
      for (int j = i + 1; j < topology.residue_count(); ++j) {
        const auto y =
            system::position_nm(topology.box, frame.position[static_cast<std::size_t>(j)]);
        double r2 = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double d = topology.box.nearest_nm(k, x[k] - y[k]);
          r2 += d * d;
        }
        if (r2 >= cutoff_nm * cutoff_nm) continue;
        const int a = topology.residues[static_cast<std::size_t>(i)].chain;
        const int b = topology.residues[static_cast<std::size_t>(j)].chain;
        const auto row = std::minmax({rows.row_of(i), rows.row_of(j)});
        ++(a == b ? maps.within : maps.between)[{row.first, row.second}];
        const std::size_t first = a == b ? 0 : kinds;
        ++maps.per_chain[first + static_cast<std::size_t>(rows.kind_of_chain(a))];
        if (a != b) ++maps.per_chain[first + static_cast<std::size_t>(rows.kind_of_chain(b))];
      }
    }
  }
  return maps;
}

Counts read_counts(const std::vector<analysis::Result>& results, const std::string& map) {
  const auto& start = *find(results, map + "_row_start").counts;
  const auto& column = *find(results, map + "_column").counts;
  const auto& count = *find(results, map + "_count").counts;
  Counts found;
  for (std::size_t row = 0; row + 1 < start.size(); ++row) {
    for (auto k = start[row]; k < start[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      found[{static_cast<int>(row), static_cast<int>(column[at])}] = count[at];
    }
  }
  return found;
}

class SharedContactMaps : public SharedSumsTest {
 protected:
  void expect_sparse_maps(const topology::Topology& topology, const Point& size_nm,
                          double cutoff_nm) const {
    std::vector<system::State> frames;
    for (unsigned f = 0; f < 4; ++f) frames.push_back(make_frame(topology, size_nm, 30 + f));
    const auto words = sums_on_any_ranks(
        [&](const comm::Communicator& ranks) {
          return make_contact_maps(ranks, topology, cutoff_nm);
        },
        frames);
    if (!world.is_root()) return;
    const auto plain = plain_maps(topology, frames, cutoff_nm);
    EXPECT_GT(plain.within.size(), 100U);
    EXPECT_GT(plain.between.size(), 100U);
    const auto results =
        make_contact_maps(comm::Communicator(), topology, cutoff_nm)->results(words);
    EXPECT_EQ(read_counts(results, "contact_maps/within"), plain.within);
    EXPECT_EQ(read_counts(results, "contact_maps/between"), plain.between);
    const auto kinds = analysis::chain_kinds(topology);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const double frames_and_chains = 4.0 * static_cast<double>(kinds.kinds[k].chains.size());
      EXPECT_DOUBLE_EQ(find(results, "contact_maps/within_per_chain").values[k],
                       static_cast<double>(plain.per_chain[k]) / frames_and_chains);
      EXPECT_DOUBLE_EQ(find(results, "contact_maps/between_per_chain").values[k],
                       static_cast<double>(plain.per_chain[kinds.size() + k]) / frames_and_chains);
    }
  }
};

TEST_F(SharedContactMaps, SparseMapsMatchPlainLoopsInABox) {
  expect_sparse_maps(make_chains({{1, 700}, {3, 450}}, {9, 21, 8}), {9, 21, 8}, 1.1);
}

TEST_F(SharedContactMaps, SparseMapsMatchPlainLoopsInOpenSpace) {
  expect_sparse_maps(make_chains({{2, 1040}}, {0, 0, 0}), {7, 8, 22}, 0.95);
}

// Slices would be thinner than the cutoff, so there are fewer slices than ranks.
TEST_F(SharedContactMaps, SparseMapsMatchPlainLoopsInAShortBox) {
  expect_sparse_maps(make_chains({{1, 1001}, {2, 40}}, {5, 5, 5}), {5, 5, 5}, 2);
}

TEST_F(SharedContactMaps, DenseMapsMatchPlainLoops) {
  const auto topology = make_chains({{30, 20}, {10, 31}}, {9, 9, 12});
  std::vector<system::State> frames;
  for (unsigned f = 0; f < 5; ++f) frames.push_back(make_frame(topology, {9, 9, 12}, 50 + f));
  const auto words = sums_on_any_ranks(
      [&](const comm::Communicator& ranks) { return make_contact_maps(ranks, topology, 1); },
      frames);
  if (!world.is_root()) return;
  const auto plain = plain_maps(topology, frames, 1);
  const auto results = make_contact_maps(comm::Communicator(), topology, 1)->results(words);
  const auto& between = find(results, "contact_maps/between_0_1");
  EXPECT_EQ(between.extent, (std::vector<std::int64_t>{20, 31}));
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 31; ++j) {
      const auto found = plain.between.find({i, 20 + j});
      const double count = found == plain.between.end() ? 0 : static_cast<double>(found->second);
      EXPECT_DOUBLE_EQ(between.values[static_cast<std::size_t>(i * 31 + j)], count / (5.0 * 30));
    }
  }
}

TEST_F(SharedContactMaps, RefuseSumsOfAnotherInput) {
  const auto topology = make_chains({{1, 1100}}, {0, 0, 0});
  const auto other = make_chains({{1, 1101}}, {0, 0, 0}), small = make_chains({{1, 90}}, {0, 0, 0});
  const auto frame = make_frame(topology, {5, 5, 5}, 1);
  const auto made = make_contact_maps(comm::Communicator(), topology, 1);
  made->add(frame);
  const auto words = made->saved();
  EXPECT_TRUE(make_contact_maps(comm::Communicator(), topology, 1)->restore(words));
  EXPECT_FALSE(make_contact_maps(comm::Communicator(), topology, 1.01)->restore(words));
  EXPECT_FALSE(make_contact_maps(comm::Communicator(), other, 1)->restore(words));
  EXPECT_FALSE(make_contact_maps(comm::Communicator(), small, 1)->restore(words));
  const auto cut = std::span(words).first(words.size() - 1);
  EXPECT_THROW((void)make_contact_maps(comm::Communicator(), topology, 1)->restore(cut),
               std::out_of_range);
}

}  // namespace
}  // namespace nfold::run

// What all ranks sum together: against plain loops over all pairs, and the same on any ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "analysis/sparse_contact_maps.hpp"
#include "comm/communicator.hpp"
#include "domain/partition.hpp"
#include "run/shared_contact_maps.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::run {
namespace {

using Point = std::array<double, 3>;
using Counts = std::map<std::pair<int, int>, std::int64_t>;
using Words = std::vector<std::int64_t>;

const auto* const scope = test::start_kokkos();

struct Chains {
  int chains, residues;
};

topology::Topology chains_of(const std::vector<Chains>& plan, const Point& box_nm) {
  topology::Topology t;
  t.box.length_nm = box_nm;
  for (std::size_t s = 0; s < plan.size(); ++s) {
    t.species.push_back({"S" + std::to_string(s), plan[s].chains});
    for (int c = 0; c < plan[s].chains; ++c) {
      const int chain = static_cast<int>(t.chains.size());
      t.chains.push_back({"C", t.residue_count(), plan[s].residues, static_cast<int>(s)});
      for (int r = 0; r < plan[s].residues; ++r) {
        t.residues.push_back({"GLY", r + 1, ' ', chain, 0, 100.0, 0.0});
      }
    }
  }
  return t;
}

/// Anywhere in a block, and turns of the box away.
system::State frame_of(const topology::Topology& topology, const Point& size_nm, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&random] { return (static_cast<double>(random()) + 0.5) / 4294967296.0; };
  system::State state;
  for (int i = 0; i < topology.residue_count(); ++i) {
    Point x{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double turn = topology.box.is_periodic(k) ? topology.box.length_nm[k] : 0;
      x[k] =
          size_nm[k] * uniform() + turn * static_cast<double>(static_cast<int>(random() % 5) - 2);
    }
    state.id.push_back(i);
    state.position.push_back(system::coarse_position(topology.box, x));
    state.velocity.push_back({});
  }
  return state;
}

system::State share_of(const system::State& all, const domain::Ownership& owner, int rank) {
  system::State mine;
  for (std::size_t k = 0; k < all.id.size(); ++k) {
    if (owner[k] != rank) continue;
    mine.id.push_back(all.id[k]);
    mine.position.push_back(all.position[k]);
    mine.velocity.push_back(all.velocity[k]);
  }
  return mine;
}

struct PlainMaps {
  Counts within, between;
  Words of_chains;
};

/// By all pairs, one frame after another.
PlainMaps plain_maps(const topology::Topology& topology, const std::vector<system::State>& frames,
                     double cutoff_nm) {
  const analysis::DistinctResidues rows(topology);
  const auto kinds = rows.kinds().size();
  PlainMaps maps;
  maps.of_chains.assign(2 * kinds, 0);
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
        ++maps.of_chains[first + static_cast<std::size_t>(rows.kind_of_chain(a))];
        ++maps.of_chains[first + static_cast<std::size_t>(rows.kind_of_chain(b))];
      }
    }
  }
  return maps;
}

const analysis::Result& find(const std::vector<analysis::Result>& results,
                             const std::string& path) {
  for (const auto& result : results) {
    if (result.path == path) return result;
  }
  throw std::runtime_error("no result " + path);
}

Counts counts_of(const std::vector<analysis::Result>& results, const std::string& map) {
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

class SharedSums : public testing::Test {
 protected:
  using Maker = std::function<std::unique_ptr<SharedAccumulator>(const comm::Communicator&)>;

  /// Adds frames first .. last - 1 on the first ranks of the job, each with owners of its own.
  static Words add(const comm::Communicator& some, SharedAccumulator& to,
                   const std::vector<system::State>& frames, std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f) {
      const auto owner =
          domain::random_owners(static_cast<int>(frames[f].id.size()), some.size(), 7 + f);
      to.add(share_of(frames[f], owner, some.rank()));
    }
    return to.saved();
  }
  /// The words of all frames on all ranks; checks them against one rank, and a restart on another
  /// number of ranks. On rank 0.
  Words words_on_any_ranks(const Maker& make, const std::vector<system::State>& frames) const {
    const auto together = make(world);
    const auto words = add(world, *together, frames, 0, frames.size());
    for (int ranks = 1; ranks < world.size(); ++ranks) {
      std::vector<int> members(static_cast<std::size_t>(ranks));
      std::iota(members.begin(), members.end(), 0);
      Words half;
      if (world.rank() < ranks) {
        const auto some = world.group(members, ranks);
        const auto alone = make(some);
        EXPECT_EQ(add(some, *alone, frames, 0, frames.size()), words);
        const auto before = make(some);
        half = add(some, *before, frames, 0, frames.size() / 2);
      }
      const auto shared = world.broadcast(std::string_view(
          reinterpret_cast<const char*>(half.data()), half.size() * sizeof(std::int64_t)));
      half.resize(shared.size() / sizeof(std::int64_t));
      std::memcpy(half.data(), shared.data(), shared.size());
      const auto after = make(world);
      EXPECT_TRUE(after->restore(half));
      EXPECT_EQ(after->saved(), world.is_root() ? half : Words());
      EXPECT_EQ(add(world, *after, frames, frames.size() / 2, frames.size()), words)
          << "from " << ranks << " ranks on";
    }
    return words;
  }
  void expect_sparse_maps(const topology::Topology& topology, const Point& size_nm,
                          double cutoff_nm) const {
    std::vector<system::State> frames;
    for (unsigned f = 0; f < 4; ++f) frames.push_back(frame_of(topology, size_nm, 30 + f));
    const auto words = words_on_any_ranks(
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
    EXPECT_EQ(counts_of(results, "contact_maps/within"), plain.within);
    EXPECT_EQ(counts_of(results, "contact_maps/between"), plain.between);
    const auto kinds = analysis::chain_kinds(topology);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const double frames_and_chains = 4.0 * static_cast<double>(kinds.kinds[k].chains.size());
      EXPECT_DOUBLE_EQ(find(results, "contact_maps/within_per_chain").values[k],
                       static_cast<double>(plain.of_chains[k]) / frames_and_chains);
      EXPECT_DOUBLE_EQ(find(results, "contact_maps/between_per_chain").values[k],
                       static_cast<double>(plain.of_chains[kinds.size() + k]) / frames_and_chains);
    }
  }
  const comm::Communicator world = comm::Communicator::world();
};

TEST_F(SharedSums, SparseMapsInABox) {
  expect_sparse_maps(chains_of({{1, 700}, {3, 450}}, {9, 21, 8}), {9, 21, 8}, 1.1);
}

TEST_F(SharedSums, SparseMapsWithoutBorders) {
  expect_sparse_maps(chains_of({{2, 1040}}, {0, 0, 0}), {7, 8, 22}, 0.95);
}

// Slices would be thinner than the cutoff: fewer of them than ranks.
TEST_F(SharedSums, SparseMapsInAShortBox) {
  expect_sparse_maps(chains_of({{1, 1001}, {2, 40}}, {5, 5, 5}), {5, 5, 5}, 2);
}

TEST_F(SharedSums, WholeMapsOfFewResidues) {
  const auto topology = chains_of({{30, 20}, {10, 31}}, {9, 9, 12});
  std::vector<system::State> frames;
  for (unsigned f = 0; f < 5; ++f) frames.push_back(frame_of(topology, {9, 9, 12}, 50 + f));
  const auto words = words_on_any_ranks(
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

TEST_F(SharedSums, SumsOfAnotherInputAreNotTaken) {
  const auto topology = chains_of({{1, 1100}}, {0, 0, 0});
  const auto other = chains_of({{1, 1101}}, {0, 0, 0}), small = chains_of({{1, 90}}, {0, 0, 0});
  const auto frame = frame_of(topology, {5, 5, 5}, 1);
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

// Fixture for accumulators shared by ranks: equal sums on any ranks and after a restart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/result.hpp"
#include "comm/communicator.hpp"
#include "domain/partition.hpp"
#include "model/topology/topology.hpp"
#include "session/run/shared_accumulator.hpp"

namespace nfold::run {

using Point = std::array<double, 3>;
using Words = std::vector<std::int64_t>;

struct Chains {
  int chains, residues;
};

inline topology::Topology make_chains(const std::vector<Chains>& plan, const Point& box_nm) {
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

/// Random positions within `size_nm`, shifted by whole lengths of the box.
inline system::State make_frame(const topology::Topology& topology, const Point& size_nm,
                                unsigned seed) {
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

inline system::State select_share(const system::State& all, const domain::Ownership& owner,
                                  int rank) {
  system::State mine;
  for (std::size_t k = 0; k < all.id.size(); ++k) {
    if (owner[k] != rank) continue;
    mine.id.push_back(all.id[k]);
    mine.position.push_back(all.position[k]);
    mine.velocity.push_back(all.velocity[k]);
  }
  return mine;
}

inline const analysis::Result& find(const std::vector<analysis::Result>& results,
                                    const std::string& path) {
  for (const auto& result : results) {
    if (result.path == path) return result;
  }
  throw std::runtime_error("no result " + path);
}

/// Fixture that adds frames to shared accumulators on any number of ranks.
class SharedSumsTest : public testing::Test {
 protected:
  using Maker = std::function<std::unique_ptr<SharedAccumulator>(const comm::Communicator&)>;

  /// Adds frames first .. last - 1 on the ranks of `some`, each with other owners. Returns the
  /// sums.
  static Words add(const comm::Communicator& some, SharedAccumulator& to,
                   const std::vector<system::State>& frames, std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f) {
      const auto owner =
          domain::random_owners(static_cast<int>(frames[f].id.size()), some.size(), 7 + f);
      to.add(select_share(frames[f], owner, some.rank()));
    }
    return to.saved();
  }
  /// Sums of all frames on all ranks; empty except on rank 0. Checks them against fewer ranks and
  /// against a restart from fewer ranks. Collective.
  Words sums_on_any_ranks(const Maker& make, const std::vector<system::State>& frames) const {
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

  const comm::Communicator world = comm::Communicator::world();
};

}  // namespace nfold::run

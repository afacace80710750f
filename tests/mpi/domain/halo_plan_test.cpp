// Halo plans of random maps against brute force; an exchange brings each ghost its own numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/halo_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "domain/local_topology.hpp"
#include "support/random_topology.hpp"

namespace nfold::domain {
namespace {

constexpr int residues = 300;
constexpr double range_nm = 1.3;

enum class Map { random, ranges, first_rank_empty, last_rank_only };
enum class Place { globule, dilute, with_outlier };

Ownership make_owner(Map map, int ranks) {
  if (map == Map::last_rank_only) return Ownership(residues, ranks - 1);
  if (map == Map::ranges) return residue_ranges(std::vector<double>(residues, 1.0), ranks);
  auto owner = random_owners(residues, ranks, 11);
  if (map == Map::first_rank_empty) {
    for (auto& rank : owner) rank = std::max(rank, std::min(1, ranks - 1));
  }
  return owner;
}

std::vector<system::FixedPosition> make_positions(Place place) {
  std::mt19937 random(23);
  const double edge_nm = place == Place::dilute ? 30 : 6;
  std::uniform_real_distribution<double> coordinate(-0.5 * edge_nm, 0.5 * edge_nm);
  std::vector<system::FixedPosition> positions(residues);
  for (auto& position : positions) {
    for (auto& c : position) c = topology::Box{}.to_counts(0, coordinate(random));
  }
  if (place == Place::with_outlier)
    positions[5] = {topology::Box{}.to_counts(0, 9e7), topology::Box{}.to_counts(0, -4e8), 0};
  return positions;
}

bool is_within_range(const system::FixedPosition& a, const system::FixedPosition& b) {
  double r2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = topology::Box{}.to_nm(0, a[k]) - topology::Box{}.to_nm(0, b[k]);
    r2 += d * d;
  }
  return r2 < range_nm * range_nm;
}

/// What one rank sees of a case.
struct Scene {
  comm::Communicator world = comm::Communicator::world();
  int rank = world.rank();
  Ownership owner;
  std::vector<system::FixedPosition> positions;
  LocalTerms terms;
  std::vector<int> owned;
  HaloPlan plan;
  LocalRows rows;

  Scene(Map map, Place place)
      : owner(make_owner(map, world.size())), positions(make_positions(place)) {
    terms =
        local_terms(testing_support::random_topology(residues, 60, 9), owner, rank, world.size());
    std::vector<system::FixedPosition> mine;
    for (int id = 0; id < residues; ++id) {
      if (owner[static_cast<std::size_t>(id)] != rank) continue;
      owned.push_back(id);
      mine.push_back(positions[static_cast<std::size_t>(id)]);
    }
    plan = make_halo_plan(world, owned, mine, terms.wanted, topology::Box{}.to_counts(0, range_nm));
    rows = local_rows(owned, plan);
  }
};

class HaloPlans : public testing::TestWithParam<std::tuple<Map, Place>> {
 protected:
  Scene scene_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(HaloPlans, HoldEveryNeighbourAndPartner) {
  const auto row = scene_.rows.row_of_id(residues);
  for (const int partner : scene_.terms.partners) {
    EXPECT_GE(row[static_cast<std::size_t>(partner)], scene_.rows.owned) << partner;
  }
  for (int id = 0; id < residues; ++id) {
    const auto at = static_cast<std::size_t>(id);
    const bool is_owned = scene_.owner[at] == scene_.rank;
    EXPECT_EQ(row[at] >= 0 && row[at] < scene_.rows.owned, is_owned) << id;
    const bool is_near = std::any_of(scene_.owned.begin(), scene_.owned.end(), [&](int mine) {
      return is_within_range(scene_.positions[static_cast<std::size_t>(mine)],
                             scene_.positions[at]);
    });
    EXPECT_TRUE(!is_near || row[at] >= 0) << id;
  }
}

TEST_P(HaloPlans, SendNoResidueTwiceAndInOrder) {
  auto ids = scene_.rows.id;
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  for (std::size_t peer = 0; peer < scene_.plan.receive_ids.size(); ++peer) {
    const auto& received = scene_.plan.receive_ids[peer];
    EXPECT_TRUE(std::is_sorted(received.begin(), received.end()));
    for (const int id : received) {
      EXPECT_EQ(scene_.owner[static_cast<std::size_t>(id)], static_cast<int>(peer));
    }
    EXPECT_TRUE(
        std::is_sorted(scene_.plan.send_rows[peer].begin(), scene_.plan.send_rows[peer].end()));
  }
}

TEST_P(HaloPlans, BringEachGhostItsNumbers) {
  std::vector<system::FixedPosition> send, arrived(scene_.rows.id.size() - scene_.owned.size());
  for (const auto& peer_rows : scene_.plan.send_rows) {
    for (const int row : peer_rows) {
      const int id = scene_.rows.id[static_cast<std::size_t>(row)];
      send.push_back(scene_.positions[static_cast<std::size_t>(id)]);
    }
  }
  comm::HaloTransport transport(scene_.world,
                                routes_of(scene_.plan, sizeof(system::FixedPosition)));
  transport.start(reinterpret_cast<const std::byte*>(send.data()),
                  reinterpret_cast<std::byte*>(arrived.data()));
  transport.finish();
  for (std::size_t ghost = 0; ghost < arrived.size(); ++ghost) {
    const int id = scene_.rows.id[scene_.owned.size() + ghost];
    EXPECT_EQ(arrived[ghost], scene_.positions[static_cast<std::size_t>(id)]) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(
    MapsAndPlaces, HaloPlans,
    testing::Combine(testing::Values(Map::random, Map::ranges, Map::first_rank_empty,
                                     Map::last_rank_only),
                     testing::Values(Place::globule, Place::dilute, Place::with_outlier)));

TEST(HaloPlan, LeavesOutWhatIsFarAway) {
  const Scene scene(Map::ranges, Place::dilute);
  if (scene.world.size() > 1) {
    EXPECT_LT(scene.rows.id.size(), static_cast<std::size_t>(residues));
  } else {
    EXPECT_EQ(scene.rows.id.size(), static_cast<std::size_t>(residues));
  }
}

}  // namespace
}  // namespace nfold::domain

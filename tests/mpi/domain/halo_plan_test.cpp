// Halo plans of random maps against brute force; an exchange brings each ghost its own numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/halo_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>

#include "domain/local_topology.hpp"
#include "domain/occupancy.hpp"
#include "domain/space_partition.hpp"
#include "support/random_topology.hpp"
#include "support/spread_positions.hpp"

namespace nfold::domain {
namespace {

constexpr int residues = 300;
constexpr double range_nm = 1.3;

enum class Map { random, ranges, first_rank_empty, last_rank_only, slabs, bisection, hilbert };

/// Where the residues are: uniform in `spread_nm` along each axis, around `middle_nm`.
struct Place {
  const char* name;
  topology::Box box;
  std::array<double, 3> spread_nm, middle_nm{0, 0, 0};
  bool has_outlier = false;
};

std::ostream& operator<<(std::ostream& out, const Place& place) { return out << place.name; }

const Place places[] = {
    {"globule", {}, {6, 6, 6}},
    {"dilute", {}, {30, 30, 30}},
    {"with_outlier", {}, {6, 6, 6}, {0, 0, 0}, true},
    {"full_box", {{7, 8, 9}}, {7, 8, 9}},
    {"barely_twice_the_range", {{2.601, 5, 30}}, {2.601, 5, 30}},
    {"one_or_two_cells", {{0.6, 1.3, 12}}, {0.6, 1.3, 12}},
    {"three_cells", {{2, 2.5, 20}}, {2, 2.5, 20}},
    {"slab_in_vacuum", {{8, 8, 90}}, {8, 8, 5}, {0, 0, 45}},
    {"droplet_over_the_corner", {{300, 200, 100}}, {5, 5, 5}},
    {"open_and_periodic", {{0, 6, 0}}, {20, 6, 9}},
    {"dilute_box", {{40, 50, 60}}, {40, 50, 60}},
};

std::vector<system::FixedPosition> make_positions(const Place& place) {
  return test::spread_positions(place, static_cast<std::size_t>(residues));
}

/// Slabs of equal width along x of the unwrapped spread, thinner than the range on many ranks.
Ownership slabs(const Place& place, int ranks) {
  Ownership owner;
  for (const auto& position : make_positions(place)) {
    const double x = place.box.to_nm(0, position[0]) / place.spread_nm[0] + 100;
    owner.push_back(std::min(static_cast<int>((x - std::floor(x)) * ranks), ranks - 1));
  }
  return owner;
}

Ownership make_owner(Map map, const Place& place, int ranks) {
  if (map == Map::last_rank_only) return Ownership(residues, ranks - 1);
  if (map == Map::ranges) return residue_ranges(std::vector<double>(residues, 1.0), ranks);
  if (map == Map::slabs) return slabs(place, ranks);
  const std::vector<double> even(residues, 1.0);
  if (map == Map::bisection) {
    return recursive_bisection(place.box, make_positions(place), even, ranks);
  }
  if (map == Map::hilbert) return hilbert_curve(place.box, make_positions(place), even, ranks);
  auto owner = random_owners(residues, ranks, 11);
  if (map == Map::first_rank_empty) {
    for (auto& rank : owner) rank = std::max(rank, std::min(1, ranks - 1));
  }
  return owner;
}

/// Squared distance of the nearest images [nm^2].
double distance_squared(const topology::Box& box, const system::FixedPosition& a,
                        const system::FixedPosition& b) {
  double r2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = box.nearest_nm(k, box.to_nm(k, a[k]) - box.to_nm(k, b[k]));
    r2 += d * d;
  }
  return r2;
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

  Scene(Map map, const Place& place, bool has_terms = true)
      : owner(make_owner(map, place, world.size())), positions(make_positions(place)) {
    auto topology = testing_support::random_topology(residues, 60, 9);
    if (!has_terms) {
      const auto names = topology.residues;
      topology = {};
      topology.residues = names;
    }
    terms = local_terms(topology, owner, rank, world.size());
    std::vector<system::FixedPosition> mine;
    for (int id = 0; id < residues; ++id) {
      if (owner[static_cast<std::size_t>(id)] != rank) continue;
      owned.push_back(id);
      mine.push_back(positions[static_cast<std::size_t>(id)]);
    }
    plan = make_halo_plan(world, place.box, owned, mine, terms.wanted, range_nm);
    rows = local_rows(owned, plan);
  }
};

class HaloPlans : public testing::TestWithParam<std::tuple<Map, Place>> {
 protected:
  Scene scene_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(HaloPlans, HoldEveryNeighbourAndPartner) {
  const auto row = scene_.rows.row_of_id(residues);
  const auto& box = std::get<1>(GetParam()).box;
  for (const int partner : scene_.terms.partners) {
    EXPECT_GE(row[static_cast<std::size_t>(partner)], scene_.rows.owned) << partner;
  }
  for (int id = 0; id < residues; ++id) {
    const auto at = static_cast<std::size_t>(id);
    const bool is_owned = scene_.owner[at] == scene_.rank;
    EXPECT_EQ(row[at] >= 0 && row[at] < scene_.rows.owned, is_owned) << id;
    const bool is_near = std::any_of(scene_.owned.begin(), scene_.owned.end(), [&](int mine) {
      return distance_squared(box, scene_.positions[static_cast<std::size_t>(mine)],
                              scene_.positions[at]) < range_nm * range_nm;
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
                                     Map::last_rank_only, Map::slabs, Map::bisection, Map::hilbert),
                     testing::ValuesIn(places)));

class FarAway : public testing::TestWithParam<Place> {};

TEST_P(FarAway, StaysAwayUnlessATermTiesIt) {
  const Place& place = GetParam();
  const Scene scene(Map::slabs, place);
  // One cell more than the reach along each axis; cells are a little wider to fill the box evenly.
  const double reach_nm = 1.1 * (1 + 1.0 / CellGrid::reach) * range_nm * std::sqrt(3.0);
  for (std::size_t row = scene.owned.size(); row < scene.rows.id.size(); ++row) {
    const int id = scene.rows.id[row];
    const bool is_partner =
        std::binary_search(scene.terms.partners.begin(), scene.terms.partners.end(), id);
    double nearest = 1e300;
    for (const int mine : scene.owned) {
      nearest = std::min(
          nearest, distance_squared(place.box, scene.positions[static_cast<std::size_t>(mine)],
                                    scene.positions[static_cast<std::size_t>(id)]));
    }
    EXPECT_TRUE(is_partner || nearest < reach_nm * reach_nm) << id;
  }
  if (scene.world.size() > 1) {
    const auto all = static_cast<std::int64_t>(scene.rows.id.size());
    EXPECT_LT(scene.world.sum(all), residues * scene.world.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Places, FarAway, testing::Values(places[1], places[10]));

class Locality : public testing::TestWithParam<Map> {};

TEST_P(Locality, BringsFewerGhostsThanRandomOwners) {
  const Place place{"wide_box", {{16, 18, 20}}, {16, 18, 20}};
  const Scene cut(GetParam(), place, false), random(Map::random, place, false);
  const auto ghosts_of = [](const Scene& scene) {
    return scene.world.sum(static_cast<std::int64_t>(scene.rows.id.size() - scene.owned.size()));
  };
  const auto few = ghosts_of(cut), many = ghosts_of(random);
  EXPECT_TRUE(cut.world.size() == 1 || few < many) << few << " against " << many;
  EXPECT_LE(cut.world.max(static_cast<std::int64_t>(cut.owned.size())) * cut.world.size(),
            residues + cut.world.size());
}

INSTANTIATE_TEST_SUITE_P(Cuts, Locality, testing::Values(Map::bisection, Map::hilbert));

class TwoReaches : public testing::TestWithParam<Place> {};

TEST_P(TwoReaches, BringNearResiduesAndFarChargedOnes) {
  const Place& place = GetParam();
  const Scene scene(Map::bisection, place, false);
  constexpr double short_nm = 0.7;
  const auto is_charged = [](int id) { return id % 4 == 0; };
  std::vector<system::FixedPosition> mine;
  std::vector<char> charged;
  for (const int id : scene.owned) {
    mine.push_back(scene.positions[static_cast<std::size_t>(id)]);
    charged.push_back(is_charged(id) ? 1 : 0);
  }
  const Reach reaches[] = {{short_nm, {}}, {range_nm, charged}};
  const auto plan =
      make_halo_plan(scene.world, place.box, scene.owned, mine, scene.terms.wanted, reaches);
  const auto rows = local_rows(scene.owned, plan);
  const auto row = rows.row_of_id(residues);
  for (int id = 0; id < residues; ++id) {
    bool is_near = false;
    for (const int own : scene.owned) {
      const double nm =
          std::sqrt(distance_squared(place.box, scene.positions[static_cast<std::size_t>(own)],
                                     scene.positions[static_cast<std::size_t>(id)]));
      is_near = is_near || nm < short_nm || (nm < range_nm && is_charged(own) && is_charged(id));
    }
    EXPECT_TRUE(!is_near || row[static_cast<std::size_t>(id)] >= 0) << id;
  }
  EXPECT_LE(rows.id.size(), scene.rows.id.size());
  EXPECT_TRUE(std::all_of(plan.send_rows.begin(), plan.send_rows.end(), [](const auto& to_peer) {
    return std::adjacent_find(to_peer.begin(), to_peer.end(), std::greater_equal<>()) ==
           to_peer.end();
  }));
  const auto ghosts = [](const LocalRows& local) {
    return static_cast<std::int64_t>(local.id.size()) - local.owned;
  };
  const auto few = scene.world.sum(ghosts(rows)), many = scene.world.sum(ghosts(scene.rows));
  EXPECT_TRUE(scene.world.size() == 1 || few < many) << few << " against " << many;
}

INSTANTIATE_TEST_SUITE_P(Places, TwoReaches,
                         testing::Values(places[0], places[3], places[7], places[9]));

TEST(HaloPlan, OfNoResiduesAtAllIsEmpty) {
  const auto world = comm::Communicator::world();
  const std::vector<std::vector<int>> nothing(static_cast<std::size_t>(world.size()));
  const auto plan = make_halo_plan(world, topology::Box{{5, 0, 5}}, {}, {}, nothing, 1.0);
  EXPECT_EQ(plan.receive_ids, nothing);
  EXPECT_EQ(plan.send_rows, nothing);
}

}  // namespace
}  // namespace nfold::domain

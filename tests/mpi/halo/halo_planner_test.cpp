// Halo plans computed by the backend against brute force.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/halo/halo_planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

#include "device/device_memory.hpp"
#include "domain/cluster_partition.hpp"
#include "domain/domain_partition.hpp"
#include "domain/space_partition.hpp"
#include "support/kokkos_scope.hpp"
#include "support/random_topology.hpp"
#include "support/spread_positions.hpp"

namespace nfold::halo {
namespace {

const auto* const scope = test::start_kokkos();

constexpr double short_nm = 0.7, charged_nm = 1.3;

enum class PartitionKind {
  random,
  ranges,
  slabs,
  first_rank_empty,
  last_rank_only,
  bisection,
  hilbert,
  clusters,
  domains
};

/// Residue positions: uniform within `spread_nm` along each axis, around `middle_nm`.
struct Layout {
  const char* name;
  int residues;
  system::Box box;
  std::array<double, 3> spread_nm, middle_nm{0, 0, 0};
  bool has_outlier = false;
};

std::ostream& operator<<(std::ostream& out, const Layout& layout) { return out << layout.name; }

const Layout layouts[] = {
    {"open", 300, {}, {6, 6, 6}, {900, -3, 0}},
    {"open_and_long", 300, {}, {200, 3, 3}},
    {"with_outlier", 300, {}, {6, 6, 6}, {0, 0, 0}, true},
    {"full_box", 400, {{7, 8, 9}}, {7, 8, 9}},
    {"barely_twice_the_range", 300, {{2.601, 5, 30}}, {2.601, 5, 30}},
    {"one_or_two_cells", 200, {{0.6, 1.3, 12}}, {0.6, 1.3, 12}},
    {"slab_in_vacuum", 300, {{8, 8, 90}}, {8, 8, 5}, {0, 0, 45}},
    {"droplet_over_the_corner", 300, {{300, 200, 100}}, {5, 5, 5}},
    {"open_and_periodic", 300, {{0, 6, 0}}, {20, 6, 9}},
    {"huge_box", 300, {{4000, 5000, 6000}}, {4000, 5000, 6000}},
    {"long_words", 400, {{3, 3, 14.6}}, {3, 3, 14.6}},  // 33 and 62 cells: words nearly empty
    {"few", 5, {{9, 9, 9}}, {9, 9, 9}},
    {"one", 1, {}, {1, 1, 1}},
    {"three_cells", 300, {{2, 2.5, 20}}, {2, 2.5, 20}},
    {"dilute", 300, {}, {30, 30, 30}},
    {"dilute_box", 300, {{40, 50, 60}}, {40, 50, 60}},
};

std::vector<system::FixedPosition> make_positions(const Layout& layout) {
  return test::spread_positions(layout, static_cast<std::size_t>(layout.residues));
}

/// Slabs of equal width along x of the unwrapped spread, thinner than the range on many ranks.
domain::Ownership slabs(const Layout& layout, int ranks) {
  domain::Ownership owner;
  for (const auto& position : make_positions(layout)) {
    const double x = layout.box.to_nm(0, position[0]) / layout.spread_nm[0] + 100;
    owner.push_back(std::min(static_cast<int>((x - std::floor(x)) * ranks), ranks - 1));
  }
  return owner;
}

domain::Ownership make_owner(PartitionKind kind, const Layout& layout, int ranks) {
  const auto count = static_cast<std::size_t>(layout.residues);
  const std::vector<double> even(count, 1.0);
  if (kind == PartitionKind::last_rank_only) return domain::Ownership(count, ranks - 1);
  if (kind == PartitionKind::ranges) return domain::residue_ranges(even, ranks);
  if (kind == PartitionKind::bisection) {
    return domain::recursive_bisection(layout.box, make_positions(layout), even, ranks);
  }
  if (kind == PartitionKind::hilbert) {
    return domain::hilbert_curve(layout.box, make_positions(layout), even, ranks);
  }
  if (kind == PartitionKind::clusters || kind == PartitionKind::domains) {
    topology::Topology topology;
    topology.residues.items().resize(count);
    topology.chains.push_back({"A", 0, layout.residues});
    topology.box = layout.box;
    const auto graph = domain::residue_graph(topology, make_positions(layout));
    if (kind == PartitionKind::clusters) return domain::contact_clusters(graph, even, ranks);
    return domain::whole_domains(graph, domain::structural_domains(topology, graph), even, ranks);
  }
  if (kind == PartitionKind::slabs) return slabs(layout, ranks);
  std::mt19937 random(11);
  domain::Ownership owner(count);
  for (auto& rank : owner) rank = static_cast<int>(random() % static_cast<unsigned>(ranks));
  if (kind == PartitionKind::first_rank_empty) {
    for (auto& rank : owner) rank = std::max(rank, std::min(1, ranks - 1));
  }
  return owner;
}

bool is_charged(int id) { return id % 4 == 0; }

std::vector<int> download(const int* data, std::int64_t n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  using Device = Kokkos::View<const int*, device::Space::memory_space, Kokkos::MemoryUnmanaged>;
  using Host = Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(Host(values.data(), values.size()), Device(data, values.size()));
  return values;
}

/// One rank's view of a case. One planner makes all plans, as in the engine.
class Scene {
 public:
  Scene(PartitionKind kind, const Layout& where, bool has_terms = true)
      : layout(where),
        owner(make_owner(kind, where, world.size())),
        positions(make_positions(where)),
        planner(world, where.box) {
    auto topology = testing_support::random_topology(layout.residues, 60, 9);
    if (!has_terms) topology = without_terms(topology);
    take(topology);
  }
  void take(const topology::Topology& topology) {
    terms = domain::local_terms(topology, owner, world.rank(), world.size());
    owned.clear();
    charged.clear();
    for (int id = 0; id < layout.residues; ++id) {
      if (owner[static_cast<std::size_t>(id)] != world.rank()) continue;
      owned.push_back(id);
      charged.push_back(is_charged(id) ? 1 : 0);
    }
    planner.set_rows(fixed_rows(owned, terms, owner, charged));
  }
  static topology::Topology without_terms(const topology::Topology& with) {
    topology::Topology t;
    t.residues = with.residues;
    return t;
  }
  void plan(const HaloRanges& ranges) {
    upload_positions();
    planner.plan(columns.read(), ranges);
  }
  void prepare(const HaloRanges& ranges) {
    upload_positions();
    planner.prepare(columns.read(), ranges);
  }
  void adopt() { planner.adopt(columns.read()); }
  [[nodiscard]] double largest_move_nm() const { return planner.largest_move_nm(columns.read()); }
  void upload_positions() {
    std::vector<system::FixedPosition> mine(1);  // never empty, like the engine's padded rows
    for (std::size_t row = 0; row < owned.size(); ++row) {
      mine.resize(std::max(mine.size(), row + 1));
      mine[row] = positions[static_cast<std::size_t>(owned[row])];
    }
    columns.upload(mine);
  }
  /// Moves every residue by at most `most_nm` along each axis.
  void move(double most_nm, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> step(-most_nm, most_nm);
    for (auto& position : positions) {
      for (std::size_t k = 0; k < 3; ++k) position[k] += layout.box.to_counts(k, step(random));
    }
  }
  [[nodiscard]] std::array<double, 3> difference_nm(int a, int b) const {
    std::array<double, 3> d{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto counts =
          positions[static_cast<std::size_t>(a)][k] - positions[static_cast<std::size_t>(b)][k];
      d[k] = layout.box.nearest_nm(k, layout.box.to_nm(k, counts));
    }
    return d;
  }
  [[nodiscard]] double distance_nm(int a, int b) const {
    const auto [x, y, z] = difference_nm(a, b);
    return std::sqrt(x * x + y * y + z * z);
  }
  [[nodiscard]] double farthest_axis_nm(int a, int b) const {
    const auto [x, y, z] = difference_nm(a, b);
    return std::max({std::abs(x), std::abs(y), std::abs(z)});
  }
  [[nodiscard]] bool is_needed(int id, double all_nm, double marked_nm) const {
    return std::any_of(owned.begin(), owned.end(), [&](int own) {
      const double nm = distance_nm(own, id);
      return nm < all_nm || (nm < marked_nm && is_charged(own) && is_charged(id));
    });
  }
  [[nodiscard]] std::vector<int> ids() const { return download(planner.row_id(), planner.rows()); }
  /// (residues) Row of each residue; -1 if it has none.
  [[nodiscard]] std::vector<int> row_of_id() const {
    std::vector<int> row(positions.size(), -1);
    const auto all = ids();
    for (std::size_t r = 0; r < all.size(); ++r) {
      row[static_cast<std::size_t>(all[r])] = static_cast<int>(r);
    }
    return row;
  }
  void expect_all_needed(double all_nm, double marked_nm) const {
    const auto row = row_of_id();
    for (int id = 0; id < layout.residues; ++id) {
      const bool is_owned = owner[static_cast<std::size_t>(id)] == world.rank();
      const int at = row[static_cast<std::size_t>(id)];
      EXPECT_EQ(at >= 0 && at < planner.owned(), is_owned) << id;
      EXPECT_TRUE(at >= 0 || !is_needed(id, all_nm, marked_nm)) << id;
    }
  }
  /// True if a plan may bring the residue. Cells are a third of a range wide, or slightly wider if
  /// they fill a box; a ghost is at most three cells from one with an owned residue, along each
  /// axis.
  [[nodiscard]] bool may_come(int id) const {
    constexpr double widest = 1.02 * 4 / 3;
    return std::any_of(owned.begin(), owned.end(), [&](int own) {
      const double nm = farthest_axis_nm(own, id);
      return nm < widest * short_nm ||
             (nm < widest * charged_nm && is_charged(own) && is_charged(id));
    });
  }
  [[nodiscard]] std::int64_t ghosts() const {
    return world.sum(static_cast<std::int64_t>(planner.rows() - planner.owned()));
  }

  comm::Communicator world = comm::Communicator::world();
  Layout layout;
  domain::Ownership owner;
  std::vector<system::FixedPosition> positions;
  domain::LocalTerms terms;
  std::vector<int> owned;
  std::vector<char> charged;
  device::DeviceColumns<std::int64_t> columns{"position"};
  HaloPlanner planner;
};

class HaloPlans : public testing::TestWithParam<std::tuple<PartitionKind, Layout>> {
 protected:
  Scene scene_{std::get<0>(GetParam()), std::get<1>(GetParam())};
  const HaloPlanner& planner_ = scene_.planner;
  void SetUp() override { scene_.plan({short_nm, charged_nm, 0}); }

  void expect_rows_in_order(const std::vector<int>& ids) const {
    std::vector<int> expected = scene_.owned;
    expected.insert(expected.end(), scene_.terms.partners.begin(), scene_.terms.partners.end());
    EXPECT_EQ(planner_.fixed_rows(), static_cast<int>(expected.size()));
    const auto others = planner_.other_ids();
    expected.insert(expected.end(), others.begin(), others.end());
    EXPECT_EQ(ids, expected);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(std::adjacent_find(expected.begin(), expected.end()), expected.end());
  }
  /// An exchange by the plan's routes fills each ghost row once, from its owner, with its position.
  void expect_ghosts_arrive_once(const std::vector<int>& ids) const {
    const auto ranks = static_cast<std::size_t>(scene_.world.size());
    const auto send_row = download(planner_.send_row(), planner_.send_first()[ranks]);
    const auto receive_row = download(planner_.receive_row(), planner_.receive_first()[ranks]);
    std::vector<system::FixedPosition> send, arrived(receive_row.size());
    send.reserve(send_row.size());
    for (const int row : send_row) {
      EXPECT_LT(row, planner_.owned());
      const int id = ids[static_cast<std::size_t>(row)];
      send.push_back(scene_.positions[static_cast<std::size_t>(id)]);
    }
    comm::HaloTransport transport(scene_.world, planner_.routes(sizeof(system::FixedPosition)));
    transport.start(reinterpret_cast<const std::byte*>(send.data()),
                    reinterpret_cast<std::byte*>(arrived.data()));
    transport.finish();
    std::vector<int> times(ids.size(), 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto last = static_cast<std::size_t>(planner_.receive_first()[rank + 1]);
      for (auto k = static_cast<std::size_t>(planner_.receive_first()[rank]); k < last; ++k) {
        const auto row = static_cast<std::size_t>(receive_row[k]);
        const auto id = static_cast<std::size_t>(ids[row]);
        EXPECT_EQ(arrived[k], scene_.positions[id]) << id;
        EXPECT_EQ(scene_.owner[id], static_cast<int>(rank)) << id;
        ++times[row];
      }
    }
    for (std::size_t row = 0; row < times.size(); ++row) {
      EXPECT_EQ(times[row], row < scene_.owned.size() ? 0 : 1) << row;
    }
  }
};

TEST_P(HaloPlans, BringEveryNeighbourAndPartnerOnce) {
  const auto ids = scene_.ids();
  scene_.expect_all_needed(short_nm, charged_nm);
  expect_rows_in_order(ids);
  expect_ghosts_arrive_once(ids);
}

TEST_P(HaloPlans, GiveOffsetOfRowsFromEachSender) {
  if (scene_.world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const auto all = scene_.world.all_gather(planner_.send_first());
  const auto ranks = static_cast<std::size_t>(scene_.world.size());
  const auto self = static_cast<std::size_t>(scene_.world.rank());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (planner_.receive_first()[rank + 1] == planner_.receive_first()[rank]) continue;
    EXPECT_EQ(planner_.sent_before(static_cast<int>(rank)), all[rank * (ranks + 1) + self]);
  }
}

TEST_P(HaloPlans, StayValidUntilTheNextIsAdopted) {
  const auto ids = scene_.ids();
  const std::vector<int> sent(planner_.send_first().begin(), planner_.send_first().end());
  scene_.plan({short_nm, charged_nm, 0});
  scene_.move(2.5, 80);
  scene_.prepare({short_nm, charged_nm, 0});
  EXPECT_EQ(scene_.ids(), ids);
  EXPECT_EQ(std::vector<int>(planner_.send_first().begin(), planner_.send_first().end()), sent);
  if (scene_.world.size() > 1) {
    EXPECT_GT(scene_.world.sum(static_cast<std::int64_t>(1e6 * scene_.largest_move_nm())), 0);
  }
  const auto prepared = planner_.prepared();
  const auto prepared_ids =
      download(planner_.prepared_ids(), prepared.rows - planner_.fixed_rows());
  scene_.adopt();
  EXPECT_EQ(prepared.rows, planner_.rows());
  EXPECT_EQ(prepared.sent, planner_.send_first().back());
  scene_.expect_all_needed(short_nm, charged_nm);
  const auto now = scene_.ids();
  EXPECT_EQ(prepared_ids, std::vector<int>(now.begin() + planner_.fixed_rows(), now.end()));
  expect_rows_in_order(now);
  expect_ghosts_arrive_once(now);
}

TEST_P(HaloPlans, FollowMovesWithoutReallocation) {
  // A move of half the margin is the largest that the plan covers.
  constexpr double margin_nm = 0.5;
  scene_.plan({short_nm, charged_nm, margin_nm});
  scene_.move(0.5 * margin_nm / std::sqrt(3.0), 79);
  scene_.expect_all_needed(short_nm, charged_nm);
  // A large move changes cells and extents; then one range for all residues, none for charges.
  scene_.move(2.5, 77);
  scene_.plan({short_nm, charged_nm, 0});
  scene_.expect_all_needed(short_nm, charged_nm);
  scene_.move(40, 78);
  scene_.plan({charged_nm, 0, 0});
  scene_.expect_all_needed(charged_nm, 0);
  scene_.plan({charged_nm, 0, 0});  // uses the cells for the new extent of open axes
  const auto* const send = planner_.send_row();
  const auto* const receive = planner_.receive_row();
  const auto* const id = planner_.row_id();
  const auto bytes = device::device_bytes_held();
  const auto ids = scene_.ids();
  scene_.plan({charged_nm, 0, 0});
  EXPECT_EQ(device::device_bytes_held(), bytes);
  EXPECT_EQ(planner_.send_row(), send);
  EXPECT_EQ(planner_.receive_row(), receive);
  EXPECT_EQ(planner_.row_id(), id);
  EXPECT_EQ(scene_.ids(), ids);
}

INSTANTIATE_TEST_SUITE_P(
    PartitionsAndLayouts, HaloPlans,
    testing::Combine(testing::Values(PartitionKind::random, PartitionKind::slabs,
                                     PartitionKind::first_rank_empty, PartitionKind::last_rank_only,
                                     PartitionKind::bisection, PartitionKind::hilbert,
                                     PartitionKind::clusters, PartitionKind::domains),
                     testing::ValuesIn(layouts)));

TEST(HaloPlanner, BringsOnlyPartnersWithoutRanges) {
  Scene scene(PartitionKind::ranges, layouts[3]);
  EXPECT_EQ(scene.planner.rows(), scene.planner.fixed_rows());
  EXPECT_EQ(scene.planner.receive_first().back(), static_cast<int>(scene.terms.partners.size()));
  scene.plan({0, 0, 0});
  EXPECT_EQ(scene.planner.rows(), scene.planner.fixed_rows());
}

TEST(HaloPlanner, BringsNoFarResidues) {
  const Layout wide{"wide", 4000, {{16, 18, 20}}, {16, 18, 20}};
  const Layout droplet{"open", 4000, {}, {16, 18, 20}, {5000, 0, -3}};
  for (const auto& layout : {wide, droplet}) {
    Scene scene(PartitionKind::bisection, layout, false);
    scene.plan({short_nm, charged_nm, 0});
    scene.expect_all_needed(short_nm, charged_nm);
    EXPECT_EQ(scene.world.any(!scene.planner.other_ids().empty()), scene.world.size() > 1);
    for (const int id : scene.planner.other_ids()) {
      EXPECT_TRUE(scene.may_come(id)) << layout << " " << id;
    }
  }
}

TEST(HaloPlanner, BringsFewerGhostsForCompactPartitions) {
  if (comm::Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  const Layout wide{"wide", 4000, {{16, 18, 20}}, {16, 18, 20}};
  const auto count_ghosts = [&](PartitionKind kind) {
    Scene scene(kind, wide, false);
    scene.plan({short_nm, charged_nm, 0});
    return scene.ghosts();
  };
  const auto many = count_ghosts(PartitionKind::random);
  for (const PartitionKind kind : {PartitionKind::bisection, PartitionKind::hilbert,
                                   PartitionKind::clusters, PartitionKind::domains}) {
    const auto few = count_ghosts(kind);
    EXPECT_LT(few, many);
  }
}

TEST(HaloPlanner, PlansForNewOwners) {
  const Layout& layout = layouts[3];
  Scene scene(PartitionKind::ranges, layout);
  scene.plan({short_nm, charged_nm, 0});
  scene.owner = make_owner(PartitionKind::random, layout, scene.world.size());
  scene.take(testing_support::random_topology(layout.residues, 60, 9));
  scene.plan({short_nm, charged_nm, 0});
  scene.expect_all_needed(short_nm, charged_nm);
}

TEST(HaloPlanner, ReportsLargestMoveSinceThePlan) {
  for (const auto& layout : {layouts[0], layouts[3], layouts[9]}) {
    Scene scene(PartitionKind::ranges, layout, false);
    scene.plan({short_nm, charged_nm, 0});
    const double unit_nm = 4096 * std::max({layout.box.nm_per_count(0), layout.box.nm_per_count(1),
                                            layout.box.nm_per_count(2)});
    EXPECT_LE(scene.planner.largest_move_nm(scene.columns.read()), 2 * unit_nm);
    std::vector<system::FixedPosition> moved(1);
    for (const int id : scene.owned) {
      moved.resize(std::max(moved.size(), static_cast<std::size_t>(id - scene.owned.front()) + 1));
      moved[static_cast<std::size_t>(id - scene.owned.front())] =
          scene.positions[static_cast<std::size_t>(id)];
    }
    moved[0][0] -= layout.box.to_counts(0, 0.3);
    moved[0][2] += layout.box.to_counts(2, 0.4);
    scene.columns.upload(moved);
    const double largest = scene.planner.largest_move_nm(scene.columns.read());
    const bool has_plan = scene.world.size() > 1 && !scene.owned.empty();
    EXPECT_GE(largest, has_plan ? 0.5 : 0);
    EXPECT_LE(largest, has_plan ? 0.5 + 4 * unit_nm : 0);
  }
}

TEST(HaloPlanner, RefusesToSendUnownedResidues) {
  if (comm::Communicator::world().size() == 1) GTEST_SKIP() << "needs two ranks";
  Scene scene(PartitionKind::ranges, layouts[3], false);
  auto terms = scene.terms;
  terms.wanted.front().push_back(scene.world.rank() == 0 ? layouts[3].residues - 1 : 0);
  EXPECT_THROW((void)fixed_rows(scene.owned, terms, scene.owner, scene.charged),
               std::invalid_argument);
}

}  // namespace
}  // namespace nfold::halo

// Excluded volume with rounded positions against exact positions.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/start/excluded_volume.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nfold::start {
namespace {

constexpr double reach_nm = 0.7;

class ExcludedVolumes : public testing::TestWithParam<system::Box> {
 protected:
  static constexpr int residues = 300, molecule = 60;

  ExcludedVolumes() {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> position(-9, 9);
    for (int id = 0; id < residues; ++id)
      x_nm.push_back({position(random), position(random), position(random)});
    for (int first = 0; first < residues; first += molecule) {
      const IdRange range{first, first + molecule};
      volume.begin(std::span(&range, 1));
      for (int id = first; id < range.end; ++id) volume.add(id, x_nm[static_cast<std::size_t>(id)]);
    }
  }
  /// Squared distance as ExcludedVolume computes it.
  [[nodiscard]] double squared_nm2(const Point& a, const Point& b) const {
    const auto& box = GetParam();
    const system::CellGrid grid(box, reach_nm);
    const Point p = grid.into_box(a), q = grid.into_box(b);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      double d = p[k] - q[k];
      if (box.is_periodic(k) && d > 0.5 * box.length_nm[k]) d -= box.length_nm[k];
      if (box.is_periodic(k) && d < -0.5 * box.length_nm[k]) d += box.length_nm[k];
      sum += d * d;
    }
    return sum;
  }

  std::vector<Point> x_nm;
  int exact_lookups = 0;
  ExcludedVolume volume{GetParam(), residues, reach_nm, [this](int id) {
                          ++exact_lookups;
                          return x_nm[static_cast<std::size_t>(id)];
                        }};
};

TEST_P(ExcludedVolumes, FindResiduesWithinTheLimit) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> position(-9, 9), squared(0.01, reach_nm * reach_nm);
  int found = 0;
  for (int n = 0; n < 4000; ++n) {
    const Point x{position(random), position(random), position(random)};
    const double limit = squared(random);
    bool is_near = false;
    for (const auto& other : x_nm) is_near = is_near || squared_nm2(x, other) < limit;
    EXPECT_EQ(volume.any_within(x, [&](int) { return limit; }), is_near);
    found += is_near ? 1 : 0;
  }
  EXPECT_GT(found, 50);
  EXPECT_EQ(exact_lookups, 0) << "rough places decide nearly always";
}

/// A distance equal to the limit is not within it. The next larger limit includes it.
TEST_P(ExcludedVolumes, ReadExactPositionsNearTheLimit) {
  int tried = 0;
  for (int id = 0; id < residues - molecule; id += 7) {
    const Point& other = x_nm[static_cast<std::size_t>(id)];
    const Point x{other[0] + 0.31, other[1] - 0.17, other[2] + 0.23};
    const double exact = squared_nm2(x, other);
    const auto make_limit = [&](double limit) {
      return [id, limit](int candidate) { return candidate == id ? limit : 0.0; };
    };
    EXPECT_FALSE(volume.any_within(x, make_limit(exact)));
    EXPECT_TRUE(volume.any_within(x, make_limit(std::nextafter(exact, 1.0))));
    ++tried;
  }
  EXPECT_EQ(exact_lookups, 2 * tried);
}

TEST_P(ExcludedVolumes, ForgetRemovedResidues) {
  for (int id = residues; id-- > residues - molecule;) {
    const Point x = x_nm[static_cast<std::size_t>(id)];
    const auto is_there = [&] {
      return volume.any_within(x, [id](int candidate) { return candidate == id ? 0.01 : 0.0; });
    };
    EXPECT_TRUE(volume.is_placed(id) && is_there());
    volume.remove_latest(id);
    EXPECT_FALSE(volume.is_placed(id) || is_there());
  }
}

// Boxes of two cells, of an odd number of cells, of many, and open ones.
INSTANTIATE_TEST_SUITE_P(Boxes, ExcludedVolumes,
                         testing::Values(system::Box{{1.5, 3.6, 12}}, system::Box{{9, 9, 9}},
                                         system::Box{{18, 0, 40}}, system::Box{}),
                         [](const auto& one) { return "box_" + std::to_string(one.index); });

}  // namespace
}  // namespace nfold::start

// RMSD after superposition: closed forms, rotations, mirror images, degenerate sets.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/superposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using nfold::analysis::Point;
using nfold::analysis::superposed_rmsd;
using Points = std::vector<Point>;

// A chiral set without symmetry.
const Points chiral{{0, 0, 0}, {1, 0.2, 0}, {1.3, 1.1, 0.4}, {0.2, 1.7, 1.2}, {-0.5, 0.3, 2.1}};

Points rotated(const Points& points, double angle, const Point& axis, const Point& shift) {
  // Rodrigues' rotation formula with a unit axis.
  const double c = std::cos(angle), s = std::sin(angle);
  Points out;
  for (const auto& p : points) {
    const double along = p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2];
    const Point cross{axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2],
                      axis[0] * p[1] - axis[1] * p[0]};
    Point q{};
    for (std::size_t k = 0; k < 3; ++k) {
      q[k] = c * p[k] + s * cross[k] + (1 - c) * along * axis[k] + shift[k];
    }
    out.push_back(q);
  }
  return out;
}

TEST(SuperposedRmsd, IsZeroForRigidlyMovedPoints) {
  EXPECT_LT(superposed_rmsd(chiral, chiral), 1e-15);
  for (const double angle : {0.1, 1.0, 2.5, 3.14159265358979}) {
    for (const Point& axis : {Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}, Point{0.6, 0, 0.8},
                              Point{2. / 3, -2. / 3, 1. / 3}}) {
      EXPECT_LT(superposed_rmsd(chiral, rotated(chiral, angle, axis, {30, -20, 10})), 1e-13);
    }
  }
}

TEST(SuperposedRmsd, TwoPointsGiveHalfTheDifferenceOfDistances) {
  // At best both pairs are on one line around one centre, and each end is (5 - 3) / 2 away.
  EXPECT_NEAR(superposed_rmsd(Points{{0, 0, 0}, {3, 0, 0}}, Points{{7, 7, 7}, {7, 12, 7}}), 1,
              1e-14);
}

TEST(SuperposedRmsd, ScaledSetGivesDifferenceOfRadii) {
  // A planar cross of radius 1 against radius 1.25: each point is 0.25 away.
  const Points cross{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  Points wide = cross;
  for (auto& p : wide) {
    for (auto& x : p) x *= 1.25;
  }
  EXPECT_NEAR(superposed_rmsd(cross, rotated(wide, 0.7, {0.6, 0.8, 0}, {1, 2, 3})), 0.25, 1e-14);
}

TEST(SuperposedRmsd, DoesNotReflect) {
  // Six points on the axes are mirrored in x: the correlation is diag(-2, 8, 18). The best proper
  // rotation reaches 18 + 8 - 2; RMSD^2 = (28 + 28 - 2 * 24) / 6. A reflection would reach 0.
  const Points right{{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 3}, {0, 0, -3}};
  Points left = right;
  for (auto& p : left) p[0] = -p[0];
  EXPECT_NEAR(superposed_rmsd(right, left), std::sqrt(4.0 / 3), 1e-14);
}

TEST(SuperposedRmsd, AcceptsDegenerateSets) {
  EXPECT_EQ(superposed_rmsd(Points{}, Points{}), 0);
  EXPECT_EQ(superposed_rmsd(Points{{1, 2, 3}}, Points{{4, 5, 6}}), 0);
  EXPECT_LT(superposed_rmsd(Points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                            Points{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}}),
            1e-15);
}

TEST(SuperposedRmsd, IsBelowAllRotationsOfGrid) {
  // Brute force over a fine set of rotations: none is below, and the lowest is close.
  Points other = chiral;
  other[1][2] += 0.4;
  other[3][0] -= 0.3;
  const double best = superposed_rmsd(chiral, other);
  const auto centred = [](Points points) {
    Point mean{};
    for (const auto& p : points) {
      for (std::size_t k = 0; k < 3; ++k) mean[k] += p[k] / static_cast<double>(points.size());
    }
    for (auto& p : points) {
      for (std::size_t k = 0; k < 3; ++k) p[k] -= mean[k];
    }
    return points;
  };
  const Points a = centred(chiral), b = centred(other);
  double lowest = 1e9;
  for (int i = -20; i <= 20; ++i) {
    for (int j = -20; j <= 20; ++j) {
      for (int k = -20; k <= 20; ++k) {
        const Points c =
            rotated(rotated(rotated(b, 0.02 * i, {1, 0, 0}, {}), 0.02 * j, {0, 1, 0}, {}), 0.02 * k,
                    {0, 0, 1}, {});
        double sum = 0;
        for (std::size_t n = 0; n < a.size(); ++n) {
          for (std::size_t m = 0; m < 3; ++m) sum += (a[n][m] - c[n][m]) * (a[n][m] - c[n][m]);
        }
        lowest = std::min(lowest, std::sqrt(sum / static_cast<double>(a.size())));
      }
    }
  }
  EXPECT_LE(best, lowest + 1e-12);
  EXPECT_NEAR(best, lowest, 2e-3);
}

}  // namespace

// Collective variables from exact moments against direct sums, and biases.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "system/bias/biases.hpp"

namespace nfold::bias {
namespace {

struct Group {
  system::Box box;
  std::vector<std::array<std::int64_t, 3>> position;
  std::vector<double> mass_amu;
};

/// Chain far from the origin that winds along an open axis and periodic axes of 30 and 20 nm.
Group make_group(std::size_t residues) {
  Group group{{{30, 0, 20}}, {}, {}};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> step(-0.4, 0.5), mass(57, 186);
  std::array<double, 3> x{-410, 35, 77};
  for (std::size_t k = 0; k < residues; ++k) {
    auto& counts = group.position.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x[axis] += step(random);
      counts[axis] = group.box.to_counts(axis, x[axis]);
    }
    group.mass_amu.push_back(std::round(1024 * mass(random)) /
                             1024);  // the resolution of the weights
  }
  return group;
}

Evaluation evaluate(VariableKind kind, const Group& group,
                    const std::array<std::int64_t, 3>& origin) {
  return with_variable(kind, [&](auto variable) {
    const auto weights = variable.weights(group.mass_amu);
    Moments moments;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const auto c = [&](std::size_t axis) { return Wide{group.position[k][axis] - origin[axis]}; };
      for (std::size_t axis = 0; axis < 3; ++axis) moments.first[axis] += weights[k] * c(axis);
      for (std::size_t two = 0; two < axis_pairs.size(); ++two) {
        moments.second[two] += weights[k] * c(axis_pairs[two][0]) * c(axis_pairs[two][1]);
      }
    }
    return variable.evaluate(moments, weights, group.box);
  });
}

double direct(VariableKind kind, const Group& group) {
  return with_variable(kind, [&](auto variable) {
    std::vector<Vector> x;
    for (const auto& counts : group.position) {
      auto& position = x.emplace_back();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        position[axis] = group.box.to_nm(axis, counts[axis]);
      }
    }
    return variable.direct(x, group.mass_amu, group.box).value;
  });
}

struct Case {
  VariableKind kind;
  std::size_t residues;
};
class Variables : public testing::TestWithParam<Case> {};

TEST_P(Variables, MatchDirectSum) {
  const auto group = make_group(GetParam().residues);
  const auto origin = group.position.front();
  EXPECT_NEAR(evaluate(GetParam().kind, group, origin).value, direct(GetParam().kind, group), 1e-9);
}

TEST_P(Variables, AreIndependentOfOrigin) {
  const auto group = make_group(GetParam().residues);
  auto origin = group.position.front();
  const auto near = evaluate(GetParam().kind, group, origin);
  for (auto& counts : origin) counts += 123'456'789'012;
  const auto far = evaluate(GetParam().kind, group, origin);
  EXPECT_EQ(near.value, far.value);
  EXPECT_EQ(near.gradient.stretch, far.gradient.stretch);
  EXPECT_EQ(near.gradient.rest, far.gradient.rest);
  EXPECT_EQ(near.gradient.direction, far.gradient.direction);
}

TEST_P(Variables, GradientMatchesFiniteDifferences) {
  auto group = make_group(GetParam().residues);
  const auto origin = group.position.front();
  const auto found = evaluate(GetParam().kind, group, origin).gradient;
  const auto weights = with_variable(
      GetParam().kind, [&](auto variable) { return variable.weights(group.mass_amu); });
  for (std::size_t k = 0; k < group.position.size(); k += 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto counts = group.position[k][axis];
      const double nm = group.box.nm_per_count(axis);
      const double off =
          static_cast<double>(counts - origin[axis] - found.centre[axis]) - found.rest[axis];
      const double gradient =
          static_cast<double>(weights[k]) * (found.stretch * off * nm + found.direction[axis]);
      const auto step = static_cast<std::int64_t>(1e-4 / nm);
      group.position[k][axis] = counts + step;
      const double above = evaluate(GetParam().kind, group, origin).value;
      group.position[k][axis] = counts - step;
      const double below = evaluate(GetParam().kind, group, origin).value;
      group.position[k][axis] = counts;
      EXPECT_NEAR(gradient, (above - below) / (2 * static_cast<double>(step) * nm), 1e-6);
    }
  }
}

TEST_P(Variables, StrainMatchesGradient) {
  const auto group = make_group(GetParam().residues);
  std::vector<Vector> x;
  for (const auto& counts : group.position) {
    auto& position = x.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      position[axis] = group.box.to_nm(axis, counts[axis] - group.position.front()[axis]);
    }
  }
  const auto gradient = with_variable(GetParam().kind, [&](auto variable) {
    return variable.direct(x, group.mass_amu, group.box).gradient;
  });
  const auto strain = evaluate(GetParam().kind, group, group.position.front()).strain;
  for (std::size_t two = 0; two < axis_pairs.size(); ++two) {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      sum += gradient[k][axis_pairs[two][0]] * x[k][axis_pairs[two][1]];
    }
    EXPECT_NEAR(strain[two], sum, 1e-9) << two;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Variables,
                         testing::Values(Case{VariableKind::distance, 2},
                                         Case{VariableKind::radius_of_gyration, 2},
                                         Case{VariableKind::radius_of_gyration, 60}));

TEST(Distance, UsesNearestImage) {
  Group group{{{10, 0, 10}}, {{0, 0, 0}, {0, 0, 0}}, {100, 100}};
  group.position[1] = {group.box.to_counts(0, 29), group.box.to_counts(1, 29),
                       group.box.to_counts(2, 5.5)};
  EXPECT_NEAR(evaluate(VariableKind::distance, group, {0, 0, 0}).value, std::hypot(1, 29, 4.5),
              1e-9);
}

TEST(Biases, MatchClosedForms) {
  Bias bias{{}, BiasForm::harmonic, 2, 30, 0.5};
  const auto expect = [&](double s, double energy, double slope) {
    EXPECT_DOUBLE_EQ(value_at(bias, s).energy, energy);
    EXPECT_DOUBLE_EQ(value_at(bias, s).slope, slope);
  };
  expect(2, 0, 0);
  expect(3, 15, 30);
  bias.form = BiasForm::flat_bottom;
  expect(2.5, 0, 0);
  expect(1.25, 0.9375, -7.5);
  expect(3, 3.75, 15);
  bias.form = BiasForm::linear;
  expect(3, 90, 30);
}

}  // namespace
}  // namespace nfold::bias

// Chain growth with backtracking.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/chain_growth.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/philox.hpp"

namespace nfold::start {
namespace {

constexpr double degree = 1.7453292519943295e-2;
constexpr double angle_spread_rad = 10 * degree;
constexpr double least_angle_rad = 60 * degree, largest_angle_rad = 165 * degree;
constexpr std::uint32_t draws_per_visit = 24;  // draws before the growth steps back
constexpr double contour_fraction = 0.965;  // end-to-end over contour length, angles of 150 degrees

Point plus(const Point& a, double s, const Point& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
Point unit(const Point& a) {
  const double s = 1 / topology::norm(a);
  return {s * a[0], s * a[1], s * a[2]};
}

/// Returns the point on the circle around `axis` (unit) at `along` and `across` from `origin`. It
/// uses no library functions, so the bits are the same on every machine.
Point on_circle(const Point& origin, const Point& axis, double along, double across, double turns) {
  const bool along_x = axis[0] * axis[0] > 0.5;
  const Point e1 = unit(topology::cross(axis, along_x ? Point{0, 1, 0} : Point{1, 0, 0}));
  const Point e2 = topology::cross(axis, e1);
  double sine, cosine;
  kernels::sine_cosine_of_turns(turns, sine, cosine);
  return plus(plus(plus(origin, along, axis), across * cosine, e1), across * sine, e2);
}

class Growth {
 public:
  Growth(const GrowthSpace& space, const std::vector<GrowthStep>& plan, const Point& start_nm,
         std::vector<std::uint32_t>& draws)
      : space_(space), plan_(plan), start_nm_(start_nm), draws_(draws) {}

  std::size_t run(std::uint32_t draws_per_residue) {
    const std::vector<std::uint32_t> draws_before = draws_;
    std::size_t furthest = 0, step_back = 1, n = 0;
    while (n < plan_.size()) {
      if (n > furthest) {
        furthest = n;
        step_back = 1;
      }
      if (try_to_add_residue(n)) {
        ++n;
        continue;
      }
      const bool is_stuck = n == 0 || draws_[n] - draws_before[n] >= draws_per_residue;
      // A dead end is assumed to be further back each time the same front is not passed.
      const std::size_t back = is_stuck ? n : std::min(step_back, n);
      for (std::size_t k = 0; k < back; ++k) space_.volume.remove_latest(plan_[n - 1 - k].id);
      if (is_stuck) return n;
      n -= back;
      step_back = std::min<std::size_t>(2 * step_back, 64);
    }
    return n;
  }

 private:
  bool try_to_add_residue(std::size_t n) {
    const GrowthStep& step = plan_[n];
    for (std::uint32_t draw = 0; draw < draws_per_visit; ++draw) {
      Point x;
      if (!draw_position(step, draws_[n]++, x) || !is_free(step, x)) continue;
      space_.volume.add(step.id, x);
      return true;
    }
    return false;
  }

  /// Draws a position. Returns false if the chain cannot reach its target from there.
  bool draw_position(const GrowthStep& step, std::uint32_t draw, Point& x) const {
    const auto words = kernels::random_words(space_.seed, kernels::RandomStream::placement, 0,
                                             static_cast<std::uint32_t>(step.id), draw, 0);
    const auto u0 = kernels::uniform<double>(words.w0), u1 = kernels::uniform<double>(words.w1),
               u2 = kernels::uniform<double>(words.w2);
    if (step.anchor < 0) {
      x = start_nm_;
      return true;
    }
    const Point& anchor = space_.volume.at(step.anchor);
    if (step.target_bond_nm > 0) return close(step, anchor, u0, x);
    if (step.behind < 0) {
      const double z = 2 * u0 - 1, flat = std::sqrt(1 - z * z);
      double sine, cosine;
      kernels::sine_cosine_of_turns(u1, sine, cosine);
      const double length = step.bond_nm == 0 ? 0.6 + 0.6 * u2 : step.bond_nm;
      x = plus(anchor, length, {flat * cosine, flat * sine, z});
    } else {
      const double angle = step.angle_rad == 0
                               ? (90 + 60 * u1) * degree
                               : std::clamp(step.angle_rad + (2 * u1 - 1) * angle_spread_rad,
                                            least_angle_rad, largest_angle_rad);
      double sine, cosine;
      kernels::sine_cosine_of_turns(angle / (360 * degree), sine, cosine);
      const Point axis = unit(topology::difference(anchor, space_.volume.at(step.behind)));
      x = on_circle(anchor, axis, -step.bond_nm * cosine, step.bond_nm * sine, u0);
    }
    if (step.target < 0) return true;
    return topology::distance(x, space_.volume.at(step.target)) <= contour_fraction * step.reach_nm;
  }

  /// Draws a position on the circle that both bonds allow.
  bool close(const GrowthStep& step, const Point& anchor, double turns, Point& x) const {
    const Point across = topology::difference(space_.volume.at(step.target), anchor);
    const double b = step.bond_nm, c = step.target_bond_nm, d = topology::norm(across);
    const double along = (d * d + b * b - c * c) / (2 * d), squared = b * b - along * along;
    if (!(squared >= 0)) return false;
    x = on_circle(anchor, unit(across), along, std::sqrt(squared), turns);
    return true;
  }

  bool is_free(const GrowthStep& step, const Point& x) const {
    if (!space_.region.contains(x)) return false;
    const GrowthRules& rules = space_.rules;
    const auto id = static_cast<std::size_t>(step.id);
    const int type = rules.type[id];
    const bool overlaps = space_.volume.any_within(x, [&](int other) {
      return rules.are_neighbours(step.id, other)
                 ? 0
                 : space_.core.squared_nm2(type, rules.type[static_cast<std::size_t>(other)]);
    });
    if (overlaps) return false;
    for (const auto& pair : rules.pairs_of(id)) {
      if (!space_.volume.is_placed(pair.other)) continue;
      if (space_.volume.squared_distance(x, pair.other) < pair.distance_nm * pair.distance_nm) {
        return false;
      }
    }
    return true;
  }

  const GrowthSpace& space_;
  const std::vector<GrowthStep>& plan_;
  Point start_nm_;
  std::vector<std::uint32_t>& draws_;  // draws so far, by step: no number is used twice
};

}  // namespace

std::size_t grow(const GrowthSpace& space, const std::vector<GrowthStep>& plan,
                 const Point& start_nm, std::uint32_t draws_per_residue,
                 std::vector<std::uint32_t>& draws) {
  return Growth(space, plan, start_nm, draws).run(draws_per_residue);
}

std::vector<Point> remove_grown(ExcludedVolume& volume, const std::vector<GrowthStep>& plan) {
  std::vector<Point> x_nm;
  x_nm.reserve(plan.size());
  for (const auto& step : plan) x_nm.push_back(volume.at(step.id));
  for (auto step = plan.rbegin(); step != plan.rend(); ++step) volume.remove_latest(step->id);
  return x_nm;
}

}  // namespace nfold::start

// Growth with backtracking; cells keep it linear in the length of the chain.
// SPDX-License-Identifier: BSD-3-Clause

#include "dynamics/unfolded_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/philox.hpp"

namespace nfold::dynamics {
namespace {

using Point = std::array<double, 3>;

constexpr double degree = 1.7453292519943295e-2;
constexpr double angle_spread_rad = 10 * degree;
constexpr double least_angle_rad = 60 * degree, largest_angle_rad = 165 * degree;
constexpr int draws_per_residue = 24;     // before the growth steps back
constexpr int draws_in_all = 4000;        // per residue, before it gives up
constexpr double hard_core_factor = 1.2;  // of sigma: there the repulsion is 0.11 epsilon
constexpr double default_sigma_nm = 0.4;  // for a model without repulsion

Point plus(const Point& a, double s, const Point& b) {
  return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point unit(const Point& a) {
  const double s = 1 / std::sqrt(dot(a, a));
  return {s * a[0], s * a[1], s * a[2]};
}
double squared_distance(const Point& a, const Point& b) {
  const Point d = plus(a, -1, b);
  return dot(d, d);
}

/// Unit vector at `angle` from -axis, turned about it by `turns`; own functions, so own bits.
Point turned(const Point& axis, double angle_rad, double turns) {
  const bool along_x = axis[0] * axis[0] > 0.5;
  const Point e1 = unit(cross(axis, along_x ? Point{0, 1, 0} : Point{1, 0, 0}));
  const Point e2 = cross(axis, e1);
  double sine, cosine, sine_turn, cosine_turn;
  kernels::sine_cosine_of_turns(angle_rad / (360 * degree), sine, cosine);
  kernels::sine_cosine_of_turns(turns, sine_turn, cosine_turn);
  const Point flat = plus({0, 0, 0}, -cosine, axis);
  return plus(plus(flat, sine * cosine_turn, e1), sine * sine_turn, e2);
}

/// The residues placed so far, by cells that share buckets; only the last one can be taken back.
class PlacedResidues {
 public:
  PlacedResidues(std::size_t capacity, double edge_nm)
      : per_nm_(1 / edge_nm), head_(std::bit_ceil(2 * capacity + 1), -1) {
    next_.reserve(capacity);
    at_.reserve(capacity);
  }
  [[nodiscard]] std::size_t size() const { return at_.size(); }
  [[nodiscard]] const Point& operator[](std::size_t i) const { return at_[i]; }
  [[nodiscard]] std::vector<Point> take() { return std::move(at_); }

  void add(const Point& x) {
    int& head = head_[bucket(cell(x))];
    next_.push_back(head);
    head = static_cast<int>(at_.size());
    at_.push_back(x);
  }
  void remove_last() {
    head_[bucket(cell(at_.back()))] = next_.back();
    next_.pop_back();
    at_.pop_back();
  }
  /// Whether one of the first `count` stands nearer to x than distance_nm (at most the edge).
  [[nodiscard]] bool is_near(const Point& x, std::size_t count, double distance_nm) const {
    const double least2 = distance_nm * distance_nm;
    const auto centre = cell(x);
    for (int c = 0; c < 27; ++c) {
      const std::array<std::int64_t, 3> around{centre[0] + c / 9 - 1, centre[1] + c / 3 % 3 - 1,
                                               centre[2] + c % 3 - 1};
      for (int i = head_[bucket(around)]; i >= 0; i = next_[static_cast<std::size_t>(i)]) {
        const auto other = static_cast<std::size_t>(i);
        if (other < count && squared_distance(x, at_[other]) < least2) return true;
      }
    }
    return false;
  }

 private:
  using GridCell = std::array<std::int64_t, 3>;
  [[nodiscard]] GridCell cell(const Point& x) const {
    return {static_cast<std::int64_t>(std::floor(x[0] * per_nm_)),
            static_cast<std::int64_t>(std::floor(x[1] * per_nm_)),
            static_cast<std::int64_t>(std::floor(x[2] * per_nm_))};
  }
  [[nodiscard]] std::size_t bucket(const GridCell& c) const {
    std::uint64_t hash = 0;
    for (const auto k : c) hash = (hash ^ static_cast<std::uint64_t>(k)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(hash >> 20U) & (head_.size() - 1);
  }
  double per_nm_;
  std::vector<int> head_, next_;
  std::vector<Point> at_;
};

class Growth {
 public:
  Growth(const GrowthRules& rules, const topology::Chain& chain, std::uint64_t seed)
      : rules_(rules),
        first_(static_cast<std::size_t>(chain.first)),
        count_(static_cast<std::size_t>(chain.count)),
        seed_(seed),
        placed_(count_, rules.hard_core_nm),
        draws_(count_, 0) {}

  /// Residue of the chain where the growth got stuck, or count if it is complete.
  std::size_t run() {
    std::size_t furthest = 0, step_back = 1;
    while (placed_.size() < count_) {
      const std::size_t i = placed_.size();
      if (i > furthest) {
        furthest = i;
        step_back = 1;
      }
      if (try_to_place(i)) continue;
      if (draws_[i] >= draws_in_all) return i;
      // A dead end lies further back each time the same front isn't passed.
      const std::size_t back = std::min(step_back, placed_.size());
      for (std::size_t k = 0; k < back; ++k) placed_.remove_last();
      step_back = std::min<std::size_t>(2 * step_back, 64);
    }
    return count_;
  }
  std::vector<Point> take() { return placed_.take(); }

 private:
  bool try_to_place(std::size_t i) {
    for (int draw = 0; draw < draws_per_residue; ++draw) {
      const Point x = candidate(i);
      if (!has_room(i, x)) continue;
      placed_.add(x);
      return true;
    }
    return false;
  }

  Point candidate(std::size_t i) {
    const std::size_t id = first_ + i;
    const auto words = kernels::random_words(seed_, kernels::RandomStream::placement, 0,
                                             static_cast<std::uint32_t>(id), draws_[i]++, 0);
    const auto u0 = kernels::uniform<double>(words.w0), u1 = kernels::uniform<double>(words.w1),
               u2 = kernels::uniform<double>(words.w2);
    if (i == 0) return {0, 0, 0};
    const Point& last = placed_[i - 1];
    const double bond = rules_.bond_nm[id];
    if (bond == 0 || i == 1 || rules_.bond_nm[id - 1] == 0) {
      const double z = 2 * u0 - 1, flat = std::sqrt(1 - z * z);
      double sine, cosine;
      kernels::sine_cosine_of_turns(u1, sine, cosine);
      const double length = bond == 0 ? 0.6 + 0.6 * u2 : bond;
      return plus(last, length, {flat * cosine, flat * sine, z});
    }
    const double native = rules_.angle_rad[id];
    const double angle = native == 0 ? (90 + 60 * u1) * degree
                                     : std::clamp(native + (2 * u1 - 1) * angle_spread_rad,
                                                  least_angle_rad, largest_angle_rad);
    return plus(last, bond, turned(unit(plus(last, -1, placed_[i - 2])), angle, u0));
  }

  /// 1-2 and 1-3 neighbours are where bond and angle put them; all else keeps its distance.
  bool has_room(std::size_t i, const Point& x) const {
    const std::size_t id = first_ + i;
    const std::size_t bonded =
        rules_.bond_nm[id] == 0 ? 0 : (i == 1 || rules_.bond_nm[id - 1] == 0 ? 1 : 2);
    if (placed_.is_near(x, i - std::min(bonded, i), rules_.hard_core_nm)) return false;
    for (std::size_t p = rules_.first_pair[id]; p < rules_.first_pair[id + 1]; ++p) {
      const auto& pair = rules_.pair[p];
      const auto earlier = static_cast<std::size_t>(pair.earlier);
      if (earlier < first_) continue;  // of another chain, which stands elsewhere
      if (squared_distance(x, placed_[earlier - first_]) < pair.distance_nm * pair.distance_nm) {
        return false;
      }
    }
    return true;
  }

  const GrowthRules& rules_;
  std::size_t first_, count_;
  std::uint64_t seed_;
  PlacedResidues placed_;
  std::vector<std::uint32_t> draws_;  // so far, by residue: no number is drawn twice
};

}  // namespace

GrowthRules::GrowthRules(const topology::Topology& topology)
    : bond_nm(topology.residues.size(), 0),
      angle_rad(topology.residues.size(), 0),
      first_pair(topology.residues.size() + 1, 0) {
  const double sigma = topology.short_range.sigma_nm;
  hard_core_nm = hard_core_factor * (sigma > 0 ? sigma : default_sigma_nm);
  for (const auto& bond : topology.bonds) {
    const auto [low, high] = std::minmax(bond.i, bond.j);
    const auto at = static_cast<std::size_t>(high);
    if (high != low + 1 || topology.residues[at].chain != topology.residues[at - 1].chain) {
      throw std::invalid_argument("an unfolded start cannot close the bond " +
                                  topology::residue_label(topology, bond.i) + " - " +
                                  topology::residue_label(topology, bond.j) +
                                  " (only bonds along a chain can be grown); start from native");
    }
    bond_nm[at] = bond.length_nm;
  }
  for (const auto& angle : topology.angles) {
    const auto [low, high] = std::minmax(angle.i, angle.k);
    if (high == low + 2 && angle.j == low + 1) {
      angle_rad[static_cast<std::size_t>(high)] = angle.theta0_rad;
    }
  }
  const auto for_each_pair = [&topology](auto&& visit) {
    for (const auto& c : topology.contacts_12_10) visit(c.i, c.j, c.distance_nm);
    for (const auto& c : topology.contacts_gaussian) visit(c.i, c.j, c.distance_nm);
  };
  for_each_pair(
      [this](int i, int j, double) { ++first_pair[static_cast<std::size_t>(std::max(i, j)) + 1]; });
  for (std::size_t i = 1; i < first_pair.size(); ++i) first_pair[i] += first_pair[i - 1];
  pair.resize(first_pair.back());
  std::vector<std::size_t> fill(first_pair.begin(), first_pair.end() - 1);
  for_each_pair([this, &fill](int i, int j, double distance_nm) {
    pair[fill[static_cast<std::size_t>(std::max(i, j))]++] = {std::min(i, j), distance_nm};
  });
}

std::vector<Point> grow_chain(const topology::Topology& topology, const GrowthRules& rules,
                              const topology::Chain& chain, std::uint64_t seed) {
  Growth growth(rules, chain, seed);
  const std::size_t stuck = growth.run();
  if (stuck < static_cast<std::size_t>(chain.count)) {
    const int id = chain.first + static_cast<int>(stuck);
    throw std::runtime_error(
        "the unfolded start finds no room for " + topology::residue_label(topology, id) +
        " clear of the hard core (" + std::to_string(rules.hard_core_nm) +
        " nm) and of its native contacts' distances; use another seed, or start from native");
  }
  return growth.take();
}

}  // namespace nfold::dynamics

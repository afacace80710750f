// Areas by points on the spheres of atoms that no other atom covers.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/surface_areas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/lines.hpp"
#include "model/structure/arctangent.hpp"
#include "model/structure/point.hpp"
#include "model/structure/raw_residue.hpp"
#include "system/cell_list.hpp"

namespace nfold::structure {
namespace {

constexpr double probe_nm = 0.14;
constexpr int sphere_points = 1920;

/// Returns the van der Waals radius of a heavy atom by its name [nm]: Bondi, J. Phys. Chem. 68, 441
/// (1964), and for others than these elements the 0.2 nm that MDTraj takes for unknown ones.
double radius_nm(std::string_view name) {
  constexpr std::pair<std::string_view, double> radii[] = {{"SE", 0.19}, {"C", 0.17}, {"N", 0.155},
                                                           {"O", 0.152}, {"S", 0.18}, {"P", 0.18}};
  for (const auto& [element, radius] : radii) {
    if (name.starts_with(element)) return radius;
  }
  return 0.2;
}

/// Returns points of the unit sphere on a spiral that turns by the golden angle from each to the
/// next. Rotation by multiplication gives equal bits on every machine, which sin() does not.
std::vector<Point> spiral_points() {
  constexpr double cosine = -0.7373688780783197, sine = 0.6754902942615238;  // pi (3 - sqrt(5))
  std::vector<Point> points;
  double x = 1, z = 0;
  for (int i = 0; i < sphere_points; ++i) {
    const double y = (2.0 * i + 1) / sphere_points - 1, across = std::sqrt(1 - y * y);
    points.push_back({across * x, y, across * z});
    const double turned = cosine * x - sine * z;
    z = sine * x + cosine * z;
    x = turned;
  }
  return points;
}

/// Consecutive points of the unit sphere that are near each other.
struct Patch {
  std::size_t first, count;
  Point centre;   ///< within the sphere
  double radius;  ///< largest distance of a point from the centre
};

/// Sorts points into patches, by halves along the longest axis.
void divide(std::vector<Point>& points, std::size_t first, std::size_t count,
            std::vector<Patch>& patches) {
  constexpr std::size_t most_points = 30;
  const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  Point low = *begin, high = *begin;
  for (auto point = begin; point != end; ++point) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], (*point)[k]);
      high[k] = std::max(high[k], (*point)[k]);
    }
  }
  const Point extent = difference(high, low);
  if (count > most_points) {
    const auto axis = static_cast<std::size_t>(std::ranges::max_element(extent) - extent.begin());
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(count / 2), end,
                     [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
    divide(points, first, count / 2, patches);
    divide(points, first + count / 2, count - count / 2, patches);
    return;
  }
  Patch patch{first, count, {}, 0};
  for (std::size_t k = 0; k < 3; ++k) patch.centre[k] = 0.5 * (low[k] + high[k]);
  for (auto point = begin; point != end; ++point) {
    patch.radius = std::max(patch.radius, distance(*point, patch.centre));
  }
  patches.push_back(patch);
}

/// Points of a sphere that no neighbour has covered so far.
class OpenPoints {
 public:
  OpenPoints() : sphere_(spiral_points()) { divide(sphere_, 0, sphere_.size(), patches_); }

  void reset() {
    open_ = sphere_;
    open_patches_ = patches_;
  }
  /// Covers the points u with dot(u, axis) > limit, the axis being a unit vector.
  void cover(const Point& axis, double limit) {
    std::size_t patches = 0;
    for (Patch patch : open_patches_) {
      const double middle = dot(patch.centre, axis);
      if (middle - patch.radius > limit) continue;
      if (middle + patch.radius > limit) cover_points(patch, axis, limit);
      open_patches_[patches] = patch;
      patches += patch.count > 0 ? 1 : 0;
    }
    open_patches_.resize(patches);
  }
  [[nodiscard]] int count() const {
    std::size_t sum = 0;
    for (const Patch& patch : open_patches_) sum += patch.count;
    return static_cast<int>(sum);
  }

 private:
  void cover_points(Patch& patch, const Point& axis, double limit) {
    Point* const points = open_.data() + patch.first;
    std::size_t left = 0;
    for (std::size_t k = 0; k < patch.count; ++k) {
      const Point point = points[k];
      points[left] = point;
      left += dot(point, axis) > limit ? 0 : 1;
    }
    patch.count = left;
  }

  std::vector<Point> sphere_, open_;
  std::vector<Patch> patches_, open_patches_;
};

/// Part of a unit sphere that a neighbour covers: see OpenPoints::cover().
struct Cap {
  Point axis;
  double limit;
};

}  // namespace

std::vector<double> surface_areas(const Structure& structure) {
  std::vector<Point> position_nm;
  std::vector<double> reach_nm;
  std::vector<std::size_t> residue_of;
  std::size_t residues = 0;
  double longest_nm = 0;
  for (const Chain& chain : structure.chains) {
    for (const Residue& residue : chain.residues) {
      for (const Atom& atom : residue.heavy_atoms) {
        position_nm.push_back(atom.position_nm);
        reach_nm.push_back(radius_nm(atom.name) + probe_nm);
        residue_of.push_back(residues);
        longest_nm = std::max(longest_nm, reach_nm.back());
      }
      ++residues;
    }
  }
  std::vector<double> areas(residues);
  if (position_nm.empty()) return areas;
  const system::CellList cells({}, position_nm, 2 * longest_nm);
  OpenPoints open;
  std::vector<Cap> caps;
  for (std::size_t a = 0; a < position_nm.size(); ++a) {
    caps.clear();
    const double here = reach_nm[a];
    cells.for_each_near(position_nm[a], [&](int index) {
      const auto b = static_cast<std::size_t>(index);
      const Point apart = difference(position_nm[b], position_nm[a]);
      const double square = dot(apart, apart), reach = here + reach_nm[b];
      if (square >= reach * reach || square == 0) return;
      const double d = std::sqrt(square);
      caps.push_back({{apart[0] / d, apart[1] / d, apart[2] / d},
                      (square + here * here - reach_nm[b] * reach_nm[b]) / (2 * here * d)});
    });
    // The largest caps come first: most points are covered by one of few.
    std::ranges::sort(caps, {}, &Cap::limit);
    open.reset();
    for (const Cap& cap : caps) open.cover(cap.axis, cap.limit);
    areas[residue_of[a]] += 4 * pi * here * here * open.count() / sphere_points;
  }
  return areas;
}

std::vector<double> parse_areas(std::string_view text, const std::string& name, int residues) {
  std::vector<double> areas;
  for (core::Lines lines(text); lines.next();) {
    const auto field = core::trim(lines.line().substr(0, lines.line().find('#')));
    if (field.empty()) continue;
    double area = 0;
    if (!parse_number(field, area) || area < 0) {
      fail_at(name, lines.number(),
              fmt::format("{} is no area; expected a number of nm^2 a line, 0 or more",
                          in_quotes(field)));
    }
    areas.push_back(area);
  }
  if (std::ssize(areas) != residues) {
    throw StructureError(
        fmt::format("{}: {} areas for {} residues; expected one for each residue of the species, "
                    "also of those without a domain",
                    name, areas.size(), residues));
  }
  return areas;
}

}  // namespace nfold::structure

// Placements of the CALVADOS package: lattice, slab, centre, at random.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>

#include "core/refusal.hpp"

namespace nfold::calvados {
namespace {

/// Returns the points of a lattice along each axis, at most `count` in all unless fewer fit.
std::array<double, 3> lattice_sides(double count, const Point& box_nm) {
  const double sum = box_nm[0] + box_nm[1] + box_nm[2];
  const double scale = std::cbrt(count / (box_nm[0] / sum * (box_nm[1] / sum) * (box_nm[2] / sum)));
  std::array<double, 3> ideal{}, sides{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ideal[axis] = scale * (box_nm[axis] / sum);
    sides[axis] = std::floor(ideal[axis]);
  }
  const auto product = [&] { return sides[0] * sides[1] * sides[2]; };
  while (product() < count) {
    std::array<double, 3> lack{};
    for (std::size_t axis = 0; axis < 3; ++axis) lack[axis] = ideal[axis] / sides[axis];
    sides.at(static_cast<std::size_t>(std::ranges::max_element(lack) - lack.begin())) += 1;
  }
  while (product() > count) {
    auto& longest = *std::ranges::max_element(sides);
    longest -= 1;
    if (product() < count) {
      longest += 1;
      break;
    }
  }
  return sides;
}

Point shifted(Point point, const Point& by) {
  for (std::size_t axis = 0; axis < 3; ++axis) point[axis] += by[axis];
  return point;
}

/// Beads that were placed, in cells at least as wide as the shortest distance allowed.
class PlacedBeads {
 public:
  explicit PlacedBeads(const Point& box_nm) : box_nm_(box_nm) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cells_[axis] = std::max(1, static_cast<int>(box_nm[axis] / nearest_nm));
    }
  }
  void add(const Point& x) { beads_[index(cell_of(x))].push_back(x); }
  /// True if a bead is nearer than allowed, over the periodic borders.
  [[nodiscard]] bool clashes(const Point& x) const {
    const auto middle = cell_of(x);
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
          const auto found = beads_.find(index({middle[0] + dx, middle[1] + dy, middle[2] + dz}));
          if (found == beads_.end()) continue;
          for (const Point& other : found->second) {
            if (is_near(x, other)) return true;
          }
        }
      }
    }
    return false;
  }

 private:
  static constexpr double nearest_nm = 0.7;

  [[nodiscard]] std::array<int, 3> cell_of(const Point& x) const {
    std::array<int, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cell[axis] = static_cast<int>(std::floor(x[axis] / box_nm_[axis] * cells_[axis]));
    }
    return cell;
  }
  [[nodiscard]] std::int64_t index(std::array<int, 3> cell) const {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int within = (cell[axis] % cells_[axis] + cells_[axis]) % cells_[axis];
      at = at * cells_[axis] + within;
    }
    return at;
  }
  [[nodiscard]] bool is_near(const Point& a, const Point& b) const {
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double d = a[axis] - b[axis];
      const double nearest = d - box_nm_[axis] * std::round(d / box_nm_[axis]);
      squared += nearest * nearest;
    }
    return squared < nearest_nm * nearest_nm;
  }

  Point box_nm_;
  std::array<int, 3> cells_{};
  std::map<std::int64_t, std::vector<Point>> beads_;
};

class Placer {
 public:
  explicit Placer(const Folder& folder)
      : folder_(folder),
        box_nm_{folder.config.box_nm[0], folder.config.box_nm[1], folder.config.box_nm[2]},
        placed_(box_nm_),
        random_(folder.config.seed) {}

  std::vector<Point> run(const std::vector<ComponentMolecule>& molecules) {
    make_lattices();
    for (std::size_t c = 0; c < folder_.components.size(); ++c) {
      for (std::uint64_t copy = 0; copy < folder_.components[c].copies; ++copy) {
        place(folder_.components[c], molecules[c].start_nm);
      }
    }
    return std::move(positions_);
  }

 private:
  static bool is_crowder(const Component& component) {
    return component.type == MoleculeType::crowder;
  }

  void make_lattices() {
    const Config& config = folder_.config;
    std::uint64_t crowders = 0, others = 0;
    for (const auto& component : folder_.components) {
      (is_crowder(component) ? crowders : others) += component.copies;
    }
    if (config.placement == Placement::grid) points_ = lattice_points(crowders + others, box_nm_);
    if (config.placement != Placement::slab) return;
    const double middle = box_nm_[2] / 2;
    if (others > 0) {
      for (const Point& point :
           lattice_points(others, {box_nm_[0], box_nm_[1], config.slab_width_nm})) {
        points_.push_back(shifted(point, {0, 0, middle - config.slab_width_nm / 2}));
      }
    }
    if (crowders == 0) return;
    const double height = middle - config.slab_outer_nm;
    if (!(height > 0)) {
      core::refuse(folder_.config_file(),
                   fmt::format("slab_outer = {:g} leaves no room for crowders in a box of {:g} nm",
                               config.slab_outer_nm, box_nm_[2]),
                   fmt::format("it must be below {:g}", middle));
    }
    const auto half = lattice_points((crowders + 1) / 2, {box_nm_[0], box_nm_[1], height});
    crowder_points_ = half;
    for (const Point& point : half) {
      crowder_points_.push_back(shifted(point, {0, 0, middle + config.slab_outer_nm}));
    }
  }

  void place(const Component& component, const std::vector<Point>& shape) {
    const Point middle{box_nm_[0] / 2, box_nm_[1] / 2, box_nm_[2] / 2};
    switch (folder_.config.placement) {
      case Placement::center:
        add(shape, middle);
        break;
      case Placement::shift_ref_bead: {
        const auto bead = folder_.config.reference_bead;
        if (bead >= shape.size()) {
          core::refuse(folder_.config_file(), fmt::format("ref_bead = {}", bead),
                       fmt::format("{} has beads 0 to {}", component.name, shape.size() - 1));
        }
        const Point& x = shape[bead];
        add(shape, {middle[0] - x[0], middle[1] - x[1], middle[2] - x[2]});
        break;
      }
      case Placement::grid:
        add(shape, points_.at(next_++));
        break;
      case Placement::slab:
        add(shape,
            is_crowder(component) ? crowder_points_.at(next_crowder_++) : points_.at(next_++));
        break;
      case Placement::random:
        place_at_random(component, shape);
        break;
    }
  }

  void add(const std::vector<Point>& shape, const Point& by) {
    for (const Point& x : shape) positions_.push_back(shifted(x, by));
  }

  void place_at_random(const Component& component, const std::vector<Point>& shape) {
    constexpr int most_tries = 10'000;
    for (int tried = 0; tried < most_tries; ++tried) {
      const Point by{uniform() * box_nm_[0], uniform() * box_nm_[1], uniform() * box_nm_[2]};
      const bool is_free = std::ranges::all_of(shape, [&](const Point& x) {
        const Point at = shifted(x, by);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (at[axis] < 0 || at[axis] > box_nm_[axis]) return false;
        }
        return !placed_.clashes(at);
      });
      if (!is_free) continue;
      add(shape, by);
      for (const Point& x : shape) placed_.add(shifted(x, by));
      return;
    }
    core::refuse(folder_.config_file(),
                 fmt::format("topol = {}: no place for a molecule of {} after {} tries",
                             folder_.config.topol, component.name, most_tries),
                 "give a larger box, or topol: grid");
  }
  /// Returns a number in [0, 1), the same on every machine.
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }

  const Folder& folder_;
  Point box_nm_;
  std::vector<Point> points_, crowder_points_;
  std::size_t next_ = 0, next_crowder_ = 0;
  PlacedBeads placed_;
  std::mt19937_64 random_;
  std::vector<Point> positions_;
};

}  // namespace

std::vector<Point> lattice_points(std::size_t count, const Point& box_nm) {
  const auto sides = lattice_sides(static_cast<double>(count), box_nm);
  Point cell{};
  for (std::size_t axis = 0; axis < 3; ++axis) cell[axis] = box_nm[axis] / sides[axis];
  std::vector<Point> points;
  double x = 0, y = 0, z = 0;
  int nx = 0, ny = 0;
  bool is_shifted_layer = false, is_raised = false;
  while (points.size() < count) {
    const double across = is_shifted_layer ? 0.5 : 0;
    points.push_back(
        {x + across * cell[0], y + across * cell[1], z + (is_raised ? 0.5 * cell[2] : 0)});
    ++nx;
    x += cell[0];
    is_raised = nx % 2 != ny % 2;  // before the row changes, as in the package
    if (nx < static_cast<int>(sides[0])) continue;
    nx = 0;
    x = 0;
    ++ny;
    y += cell[1];
    if (ny < static_cast<int>(sides[1])) continue;
    ny = 0;
    y = 0;
    z += cell[2];
    is_shifted_layer = !is_shifted_layer;
  }
  return points;
}

std::vector<Point> place_molecules(const Folder& folder,
                                   const std::vector<ComponentMolecule>& molecules) {
  return Placer(folder).run(molecules);
}

}  // namespace nfold::calvados

// Sizes of start regions, given or from a density.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/placement_region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/topology/amounts.hpp"

namespace nfold::start {
namespace {

constexpr double dense_per_nm3 = 2;      // residues of coils in a condensate
constexpr double folded_per_nm3 = 1.5;   // folded residues: bodies pack less densely than coils
constexpr double dilute_per_nm3 = 0.05;  // residues along axes without a length
constexpr double least_extent_nm = 2;    // minimum, also for few residues

/// Returns the cube root by Newton's method: library functions differ in the last bit.
double cube_root(double x) {
  double root = x > 1 ? x : 1;
  for (int i = 0; i < 200; ++i) root = (2 * root + x / (root * root)) / 3;
  return root;
}

constexpr std::array<char, 3> axis_name{'x', 'y', 'z'};

double dense_volume_nm3(const topology::Topology& topology, const FoldedParts& folded) {
  return (topology.residue_count() - folded.residues) / dense_per_nm3 +
         folded.residues / folded_per_nm3;
}

Region whole_box(const topology::Topology& topology, const FoldedParts& folded) {
  const auto& box = topology.box;
  double open_volume = static_cast<double>(topology.residue_count()) / dilute_per_nm3;
  int open_axes = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (box.is_periodic(k)) {
      open_volume /= box.length_nm[k];
    } else {
      ++open_axes;
    }
  }
  double open_length = open_axes == 3   ? cube_root(open_volume)
                       : open_axes == 2 ? std::sqrt(open_volume)
                                        : open_volume;
  open_length = std::max({open_length, least_extent_nm, folded.widest_nm});
  Region region{.box = box};
  for (std::size_t k = 0; k < 3; ++k) {
    region.size_nm[k] = box.is_periodic(k) ? box.length_nm[k] : open_length;
    region.centre_nm[k] = 0.5 * box.length_nm[k];
  }
  return region;
}

Region slab(const topology::Topology& topology, const PlacementSettings& settings,
            const FoldedParts& folded) {
  if (settings.slab_axis < 0 || settings.slab_axis > 2) {
    throw PlacementError(fmt::format("slab axis {}", settings.slab_axis),
                         "it must be 0, 1 or 2, for x, y or z");
  }
  const auto axis = static_cast<std::size_t>(settings.slab_axis);
  const auto& box = topology.box;
  Region region = whole_box(topology, folded);
  double area = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    if (k == axis) continue;
    if (!box.is_periodic(k)) {
      throw PlacementError(
          fmt::format("a slab along {} needs a periodic box along {}, which is open",
                      axis_name[axis], axis_name[k]),
          "give its length");
    }
    area *= box.length_nm[k];
  }
  double thickness = settings.slab_thickness_nm;
  if (thickness == 0) {
    thickness =
        std::max({dense_volume_nm3(topology, folded) / area, least_extent_nm, folded.widest_nm});
  }
  if (box.is_periodic(axis) && thickness > box.length_nm[axis]) {
    throw PlacementError(
        fmt::format("a slab of {:.1f} nm along {} ({}) is thicker than the box, {:.1f} nm",
                    thickness, axis_name[axis], describe_density(topology, area * thickness),
                    box.length_nm[axis]),
        "make the box longer, or take fewer chains");
  }
  region.size_nm[axis] = thickness;
  region.has_walls[axis] = true;
  return region;
}

Region droplet(const topology::Topology& topology, const PlacementSettings& settings,
               const FoldedParts& folded) {
  constexpr double sphere = 4.1887902047863905;  // 4 pi / 3
  const auto& box = topology.box;
  double diameter = 2 * settings.droplet_radius_nm;
  if (diameter == 0) {
    diameter = std::max({2 * cube_root(dense_volume_nm3(topology, folded) / sphere),
                         least_extent_nm, folded.widest_nm});
  }
  Region region{.box = box, .is_sphere = true};
  for (std::size_t k = 0; k < 3; ++k) {
    if (box.is_periodic(k) && diameter > box.length_nm[k]) {
      throw PlacementError(
          fmt::format("a droplet of radius {:.1f} nm does not fit into a box of {:.1f} nm along {}",
                      0.5 * diameter, box.length_nm[k], axis_name[k]),
          "make the box wider, or take fewer chains");
    }
    region.size_nm[k] = diameter;
    region.centre_nm[k] = 0.5 * box.length_nm[k];
    region.has_walls[k] = true;
  }
  return region;
}

}  // namespace

Region placement_region(const topology::Topology& topology, const PlacementSettings& settings,
                        const FoldedParts& folded) {
  if (!(settings.slab_thickness_nm >= 0) || !(settings.droplet_radius_nm >= 0)) {
    throw PlacementError(fmt::format("a slab of {} nm or a droplet of radius {} nm ",
                                     settings.slab_thickness_nm, settings.droplet_radius_nm),
                         "neither may be negative");
  }
  Region region;
  switch (settings.kind) {
    case PlacementKind::random:
    case PlacementKind::lattice:
      region = whole_box(topology, folded);
      break;
    case PlacementKind::slab:
      region = slab(topology, settings, folded);
      break;
    case PlacementKind::droplet:
      region = droplet(topology, settings, folded);
      break;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (region.has_walls[k] && region.size_nm[k] < folded.widest_nm) {
      throw PlacementError(
          fmt::format("a folded part is {:.1f} nm wide, the {} {:.1f} nm along {}",
                      folded.widest_nm, settings.kind == PlacementKind::slab ? "slab" : "droplet",
                      region.size_nm[k], axis_name[k]),
          "make it wider, or let start.conformation be unfolded");
    }
  }
  return region;
}

Region block_region(const Region& whole, const StartBlock& block, double widest_nm) {
  Region region = whole;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!block.is_bound(k)) continue;
    const double from = block.from_nm[k], to = block.to_nm[k], width = to - from;
    const auto refuse = [&](const std::string& problem, const std::string& remedy) {
      throw PlacementError(fmt::format("a species begins from {:g} to {:g} nm along {}, {}", from,
                                       to, axis_name[k], problem),
                           remedy);
    };
    if (!whole.box.is_periodic(k) || from < 0 || to > whole.box.length_nm[k]) {
      refuse("which is not within the box", "give positions between 0 and the box's length");
    }
    if (width < widest_nm) {
      refuse(fmt::format("where a folded part of {:.1f} nm does not fit", widest_nm),
             "make the block wider, or let start.conformation be unfolded");
    }
    region.centre_nm[k] = 0.5 * (from + to);
    region.size_nm[k] = width;
    region.has_walls[k] = true;
  }
  return region;
}

std::vector<Region> lattice_cells(const Region& whole, std::size_t count) {
  std::array<std::size_t, 3> cells{1, 1, 1};
  while (cells[0] * cells[1] * cells[2] < count) {
    std::size_t longest = 0;
    const auto edge = [&](std::size_t k) {
      return whole.size_nm[k] / static_cast<double>(cells[k]);
    };
    for (std::size_t k = 1; k < 3; ++k) {
      if (edge(k) > edge(longest)) longest = k;
    }
    ++cells[longest];
  }
  std::vector<Region> all;
  all.reserve(cells[0] * cells[1] * cells[2]);
  Region cell = whole;
  cell.has_walls = {true, true, true};
  for (std::size_t k = 0; k < 3; ++k) cell.size_nm[k] /= static_cast<double>(cells[k]);
  const auto middle = [&](std::size_t k, std::size_t i) {
    return whole.centre_nm[k] - 0.5 * whole.size_nm[k] +
           (static_cast<double>(i) + 0.5) * cell.size_nm[k];
  };
  for (std::size_t i = 0; i < cells[0]; ++i) {
    for (std::size_t j = 0; j < cells[1]; ++j) {
      for (std::size_t k = 0; k < cells[2]; ++k) {
        cell.centre_nm = {middle(0, i), middle(1, j), middle(2, k)};
        all.push_back(cell);
      }
    }
  }
  return all;
}

std::string describe_density(const topology::Topology& topology, double volume_nm3) {
  return fmt::format("{:.3g} residues/nm3, {:.4g} mg/ml", topology.residue_count() / volume_nm3,
                     topology::mass_concentration(topology::total_mass(topology), volume_nm3));
}

}  // namespace nfold::start

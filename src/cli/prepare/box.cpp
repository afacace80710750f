// Rules of thumb for boxes of condensates.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/prepare/box.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/refusal.hpp"

namespace nfold::prepare {
namespace {

constexpr double dense_per_nm3 = 2;      // residues in a condensate, as in the slab start
constexpr double least_edge_nm = 9;      // twice the cutoff of electrostatics (4 nm) plus a margin
constexpr double coil_edge_nm = 1.2;     // times sqrt(residues): 15 nm for 150 residues
constexpr double slab_vacuum = 5;        // box over slab thickness; 5 to 10 in examples of CALVADOS
constexpr double droplet_box_ratio = 3;  // box over diameter
constexpr double elongated = 3;          // ratio of edges from which a box counts as a slab

double next_half(double nm) { return std::ceil(2 * nm) / 2; }

/// Returns the least width in which a chain does not meet its own image.
double least_width_nm(const BoxRequest& question) {
  return std::max(least_edge_nm, coil_edge_nm * std::sqrt(question.longest_chain));
}

BoxChoice slab_box(const BoxRequest& question) {
  const double volume = static_cast<double>(question.residues) / dense_per_nm3;
  const double width = next_half(std::max(least_width_nm(question), std::cbrt(volume / 2)));
  const double thickness = volume / (width * width);
  const double length = next_half(std::max(slab_vacuum * thickness, thickness + 4 * width));
  BoxChoice choice;
  choice.box_nm = {width, width, length};
  choice.start = "slab";
  choice.reasons = {fmt::format(
      "box chosen for a slab: {} nm wide, so that a chain of {} residues does not meet its image; "
      "{} nm long, {:.1f} times the slab of {:.1f} nm that {:g} residues/nm3 make",
      width, question.longest_chain, length, length / thickness, thickness, dense_per_nm3)};
  return choice;
}

BoxChoice droplet_box(const BoxRequest& question) {
  constexpr double pi_over_6 = 0.52359877559829887;
  const double volume = static_cast<double>(question.residues) / dense_per_nm3;
  const double diameter = std::cbrt(volume / pi_over_6);
  const double edge =
      next_half(std::max(droplet_box_ratio * diameter, 2 * least_width_nm(question)));
  BoxChoice choice;
  choice.box_nm = {edge, edge, edge};
  choice.start = "droplet";
  choice.reasons = {
      fmt::format("box chosen for a droplet: {} nm, {:.1f} times its diameter of "
                  "{:.1f} nm at {:g} residues/nm3",
                  edge, edge / diameter, diameter, dense_per_nm3)};
  return choice;
}

/// Returns the index of the edge that is much longer than the others, or -1.
int long_edge(const std::vector<double>& box_nm) {
  if (box_nm.size() != 3) return -1;
  const auto longest = std::max_element(box_nm.begin(), box_nm.end());
  const bool others_are_short = std::all_of(box_nm.begin(), box_nm.end(), [&](const double& edge) {
    return &edge == &*longest || elongated * edge <= *longest;
  });
  return others_are_short ? static_cast<int>(longest - box_nm.begin()) : -1;
}

/// Returns the axis normal to a slab: the longest edge, or the open one.
char slab_axis(const std::vector<double>& box_nm) {
  constexpr std::array<char, 3> names{'x', 'y', 'z'};
  if (box_nm.size() != 3) return 'z';
  const auto open = std::find(box_nm.begin(), box_nm.end(), 0.0);
  const auto axis =
      open != box_nm.end() ? open : std::max_element(box_nm.rbegin(), box_nm.rend()).base() - 1;
  return names.at(static_cast<std::size_t>(axis - box_nm.begin()));
}

BoxChoice given_box(const BoxRequest& question) {
  BoxChoice choice;
  choice.box_nm = question.box_nm;
  choice.start = question.start;
  choice.slab_axis = slab_axis(question.box_nm);
  const int edge = long_edge(question.box_nm);
  if (choice.start.empty() && question.is_condensate_model && edge >= 0) {
    choice.start = "slab";
    choice.reasons.push_back(fmt::format(
        "start chosen: a slab across {}, the long edge of the box (--start random for another)",
        choice.slab_axis));
  }
  return choice;
}

}  // namespace

BoxChoice choose_box(const BoxRequest& question) {
  if (!question.box_nm.empty() || question.concentration_mg_per_ml > 0) return given_box(question);
  if (question.molecules == 0) {
    core::refuse("nfold prepare", "copies by a concentration, but no box",
                 "give --box, or --copies");
  }
  if (question.start == "slab") return slab_box(question);
  if (question.start == "droplet") return droplet_box(question);
  BoxChoice choice;
  choice.start = question.start;
  const bool fills_a_box = question.start == "random" || question.start == "lattice";
  if (fills_a_box || (question.is_condensate_model && question.molecules > 1)) {
    core::refuse(
        "nfold prepare", fmt::format("{} molecules, but no box", question.molecules),
        "give --box X,Y,Z in nm or --concentration in mg/ml, or --start slab or --start droplet, "
        "for which a box is chosen");
  }
  return choice;
}

}  // namespace nfold::prepare

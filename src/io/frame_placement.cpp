// Placement of chains, axis by axis, since boxes are rectangular.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/frame_placement.hpp"

#include <cmath>
#include <numbers>

#include "io/structure_files.hpp"

namespace nfold::io {

ChainPlacer::ChainPlacer(const TrajectoryDescription& description, Placement placement)
    : masses_amu_(description.masses_amu.begin(), description.masses_amu.end()),
      box_nm_(description.box_nm),
      placement_(placement) {
  const auto chains = chain_indices(description);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (chains[i] == first_.size()) first_.push_back(i);
  }
  first_.push_back(chains.size());
}

void ChainPlacer::place(std::span<std::array<float, 3>> positions_nm) const {
  if (placement_ == Placement::unchanged) return;
  for (std::size_t axis = 0; axis < 3; ++axis) place_along(axis, positions_nm);
}

double ChainPlacer::common_centre_nm(std::size_t axis,
                                     std::span<const std::array<float, 3>> positions_nm) const {
  const double length = box_nm_[axis];
  double mass = 0, moment = 0, sine = 0, cosine = 0;
  for (std::size_t i = 0; i < positions_nm.size(); ++i) {
    const double x = positions_nm[i][axis];
    mass += masses_amu_[i];
    moment += masses_amu_[i] * x;
    if (length > 0) {
      sine += masses_amu_[i] * std::sin(2 * std::numbers::pi * x / length);
      cosine += masses_amu_[i] * std::cos(2 * std::numbers::pi * x / length);
    }
  }
  return length > 0 ? std::atan2(sine, cosine) * length / (2 * std::numbers::pi) : moment / mass;
}

void ChainPlacer::place_along(std::size_t axis,
                              std::span<std::array<float, 3>> positions_nm) const {
  const double length = box_nm_[axis];
  const double move_all =
      placement_ == Placement::centred ? length / 2 - common_centre_nm(axis, positions_nm) : 0;
  for (std::size_t chain = 0; chain + 1 < first_.size(); ++chain) {
    double move = move_all;
    if (length > 0) {
      double mass = 0, moment = 0;
      for (auto i = first_[chain]; i < first_[chain + 1]; ++i) {
        mass += masses_amu_[i];
        moment += masses_amu_[i] * static_cast<double>(positions_nm[i][axis]);
      }
      move -= length * std::floor((moment / mass + move_all) / length);
    }
    for (auto i = first_[chain]; i < first_[chain + 1]; ++i) {
      positions_nm[i][axis] = static_cast<float>(static_cast<double>(positions_nm[i][axis]) + move);
    }
  }
}

}  // namespace nfold::io

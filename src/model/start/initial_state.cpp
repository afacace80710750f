// Initial coordinates and velocities: native, unfolded, Maxwell.
// SPDX-License-Identifier: BSD-3-Clause

#include "model/start/initial_state.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "kernels/arithmetic/philox.hpp"
#include "model/start/chain_growth.hpp"
#include "model/start/placement.hpp"
#include "model/start/state_at_rest.hpp"
#include "system/corners.hpp"
#include "system/units.hpp"

namespace nfold::start {
namespace {

constexpr double chain_gap_nm = 2;  // gap between the boxes of unfolded chains: beyond any cutoff
constexpr std::uint32_t coil_draws_per_residue = 4000;

struct Box {
  Point low, size;  // [nm]
};

Box box_of(const std::vector<Point>& x_nm) {
  const auto [low, high] = system::find_corners<double>(x_nm);
  Box box{low, {}};
  for (std::size_t k = 0; k < 3; ++k) box.size[k] = high[k] - box.low[k] + chain_gap_nm;
  return box;
}

/// Returns the low corners of boxes set side by side along x in rows, rows in layers, roughly a
/// cube in all.
std::vector<Point> pack(const std::vector<Box>& boxes) {
  double volume = 0;
  for (const auto& box : boxes) volume += box.size[0] * box.size[1] * box.size[2];
  const double width = std::cbrt(2 * volume);  // rows of unequal boxes are about half full
  std::vector<Point> corners;
  Point at{0, 0, 0};
  double row_depth = 0, layer_height = 0;
  for (const auto& box : boxes) {
    if (at[0] > 0 && at[0] + box.size[0] > width) {
      at = {0, at[1] + row_depth, at[2]};
      row_depth = 0;
    }
    if (at[0] == 0 && at[1] > 0 && at[1] + box.size[1] > width) {
      at = {0, 0, at[2] + layer_height};
      layer_height = 0;
    }
    corners.push_back(at);
    at[0] += box.size[0];
    row_depth = std::max(row_depth, box.size[1]);
    layer_height = std::max(layer_height, box.size[2]);
  }
  return corners;
}

/// Returns coordinates (chain.count) [nm] with the first residue at the origin; space.volume is
/// left empty. Throws PlacementError if the chain cannot be grown.
std::vector<Point> coil(const GrowthSpace& space, const topology::Topology& topology,
                        const topology::Chain& chain) {
  const auto plan = growth_steps(space.rules, chain, {});
  const IdRange range{chain.first, chain.first + chain.count};
  space.volume.begin_alone(std::span(&range, 1));
  std::vector<std::uint32_t> draws(plan.size(), 0);
  const std::size_t stuck = grow(space, plan, {0, 0, 0}, coil_draws_per_residue, draws);
  if (stuck < plan.size()) {
    throw PlacementError(topology::residue_label(topology, plan[stuck].id) +
                             " finds no room clear of the hard core (" +
                             std::to_string(space.core.largest_nm()) +
                             " nm) and of its native contacts' distances",
                         "use another seed, or start from native");
  }
  const auto grown = remove_grown(space.volume, plan);
  std::vector<Point> x_nm(grown.size());
  for (std::size_t step = 0; step < plan.size(); ++step) {
    x_nm[static_cast<std::size_t>(plan[step].id - chain.first)] = grown[step];
  }
  return x_nm;
}

}  // namespace

system::State native_start(const topology::Topology& topology) {
  return state_at_rest(topology.box, topology.native_nm);
}

system::State unfolded_start(const topology::Topology& topology, std::uint64_t seed) {
  const GrowthRules rules(topology);
  const HardCore core(topology, 1);
  ExcludedVolume volume(system::Box{}, core.largest_nm());
  std::vector<Point> x_nm(topology.residues.size());
  std::vector<Box> boxes;
  for (const auto& chain : topology.chains) {
    const auto grown = coil({rules, core, Region{}, volume, seed}, topology, chain);
    boxes.push_back(box_of(grown));
    std::copy(grown.begin(), grown.end(), x_nm.begin() + chain.first);
  }
  const auto corners = pack(boxes);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    const auto first = static_cast<std::size_t>(topology.chains[c].first);
    const auto count = static_cast<std::size_t>(topology.chains[c].count);
    for (std::size_t i = first; i < first + count; ++i) {
      for (std::size_t k = 0; k < 3; ++k) x_nm[i][k] += corners[c][k] - boxes[c].low[k];
    }
  }
  return state_at_rest(topology.box, x_nm);
}

void draw_velocities(const topology::Topology& topology, double temperature_kelvin,
                     std::uint64_t seed, std::uint32_t replica, system::State& state) {
  if (!(temperature_kelvin >= 0) || !std::isfinite(temperature_kelvin)) {
    throw std::invalid_argument("velocities at " + std::to_string(temperature_kelvin) +
                                " kelvin (must be finite and >= 0)");
  }
  state.velocity.resize(state.id.size());
  for (std::size_t row = 0; row < state.id.size(); ++row) {
    const int id = state.id[row];
    const double mass = topology.residues[static_cast<std::size_t>(id)].mass_amu;
    const double width = std::sqrt(system::k_boltzmann * temperature_kelvin / mass);
    const auto words = kernels::random_words(seed, kernels::RandomStream::initial_velocity, replica,
                                             static_cast<std::uint32_t>(id), 0, 0);
    auto& v = state.velocity[row];
    kernels::three_normals(words, v[0], v[1], v[2]);
    for (double& component : v) component *= width;
  }
}

}  // namespace nfold::start

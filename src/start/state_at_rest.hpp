// A state of all residues at given places, without motion.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>

#include "system/state.hpp"
#include "topology/geometry.hpp"

namespace nfold::start {

/// x_nm: (residues) topology::Point by id. On the grid that both precisions share.
template <class Points>
[[nodiscard]] system::State state_at_rest(const system::Box& box, const Points& x_nm) {
  system::State state;
  state.id.resize(x_nm.size());
  std::iota(state.id.begin(), state.id.end(), 0);
  state.velocity.resize(x_nm.size(), {0, 0, 0});
  state.position.reserve(x_nm.size());
  for (const auto& x : x_nm) state.position.push_back(system::coarse_position(box, x));
  return state;
}

}  // namespace nfold::start

// State from given positions, with zero velocities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <vector>

#include "model/start/id_range.hpp"
#include "model/topology/geometry.hpp"
#include "system/state.hpp"

namespace nfold::start {

/// Returns a state on the grid shared by both precisions. x_nm: (residues) topology::Point by id.
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

/// Returns the state of some rows. x_nm: positions of the `given` residues, freed on the way.
[[nodiscard]] inline system::State state_at_rest(const system::Box& box,
                                                 std::vector<topology::Point> x_nm,
                                                 const IdRange& given, const IdRange& rows) {
  const auto count = static_cast<std::size_t>(rows.end - rows.first);
  system::State state;
  state.position.reserve(count);
  for (int id = rows.first; id < rows.end; ++id) {
    const auto at = static_cast<std::size_t>(id - given.first);
    state.position.push_back(system::coarse_position(box, x_nm[at]));
  }
  x_nm = std::vector<topology::Point>();  // frees the memory
  state.id.resize(count);
  std::iota(state.id.begin(), state.id.end(), rows.first);
  state.velocity.resize(count, {0, 0, 0});
  return state;
}

}  // namespace nfold::start

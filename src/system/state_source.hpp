// Snapshot of rows that stays constant while the run continues, wherever it is stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "system/state.hpp"

namespace nfold::system {

/// A snapshot with ids on the host; the rest is read in pieces, so that no copy of all rows is
/// needed.
struct StateSource {
  /// Reads positions and velocities of the rows from `first` on, as many as the spans hold.
  /// Callable from any thread, one at a time.
  using Read = std::function<void(std::size_t first, std::span<FixedPosition> position,
                                  std::span<Velocity> velocity)>;

  std::vector<int> id;  ///< ascending global ids
  Read read;

  StateSource() = default;
  StateSource(std::vector<int> ids, Read reader) : id(std::move(ids)), read(std::move(reader)) {}
  /// Makes a source of rows on the host. Throws std::invalid_argument if columns have unequal
  /// lengths.
  StateSource(State rows) : id(std::move(rows.id)) {  // NOLINT(google-explicit-constructor)
    if (rows.position.size() != id.size() || rows.velocity.size() != id.size()) {
      throw std::invalid_argument("rows of " + std::to_string(id.size()) + " ids, " +
                                  std::to_string(rows.position.size()) + " positions and " +
                                  std::to_string(rows.velocity.size()) + " velocities");
    }
    read = [kept = std::make_shared<const State>(std::move(rows))](
               std::size_t first, std::span<FixedPosition> position, std::span<Velocity> velocity) {
      std::copy_n(kept->position.data() + first, position.size(), position.data());
      std::copy_n(kept->velocity.data() + first, velocity.size(), velocity.data());
    };
  }

  /// Appends the rows from `first` up to `end`.
  void append_to(State& state, std::size_t first, std::size_t end) const {
    const std::size_t before = state.id.size();
    state.id.insert(state.id.end(), id.begin() + static_cast<std::ptrdiff_t>(first),
                    id.begin() + static_cast<std::ptrdiff_t>(end));
    state.position.resize(state.id.size());
    state.velocity.resize(state.id.size());
    if (first == end) return;
    read(first, std::span(state.position).subspan(before),
         std::span(state.velocity).subspan(before));
  }
};

}  // namespace nfold::system

// Accumulator whose sums are distributed over the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Accumulator of one observable over frames. A rank keeps sums by their index in the tables, never
/// by who owns a residue, so they stay when residues migrate. Sums are integers: results are
/// identical on any number of ranks. Members are collective unless noted.
class SharedAccumulator {
 public:
  virtual ~SharedAccumulator() = default;
  /// Name of its dataset in a checkpoint. Not collective.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Adds a frame. mine: residues that this rank owns.
  virtual void add(const system::State& mine) = 0;
  /// Returns the settings, then the sums of all ranks, on rank 0; empty elsewhere.
  [[nodiscard]] virtual std::vector<std::int64_t> saved() const = 0;
  /// Restores this rank's part from the words of saved(). Returns false or throws std::out_of_range
  /// if they were saved with other settings. Not collective.
  [[nodiscard]] virtual bool restore(std::span<const std::int64_t> words) = 0;
  /// Computes the results from the words that saved() returned on rank 0. Not collective.
  [[nodiscard]] virtual std::vector<analysis::Result> results(
      std::span<const std::int64_t> words) const = 0;

 protected:
  SharedAccumulator() = default;
  SharedAccumulator(const SharedAccumulator&) = default;
  SharedAccumulator& operator=(const SharedAccumulator&) = default;
};

}  // namespace nfold::run

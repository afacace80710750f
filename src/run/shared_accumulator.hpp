// An accumulator whose sums are shared over the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Adds up one subject over frames. Which rank keeps which sums depends on their place in the
/// tables, never on who owns a residue, so they stay where they are when residues move. Sums are
/// whole numbers: what comes of them is the same on any number of ranks. Members are collective
/// unless it is said.
class SharedAccumulator {
 public:
  virtual ~SharedAccumulator() = default;
  /// Of its dataset in a checkpoint. Not collective.
  [[nodiscard]] virtual std::string name() const = 0;
  /// mine: what this rank owns.
  virtual void add(const system::State& mine) = 0;
  /// What was asked for, then the sums of all ranks, on rank 0; empty elsewhere.
  [[nodiscard]] virtual std::vector<std::int64_t> saved() const = 0;
  /// Each rank takes its part of the same words. False, or std::out_of_range, if they were saved
  /// by an accumulator that was asked for something else. Not collective.
  [[nodiscard]] virtual bool restore(std::span<const std::int64_t> words) = 0;
  /// Of what saved() gave rank 0. Not collective.
  [[nodiscard]] virtual std::vector<analysis::Result> results(
      std::span<const std::int64_t> words) const = 0;

 protected:
  SharedAccumulator() = default;
  SharedAccumulator(const SharedAccumulator&) = default;
  SharedAccumulator& operator=(const SharedAccumulator&) = default;
};

}  // namespace nfold::run

// One moment of a run, as the accumulators see it, and what they have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "analysis/superposition.hpp"
#include "analysis/words.hpp"
#include "topology/topology.hpp"

namespace nfold::analysis {

using Tensor = std::array<std::array<double, 3>, 3>;

struct Frame {
  std::int64_t step = 0;
  std::span<const Point> x_nm;         ///< (residues) unwrapped, by global id
  std::optional<Tensor> pressure_bar;  ///< where somebody asked for it
};

/// Something was asked that the system does not offer, or a number left its range; says which.
class AnalysisError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Adds up one subject over frames. Sums are 64- or 128-bit integers, counts or fixed-point terms
/// added in the order of global ids on one rank, so that equal frames give equal bits and a sum
/// that was saved and restored goes on as if nothing had been.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  /// Of its dataset in a checkpoint and of its group in the results.
  [[nodiscard]] virtual std::string name() const = 0;
  /// AnalysisError if a number is not finite or a sum would leave its range.
  virtual void add(const Frame& frame) = 0;
  [[nodiscard]] virtual std::vector<Result> results() const = 0;

  /// What was asked for, then the sums.
  [[nodiscard]] std::vector<std::int64_t> saved() const;
  /// False, and unchanged, if `words` were saved by an accumulator that was asked for something
  /// else.
  [[nodiscard]] bool restore(std::span<const std::int64_t> words);

 protected:
  Accumulator() = default;
  Accumulator(const Accumulator&) = default;
  Accumulator& operator=(const Accumulator&) = default;
  virtual void save_parameters(WordWriter& to) const = 0;
  virtual void save_sums(WordWriter& to) const = 0;
  virtual void restore_sums(WordReader& from) = 0;
};

}  // namespace nfold::analysis

// Frame of a run, and the base class of accumulators over frames.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/result.hpp"
#include "analysis/superposition.hpp"
#include "analysis/word_stream.hpp"
#include "core/failure.hpp"
#include "model/topology/topology.hpp"

namespace nfold::analysis {

using Tensor = std::array<std::array<double, 3>, 3>;

struct Frame {
  std::int64_t step = 0;
  std::span<const Point> x_nm;         ///< (residues) unwrapped, by global id
  std::optional<Tensor> pressure_bar;  ///< set if an accumulator needs it
};

/// Error for an analysis that the system does not support, or for a number out of range.
class AnalysisError : public core::Failure {
 public:
  using core::Failure::Failure;
};

/// Accumulates one property over frames. Sums are 64- or 128-bit integers: counts, or fixed-point
/// terms added in the order of global ids on one rank. So equal frames give equal bits, and a
/// restored sum continues exactly.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  /// Name of its dataset in a checkpoint and of its group in the results.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Adds a frame. Throws AnalysisError if a number is not finite or a sum would overflow.
  virtual void add(const Frame& frame) = 0;
  [[nodiscard]] virtual std::vector<Result> results() const = 0;

  /// Returns the parameters, then the sums.
  [[nodiscard]] std::vector<std::int64_t> saved() const;
  /// Returns false, and changes nothing, if `words` were saved with other parameters.
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

// A table of numbers that an accumulator hands over, with its name, unit and meaning.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nfold::analysis {

struct Result {
  std::string path;                  ///< "density_profile/position"
  std::string unit;                  ///< H5MD's spelling, "nm-3"; empty: a pure number
  std::string description;           ///< what it is, its axes, how it is normalised
  std::vector<std::int64_t> extent;  ///< C order; empty: one number
  std::vector<double> values;        ///< not a number where nothing is known
  /// In place of values, where all are whole numbers.
  std::optional<std::vector<std::int64_t>> counts = {};
};

/// A row of whole numbers.
[[nodiscard]] inline Result whole_numbers(std::string path, std::string description,
                                          std::vector<std::int64_t> counts) {
  Result result;
  result.path = std::move(path);
  result.description = std::move(description);
  result.extent = {static_cast<std::int64_t>(counts.size())};
  result.counts = std::move(counts);
  return result;
}

}  // namespace nfold::analysis

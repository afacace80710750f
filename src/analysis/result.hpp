// Table of numbers from an accumulator, with its name, unit and description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nfold::analysis {

struct Result {
  std::string path;                  ///< such as "density_profile/position"
  std::string unit;                  ///< in H5MD's spelling, "nm-3"; empty: dimensionless
  std::string description;           ///< meaning, axes and normalisation
  std::vector<std::int64_t> extent;  ///< C order; empty: one number
  std::vector<double> values;        ///< NaN if unknown
  /// Replaces values if all are integers.
  std::optional<std::vector<std::int64_t>> counts = {};
};

/// Returns a row of integers.
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

// A table of numbers that an accumulator hands over, with its name, unit and meaning.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nfold::analysis {

struct Result {
  std::string path;                  ///< "density_profile/position"
  std::string unit;                  ///< H5MD's spelling, "nm-3"; empty: a pure number
  std::string description;           ///< what it is, its axes, how it is normalised
  std::vector<std::int64_t> extent;  ///< C order; empty: one number
  std::vector<double> values;        ///< not a number where nothing is known
};

}  // namespace nfold::analysis

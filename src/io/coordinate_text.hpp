// Positions of beads in text files: CSV, and GRO of GROMACS.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "system/bead_frame.hpp"

namespace nfold::io {

/// Parses a CSV file of one bead a row: x, y and z [nm]. The first row may have the names x,y,z or
/// x_nm,y_nm,z_nm; blank lines and lines that begin with # are skipped. `name` names the file in
/// errors. Throws core::InputError with file and line.
[[nodiscard]] system::BeadFrame parse_coordinate_csv(std::string_view text,
                                                     const std::string& name);

/// GRO file of one frame or several: a title, the number of beads, a line of fixed columns for each
/// bead, the box; nm. Throws core::InputError with file and line.
class GroFile {
 public:
  GroFile(std::string text, std::string name);

  [[nodiscard]] std::int64_t frame_count() const {
    return static_cast<std::int64_t>(frames_.size());
  }
  /// Parses a frame, counted from 0. Velocities are ignored.
  [[nodiscard]] system::BeadFrame frame(std::int64_t index) const;

 private:
  struct Place {
    std::size_t offset;  ///< begin of the first bead's line
    int line;            ///< number of that line
    std::int64_t beads;
  };

  std::string text_, name_;
  std::vector<Place> frames_;
};

}  // namespace nfold::io

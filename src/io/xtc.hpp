// Trajectory NAME.xtc in GROMACS' compressed format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/storage/posix_file.hpp"

namespace nfold::io {

/// Writer of an XTC trajectory: coordinates in steps of 0.001 nm, with step, time and box of each
/// frame. Every failure throws FileError. For one rank.
class XtcWriter {
 public:
  /// box_nm: lengths of a rectangular box; 0: open along that axis.
  XtcWriter(const std::filesystem::path& path, std::size_t residues,
            const std::array<double, 3>& box_nm = {});

  /// Appends a frame of positions (residues) [nm]. The format has 32 bits for a step; larger steps
  /// are written as the largest such number.
  void append_frame(std::int64_t step, double time_ps,
                    std::span<const std::array<float, 3>> positions_nm);
  /// Syncs to disk.
  void sync() { file_.sync(); }

 private:
  storage::PosixFile file_;
  std::size_t residues_;
  std::array<double, 3> box_nm_;
  std::int64_t end_ = 0;
  std::vector<std::array<std::int64_t, 3>> grid_;  // positions of the frame in steps of 0.001 nm
  std::vector<std::byte> frame_;
};

}  // namespace nfold::io

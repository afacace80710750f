// Trajectory NAME.dcd in CHARMM's format, for VMD and tools that do not read H5MD.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/storage/posix_file.hpp"

namespace nfold::io {

/// Times of frames. DCD supports only even intervals.
struct DcdTiming {
  std::int64_t first_step = 0;       ///< step of the first frame
  std::int64_t steps_per_frame = 1;  ///< > 0
  double time_step_ps = 0.001;
};

/// Writer of a DCD trajectory in Angstrom and float32, with a unit cell in each frame if there is a
/// box. The frame count in the header is correct after every frame. Every failure throws FileError.
/// For one rank.
class DcdWriter {
 public:
  DcdWriter(const std::filesystem::path& path, std::size_t residues, const DcdTiming& timing,
            const std::array<double, 3>& box_nm = {});

  /// Appends a frame of positions (residues) [nm].
  void append_frame(std::span<const std::array<float, 3>> positions_nm);
  /// Syncs to disk.
  void sync() { file_.sync(); }

 private:
  [[nodiscard]] bool has_cell() const { return box_nm_ != std::array<double, 3>{}; }
  std::byte* put_cell(std::byte* to) const;
  void write_counts();

  storage::PosixFile file_;
  std::size_t residues_;
  std::array<double, 3> box_nm_;
  std::int32_t steps_per_frame_ = 1;
  std::int64_t frames_ = 0;
  std::int64_t end_;
  std::vector<std::byte> frame_;
};

}  // namespace nfold::io

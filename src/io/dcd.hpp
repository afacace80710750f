// The trajectory NAME.dcd in CHARMM's format, for VMD and the tools that know no H5MD.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "storage/posix_file.hpp"

namespace nfold::io {

/// A DCD knows frames at even intervals only.
struct DcdTiming {
  std::int64_t first_step = 0;       ///< of the first frame
  std::int64_t steps_per_frame = 1;  ///< > 0
  double time_step_ps = 0.001;
};

/// Writes Angstrom, float32; a unit cell in each frame if there is a box. The header's frame count
/// is right after every frame. Every failure is a FileError. On one rank.
class DcdWriter {
 public:
  [[nodiscard]] static DcdWriter create(const std::filesystem::path& path, std::size_t residues,
                                        const DcdTiming& timing,
                                        const std::array<double, 3>& box_nm = {});
  /// Drops all frames behind the first `kept_frames` (a DCD holds no steps; the run knows how many
  /// there were at the checkpoint), torn ones too. FileError if there are fewer, or of another
  /// system.
  [[nodiscard]] static DcdWriter append(const std::filesystem::path& path, std::size_t residues,
                                        std::int64_t kept_frames,
                                        const std::array<double, 3>& box_nm = {});

  /// (residues) [nm]
  void append_frame(std::span<const std::array<double, 3>> positions_nm);
  void append_frame(std::span<const std::array<float, 3>> positions_nm);
  /// On the disk. Call before each checkpoint.
  void sync() { file_.sync(); }
  [[nodiscard]] std::int64_t frame_count() const { return frames_; }

 private:
  /// What all frames have in common.
  struct Form {
    std::size_t residues = 0;
    std::int32_t steps_per_frame = 1;
    std::array<double, 3> box_nm{};
    [[nodiscard]] bool has_cell() const { return box_nm != std::array<double, 3>{}; }
    [[nodiscard]] std::int64_t frame_bytes() const;
  };
  DcdWriter(storage::PosixFile file, const Form& form, std::int64_t frames, std::int64_t end);
  std::byte* put_cell(std::byte* to) const;
  template <class Row>
  void append_rows(std::span<const Row> rows);
  void write_counts();

  storage::PosixFile file_;
  Form form_;
  std::int64_t frames_;
  std::int64_t end_;
  std::vector<std::byte> frame_;
};

}  // namespace nfold::io

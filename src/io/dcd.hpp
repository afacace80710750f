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
  [[nodiscard]] static DcdWriter create(const std::filesystem::path& path, std::size_t residues,
                                        const DcdTiming& timing,
                                        const std::array<double, 3>& box_nm = {});
  /// Opens the file to append. Drops all frames behind the first `kept_frames`, torn ones too. A
  /// DCD holds no steps, so the caller passes the number of frames at the checkpoint. Throws
  /// FileError if there are fewer frames, or if they are of another system.
  [[nodiscard]] static DcdWriter append(const std::filesystem::path& path, std::size_t residues,
                                        std::int64_t kept_frames,
                                        const std::array<double, 3>& box_nm = {});

  /// Appends a frame of positions (residues) [nm].
  void append_frame(std::span<const std::array<double, 3>> positions_nm);
  void append_frame(std::span<const std::array<float, 3>> positions_nm);
  /// Syncs to disk. Must be called before each checkpoint.
  void sync() { file_.sync(); }
  [[nodiscard]] std::int64_t frame_count() const { return frames_; }

 private:
  /// Format common to all frames.
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

// Reader of DCD trajectories of CHARMM, NAMD, OpenMM, LAMMPS and nfold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/storage/posix_file.hpp"
#include "system/bead_frame.hpp"

namespace nfold::io {

/// Sizes of a DCD file's records.
struct DcdLayout {
  std::int64_t header_bytes = 0;
  std::int64_t beads = 0;
  bool has_cell = false;    ///< each frame begins with a unit cell
  bool has_fourth = false;  ///< each frame ends with a fourth coordinate, which is ignored
  [[nodiscard]] std::int64_t frame_bytes() const {
    const std::int64_t cell = has_cell ? 8 + 6 * 8 : 0;
    return cell + (has_fourth ? 4 : 3) * (8 + 4 * beads);
  }
};

/// Parses the header from the first bytes of a file, which are all of it or at least
/// dcd_header_bytes_at_most. `name` names the file in errors. Throws core::InputError.
[[nodiscard]] DcdLayout parse_dcd_header(std::span<const std::byte> bytes, const std::string& name);
inline constexpr std::size_t dcd_header_bytes_at_most = std::size_t{1} << 16U;
/// Parses a frame of layout.frame_bytes() bytes. frame: its number in errors. Throws
/// core::InputError.
[[nodiscard]] system::BeadFrame parse_dcd_frame(std::span<const std::byte> bytes,
                                                const DcdLayout& layout, const std::string& name,
                                                std::int64_t frame);

/// Open DCD file. Frames are counted by the size of the file; a last frame that is incomplete does
/// not count.
class DcdReader {
 public:
  /// Throws core::InputError, storage::FileError.
  explicit DcdReader(const std::filesystem::path& path);

  [[nodiscard]] std::int64_t frame_count() const { return frames_; }
  [[nodiscard]] system::BeadFrame frame(std::int64_t index) const;

 private:
  storage::PosixFile file_;
  DcdLayout layout_;
  std::int64_t frames_;
};

}  // namespace nfold::io

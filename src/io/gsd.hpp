// Trajectory NAME.gsd of HOOMD-blue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/storage/posix_file.hpp"
#include "io/trajectory.hpp"

namespace nfold::io {

/// Writer of a GSD file: layout version 2, schema hoomd 1.4. Types are residue names; mass, charge
/// and bonds stand in the first frame; units are nm, amu and e, the time [ps] is log/time_ps.
/// Positions are relative to the middle of the box, in it, with the image of each residue, as
/// HOOMD-blue starts from them. The file can be read after finish(). Every failure throws
/// FileError. For one rank.
class GsdWriter {
 public:
  /// Throws FileError unless there is a box of three edges. The description must outlive the
  /// writer.
  GsdWriter(const std::filesystem::path& path, const TrajectoryDescription& description);

  /// Appends a frame of positions (residues) [nm].
  void append_frame(std::int64_t step, double time_ps,
                    std::span<const std::array<float, 3>> positions_nm);
  /// Writes names, index and header, and syncs to disk.
  void finish();

 private:
  /// Index entry of GSD.
  struct Entry {
    std::uint64_t frame = 0, rows = 0;
    std::int64_t location = 0;
    std::uint32_t columns = 0;
    std::uint16_t name = 0;
    std::uint8_t type = 0, flags = 0;
  };

  /// Appends values of a frame. Names must be given in the same order in each frame.
  template <class T>
  void append(const char* name, std::uint64_t rows, std::uint32_t columns,
              std::span<const T> values);
  void append_names(const char* name, const std::vector<std::string>& names);
  void append_topology();

  storage::PosixFile file_;
  const TrajectoryDescription& description_;
  std::vector<std::string> names_;
  std::vector<Entry> index_;
  std::uint64_t frame_ = 0;
  std::int64_t end_;
};

}  // namespace nfold::io

// The objects of an H5MD file as nfold writes them; shared by writer and reader.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/trajectory.hpp"
#include "storage/hdf5_objects.hpp"

namespace nfold::io::h5md {

/// The open time series of a file: one row a frame, all of the same length. step and time are hard
/// linked to every series.
struct Series {
  storage::Hdf5Id step, time;
  storage::Hdf5Id position;  ///< (frames, residues, 3) float32 [nm]
  storage::Hdf5Id edges;     ///< (frames, 3, 3) float64 [nm]; only if there is a box
  storage::Hdf5Id velocity;  ///< the same [nm/ps]; only if the description has velocities
  std::vector<storage::Hdf5Id> observables;  ///< (frames) float64, in the description's order
};

/// Writes everything that does not change with time, and empty series. `what` names the file.
void create_file(hid_t file, const TrajectoryDescription& description, const std::string& what);

[[nodiscard]] Series open_series(hid_t file, const TrajectoryDescription& description,
                                 const std::string& what);

/// What create_file() was given. Observables in the order of their names.
[[nodiscard]] TrajectoryDescription read_description(hid_t file, const std::string& what);

/// Gives every series `frames` rows.
void resize_series(const Series& series, std::size_t residues, std::int64_t frames,
                   const std::string& what);

/// Residues first .. of one frame of a series of positions, to be written; (residues, 3).
void write_part_of_frame(hid_t dataset, std::int64_t frame, std::size_t first,
                         std::span<const float> values, const std::string& what);

}  // namespace nfold::io::h5md

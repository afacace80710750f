// Objects of an H5MD file as nfold writes them; shared by writer and reader.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/storage/hdf5_objects.hpp"
#include "io/trajectory.hpp"

namespace nfold::io::h5md {

/// Open time series of a file: one row per frame, all of the same length. step and time are hard
/// links in every series.
struct Series {
  storage::Hdf5Id step, time;
  storage::Hdf5Id position;  ///< (frames, residues, 3) float32 [nm]
  storage::Hdf5Id edges;     ///< (frames, 3, 3) float64 [nm]; only if there is a box
  storage::Hdf5Id velocity;  ///< (frames, residues, 3) float32 [nm/ps]; only if described
  std::vector<storage::Hdf5Id> observables;  ///< (frames) float64, in the description's order
};

/// Writes all data that is constant in time, and empty series. `what` names the file.
void create_file(hid_t file, const TrajectoryDescription& description, const std::string& what);

[[nodiscard]] Series open_series(hid_t file, const TrajectoryDescription& description,
                                 const std::string& what);

/// Returns the description that create_file() wrote. Observables are sorted by name.
[[nodiscard]] TrajectoryDescription read_description(hid_t file, const std::string& what);

/// Resizes every series to `frames` rows.
void resize_series(const Series& series, std::int64_t frames, const std::string& what);

/// Writes the positions (residues, 3) of consecutive residues, from `first` on, of one frame.
void write_part_of_frame(hid_t dataset, std::int64_t frame, std::size_t first,
                         std::span<const float> values, const std::string& what);

}  // namespace nfold::io::h5md

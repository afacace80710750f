// Reader of NAME.h5md.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/storage/hdf5_storage.hpp"
#include "io/h5md_layout.hpp"
#include "io/hdf5_files.hpp"
#include "io/trajectory.hpp"

namespace nfold::io {

using namespace storage;

struct TrajectoryReader::State {
  explicit State(const std::filesystem::path& path) : file(path) {
    const auto& what = file.what;
    if (!has_link(file.id, "h5md")) {
      throw FileError(what + ": is no trajectory, for it has no group 'h5md' (give NAME.h5md)");
    }
    description = h5md::read_description(file.id, what);
    series = h5md::open_series(file.id, description, what);
    steps = read_dataset<std::int64_t>(series.step, ".", what);
    times = read_dataset<double>(series.time, ".", what);
  }

  Hdf5File file;
  h5md::Series series;
  TrajectoryDescription description;
  std::vector<std::int64_t> steps;
  std::vector<double> times;
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw FileError(path.string() + ": is a folder (give the trajectory in it, NAME.h5md)");
  }
  try {
    state_ = std::make_unique<State>(path);
  } catch (const FileError& failure) {
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(JournaledStorage::journal_path(path), ignored);
    if (ignored || bytes == 0) throw;
    throw FileError(
        fmt::format("{} (a killed run left it half changed: nfold run --resume mends "
                    "it)",
                    failure.what()));
  }
}
TrajectoryReader::~TrajectoryReader() = default;
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;
TrajectoryReader& TrajectoryReader::operator=(TrajectoryReader&&) noexcept = default;

const TrajectoryDescription& TrajectoryReader::description() const { return state_->description; }

std::int64_t TrajectoryReader::frame_count() const {
  return static_cast<std::int64_t>(state_->steps.size());
}

const std::vector<std::int64_t>& TrajectoryReader::steps() const { return state_->steps; }
const std::vector<double>& TrajectoryReader::times_ps() const { return state_->times; }

std::vector<std::array<float, 3>> TrajectoryReader::positions_nm(std::int64_t frame) const {
  std::vector<std::array<float, 3>> positions(state_->description.residue_count());
  transfer_rows(Transfer::read, state_->series.position, H5T_NATIVE_FLOAT, frame, 1,
                positions.data(), 3 * positions.size(), state_->file.what);
  return positions;
}

}  // namespace nfold::io

// Writing NAME.h5md: frames gather in memory and reach the file in commits at frame borders.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "io/h5md_layout.hpp"
#include "io/trajectory.hpp"
#include "storage/hdf5_storage.hpp"

namespace nfold::io {

using namespace storage;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto commit_interval = std::chrono::seconds(1);
constexpr std::size_t commit_bytes = std::size_t{16} << 20;

void add_as_float(std::span<const std::array<double, 3>> rows, std::vector<float>& to) {
  for (const auto& row : rows) {
    for (const double value : row) to.push_back(static_cast<float>(value));
  }
}

// (frames, 3, 3), a diagonal matrix each.
std::vector<double> box_edges(const std::array<double, 3>& box_nm, std::int64_t frames) {
  std::vector<double> edges(static_cast<std::size_t>(9 * frames), 0);
  for (std::size_t at = 0; at < edges.size(); at += 9) {
    for (std::size_t k = 0; k < 3; ++k) edges[at + 4 * k] = box_nm[k];
  }
  return edges;
}

// Frames not yet handed to HDF5.
struct PendingFrames {
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  std::vector<float> positions, velocities;
  std::vector<std::vector<double>> observables;  // a column each

  void clear() {
    steps.clear();
    times.clear();
    positions.clear();
    velocities.clear();
    for (auto& column : observables) column.clear();
  }
};

}  // namespace

struct TrajectoryWriter::State {
  State(const std::filesystem::path& path, const TrajectoryDescription& who, PosixFile::Mode mode)
      : what(path.string()), description(who), storage(path, mode), last_commit(Clock::now()) {
    pending.observables.resize(who.observables.size());
  }

  void hand_over() {
    const auto count = static_cast<std::int64_t>(pending.steps.size());
    if (count == 0) return;
    h5md::resize_series(series, description.residue_count(), written + count, what);
    const auto write = [&](hid_t dataset, hid_t type, void* values) {
      h5md::transfer_rows(h5md::Transfer::write, dataset, type, written, count, values, what);
    };
    write(series.position, H5T_NATIVE_FLOAT, pending.positions.data());
    if (description.velocities) write(series.velocity, H5T_NATIVE_FLOAT, pending.velocities.data());
    if (description.has_box()) {
      auto edges = box_edges(description.box_nm, count);
      write(series.edges, H5T_NATIVE_DOUBLE, edges.data());
    }
    for (std::size_t i = 0; i < pending.observables.size(); ++i) {
      write(series.observables[i], H5T_NATIVE_DOUBLE, pending.observables[i].data());
    }
    write(series.time, H5T_NATIVE_DOUBLE, pending.times.data());
    write(series.step, H5T_NATIVE_INT64, pending.steps.data());
    written += count;
    pending.clear();
  }

  void commit(JournaledStorage::Durability durability) {
    hand_over();
    check_hdf5(H5Fflush(file, H5F_SCOPE_LOCAL), what, "gather the changes");
    storage.commit(durability);
    last_commit = Clock::now();
  }

  std::string what;
  TrajectoryDescription description;
  JournaledStorage storage;
  Hdf5Id file;  // declared before the series, so that it closes after them
  h5md::Series series;
  std::int64_t written = 0;  // frames HDF5 has
  std::int64_t last_step = std::numeric_limits<std::int64_t>::min();
  PendingFrames pending;
  Clock::time_point last_commit;
};

TrajectoryWriter::TrajectoryWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrajectoryWriter::~TrajectoryWriter() = default;
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;
TrajectoryWriter& TrajectoryWriter::operator=(TrajectoryWriter&&) noexcept = default;

TrajectoryWriter TrajectoryWriter::create(const std::filesystem::path& path,
                                          const TrajectoryDescription& description) {
  const auto n = description.residue_count();
  if (description.residue_numbers.size() != n || description.chain_names.size() != n ||
      description.masses_amu.size() != n || description.charges_e.size() != n) {
    throw std::invalid_argument("the parts of a trajectory's description differ in length");
  }
  auto state = std::make_unique<State>(path, description, PosixFile::Mode::create);
  state->file = create_hdf5(state->storage, state->what);
  h5md::create_file(state->file, description, state->what);
  state->series = h5md::open_series(state->file, description, state->what);
  state->commit(JournaledStorage::Durability::process);
  return TrajectoryWriter(std::move(state));
}

namespace {

// Empty if a run of `wanted` may go on in a file of `found`.
std::string difference(const TrajectoryDescription& found, const TrajectoryDescription& wanted) {
  if (found.residue_count() != wanted.residue_count()) {
    return fmt::format("{} residues, this run has {}", found.residue_count(),
                       wanted.residue_count());
  }
  if (found.residue_names != wanted.residue_names || found.chain_names != wanted.chain_names ||
      found.residue_numbers != wanted.residue_numbers) {
    return "other residues than this run";
  }
  if (found.box_nm != wanted.box_nm) return "another box than this run";
  if (found.velocities != wanted.velocities) {
    return found.velocities ? "velocities, this run writes none"
                            : "no velocities, this run writes them";
  }
  auto sorted = wanted.observables;
  std::ranges::sort(sorted, {}, &ObservableDescription::name);
  if (!std::ranges::equal(found.observables, sorted, {}, &ObservableDescription::name,
                          &ObservableDescription::name)) {
    return "other observables than this run";
  }
  return {};
}

}  // namespace

TrajectoryWriter TrajectoryWriter::append(const std::filesystem::path& path,
                                          const TrajectoryDescription& description,
                                          std::int64_t last_step, std::int64_t expected_frames) {
  auto state = std::make_unique<State>(path, description, PosixFile::Mode::update);
  const auto& what = state->what;
  state->file = open_hdf5(state->storage, what, Hdf5Access::update);
  if (const auto text = difference(h5md::read_description(state->file, what), description);
      !text.empty()) {
    throw FileError(fmt::format("{}: holds {} (move the file away, or start anew with --overwrite)",
                                what, text));
  }
  state->series = h5md::open_series(state->file, description, what);
  const auto steps =
      read_dataset<std::int64_t>(state->file, "/particles/trajectory/position/step", what);
  const auto kept = std::ranges::upper_bound(steps, last_step) - steps.begin();
  if (expected_frames >= 0 && kept != expected_frames) {
    throw FileError(fmt::format(
        "{}: {} frames up to step {}, the checkpoint was written after {} (move the file away to "
        "go on in a new one, or start anew with --overwrite)",
        what, kept, last_step, expected_frames));
  }
  h5md::resize_series(state->series, description.residue_count(), kept, what);
  state->written = kept;
  state->last_step = last_step;
  state->commit(JournaledStorage::Durability::power);
  return TrajectoryWriter(std::move(state));
}

void TrajectoryWriter::append_frame(const TrajectoryFrame& frame) {
  auto& state = *state_;
  const auto& who = state.description;
  if (frame.positions_nm.size() != who.residue_count() ||
      (who.velocities && frame.velocities_nm_ps.size() != who.residue_count()) ||
      frame.observables.size() != who.observables.size() || frame.step <= state.last_step) {
    throw std::invalid_argument(
        fmt::format("frame of step {} (after {}): {} positions, {} velocities and {} observables "
                    "do not fit the trajectory",
                    frame.step, state.last_step, frame.positions_nm.size(),
                    frame.velocities_nm_ps.size(), frame.observables.size()));
  }
  auto& pending = state.pending;
  pending.steps.push_back(frame.step);
  pending.times.push_back(frame.time_ps);
  add_as_float(frame.positions_nm, pending.positions);
  if (who.velocities) add_as_float(frame.velocities_nm_ps, pending.velocities);
  for (std::size_t i = 0; i < frame.observables.size(); ++i) {
    pending.observables[i].push_back(frame.observables[i]);
  }
  state.last_step = frame.step;
  const auto bytes = sizeof(float) * (pending.positions.size() + pending.velocities.size());
  if (bytes >= commit_bytes || Clock::now() - state.last_commit >= commit_interval) flush();
}

void TrajectoryWriter::flush() { state_->commit(JournaledStorage::Durability::process); }

void TrajectoryWriter::sync() { state_->commit(JournaledStorage::Durability::power); }

void TrajectoryWriter::close() {
  if (!state_) return;
  flush();
  state_->series = {};
  const bool closed = state_->file.close();
  state_->storage.commit(JournaledStorage::Durability::power);
  state_->storage.remove_journal();
  const auto what = std::exchange(state_, nullptr)->what;
  if (!closed) throw FileError(what + ": HDF5 cannot close the file: " + hdf5_reason());
}

std::int64_t TrajectoryWriter::frame_count() const {
  return state_->written + static_cast<std::int64_t>(state_->pending.steps.size());
}

}  // namespace nfold::io

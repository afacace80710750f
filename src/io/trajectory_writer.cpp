// Writer of NAME.h5md: frames are buffered and reach the file in commits of whole frames.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/storage/hdf5_storage.hpp"
#include "io/h5md_layout.hpp"
#include "io/trajectory.hpp"

namespace nfold::io {

using namespace storage;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto commit_interval = std::chrono::seconds(1);

void add_as_float(std::span<const std::array<double, 3>> rows, std::vector<float>& to) {
  to.reserve(std::max(to.capacity(), to.size() + 3 * rows.size()));
  for (const auto& row : rows) {
    for (const double value : row) to.push_back(static_cast<float>(value));
  }
}

// Returns diagonal matrices of the box edges, (frames, 3, 3).
std::vector<double> box_edges(const std::array<double, 3>& box_nm, std::int64_t frames) {
  std::vector<double> edges(static_cast<std::size_t>(9 * frames), 0);
  for (std::size_t at = 0; at < edges.size(); at += 9) {
    for (std::size_t k = 0; k < 3; ++k) edges[at + 4 * k] = box_nm[k];
  }
  return edges;
}

// Frames not yet written to HDF5.
struct PendingFrames {
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  std::vector<float> positions, velocities;
  std::vector<std::vector<double>> observables;  // one column each

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
  State(const std::filesystem::path& path, const TrajectoryDescription& who, PosixFile::Mode mode,
        std::size_t most_bytes)
      : what(path.string()),
        description(who),
        storage(path, mode),
        last_commit(Clock::now()),
        bytes_in_memory(most_bytes) {
    pending.observables.resize(who.observables.size());
  }

  void write_pending() {
    const auto count = static_cast<std::int64_t>(pending.steps.size());
    if (count == 0) return;
    h5md::resize_series(series, written + count, what);
    write_frames(series.position, count, pending.positions);
    if (description.velocities) write_frames(series.velocity, count, pending.velocities);
    write_beside(count);
  }

  /// True if a frame exceeds the buffer and is written in parts.
  [[nodiscard]] bool goes_by_parts() const {
    return !description.velocities &&
           3 * sizeof(float) * description.residue_count() > bytes_in_memory;
  }
  void begin_parts() {
    write_pending();
    h5md::resize_series(series, written + 1, what);
  }
  void write_part(std::span<const std::array<double, 3>> nm) {
    part.clear();
    add_as_float(nm, part);
    h5md::write_part_of_frame(series.position, written, positions_given, part, what);
  }
  /// Writes everything but positions and velocities of `count` frames, from frame `written` on.
  void write_beside(std::int64_t count) {
    if (description.has_box()) {
      auto edges = box_edges(description.box_nm, count);
      write_frames(series.edges, count, edges);
    }
    for (std::size_t i = 0; i < pending.observables.size(); ++i) {
      write_frames(series.observables[i], count, pending.observables[i]);
    }
    write_frames(series.time, count, pending.times);
    write_frames(series.step, count, pending.steps);
    written += count;
    pending.clear();
  }
  /// Writes the values of `count` frames to a series, from frame `written` on.
  template <class T>
  void write_frames(hid_t dataset, std::int64_t count, std::vector<T>& values) {
    transfer_rows(Transfer::write, dataset, hdf5_type<T>(), written, count, values.data(),
                  values.size(), what);
  }

  void commit(JournaledStorage::Durability durability) {
    write_pending();
    check_hdf5(H5Fflush(file, H5F_SCOPE_LOCAL), what, "gather the changes");
    storage.commit(durability);
    last_commit = Clock::now();
  }

  std::string what;
  TrajectoryDescription description;
  JournaledStorage storage;
  Hdf5Id file;  // declared before the series, so that it closes after them
  h5md::Series series;
  std::int64_t written = 0;  // frames written to HDF5
  std::int64_t last_step = std::numeric_limits<std::int64_t>::min();
  PendingFrames pending;
  // Frame between begin_frame() and end_frame().
  std::int64_t given_step = 0;
  double given_time_ps = 0;
  std::size_t positions_given = 0;
  std::vector<float> part;
  Clock::time_point last_commit;
  std::size_t bytes_in_memory;
};

TrajectoryWriter::TrajectoryWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrajectoryWriter::~TrajectoryWriter() = default;
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;
TrajectoryWriter& TrajectoryWriter::operator=(TrajectoryWriter&&) noexcept = default;

TrajectoryWriter TrajectoryWriter::create(const std::filesystem::path& path,
                                          const TrajectoryDescription& description,
                                          std::size_t bytes_in_memory) {
  const auto n = description.residue_count();
  if (description.residue_numbers.size() != n || description.chain_names.size() != n ||
      description.masses_amu.size() != n || description.charges_e.size() != n) {
    throw std::invalid_argument("the parts of a trajectory's description differ in length");
  }
  auto state = std::make_unique<State>(path, description, PosixFile::Mode::create, bytes_in_memory);
  state->file = create_hdf5(state->storage, state->what);
  h5md::create_file(state->file, description, state->what);
  state->series = h5md::open_series(state->file, description, state->what);
  state->commit(JournaledStorage::Durability::process);
  return TrajectoryWriter(std::move(state));
}

namespace {

// Describes why a run of `wanted` cannot append to a file of `found`; empty if it can.
std::string describe_mismatch(const TrajectoryDescription& found,
                              const TrajectoryDescription& wanted) {
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
                                          std::int64_t last_step, std::int64_t expected_frames,
                                          std::size_t bytes_in_memory) {
  auto state = std::make_unique<State>(path, description, PosixFile::Mode::update, bytes_in_memory);
  const auto& what = state->what;
  state->file = open_hdf5(state->storage, what, Hdf5Access::update);
  if (const auto text = describe_mismatch(h5md::read_description(state->file, what), description);
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
  h5md::resize_series(state->series, kept, what);
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
  begin_frame(frame.step, frame.time_ps);
  add_positions(frame.positions_nm);
  if (who.velocities) add_as_float(frame.velocities_nm_ps, state.pending.velocities);
  end_frame(frame.observables);
}

void TrajectoryWriter::begin_frame(std::int64_t step, double time_ps) {
  auto& state = *state_;
  if (step <= state.last_step) {
    throw std::invalid_argument(
        fmt::format("frame of step {} after one of step {}", step, state.last_step));
  }
  state.given_step = step;
  state.given_time_ps = time_ps;
  state.positions_given = 0;
  if (state.goes_by_parts()) state.begin_parts();
}

void TrajectoryWriter::add_positions(std::span<const std::array<double, 3>> nm) {
  auto& state = *state_;
  if (state.positions_given + nm.size() > state.description.residue_count()) {
    throw std::invalid_argument(fmt::format("{} positions and {} more for a frame of {}",
                                            state.positions_given, nm.size(),
                                            state.description.residue_count()));
  }
  if (state.goes_by_parts()) {
    state.write_part(nm);
  } else {
    add_as_float(nm, state.pending.positions);
  }
  state.positions_given += nm.size();
}

void TrajectoryWriter::end_frame(std::span<const double> observables) {
  auto& state = *state_;
  if (state.positions_given != state.description.residue_count() ||
      observables.size() != state.description.observables.size()) {
    throw std::invalid_argument(
        fmt::format("frame of step {}: {} positions and {} observables do not fit the trajectory",
                    state.given_step, state.positions_given, observables.size()));
  }
  auto& pending = state.pending;
  pending.steps.push_back(state.given_step);
  pending.times.push_back(state.given_time_ps);
  for (std::size_t i = 0; i < observables.size(); ++i) {
    pending.observables[i].push_back(observables[i]);
  }
  state.last_step = state.given_step;
  if (state.goes_by_parts()) {
    state.write_beside(1);
    return flush();
  }
  const auto bytes = sizeof(float) * (pending.positions.size() + pending.velocities.size());
  if (bytes >= state.bytes_in_memory || Clock::now() - state.last_commit >= commit_interval)
    flush();
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

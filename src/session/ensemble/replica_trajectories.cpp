// Files of chosen replicas: opened, truncated and written; positions come from any rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/replica_trajectories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>

#include "session/job/collective_work.hpp"
#include "session/setup/checkpoint_header.hpp"
#include "session/setup/frame_writer.hpp"
#include "system/state.hpp"

namespace nfold::ensemble {
namespace {

// The temperature is the thermostat's, not that of the velocities, in H5MD and in the table.
const std::vector<std::string> table_columns{"time_ps",          "potential_kj_mol",
                                             "native_fraction",  "bath_temperature_kelvin",
                                             "contact_strength", "ionic_strength_molar"};
const std::vector<io::ObservableDescription> observables{{"potential_energy", "kJ mol-1"},
                                                         {"native_fraction", ""},
                                                         {"bath_temperature", "K"},
                                                         {"contact_strength", ""},
                                                         {"ionic_strength", "mol L-1"}};

io::TrajectoryDescription describe_replica(const topology::Topology& topology,
                                           std::int64_t replica) {
  auto description = setup::describe(topology);
  description.observables = observables;
  description.subject = fmt::format(
      "replica {} of an ensemble, continuous in time: the replica is followed through all its "
      "states (observables/bath_temperature, contact_strength and ionic_strength, before an "
      "exchange "
      "at that step)",
      replica);
  return description;
}

/// Counts of a replica in a checkpoint's text "3:41:41,5:..."; 0 for one that was not followed.
struct ReplicaRows {
  std::int64_t frames = 0;
  std::int64_t rows = -1;  // rows of the table; -1: not known
};

ReplicaRows rows_of_replica(const std::string& text, std::int64_t replica) {
  const std::string start = fmt::format(",{}:", replica);
  const std::string all = "," + text;
  const auto at = all.find(start);
  if (at == std::string::npos) return {0, 0};
  ReplicaRows found;
  const char* const end = all.data() + all.size();
  const auto frames = std::from_chars(all.data() + at + start.size(), end, found.frames);
  if (frames.ptr != end && *frames.ptr == ':') {
    (void)std::from_chars(frames.ptr + 1, end, found.rows);
  }
  return found;
}

}  // namespace

ReplicaTrajectories::ReplicaTrajectories(const comm::Communicator& communicator,
                                         const status::OutputPaths& paths,
                                         const input::Settings& settings,
                                         const topology::Topology& topology,
                                         const io::CheckpointHeader* resumed_from)
    : communicator_(communicator),
      topology_(topology),
      chosen_(settings.ensemble.trajectory_replicas),
      every_steps_(chosen_.empty() ? 0 : settings.output.trajectory_every_steps),
      time_step_ps_(settings.dynamics.time_step_ps) {
  if (every_steps_ == 0) return;
  job::on_root(communicator_, [&] {
    for (const auto replica : chosen_) files_.push_back(open(paths, replica, resumed_from));
  });
}

ReplicaTrajectories::Files ReplicaTrajectories::open(const status::OutputPaths& paths,
                                                     std::int64_t replica,
                                                     const io::CheckpointHeader* resumed_from) {
  const auto description = describe_replica(topology_, replica);
  const auto trajectory = paths.replica_trajectory(replica), table = paths.replica_table(replica);
  const auto goes_on = [&](const std::filesystem::path& path) {
    return resumed_from != nullptr && std::filesystem::exists(path);
  };
  ReplicaRows before;
  std::int64_t step = 0;
  if (resumed_from != nullptr) {
    step = resumed_from->step;
    before = rows_of_replica(setup::frames_text(*resumed_from), replica);
    for (const auto& missing :
         {setup::missing_file_message(trajectory, before.frames, "frames", step),
          setup::missing_file_message(table, before.rows, "rows", step)}) {
      if (!missing.empty()) notes_.push_back(missing);
    }
  }
  return {replica,
          goes_on(trajectory)
              ? io::TrajectoryWriter::append(trajectory, description, step, before.frames)
              : io::TrajectoryWriter::create(trajectory, description),
          goes_on(table) ? io::CsvWriter::append(table, table_columns, step, before.rows)
                         : io::CsvWriter::create(table, table_columns)};
}

void ReplicaTrajectories::write(const ReplicaFrame& now) {
  // Ranks hold consecutive replicas: gathered in rank order, they are in the chosen order.
  std::vector<system::FixedPosition> mine;
  std::vector<io::ReplicaSample> my_samples;
  for (const auto replica : chosen_) {
    const std::int64_t here = replica - now.first;
    if (here < 0 || here >= now.mine.size()) continue;
    const auto state = now.mine.state(static_cast<int>(here));
    mine.insert(mine.end(), state.position.begin(), state.position.end());
    my_samples.push_back(now.samples[static_cast<std::size_t>(here)]);
  }
  const auto all = communicator_.gather(std::span<const system::FixedPosition>(mine));
  const auto samples = communicator_.gather(std::span<const io::ReplicaSample>(my_samples));
  job::on_root(communicator_, [&] {
    std::vector<std::array<double, 3>> positions_nm(
        static_cast<std::size_t>(topology_.residue_count()));
    auto next = all.begin();
    auto sample = samples.begin();
    for (auto& files : files_) {
      for (auto& at_nm : positions_nm) at_nm = system::position_nm(topology_.box, *next++);
      append(files, now, *sample++, positions_nm);
    }
  });
}

void ReplicaTrajectories::append(Files& files, const ReplicaFrame& now,
                                 const io::ReplicaSample& sample,
                                 std::span<const std::array<double, 3>> positions_nm) {
  const auto contacts = static_cast<double>(topology_.contact_count());
  const double native_fraction = contacts > 0
                                     ? static_cast<double>(sample.formed_contacts) / contacts
                                     : std::numeric_limits<double>::quiet_NaN();
  const auto& in = now.ladder[static_cast<std::size_t>(sample.state)];
  const double time_ps = static_cast<double>(now.step) * time_step_ps_;
  const std::array<double, 5> values{sample.potential_kj_mol, native_fraction,
                                     in.temperature_kelvin, in.contact_strength,
                                     in.ionic_strength_molar};
  files.trajectory.append_frame({now.step, time_ps, positions_nm, {}, values});
  std::array<double, 1 + values.size()> row{time_ps};
  std::copy(values.begin(), values.end(), row.begin() + 1);
  files.table.write_row(now.step, row);
}

void ReplicaTrajectories::sync() {
  for (auto& files : files_) {
    files.trajectory.sync();
    files.table.sync();
  }
}

std::string ReplicaTrajectories::counts() const {
  std::vector<std::string> counts;
  counts.reserve(files_.size());
  for (const auto& files : files_) {
    counts.push_back(fmt::format("{}:{}:{}", files.replica, files.trajectory.frame_count(),
                                 files.table.row_count()));
  }
  return counts.empty() ? "-1" : fmt::format("{}", fmt::join(counts, ","));
}

void ReplicaTrajectories::close() {
  for (auto& files : files_) {
    files.table.sync();
    files.trajectory.close();
  }
  files_.clear();
}

}  // namespace nfold::ensemble

// Writing of trajectory and energies.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/frame_writer.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/telemetry/profiler.hpp"
#include "core/version.hpp"

namespace nfold::setup {
namespace {

std::vector<std::string> csv_names(const std::vector<ReportColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const auto& column : columns) names.push_back(column.csv_name);
  return names;
}

}  // namespace

io::TrajectoryDescription describe(const topology::Topology& topology) {
  io::TrajectoryDescription description;
  const auto of_residues = [&topology](auto&& value_of) {
    using T = std::remove_cvref_t<decltype(value_of(topology::Residue()))>;
    return io::Column<T>(topology.residues.size(), [&topology, value_of](std::size_t row) {
      return value_of(topology.residues[row]);
    });
  };
  using topology::Residue;
  description.residue_names =
      of_residues([](const Residue& residue) { return std::string(residue.name.view()); });
  description.residue_numbers = of_residues([](const Residue& residue) { return residue.number; });
  description.chain_names = of_residues([&topology](const Residue& residue) {
    return topology.chains[static_cast<std::size_t>(residue.chain)].name;
  });
  description.masses_amu = of_residues([](const Residue& residue) { return residue.mass_amu; });
  description.charges_e = of_residues([](const Residue& residue) { return residue.charge_e; });
  using Ends = std::array<int, 2>;
  description.bonds = {topology.bonds.size(), [&topology](std::size_t row) {
                         const auto bond = topology.bonds[row];
                         return Ends{bond.i, bond.j};
                       }};
  description.box_nm = topology.box.length_nm;
  description.native_positions_nm = {
      topology.native_nm.size(), [&topology](std::size_t row) { return topology.native_nm[row]; }};
  const std::size_t of_12_10 = topology.contacts_12_10.size();
  description.native_contacts = {
      of_12_10 + topology.contacts_gaussian.size(), [&topology, of_12_10](std::size_t row) {
        if (row >= of_12_10) {
          const auto contact = topology.contacts_gaussian[row - of_12_10];
          return Ends{contact.i, contact.j};
        }
        const auto contact = topology.contacts_12_10[row];
        return Ends{contact.i, contact.j};
      }};
  for (const auto& column : report_columns(topology)) {
    if (!column.h5md_name.empty()) {
      description.observables.push_back({column.h5md_name, column.h5md_unit});
    }
  }
  description.creator_version = core::version;
  return description;
}

FrameWriter::FrameWriter(const status::OutputPaths& paths, const topology::Topology& topology,
                         const input::Settings& settings, const FileStart& start)
    : columns_(report_columns(topology)) {
  if (start.continues) last_frame_step_ = start.step;
  if (settings.output.energies_every_steps > 0) open_energies(paths, start);
  if (settings.output.trajectory_every_steps > 0) open_trajectory(paths, topology, start);
}

void FrameWriter::open_energies(const status::OutputPaths& paths, const FileStart& start) {
  add_note(missing_file_message(paths.energies(), start.expected_rows, "rows", start.step));
  energies_are_new_ = !start.continues || !std::filesystem::exists(paths.energies());
  const auto names = csv_names(columns_);
  energies_.emplace(
      energies_are_new_
          ? io::CsvWriter::create(paths.energies(), names, report_comment())
          : io::CsvWriter::append(paths.energies(), names, start.step, start.expected_rows));
}

void FrameWriter::open_trajectory(const status::OutputPaths& paths,
                                  const topology::Topology& topology, const FileStart& start) {
  add_note(missing_file_message(paths.trajectory(), start.expected_frames, "frames", start.step));
  trajectory_is_new_ = !start.continues || !std::filesystem::exists(paths.trajectory());
  trajectory_.emplace(trajectory_is_new_
                          ? io::TrajectoryWriter::create(paths.trajectory(), describe(topology))
                          : io::TrajectoryWriter::append(paths.trajectory(), describe(topology),
                                                         start.step, start.expected_frames));
}

void FrameWriter::add_note(std::string note) {
  if (!note.empty()) notes_.push_back(std::move(note));
}

DueEvents FrameWriter::missing_at_start(const DueEvents& due) const {
  DueEvents missing = due;
  missing.energies = due.energies && energies_are_new_;
  missing.trajectory = due.trajectory && trajectory_is_new_;
  return missing;
}

PositionSink FrameWriter::take_frame(std::int64_t step, double time_ps, bool is_due) {
  if (!is_due || !trajectory_) return {};
  frame_ = Frame{};
  return [this, step, time_ps](std::span<const std::array<double, 3>> nm) {
    if (frame_->failure) return;
    const telemetry::PhaseSpan span(telemetry::Phase::frames, step);
    try {
      if (!frame_->has_begun) trajectory_->begin_frame(step, time_ps);
      frame_->has_begun = true;
      trajectory_->add_positions(nm);
    } catch (const std::exception&) {
      frame_->failure = std::current_exception();
    }
  };
}

PositionSink FrameWriter::take_last_frame(std::int64_t step, double time_ps) {
  return take_frame(step, time_ps, step > last_frame_step_);
}

void FrameWriter::write(const Report& report, const DueEvents& due) {
  if (due.energies && energies_) energies_->write_row(report.step, report_values(report));
  write_frame(report);
}

void FrameWriter::write_frame(const Report& report) {
  const auto frame = std::exchange(frame_, std::nullopt);
  if (!frame) return;
  if (frame->failure) std::rethrow_exception(frame->failure);
  const telemetry::PhaseSpan span(telemetry::Phase::frames, report.step);
  const auto all = report_values(report);
  std::vector<double> observables;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!columns_[k].h5md_name.empty()) observables.push_back(all[k]);
  }
  trajectory_->end_frame(observables);
  last_frame_step_ = report.step;
}

void FrameWriter::sync() {
  if (energies_) energies_->sync();
  if (trajectory_) trajectory_->sync();
}

void FrameWriter::close() {
  if (energies_) energies_->sync();
  if (trajectory_) trajectory_->close();
}

std::int64_t FrameWriter::frame_count() const {
  return trajectory_ ? trajectory_->frame_count() : 0;
}

std::int64_t FrameWriter::row_count() const { return energies_ ? energies_->row_count() : 0; }

std::string missing_file_message(const std::filesystem::path& path, std::int64_t expected,
                                 const char* what, std::int64_t step) {
  if (expected <= 0 || std::filesystem::exists(path)) return "";
  return fmt::format(
      "{} is not there, but the checkpoint of step {} counts {} {} in it; a new file begins here "
      "and the earlier {} are missing in it",
      path.string(), step, expected, what, what);
}

}  // namespace nfold::setup

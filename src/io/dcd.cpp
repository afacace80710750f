// Trajectory NAME.dcd: Fortran records of 32-bit numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/dcd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace nfold::io {

namespace {

// CHARMM's unit of time [ps]: sqrt(amu Angstrom^2 / (kcal/mol)), as CHARMM rounds it.
constexpr double akma_ps = 0.04888821;
constexpr double angstrom_per_nm = 10;

// Complete header with its record marks; CHARMM's names of the control numbers in brackets.
struct Header {
  std::int32_t mark0 = 84;
  std::array<char, 4> magic = {'C', 'O', 'R', 'D'};
  std::int32_t frames = 0;           // [NFILE]
  std::int32_t first_step = 0;       // [NPRIV]
  std::int32_t steps_per_frame = 1;  // [NSAVC]
  std::int32_t steps = 0;            // [NSTEP]
  std::array<std::int32_t, 5> unused{};
  float time_step_akma = 0;   // [DELTA]
  std::int32_t has_cell = 0;  // [QCRYS]
  std::array<std::int32_t, 8> unused_too{};
  std::int32_t charmm_version = 24;
  std::int32_t mark1 = 84;
  std::int32_t mark2 = 84;
  std::int32_t title_lines = 1;
  std::array<char, 80> title{};
  std::int32_t mark3 = 84;
  std::int32_t mark4 = 4;
  std::int32_t residues = 0;
  std::int32_t mark5 = 4;
};
static_assert(sizeof(Header) == 92 + 92 + 12);

constexpr std::int64_t cell_bytes = 8 + 6 * 8;

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

std::int32_t saturated(std::int64_t value) {
  return fits(value) ? static_cast<std::int32_t>(value) : std::numeric_limits<std::int32_t>::max();
}

}  // namespace

std::int64_t DcdWriter::Form::frame_bytes() const {
  return 3 * (8 + 4 * static_cast<std::int64_t>(residues)) + (has_cell() ? cell_bytes : 0);
}

DcdWriter::DcdWriter(storage::PosixFile file, const Form& form, std::int64_t frames,
                     std::int64_t end)
    : file_(std::move(file)), form_(form), frames_(frames), end_(end) {}

DcdWriter DcdWriter::create(const std::filesystem::path& path, std::size_t residues,
                            const DcdTiming& timing, const std::array<double, 3>& box_nm) {
  if (timing.steps_per_frame <= 0 || timing.time_step_ps <= 0 || timing.first_step < 0 ||
      !fits(static_cast<std::int64_t>(residues))) {
    throw storage::FileError(
        fmt::format("{}: a DCD needs a positive interval and time step, found {} steps of {} ps",
                    path.string(), timing.steps_per_frame, timing.time_step_ps));
  }
  Header header;
  header.residues = static_cast<std::int32_t>(residues);
  double step_ps = timing.time_step_ps;
  if (fits(timing.first_step) && fits(timing.steps_per_frame)) {
    header.first_step = static_cast<std::int32_t>(timing.first_step);
    header.steps_per_frame = static_cast<std::int32_t>(timing.steps_per_frame);
  } else {  // counts have 32 bits: the interval becomes the step, times stay right
    header.first_step = saturated(timing.first_step / timing.steps_per_frame);
    step_ps *= static_cast<double>(timing.steps_per_frame);
  }
  header.time_step_akma = static_cast<float>(step_ps / akma_ps);
  header.title.fill(' ');
  std::ranges::copy(std::string_view("REMARKS written by nfold; Angstrom"), header.title.begin());
  const Form form{residues, header.steps_per_frame, box_nm};
  header.has_cell = form.has_cell() ? 1 : 0;
  DcdWriter writer(storage::PosixFile(path, storage::PosixFile::Mode::create), form, 0,
                   sizeof header);
  writer.file_.write_at(0, std::as_bytes(std::span(&header, 1)));
  return writer;
}

DcdWriter DcdWriter::append(const std::filesystem::path& path, std::size_t residues,
                            std::int64_t kept_frames, const std::array<double, 3>& box_nm) {
  storage::PosixFile file(path, storage::PosixFile::Mode::update);
  Header header;
  file.read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  const Header expected;
  if (header.magic != expected.magic || header.mark0 != expected.mark0 ||
      header.title_lines != expected.title_lines || header.mark5 != expected.mark5) {
    throw storage::FileError(
        fmt::format("{}: not a DCD that nfold wrote (move it away, or start anew with "
                    "--overwrite)",
                    path.string()));
  }
  if (header.residues != static_cast<std::int32_t>(residues)) {
    throw storage::FileError(fmt::format(
        "{}: holds {} residues, this run has {} (move it away, or start anew with --overwrite)",
        path.string(), header.residues, residues));
  }
  const Form form{residues, header.steps_per_frame, box_nm};
  if (header.has_cell != (form.has_cell() ? 1 : 0)) {
    throw storage::FileError(fmt::format(
        "{}: {} (move it away, or start anew with --overwrite)", path.string(),
        form.has_cell() ? "has no unit cell, this run a box" : "has a unit cell, this run no box"));
  }
  const auto found = (file.size() - static_cast<std::int64_t>(sizeof header)) / form.frame_bytes();
  if (found < kept_frames) {
    throw storage::FileError(
        fmt::format("{}: {} frames, the checkpoint was written after {} (move it away "
                    "to go on in a new one, or start anew with --overwrite)",
                    path.string(), found, kept_frames));
  }
  const auto end = static_cast<std::int64_t>(sizeof header) + kept_frames * form.frame_bytes();
  DcdWriter writer(std::move(file), form, kept_frames, end);
  // The count is written first: after a kill in between the file has more bytes than frames, which
  // readers ignore.
  writer.write_counts();
  writer.file_.truncate(end);
  return writer;
}

void DcdWriter::write_counts() {
  Header counts;
  file_.read_at(0, std::as_writable_bytes(std::span(&counts, 1)));
  counts.frames = saturated(frames_);
  counts.steps = saturated(frames_ * form_.steps_per_frame);
  file_.write_at(0, std::as_bytes(std::span(&counts, 1)).first(offsetof(Header, unused)));
}

// Writes CHARMM's record of a rectangular cell: A, gamma, B, beta, alpha, C; Angstrom and degrees.
std::byte* DcdWriter::put_cell(std::byte* to) const {
  if (!form_.has_cell()) return to;
  const auto& box = form_.box_nm;
  const std::array<double, 6> cell{box[0] * angstrom_per_nm, 90, box[1] * angstrom_per_nm, 90, 90,
                                   box[2] * angstrom_per_nm};
  const std::int32_t mark = sizeof cell;
  std::memcpy(to, &mark, 4);
  std::memcpy(to + 4, cell.data(), sizeof cell);
  std::memcpy(to + 4 + sizeof cell, &mark, 4);
  return to + cell_bytes;
}

template <class Row>
void DcdWriter::append_rows(std::span<const Row> rows) {
  if (rows.size() != form_.residues) {
    throw std::invalid_argument(
        fmt::format("{} positions for a DCD of {} residues", rows.size(), form_.residues));
  }
  frame_.resize(static_cast<std::size_t>(form_.frame_bytes()));
  auto* to = put_cell(frame_.data());
  const auto put = [&to](auto value) {
    std::memcpy(to, &value, 4);
    to += 4;
  };
  const auto mark = static_cast<std::int32_t>(4 * form_.residues);
  for (std::size_t d = 0; d < 3; ++d) {
    put(mark);
    for (const auto& row : rows) put(static_cast<float>(row[d] * angstrom_per_nm));
    put(mark);
  }
  file_.write_at(end_, frame_);
  end_ += static_cast<std::int64_t>(frame_.size());
  ++frames_;
  write_counts();
}

void DcdWriter::append_frame(std::span<const std::array<double, 3>> positions_nm) {
  append_rows(positions_nm);
}
void DcdWriter::append_frame(std::span<const std::array<float, 3>> positions_nm) {
  append_rows(positions_nm);
}

}  // namespace nfold::io

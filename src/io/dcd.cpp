// Trajectory NAME.dcd: Fortran records of 32-bit numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/dcd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

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

constexpr std::size_t cell_bytes = 8 + 6 * 8;

bool fits(std::int64_t value) { return value <= std::numeric_limits<std::int32_t>::max(); }

std::int32_t saturated(std::int64_t value) {
  return fits(value) ? static_cast<std::int32_t>(value) : std::numeric_limits<std::int32_t>::max();
}

/// Returns the path. Throws FileError for numbers that the header cannot hold.
const std::filesystem::path& require_timing(const std::filesystem::path& path, std::size_t residues,
                                            const DcdTiming& timing) {
  if (timing.steps_per_frame <= 0 || timing.time_step_ps <= 0 || timing.first_step < 0 ||
      !fits(static_cast<std::int64_t>(residues))) {
    throw storage::FileError(
        fmt::format("{}: a DCD needs a positive interval and time step, found {} steps of {} ps",
                    path.string(), timing.steps_per_frame, timing.time_step_ps));
  }
  return path;
}

}  // namespace

DcdWriter::DcdWriter(const std::filesystem::path& path, std::size_t residues,
                     const DcdTiming& timing, const std::array<double, 3>& box_nm)
    : file_(require_timing(path, residues, timing), storage::PosixFile::Mode::create),
      residues_(residues),
      box_nm_(box_nm),
      end_(sizeof(Header)) {
  Header header;
  header.residues = static_cast<std::int32_t>(residues);
  double step_ps = timing.time_step_ps;
  if (fits(timing.first_step) && fits(timing.steps_per_frame)) {
    header.first_step = static_cast<std::int32_t>(timing.first_step);
    steps_per_frame_ = static_cast<std::int32_t>(timing.steps_per_frame);
  } else {  // counts have 32 bits: the interval becomes the step, times stay right
    header.first_step = saturated(timing.first_step / timing.steps_per_frame);
    step_ps *= static_cast<double>(timing.steps_per_frame);
  }
  header.steps_per_frame = steps_per_frame_;
  header.time_step_akma = static_cast<float>(step_ps / akma_ps);
  header.title.fill(' ');
  std::ranges::copy(std::string_view("REMARKS written by nfold; Angstrom"), header.title.begin());
  header.has_cell = has_cell() ? 1 : 0;
  file_.write_at(0, std::as_bytes(std::span(&header, 1)));
}

void DcdWriter::write_counts() {
  Header counts;
  file_.read_at(0, std::as_writable_bytes(std::span(&counts, 1)));
  counts.frames = saturated(frames_);
  counts.steps = saturated(frames_ * steps_per_frame_);
  file_.write_at(0, std::as_bytes(std::span(&counts, 1)).first(offsetof(Header, unused)));
}

// Writes CHARMM's record of a rectangular cell: A, gamma, B, beta, alpha, C; Angstrom and degrees.
std::byte* DcdWriter::put_cell(std::byte* to) const {
  if (!has_cell()) return to;
  const std::array<double, 6> cell{
      box_nm_[0] * angstrom_per_nm, 90, box_nm_[1] * angstrom_per_nm, 90, 90,
      box_nm_[2] * angstrom_per_nm};
  const std::int32_t mark = sizeof cell;
  std::memcpy(to, &mark, 4);
  std::memcpy(to + 4, cell.data(), sizeof cell);
  std::memcpy(to + 4 + sizeof cell, &mark, 4);
  return to + cell_bytes;
}

void DcdWriter::append_frame(std::span<const std::array<float, 3>> positions_nm) {
  if (positions_nm.size() != residues_) {
    throw std::invalid_argument(
        fmt::format("{} positions for a DCD of {} residues", positions_nm.size(), residues_));
  }
  frame_.resize(3 * (8 + 4 * residues_) + (has_cell() ? cell_bytes : 0));
  auto* to = put_cell(frame_.data());
  const auto put = [&to](auto value) {
    std::memcpy(to, &value, 4);
    to += 4;
  };
  const auto mark = static_cast<std::int32_t>(4 * residues_);
  for (std::size_t d = 0; d < 3; ++d) {
    put(mark);
    for (const auto& row : positions_nm) put(static_cast<float>(row[d] * angstrom_per_nm));
    put(mark);
  }
  file_.write_at(end_, frame_);
  end_ += static_cast<std::int64_t>(frame_.size());
  ++frames_;
  write_counts();
}

}  // namespace nfold::io

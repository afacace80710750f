// Reader of DCD: Fortran records of 32-bit numbers, each mark checked.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/dcd_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "core/refusal.hpp"

namespace nfold::io {

using system::BeadFrame;

static_assert(std::endian::native == std::endian::little, "numbers are read as they are stored");

namespace {

constexpr std::int32_t control_bytes = 84;
constexpr double nm_per_angstrom = 0.1;

/// Records of a part of a file, in order.
class Records {
 public:
  Records(std::span<const std::byte> bytes, const std::string& name, std::string place)
      : bytes_(bytes), name_(name), place_(std::move(place)) {}

  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    core::refuse(name_, place_ + ": " + problem, remedy);
  }
  /// Returns a record's content. bytes: its length; -1: any.
  std::span<const std::byte> next(const char* what, std::int64_t bytes = -1) {
    const auto before = mark(what);
    if (before < 0 || (bytes >= 0 && before != bytes)) {
      refuse(fmt::format("the record of {} has {} bytes", what, before),
             bytes < 0 ? "expected a length of 0 or more: the file is damaged"
                       : fmt::format("expected {}: the file is damaged", bytes));
    }
    const auto length = static_cast<std::size_t>(before);
    if (bytes_.size() - at_ < length) refuse_end(what);
    const auto content = bytes_.subspan(at_, length);
    at_ += length;
    const auto after = mark(what);
    if (after != before) {
      refuse(fmt::format("the record of {} begins with the length {} and ends with {}", what,
                         before, after),
             "expected the same: the file is damaged");
    }
    return content;
  }
  [[nodiscard]] std::size_t offset() const { return at_; }

 private:
  std::int32_t mark(const char* what) {
    std::int32_t value = 0;
    if (bytes_.size() - at_ < sizeof value) refuse_end(what);
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  [[noreturn]] void refuse_end(const char* what) const {
    refuse(fmt::format("the file ends in the record of {}", what),
           "the file is cut off: copy or write it again");
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::string place_;
  std::size_t at_ = 0;
};

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Throws unless the file begins as a DCD of little-endian 32-bit records.
void require_magic(std::span<const std::byte> bytes, const Records& records) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view little("\x54\0\0\0CORD", 8);
  if (text.starts_with(little)) return;
  constexpr std::string_view big(
      "\0\0\0\x54"
      "CORD",
      8),
      wide("\x54\0\0\0\0\0\0\0CORD", 12);
  const bool is_other = text.starts_with(big) || text.starts_with(wide);
  records.refuse(is_other ? "numbers are big-endian, or record lengths have 64 bits"
                          : "the file does not begin with the record CORD",
                 "expected a DCD trajectory, little-endian with record lengths of 32 bits");
}

/// Returns the edges of a unit cell record: A, gamma, B, beta, alpha, C, the angles in degrees or
/// as cosines; Angstrom.
std::array<double, 3> cell_nm(std::span<const std::byte> record, const Records& records) {
  constexpr std::array<std::size_t, 3> edges{0, 2, 5}, angles{1, 3, 4};
  constexpr double tolerance = 1e-3;
  std::array<double, 3> box_nm{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto angle = number_at<double>(record, angles[axis]);
    const auto edge = number_at<double>(record, edges[axis]);
    if (!(std::abs(angle) < tolerance) && !(std::abs(angle - 90) < tolerance)) {
      records.refuse(fmt::format("an angle of the cell is {:g}", angle),
                     "expected a rectangular box: 90 degrees, or cosines of 0");
    }
    if (!(edge >= 0) || edge * nm_per_angstrom > BeadFrame::largest_coordinate_nm) {
      records.refuse(fmt::format("an edge of the cell is {:g} Angstrom", edge),
                     "expected a finite length of 0 or more");
    }
    box_nm[axis] = edge * nm_per_angstrom;
  }
  return box_nm;
}

}  // namespace

DcdLayout parse_dcd_header(std::span<const std::byte> bytes, const std::string& name) {
  Records records(bytes, name, "header");
  require_magic(bytes, records);
  const auto control = records.next("control numbers", control_bytes);
  const auto icntrl = [&control](std::size_t index) {
    return number_at<std::int32_t>(control, 1 + index);
  };
  // X-PLOR's header has version 0 and a 64-bit time step where CHARMM has these flags.
  const bool is_charmm = icntrl(19) != 0;
  DcdLayout layout;
  layout.has_cell = is_charmm && icntrl(10) != 0;
  layout.has_fourth = is_charmm && icntrl(11) == 1;
  if (icntrl(8) != 0) {
    records.refuse(fmt::format("{} beads are fixed, and not stored in each frame", icntrl(8)),
                   "write the trajectory with all beads in each frame");
  }
  (void)records.next("titles");
  layout.beads = number_at<std::int32_t>(records.next("the number of beads", 4), 0);
  if (layout.beads < 1) {
    records.refuse(fmt::format("the number of beads is {}", layout.beads), "expected 1 or more");
  }
  layout.header_bytes = static_cast<std::int64_t>(records.offset());
  return layout;
}

BeadFrame parse_dcd_frame(std::span<const std::byte> bytes, const DcdLayout& layout,
                          const std::string& name, std::int64_t frame) {
  Records records(bytes, name, fmt::format("frame {}", frame));
  BeadFrame beads;
  if (layout.has_cell) beads.box_nm = cell_nm(records.next("the cell", 6 * 8), records);
  constexpr std::array<const char*, 3> names{"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto column = records.next(names[axis], 4 * layout.beads);
    beads.positions_nm.resize(static_cast<std::size_t>(layout.beads));
    for (std::size_t bead = 0; bead < beads.positions_nm.size(); ++bead) {
      const double nm = static_cast<double>(number_at<float>(column, bead)) * nm_per_angstrom;
      if (!(std::abs(nm) <= BeadFrame::largest_coordinate_nm)) {
        records.refuse(fmt::format("{} of bead {} is {} nm", names[axis], bead + 1, nm),
                       fmt::format("expected a finite number of at most {:g} nm",
                                   BeadFrame::largest_coordinate_nm));
      }
      beads.positions_nm[bead][axis] = nm;
    }
  }
  return beads;
}

DcdReader::DcdReader(const std::filesystem::path& path)
    : file_(path, storage::PosixFile::Mode::read) {
  const auto size = file_.size();
  std::vector<std::byte> head(static_cast<std::size_t>(
      std::min(size, static_cast<std::int64_t>(dcd_header_bytes_at_most))));
  (void)file_.read_at(0, head);
  layout_ = parse_dcd_header(head, path.string());
  frames_ = (size - layout_.header_bytes) / layout_.frame_bytes();
}

BeadFrame DcdReader::frame(std::int64_t index) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(layout_.frame_bytes()));
  (void)file_.read_at(layout_.header_bytes + index * layout_.frame_bytes(), bytes);
  return parse_dcd_frame(bytes, layout_, file_.path().string(), index);
}

}  // namespace nfold::io

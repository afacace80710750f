// Parsers of CSV and GRO, each number checked.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/coordinate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/lines.hpp"
#include "core/parse_number.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"

namespace nfold::io {

using system::BeadFrame;

namespace {

/// Lines of a file.
class Lines : public core::Lines {
 public:
  Lines(std::string_view text, const std::string& name, std::size_t offset = 0, int number = 0)
      : core::Lines(text, offset, number), name_(name) {}

  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    core::refuse(fmt::format("{}:{}", name_, std::max(number(), 1)), problem, remedy);
  }

 private:
  const std::string& name_;
};

/// Parses a coordinate [nm]. what: "x of bead 3".
double coordinate_nm(std::string_view field, const Lines& lines, const std::string& what) {
  const auto number = core::parse_number<double>(core::trim(field));
  if (!number || !std::isfinite(*number)) {
    lines.refuse(fmt::format("{} is {}", what, core::in_quotes(core::trim(field))),
                 "expected a finite number in nm");
  }
  if (std::abs(*number) > BeadFrame::largest_coordinate_nm) {
    lines.refuse(fmt::format("{} is {} nm", what, *number),
                 fmt::format("expected at most {:g} nm", BeadFrame::largest_coordinate_nm));
  }
  return *number;
}

std::vector<std::string_view> split_at_commas(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t first = 0; first <= line.size();) {
    const auto end = std::min(line.find(',', first), line.size());
    fields.push_back(core::trim(line.substr(first, end - first)));
    first = end + 1;
  }
  return fields;
}

/// True for the names of columns. Throws for other names, because they may mean another unit.
bool is_csv_heading(const std::vector<std::string_view>& fields, const Lines& lines) {
  const bool has_number = std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
    return core::parse_number<double>(field).has_value();
  });
  if (has_number) return false;
  const auto is_named = [&fields](std::string_view unit) {
    return fields.size() == 3 &&
           std::equal(fields.begin(), fields.end(), "xyz",
                      [unit](std::string_view field, char axis) {
                        return core::to_lower(field) == fmt::format("{}{}", axis, unit);
                      });
  };
  if (is_named("") || is_named("_nm")) return true;
  lines.refuse(fmt::format("the first row is {}", core::in_quotes(lines.line())),
               "expected x,y,z or x_nm,y_nm,z_nm, or three numbers in nm");
}

std::string axis_of_bead(std::size_t axis, std::size_t bead) {
  return fmt::format("{} of bead {}", "xyz"[axis], bead);
}

// --- GRO.

constexpr std::size_t numbers_column = 20;  // resid, resname, name and number take five each

/// Returns the width of a coordinate's column: the distance of the first two decimal points.
std::size_t gro_width(const Lines& lines) {
  const auto line = lines.line();
  const auto first = line.find('.', numbers_column);
  const auto second = first == std::string_view::npos ? first : line.find('.', first + 1);
  if (second == std::string_view::npos || second - first < 6 || second - first > 24) {
    lines.refuse(fmt::format("{} has no coordinates from column 21 on", core::in_quotes(line)),
                 "expected x, y and z in fixed columns of equal width, as GROMACS writes them");
  }
  return second - first;
}

/// Parses the last line of a frame: three edges, or nine numbers of which the last six are zero.
std::array<double, 3> gro_box_nm(const Lines& lines) {
  std::vector<double> numbers;
  for (const auto field : core::split_fields(lines.line())) {
    numbers.push_back(coordinate_nm(field, lines, "the box"));
  }
  if (numbers.size() != 3 && numbers.size() != 9) {
    lines.refuse(fmt::format("the box has {}", core::pluralise(numbers.size(), "number")),
                 "expected three edges, or nine components");
  }
  if (std::any_of(numbers.begin() + 3, numbers.end(), [](double x) { return x != 0; })) {
    lines.refuse("the box is triclinic", "expected a rectangular box");
  }
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return x < 0; })) {
    lines.refuse(fmt::format("the box is {}", core::in_quotes(core::trim(lines.line()))),
                 "expected edges of 0 or more");
  }
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

BeadFrame parse_coordinate_csv(std::string_view text, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  BeadFrame frame;
  Lines lines(text, name);
  bool may_be_heading = true;
  while (lines.next()) {
    const auto line = core::trim(lines.line());
    if (line.empty() || line.starts_with('#')) continue;
    const auto fields = split_at_commas(line);
    if (std::exchange(may_be_heading, false) && is_csv_heading(fields, lines)) continue;
    if (fields.size() != 3) {
      lines.refuse(
          fmt::format("{} in {}", core::pluralise(fields.size(), "field"), core::in_quotes(line)),
          "expected x,y,z in nm, one bead a row");
    }
    auto& x_nm = frame.positions_nm.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x_nm[axis] =
          coordinate_nm(fields[axis], lines, axis_of_bead(axis, frame.positions_nm.size()));
    }
  }
  if (frame.positions_nm.empty()) {
    lines.refuse("there is no bead", "expected a row x,y,z in nm for each bead");
  }
  return frame;
}

GroFile::GroFile(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)) {
  Lines lines(text_, name_);
  while (!core::trim(lines.rest()).empty()) {
    (void)lines.next();  // the title
    const bool has_count = lines.next();
    const auto count = core::trim(has_count ? lines.line() : std::string_view());
    const auto beads = core::parse_number<std::int64_t>(count);
    if (!beads || *beads < 1) {
      lines.refuse(fmt::format("the number of beads is {}", core::in_quotes(count)),
                   "expected a whole number above 0 in the second line of a frame");
    }
    const Place place{lines.offset(), lines.number() + 1, *beads};
    for (std::int64_t bead = 0; bead <= *beads; ++bead) {
      if (lines.next()) continue;
      lines.refuse(
          fmt::format("the file ends within frame {}, after {} of {} lines of beads and box",
                      frames_.size(), bead, *beads + 1),
          "the file is cut off: copy or write it again");
    }
    frames_.push_back(place);
  }
  if (frames_.empty()) {
    lines.refuse("the file is empty", "expected a GRO file: title, number of beads, beads, box");
  }
}

BeadFrame GroFile::frame(std::int64_t index) const {
  const Place& place = frames_.at(static_cast<std::size_t>(index));
  BeadFrame frame;
  Lines lines(text_, name_, place.offset, place.line - 1);
  std::size_t width = 0;
  for (std::int64_t bead = 0; bead < place.beads; ++bead) {
    (void)lines.next();
    if (bead == 0) width = gro_width(lines);
    if (lines.line().size() < numbers_column + 2 * width + 1) {
      lines.refuse(
          fmt::format("{} has {} columns", core::in_quotes(lines.line()), lines.line().size()),
          fmt::format("expected x, y and z in columns of {} from column 21 on", width));
    }
    frame.residue_names.emplace_back(core::trim(lines.line().substr(5, 5)));
    auto& x_nm = frame.positions_nm.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x_nm[axis] = coordinate_nm(lines.line().substr(numbers_column + axis * width, width), lines,
                                 axis_of_bead(axis, frame.positions_nm.size()));
    }
  }
  (void)lines.next();
  frame.box_nm = gro_box_nm(lines);
  return frame;
}

}  // namespace nfold::io

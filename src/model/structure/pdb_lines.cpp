// Checks of the fixed columns of PDB atom lines, and selection of the model.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/pdb_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <utility>

#include "model/structure/pdb_columns.hpp"
#include "model/structure/predicted_model.hpp"
#include "model/structure/residue_kind.hpp"

namespace nfold::structure {
namespace {

// gemmi reads up to this column; old files have their name and line number beyond it.
constexpr std::size_t columns_read = 78;
constexpr std::size_t last_coordinate_column = 54;

}  // namespace

PdbLines::PdbLines(std::string_view text, std::string name, int model)
    : lines_(text), name_(std::move(name)), model_(model), four_letter_names_(text) {}

void PdbLines::fail(const std::string& what) const { fail_at(name_, lines_.number(), what); }

bool PdbLines::next_line(std::string_view& line) {
  if (!lines_.next()) return false;
  line = lines_.line();
  if (line.find('\r') != std::string_view::npos) {
    fail("a carriage return inside a line; expected line feeds: convert the line ends");
  }
  return true;
}

bool PdbLines::is_selected(std::string_view line) {
  const bool atom = is_atom(line);
  if (is_record(line, "MODEL") || (atom && !in_model_)) {
    if (in_model_ && by_record_) {
      fail(
          fmt::format("MODEL inside the model that began in line {}; expected ENDMDL first: the "
                      "file may be cut and joined, repair it",
                      model_line_));
    }
    in_model_ = true;
    by_record_ = !atom;
    model_line_ = lines_.number();
    ++model_count_;
  } else if (is_record(line, "ENDMDL")) {
    in_model_ = false;
  }
  return model_count_ == model_ && in_model_ && (atom || is_record(line, "TER"));
}

char* PdbLines::gets(char* line, int size) {
  std::string_view text;
  while (next_line(text)) {
    if (is_record(text, "END")) {
      end_line_ = lines_.number();
      in_model_ = false;
      read_rest();
      break;
    }
    read_header(text);
    if (!is_selected(text)) continue;
    if (text[0] == 'T') {
      ++part_;
      residue_.clear();
      text = "TER";
    } else {
      check_atom(text);
      text = with_short_name(text);
      check_residue(text);
    }
    const std::size_t length =
        std::min({text.size(), columns_read, static_cast<std::size_t>(size) - 2});
    std::memcpy(line, text.data(), length);
    // Columns 73 to 76 contain a segment or the entry's name; either would split residues in gemmi.
    for (std::size_t i = 66; i < std::min<std::size_t>(length, 76); ++i) line[i] = ' ';
    line[length] = '\n';
    line[length + 1] = '\0';
    return line;
  }
  if (model_count_ == 0) {
    fail_at(name_, end_line_ > 0 ? end_line_ : lines_.number(),
            "no ATOM record before the end; expected coordinates");
  }
  if (in_model_ && by_record_ && model_count_ == model_) {
    fail(
        fmt::format("the file ends inside the model that began in line {}; expected ENDMDL: it is "
                    "cut off, copy or download it again",
                    model_line_));
  }
  return nullptr;
}

void PdbLines::read_header(std::string_view line) {
  read_origin(line, prediction_);
  if (is_record(line, "NUMMDL")) (void)parse_integer(columns(line, 11, 14), stated_models_);
  if (!is_record(line, "SEQRES")) return;
  const std::string chain(trim(columns(line, 11, 12)));
  if (sequences_.empty() || sequences_.back().chain != chain) sequences_.push_back({chain, 0});
  constexpr std::size_t first_name = 20, last_name = 68, step = 4;
  for (std::size_t at = first_name; at <= last_name; at += step) {
    const std::string residue(trim(columns(line, at, at + 2)));
    const bool counts = !residue.empty() && residue_kind(residue).kind != ResidueKind::cap;
    sequences_.back().residues += counts ? 1 : 0;
  }
}

void PdbLines::read_rest() {
  std::string_view line;
  while (next_line(line)) atoms_behind_end_ += is_atom(line) ? 1 : 0;
}

std::string_view PdbLines::with_short_name(std::string_view line) {
  const std::string three = four_letter_names_.find_three_letters(line);
  if (three.empty()) return line;
  constexpr std::size_t name_at = 17;
  renamed_ = line;
  renamed_.replace(name_at, 4, three + " ");
  if (trim(columns(line, 13, 16)) == "CA") {
    short_names_.add(fmt::format("{} {} (chain {})", columns(line, 18, 21),
                                 trim(columns(line, 23, 27)), columns(line, 22, 22)));
  }
  return renamed_;
}

std::vector<std::string> PdbLines::notes() const {
  std::vector<std::string> notes;
  short_names_.note("residue names of four letters, in columns 18 to 21", notes);
  if (atoms_behind_end_ > 0) {
    notes.push_back(
        fmt::format("warning: atoms after END (line {}) left out: {}; the file may be "
                    "several files joined",
                    end_line_, atoms_behind_end_));
  }
  if (end_line_ == 0) {
    notes.push_back(fmt::format(
        "the file has no END record after its last line, {}: it may be cut off", lines_.number()));
  }
  if (stated_models_ > 0 && stated_models_ != model_count_) {
    notes.push_back(fmt::format("warning: models in the file: {}, by its NUMMDL record: {}",
                                model_count_, stated_models_));
  }
  return notes;
}

void PdbLines::check_atom(std::string_view line) {
  if (line.size() < last_coordinate_column) {
    fail(
        fmt::format("atom line of {} columns, expected at least 54 (z ends there); the line is "
                    "cut off, or its columns were lost: restore the file",
                    line.size()));
  }
  if (trim(columns(line, 13, 16)).empty()) {
    fail("no atom name in columns 13 to 16; expected one as in ' CA '");
  }
  if (trim(columns(line, 18, 20)).empty()) {
    fail("no residue name in columns 18 to 20; expected one as in 'ALA'");
  }
  const std::string_view blank = columns(line, 28, 30);
  if (!trim(blank).empty()) {
    fail(
        fmt::format("columns 28 to 30 hold {}, expected blanks; the columns are shifted or the "
                    "x coordinate is too wide: restore them, or use mmCIF",
                    in_quotes(blank)));
  }
  constexpr std::array<std::pair<char, std::size_t>, 3> axes{{{'x', 31}, {'y', 39}, {'z', 47}}};
  for (const auto& [axis, first] : axes) {
    const std::string_view field = columns(line, first, first + 7);
    double value = 0;
    if (!parse_number(field, value) || field.find('.') == std::string_view::npos) {
      fail(
          fmt::format("{} coordinate {} in columns {} to {}, expected a number of angstrom as in "
                      "'  27.340'; correct or remove this line",
                      axis, in_quotes(field), first, first + 7));
    }
    if (std::abs(value) * angstrom_nm > largest_coordinate_nm) {
      fail(fmt::format("{} coordinate {} is beyond 100000 nm; check the unit (angstrom)", axis,
                       in_quotes(field)));
    }
  }
  const std::string_view occupancy = columns(line, 55, 60);
  double value = 0;
  if (!trim(occupancy).empty() && !parse_number(occupancy, value)) {
    fail(
        fmt::format("occupancy {} in columns 55 to 60, expected a number as in '  1.00'; correct "
                    "it or leave the columns blank",
                    in_quotes(occupancy)));
  }
}

void PdbLines::check_residue(std::string_view line) {
  const std::string_view field = columns(line, 23, 26);
  const std::string_view digits = trim(field);
  int number = 0;
  // Hybrid-36: beyond 9999 the first of four characters is a letter.
  const bool hybrid = field.size() == 4 && field[0] >= 'A' && field[0] <= 'Z' &&
                      std::all_of(field.begin(), field.end(), [](char c) {
                        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                      });
  if (!hybrid && !parse_integer(digits, number)) {
    fail(
        fmt::format("residue number {} in columns 23 to 26, expected an integer or hybrid-36 in "
                    "capitals (A000 is 10000, ZZZZ is 1223055); use mmCIF for larger numbers",
                    in_quotes(field)));
  }
  const char insertion_code = line[26];
  if (insertion_code != ' ' && std::isalnum(static_cast<unsigned char>(insertion_code)) == 0) {
    fail(fmt::format("insertion code {} in column 27, expected a letter or a blank",
                     in_quotes(line.substr(26, 1))));
  }
  std::string residue = fmt::format("{}{}{}", columns(line, 21, 22), columns(line, 23, 27), part_);
  if (residue == residue_) return;
  residue_ = residue;
  // Waters and ligands repeat numbers in many files, and are omitted anyway.
  const std::string name(trim(columns(line, 18, 20)));
  if (line[0] == 'H' || residue_kind(name).parent.empty()) return;
  if (!seen_.insert(std::move(residue)).second) {
    fail(
        fmt::format("residue {} {} of chain {} comes a second time, after others; expected each "
                    "residue once: rename the chain, renumber, or part chains by TER",
                    name, trim(columns(line, 23, 27)), in_quotes(trim(columns(line, 21, 22)))));
  }
}

}  // namespace nfold::structure

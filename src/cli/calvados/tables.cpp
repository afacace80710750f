// Readers of residues.csv, FASTA, domains.yaml and custom_restraints.txt.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/csv.hpp"
#include "core/document/document.hpp"
#include "core/document/scalars.hpp"
#include "core/document/values.hpp"
#include "core/input_error.hpp"
#include "core/lines.hpp"
#include "core/parse_number.hpp"

namespace nfold::calvados {
namespace {

[[noreturn]] void fail(const std::string& file, int line, std::string problem, std::string remedy) {
  throw core::InputError({file, line, 0}, std::move(problem), std::move(remedy));
}

using core::trim;

std::string shown(std::string_view text) { return document::printable(std::string(text)); }

class ResidueReader {
 public:
  explicit ResidueReader(const std::string& file) : file_(file) {}

  ResidueRows read(std::string_view text) {
    for (core::Lines lines(text); lines.next();) {
      if (trim(lines.line()).empty()) continue;
      line_ = lines.number();
      const auto fields = core::split_csv_row(trim(lines.line()));
      if (columns_.empty()) {
        read_header(fields);
      } else {
        read_row(fields);
      }
    }
    if (rows_.empty()) fail(file_, line_, "no residue", "give a header and a row for each residue");
    return std::move(rows_);
  }

 private:
  static constexpr std::array<std::string_view, 7> names{"one",    "three", "MW",        "lambdas",
                                                         "sigmas", "q",     "bondlength"};
  enum Column { one, three, mass, lambda, sigma, charge, bond_length };

  void read_header(const std::vector<std::string>& fields) {
    for (const auto name : names) {
      const auto found =
          std::ranges::find_if(fields, [&](const auto& f) { return trim(f) == name; });
      if (found == fields.end()) {
        fail(file_, line_, fmt::format("no column '{}'", name),
             fmt::format("the header needs {}", fmt::join(names, ",")));
      }
      columns_.push_back(static_cast<std::size_t>(found - fields.begin()));
    }
    width_ = fields.size();
  }

  void read_row(const std::vector<std::string>& fields) {
    if (fields.size() != width_) {
      fail(file_, line_, fmt::format("{} fields", fields.size()),
           fmt::format("the header has {}", width_));
    }
    const auto field = [&](Column column) { return trim(fields[columns_[column]]); };
    const auto number = [&](Column column, double least, double most) {
      const auto value = document::to_real(field(column));
      if (!value || *value < least || *value > most) {
        fail(file_, line_, fmt::format("{} = '{}'", names[column], shown(field(column))),
             fmt::format("a number from {:g} to {:g}", least, most));
      }
      return *value;
    };
    if (field(one).size() != 1) {
      fail(file_, line_, fmt::format("one = '{}'", shown(field(one))), "one letter");
    }
    ResidueRow row{field(one)[0],
                   std::string(field(three)),
                   number(mass, 1e-3, 1e6),
                   number(lambda, -10, 10),
                   number(sigma, 1e-3, 5),
                   number(charge, -10, 10),
                   number(bond_length, 0, 5)};
    if (!rows_.emplace(row.letter, row).second) {
      fail(file_, line_, fmt::format("the letter {} for the second time", row.letter), "keep one");
    }
  }

  const std::string& file_;
  int line_ = 0;
  std::vector<std::size_t> columns_;  // place of each name in a row
  std::size_t width_ = 0;
  ResidueRows rows_;
};

/// Returns a node as an index from 1 to `most`.
std::optional<int> to_index(const document::InputNode& node, std::size_t most) {
  if (node.kind != document::NodeKind::scalar) return std::nullopt;
  const auto number = core::parse_number<int>(node.text);
  if (!number || *number < 1 || static_cast<std::size_t>(*number) > most) return std::nullopt;
  return number;
}

void add_range(const document::InputNode& node, std::size_t residues, const std::string& file,
               std::vector<int>& domain) {
  const bool is_pair = node.kind == document::NodeKind::list && node.items.size() == 2;
  const auto first = is_pair ? to_index(node.items[0], residues) : std::nullopt;
  const auto last = is_pair ? to_index(node.items[1], residues) : std::nullopt;
  if (!first || !last || *first > *last) {
    throw core::InputError({file, node.line, node.column}, "a range that is no [first, last]",
                           fmt::format("both from 1 to {}, the component's residues", residues));
  }
  for (int i = *first - 1; i < *last; ++i) domain.push_back(i);
}

std::optional<RestrainedBead> to_bead(std::string_view text) {
  const auto fields = core::split_fields(text);
  if (fields.size() != 3) return std::nullopt;
  const auto copy = core::parse_number<int>(fields[1]), bead = core::parse_number<int>(fields[2]);
  if (!copy || !bead || *copy < 1 || *bead < 1) return std::nullopt;
  return RestrainedBead{std::string(fields[0]), *copy, *bead};
}

/// Returns the two numbers of a text; none if there are others.
std::optional<std::array<double, 2>> to_two_numbers(std::string_view text) {
  const auto fields = core::split_fields(text);
  if (fields.size() != 2) return std::nullopt;
  const auto a = document::to_real(fields[0]), b = document::to_real(fields[1]);
  if (!a || !b) return std::nullopt;
  return std::array{*a, *b};
}

}  // namespace

ResidueRows parse_residues(std::string_view text, const std::string& file) {
  return ResidueReader(file).read(text);
}

std::string find_sequence(std::string_view text, const std::string& record,
                          const std::string& file) {
  std::string sequence, names;
  int found_in_line = 0, records = 0;
  bool is_inside = false;
  for (core::Lines lines(text); lines.next();) {
    const auto row = lines.line();
    if (row.starts_with('>')) {
      const auto header = trim(row.substr(1));
      const auto name = header.substr(0, header.find_first_of(" \t"));
      is_inside = name == record;
      constexpr int shown_names = 5;
      if (++records <= shown_names) names += fmt::format(" {}", shown(name));
      if (is_inside && found_in_line > 0) {
        fail(file, lines.number(), fmt::format("record {} for the second time", record),
             "keep one");
      }
      if (is_inside) found_in_line = lines.number();
    } else if (is_inside) {
      for (const char c : row) {
        if (c != ' ' && c != '\t' && c != '\r') sequence += c;
      }
    }
  }
  if (found_in_line == 0) {
    fail(file, 0, fmt::format("no record '{}'", record),
         records == 0 ? "it has none" : "it has" + names);
  }
  if (sequence.empty()) fail(file, found_in_line, "an empty sequence", "give its letters");
  return sequence;
}

std::vector<std::vector<int>> parse_domains(std::string_view text, const std::string& component,
                                            std::size_t residues, const std::string& file) {
  const auto root = document::read_document(text, file);
  const auto* list = document::find_entry(root, component);
  if (list == nullptr) fail(file, 0, fmt::format("no key '{}'", component), "name the component");
  if (list->kind != document::NodeKind::list) {
    fail(file, list->line, fmt::format("{} = {}", component, document::shown(*list)),
         "a list of [first, last]");
  }
  std::vector<std::vector<int>> domains;
  for (const auto& node : list->items) {
    auto& domain = domains.emplace_back();
    const bool is_nested = node.kind == document::NodeKind::list && !node.items.empty() &&
                           node.items[0].kind == document::NodeKind::list;
    if (!is_nested) {
      add_range(node, residues, file, domain);
      continue;
    }
    for (const auto& range : node.items) add_range(range, residues, file, domain);
  }
  return domains;
}

std::vector<CustomRestraint> parse_custom_restraints(std::string_view text,
                                                     const std::string& file) {
  std::vector<CustomRestraint> all;
  for (core::Lines lines(text); lines.next();) {
    const auto row = lines.line();
    const int line = lines.number();
    if (trim(row).empty()) continue;
    const auto first = row.find('|');
    const auto second = first == std::string_view::npos ? first : row.find('|', first + 1);
    if (second == std::string_view::npos) {
      fail(file, line, fmt::format("'{}'", shown(trim(row))),
           "write NAME COPY BEAD | NAME COPY BEAD | r k");
    }
    const auto a = to_bead(row.substr(0, first)),
               b = to_bead(row.substr(first + 1, second - first - 1));
    if (!a || !b) {
      fail(file, line, fmt::format("'{}'", shown(trim(a ? row.substr(first + 1) : row))),
           "a bead is NAME COPY BEAD, both numbers from 1");
    }
    const auto numbers = to_two_numbers(row.substr(second + 1));
    if (!numbers || !((*numbers)[0] > 0)) {
      fail(file, line, fmt::format("'{}'", shown(trim(row.substr(second + 1)))),
           "write the distance in nm, > 0, and k");
    }
    all.push_back({{*a, *b}, (*numbers)[0], (*numbers)[1], line});
  }
  return all;
}

}  // namespace nfold::calvados

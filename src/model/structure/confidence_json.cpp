// Fields of a confidence file by name, read as a stream, and the file families made of them.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/confidence_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/structure/raw_residue.hpp"

namespace nfold::structure {
namespace {

using Json = nlohmann::json;

/// Iterator over a text that records how far a parser has read.
class TextCursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TextCursor(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  TextCursor& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  TextCursor operator++(int) {
    TextCursor before = *this;
    ++*this;
    return before;
  }
  [[nodiscard]] bool operator==(const TextCursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

enum FieldName {
  predicted_aligned_error,
  distance,
  residue1,
  residue2,
  pae,
  plddt,
  atom_plddts,
  token_chain_ids,
  token_res_ids,
  confidence_score,
  field_count
};
constexpr std::array<std::string_view, field_count> field_names{"predicted_aligned_error",
                                                                "distance",
                                                                "residue1",
                                                                "residue2",
                                                                "pae",
                                                                "plddt",
                                                                "atom_plddts",
                                                                "token_chain_ids",
                                                                "token_res_ids",
                                                                "confidenceScore"};

/// A known field: a number, a list or a list of rows.
struct Field {
  bool is_given = false;
  int depth = 0;  ///< 1: a list, 2: a list of rows
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::size_t rows = 0, columns = 0;  ///< shape of a list of rows

  [[nodiscard]] bool is_list() const { return is_given && depth <= 1; }
};

/// Collector of the known fields of the file's only record; everything else is skipped.
class Collector final : public nlohmann::json_sax<Json> {
 public:
  Collector(std::string_view text, const std::string& name)
      : text_(text), name_(name), seen_(text.data()) {}

  std::array<Field, field_count> parse() {
    const char* const end = text_.data() + text_.size();
    (void)Json::sax_parse(TextCursor(text_.data(), &seen_), TextCursor(end, &seen_), this);
    if (records_ == 0) fail("the file has no record");
    return std::move(fields_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool value) override { return other(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return number(value);
  }
  bool string(string_t& value) override {
    if (field_ == nullptr) return true;
    if (field_ != &fields_[token_chain_ids]) return other(in_quotes(value));
    add_value();
    field_->texts.push_back(std::move(value));
    return true;
  }
  bool binary(binary_t& /*value*/) override { return other("binary data"); }

  bool start_object(std::size_t /*elements*/) override {
    if (field_ != nullptr) return other("an object");
    // The record is the file's object, or the only element of its list.
    if (depth_ == record_depth_ && ++records_ > 1) {
      fail("a list of several records; expected one model a file");
    }
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ != record_depth_ + 1) return true;
    const auto* const found = std::find(field_names.begin(), field_names.end(), value);
    if (found == field_names.end()) return true;
    field_index_ = static_cast<std::size_t>(found - field_names.begin());
    field_ = &fields_[field_index_];
    list_depth_ = 0;
    if (field_->is_given) fail(fmt::format("{} comes a second time", *found));
    field_->is_given = true;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (field_ == nullptr) {
      if (depth_ == 0) record_depth_ = 1;
      ++depth_;
      return true;
    }
    ++list_depth_;
    if (list_depth_ > 2) fail(fmt::format("{} has lists within rows", field_names[field_index_]));
    if (list_depth_ == 2) {
      if (field_->depth == 1 && !field_->numbers.empty()) mixed();
      field_->depth = 2;
      in_row_ = 0;
    } else {
      field_->depth = 1;
    }
    return true;
  }
  bool end_array() override {
    if (field_ == nullptr) {
      --depth_;
      return true;
    }
    if (list_depth_ == 2) end_row();
    if (--list_depth_ == 0) field_ = nullptr;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& token,
                   const nlohmann::detail::exception& /*error*/) override {
    fail(
        fmt::format("not valid JSON at {}; the file is cut off or damaged, copy or download it "
                    "again",
                    token.empty() ? "its end" : in_quotes(token)));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = 1 + std::count(text_.data(), seen_, '\n');
    fail_at(name_, static_cast<long>(line), what);
  }
  [[noreturn]] void mixed() const {
    fail(fmt::format("{} mixes numbers and rows", field_names[field_index_]));
  }

  /// Accounts for one value of the current field.
  void add_value() {
    if (field_->depth == 2 && list_depth_ < 2) mixed();
    ++in_row_;
    if (list_depth_ == 0) field_ = field_->depth == 0 ? scalar_ended() : field_;
  }
  Field* scalar_ended() {
    fail(fmt::format("{} is one value, expected a list", field_names[field_index_]));
  }

  bool number(double value) {
    if (field_ == nullptr) return true;
    if (field_ == &fields_[token_chain_ids]) return other(fmt::format("{}", value));
    add_value();
    field_->numbers.push_back(value);
    return true;
  }

  /// A value of the wrong kind: skipped outside the known fields.
  bool other(const std::string& what) {
    if (field_ == nullptr) return true;
    const std::size_t index = field_->depth == 2 ? in_row_ : field_->numbers.size();
    const std::string place = list_depth_ == 2   ? fmt::format("[{}][{}]", field_->rows, index)
                              : list_depth_ == 1 ? fmt::format("[{}]", index)
                                                 : std::string();
    fail(fmt::format("{}{} is {}, expected {}", field_names[field_index_], place, what,
                     field_index_ == token_chain_ids ? "a chain's name"
                     : list_depth_ == 0              ? "a list"
                                                     : "a number"));
  }

  void end_row() {
    if (field_->rows == 0) field_->columns = in_row_;
    if (in_row_ != field_->columns) {
      fail(fmt::format("row {} of {} has {} numbers, the first row {}; expected equal rows",
                       field_->rows + 1, field_names[field_index_], in_row_, field_->columns));
    }
    ++field_->rows;
  }

  std::string_view text_;
  const std::string& name_;
  const char* seen_;
  std::array<Field, field_count> fields_;
  Field* field_ = nullptr;
  std::size_t field_index_ = 0;
  int depth_ = 0, record_depth_ = 0, list_depth_ = 0;
  int records_ = 0;
  std::size_t in_row_ = 0;
};

/// Interpreter of the fields.
class Families {
 public:
  Families(std::array<Field, field_count> fields, const std::string& name)
      : fields_(std::move(fields)), name_(name) {}

  ConfidenceTable run() {
    ConfidenceTable table;
    if (given(predicted_aligned_error)) {
      table.format = "AlphaFold 2";
      take_matrix(predicted_aligned_error, table);
    } else if (given(distance)) {
      table.format = "AlphaFold DB (list of pairs)";
      take_pairs(table);
    } else if (given(pae)) {
      table.format = given(token_res_ids) ? "AlphaFold 3" : "ColabFold";
      take_matrix(pae, table);
    }
    if (given(token_res_ids) || given(token_chain_ids)) take_tokens(table);
    if (given(plddt)) {
      take_plddt(plddt, table);
    } else if (given(atom_plddts)) {
      take_plddt(atom_plddts, table);
      table.is_plddt_by_atom = true;
    } else if (given(confidence_score)) {
      take_plddt(confidence_score, table);
    }
    if (table.is_empty()) {
      fail(
          "no pLDDT or PAE of residues (predicted_aligned_error, pae, plddt, atom_plddts or "
          "distance); a summary has none: give the file with the matrix (predicted_aligned_error, "
          "scores, full_data, confidences)");
    }
    if (table.format.empty()) table.format = "pLDDT by residue";
    return table;
  }

 private:
  [[nodiscard]] bool given(FieldName field) const { return fields_[field].is_given; }
  [[noreturn]] void fail(const std::string& what) const {
    throw StructureError(fmt::format("{}: {}", name_, what));
  }

  void take_matrix(FieldName which, ConfidenceTable& table) {
    Field& field = fields_[which];
    if (field.depth != 2 || field.rows == 0) {
      fail(fmt::format("{} is {}, expected a row of numbers for each residue", field_names[which],
                       field.numbers.empty() ? "empty" : "a flat list"));
    }
    if (field.rows != field.columns) {
      fail(fmt::format("{} is {} x {}, expected a square matrix", field_names[which], field.rows,
                       field.columns));
    }
    table.side = field.rows;
    table.pae_angstrom = std::move(field.numbers);
  }

  /// Fills the matrix from residue1, residue2 (from 1) and distance.
  void take_pairs(ConfidenceTable& table) {
    const auto &from = fields_[residue1], &to = fields_[residue2], &values = fields_[distance];
    const std::size_t count = values.numbers.size();
    const auto side = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(count))));
    if (!values.is_list() || !from.is_list() || !to.is_list() || from.numbers.size() != count ||
        to.numbers.size() != count) {
      fail(
          fmt::format("residue1, residue2 and distance have {}, {} and {} numbers; expected three "
                      "equal lists",
                      from.numbers.size(), to.numbers.size(), count));
    }
    if (count == 0 || side * side != count) {
      fail(fmt::format("distance has {} numbers, expected the square of the number of residues",
                       count));
    }
    table.side = side;
    table.pae_angstrom.assign(count, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = index_of(residue1, k, side), j = index_of(residue2, k, side);
      double& here = table.pae_angstrom[i * side + j];
      if (!std::isnan(here)) {
        fail(fmt::format("the pair of residues {} and {} comes a second time", i + 1, j + 1));
      }
      here = values.numbers[k];
    }
  }

  [[nodiscard]] std::size_t index_of(FieldName which, std::size_t k, std::size_t side) const {
    const double number = fields_[which].numbers[k];
    if (!(number >= 1 && number <= static_cast<double>(side)) || number != std::floor(number)) {
      fail(fmt::format("{}[{}] is {}, expected a residue from 1 to {}", field_names[which], k,
                       number, side));
    }
    return static_cast<std::size_t>(number) - 1;
  }

  void take_tokens(ConfidenceTable& table) {
    const auto &chains = fields_[token_chain_ids], &numbers = fields_[token_res_ids];
    const std::size_t count = numbers.numbers.size();
    if (!chains.is_list() || !numbers.is_list() || chains.texts.size() != count ||
        (table.side > 0 && table.side != count)) {
      fail(
          fmt::format("token_chain_ids, token_res_ids and pae have {}, {} and {} tokens; expected "
                      "one of each for each token",
                      chains.texts.size(), count, table.side));
    }
    table.tokens.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      const double number = numbers.numbers[k];
      if (number != std::floor(number) || std::abs(number) > std::numeric_limits<int>::max()) {
        fail(fmt::format("token_res_ids[{}] is {}, expected an integer", k, number));
      }
      table.tokens.push_back({chains.texts[k], static_cast<int>(number)});
    }
  }

  void take_plddt(FieldName which, ConfidenceTable& table) {
    Field& field = fields_[which];
    if (!field.is_list() || field.numbers.empty()) {
      fail(fmt::format("{} is {}, expected a number for each residue or atom", field_names[which],
                       field.depth == 2 ? "a list of rows" : "empty"));
    }
    table.plddt = std::move(field.numbers);
  }

  std::array<Field, field_count> fields_;
  const std::string& name_;
};

}  // namespace

ConfidenceTable parse_confidence_json(std::string_view text, const std::string& name) {
  return Families(Collector(text, name).parse(), name).run();
}

}  // namespace nfold::structure

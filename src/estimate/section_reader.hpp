// Reader of YAML sections by key that collects all problems before it throws.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/input_error.hpp"

namespace nfold::estimate {

/// Reader of one text. Problems are collected, and a harmless value replaces an invalid one.
class SectionReader {
 public:
  using Node = document::InputNode;

  /// file: named in errors; example: a valid file that errors refer to.
  SectionReader(std::string file, std::string example)
      : file_(std::move(file)), example_(std::move(example)) {}

  void add_problem(const Node& at, std::string problem, std::string remedy);
  void check_keys(const Node& map, const std::string& where,
                  const std::vector<std::string_view>& known);
  /// Returns the entry; null if there is none.
  [[nodiscard]] static const Node* find(const Node& map, std::string_view key);
  /// Returns the entry; null, with a problem, if there is none of this kind.
  const Node* required(const Node& map, std::string_view key, const std::string& where,
                       document::NodeKind kind, const char* what);
  /// Returns the section; null if there is none, with a problem if it is of another kind.
  const Node* section(const Node& map, std::string_view key, const std::string& where);
  /// Returns a number above 0.
  double number_of(const Node& node, std::string_view key);
  double number(const Node& map, std::string_view key, const std::string& where);
  /// Returns a number of at least 0.
  double amount(const Node& map, std::string_view key, const std::string& where);
  std::optional<double> optional_number(const Node& map, std::string_view key);
  std::string text(const Node& map, std::string_view key, const std::string& where);

  /// Throws core::InputError with all problems, if there are any.
  void require_no_problem();

 private:
  std::string file_, example_;
  std::vector<core::InputProblem> problems_;
};

}  // namespace nfold::estimate

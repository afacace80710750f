// Sections of a YAML text by their keys; every problem is found before it gives up.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.hpp"
#include "document/input_error.hpp"

namespace nfold::plan {

/// Of one text. What is wrong is kept, and a harmless value stands in for it.
class SectionReader {
 public:
  using Node = document::InputNode;

  /// file: names the text in errors; example: a file that shows how it is done.
  SectionReader(std::string file, std::string example)
      : file_(std::move(file)), example_(std::move(example)) {}

  void complain(const Node& at, std::string problem, std::string remedy);
  void known_keys(const Node& map, const std::string& where,
                  const std::vector<std::string_view>& known);
  /// Null where there is none.
  [[nodiscard]] static const Node* find(const Node& map, std::string_view key);
  /// Null, and a problem, where there is none of this kind.
  const Node* wanted(const Node& map, std::string_view key, const std::string& where,
                     document::NodeKind kind, const char* what);
  /// Null where there is none; a problem where it is of another kind.
  const Node* section(const Node& map, std::string_view key, const std::string& where);
  /// Above 0.
  double number_of(const Node& node, std::string_view key);
  double number(const Node& map, std::string_view key, const std::string& where);
  /// At least 0.
  double amount(const Node& map, std::string_view key, const std::string& where);
  std::optional<double> number_if_there(const Node& map, std::string_view key);
  std::string text(const Node& map, std::string_view key, const std::string& where);

  /// document::InputError with all that is wrong, if anything is.
  void require_no_problem();

 private:
  std::string file_, example_;
  std::vector<document::InputProblem> problems_;
};

}  // namespace nfold::plan

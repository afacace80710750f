// Lookup and validation of keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/document/scalars.hpp"

namespace nfold::estimate {

using document::NodeKind;

void SectionReader::add_problem(const Node& at, std::string problem, std::string remedy) {
  problems_.push_back({{file_, at.line, at.column}, std::move(problem), std::move(remedy)});
}

void SectionReader::check_keys(const Node& map, const std::string& where,
                               const std::vector<std::string_view>& known) {
  for (const auto& name : map.entry_names) {
    if (std::ranges::find(known, name.text) != known.end()) continue;
    add_problem(name, fmt::format("unknown key '{}' in {}", name.text, where),
                fmt::format("it takes {}", fmt::join(known, ", ")));
  }
}

const SectionReader::Node* SectionReader::find(const Node& map, std::string_view key) {
  for (std::size_t i = 0; i < map.entry_names.size(); ++i) {
    if (map.entry_names[i].text == key) return &map.items[i];
  }
  return nullptr;
}

const SectionReader::Node* SectionReader::required(const Node& map, std::string_view key,
                                                   const std::string& where, NodeKind kind,
                                                   const char* what) {
  const auto* node = find(map, key);
  if (node == nullptr) {
    add_problem(map, fmt::format("{} has no key '{}'", where, key),
                fmt::format("give it {}, as {} does", what, example_));
    return nullptr;
  }
  if (node->kind == kind) return node;
  add_problem(*node, fmt::format("'{}' of {} is not {}", key, where, what), "see " + example_);
  return nullptr;
}

const SectionReader::Node* SectionReader::section(const Node& map, std::string_view key,
                                                  const std::string& where) {
  if (find(map, key) == nullptr) return nullptr;
  return required(map, key, where, NodeKind::map, "a section");
}

double SectionReader::number_of(const Node& node, std::string_view key) {
  const auto value =
      node.kind == NodeKind::scalar ? document::to_real(node.text) : std::optional<double>();
  if (value && *value > 0) return *value;
  add_problem(node, fmt::format("{} = {}", key, node.kind == NodeKind::scalar ? node.text : "..."),
              "must be a number above 0");
  return 1;
}

double SectionReader::number(const Node& map, std::string_view key, const std::string& where) {
  const auto* node = required(map, key, where, NodeKind::scalar, "a number above 0");
  return node == nullptr ? 1 : number_of(*node, key);
}

double SectionReader::amount(const Node& map, std::string_view key, const std::string& where) {
  const auto* node = required(map, key, where, NodeKind::scalar, "a number of at least 0");
  if (node == nullptr) return 0;
  const auto value = document::to_real(node->text);
  if (value && *value >= 0) return *value;
  add_problem(*node, fmt::format("{} = {}", key, node->text), "must be a number of at least 0");
  return 0;
}

std::optional<double> SectionReader::optional_number(const Node& map, std::string_view key) {
  const auto* node = find(map, key);
  return node == nullptr ? std::optional<double>() : number_of(*node, key);
}

std::string SectionReader::text(const Node& map, std::string_view key, const std::string& where) {
  const auto* node = required(map, key, where, NodeKind::scalar, "a text");
  return node == nullptr ? std::string() : node->text;
}

void SectionReader::require_no_problem() {
  if (!problems_.empty()) throw core::InputError(std::move(problems_));
}

}  // namespace nfold::estimate

// Positions and problems of the reader of sections.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/document/section_reader.hpp"

#include <fmt/format.h>

#include "core/nearest.hpp"

namespace nfold::document {

using core::SourcePosition;

namespace {
constexpr std::size_t most_problems = 50;  // limits the messages of a wrong file
}  // namespace

std::string join_path(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

SourcePosition SectionReader::position(const InputNode& node) const {
  if (node.source > 0) {
    return {further_files_.at(static_cast<std::size_t>(node.source) - 1), node.line, node.column};
  }
  return has_lines_ ? SourcePosition{file_, node.line, node.column} : SourcePosition{file_, 0, 0};
}

SourcePosition SectionReader::position(const InputNode& name, const InputNode& value) const {
  const bool is_placed = value.line > 0 && value.kind != NodeKind::nothing;
  return position(is_placed ? value : name);
}

std::optional<Value> SectionReader::read_value(const Rule& rule, const std::string& accepted,
                                               const std::string& name, const InputNode& node,
                                               const SourcePosition& at) {
  std::string hint;
  auto value = to_value(rule, node, hint);
  if (value) return value;
  std::string remedy = "must be " + accepted;
  if (!hint.empty()) remedy += "; " + hint;
  complain(at, fmt::format("{} = {}", name, shown(node)), std::move(remedy));
  return std::nullopt;
}

const InputNode* SectionReader::find_section(const InputNode& parent, std::string_view key,
                                             const std::string& path) {
  const auto* const node = find_entry(parent, key);
  if (node == nullptr || node->kind == NodeKind::nothing) return nullptr;
  if (node->kind == NodeKind::map) return node;
  complain(*node, fmt::format("'{}' is {}", join_path(path, key), shown(*node)),
           "it is a section: put its keys below it, indented");
  return nullptr;
}

const InputNode* SectionReader::require(const InputNode& parent, std::string_view key,
                                        const std::string& path, NodeKind kind) {
  const auto* const node = find_entry(parent, key);
  const char* const wanted = kind == NodeKind::list ? "a list" : "a section";
  if (node == nullptr || node->kind == NodeKind::nothing) {
    complain_missing(parent, key, path, wanted);
    return nullptr;
  }
  if (node->kind == kind) return node;
  complain(*node, fmt::format("{} = {}", join_path(path, key), shown(*node)),
           fmt::format("must be {}", wanted));
  return nullptr;
}

void SectionReader::complain(SourcePosition at, std::string problem, std::string remedy) {
  if (is_full()) return;
  problems_.push_back({std::move(at), std::move(problem), std::move(remedy)});
}

void SectionReader::complain(std::string_view key, std::string problem, std::string remedy) {
  const auto found = given_.find(key);
  complain(found == given_.end() ? SourcePosition{file_, 0, 0} : found->second, std::move(problem),
           std::move(remedy));
}

void SectionReader::complain_missing(const InputNode& section, std::string_view key,
                                     const std::string& path, const std::string& accepted) {
  const auto where = path.empty() ? "" : fmt::format(" in {}", path);
  complain(section, fmt::format("key '{}' is missing{}", key, where),
           fmt::format("give {}{}{}", accepted, example_.empty() ? "" : "; ", example_));
}

void SectionReader::complain_unknown(const InputNode& name, const std::string& path,
                                     const std::vector<std::string_view>& known) {
  if (is_full()) return;
  const auto where = path.empty() ? "" : fmt::format(" in '{}'", path);
  complain(
      name, fmt::format("unknown key '{}'{}", printable(name.text), where),
      core::suggest_word(name.text, known, fmt::format("it takes {}", fmt::join(known, ", "))));
}

bool SectionReader::is_full() const { return problems_.size() >= most_problems; }

void SectionReader::throw_if_any() {
  if (!problems_.empty()) throw core::InputError(std::move(problems_));
}

}  // namespace nfold::document

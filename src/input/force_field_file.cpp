// Reading of a force-field file and of its bases, and their merging.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/force_field_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/document/values.hpp"
#include "core/input_error.hpp"
#include "core/nearest.hpp"

namespace nfold::input {

using document::find_entry;
using document::InputNode;
using document::NodeKind;

namespace {

constexpr std::size_t most_sources = 16;

[[noreturn]] void refuse_at(const std::string& file, const InputNode& node, std::string problem,
                            std::string remedy) {
  throw core::InputError({file, node.line, node.column}, std::move(problem), std::move(remedy));
}

InputNode* find_entry(InputNode& map, std::string_view key) {
  return const_cast<InputNode*>(document::find_entry(std::as_const(map), key));
}

void set_source(InputNode& node, int source) {
  node.source = source;
  for (auto& item : node.items) set_source(item, source);
  for (auto& name : node.entry_names) set_source(name, source);
}

void add_entry(InputNode& map, InputNode name, InputNode value) {
  map.entry_names.push_back(std::move(name));
  map.items.push_back(std::move(value));
}

InputNode scalar(std::string text, const InputNode& at) {
  InputNode node = at;
  node.kind = NodeKind::scalar;
  node.text = std::move(text);
  node.items.clear();
  node.entry_names.clear();
  return node;
}

/// Puts the base of a bead behind it under a hidden name, from which it inherits.
void inherit_bead(InputNode& beads, std::size_t index, InputNode bead) {
  const InputNode* like = document::find_entry(bead, "like");
  const std::string& name = beads.entry_names[index].text;
  const bool is_change = bead.kind == NodeKind::map && (like == nullptr || like->text == name);
  if (is_change) {
    std::string hidden = name;
    while (document::find_entry(beads, hidden) != nullptr) hidden += hidden_bead_mark;
    if (auto* own = find_entry(bead, "like")) {
      own->text = hidden;
    } else {
      add_entry(bead, scalar("like", bead), scalar(hidden, bead));
    }
    InputNode base = std::move(beads.items[index]);
    add_entry(beads, scalar(hidden, base), std::move(base));
  }
  beads.items[index] = std::move(bead);
}

/// Adds the entries of `over` to those of `base`, which they replace.
void merge(InputNode& base, InputNode over, const std::string& section) {
  for (std::size_t i = 0; i < over.items.size(); ++i) {
    InputNode& value = over.items[i];
    const std::string& name = over.entry_names[i].text;
    auto* const old = find_entry(base, name);
    if (old == nullptr) {
      add_entry(base, std::move(over.entry_names[i]), std::move(value));
      continue;
    }
    const auto index = static_cast<std::size_t>(old - base.items.data());
    if (section == "beads") {
      inherit_bead(base, index, std::move(value));
    } else if (section == "pairs" && old->kind == NodeKind::list && value.kind == NodeKind::list) {
      std::ranges::move(value.items, std::back_inserter(old->items));
    } else if (old->kind == NodeKind::map && value.kind == NodeKind::map) {
      merge(*old, std::move(value), section.empty() ? name : "part");
    } else {
      *old = std::move(value);
      base.entry_names[index] = std::move(over.entry_names[i]);
    }
  }
}

bool is_builtin(std::string_view name) {
  const auto& names = builtin_force_field_names();
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

ForceFieldFile::ForceFieldFile(std::string_view text, const std::string& file, const ReadFile& read)
    : root_(load(text, file, read)) {
  read_data(read);
}

std::string ForceFieldFile::path_from(const InputNode& name) const {
  const auto& file = sources_.at(static_cast<std::size_t>(name.source));
  return (std::filesystem::path(file).parent_path() / name.text).lexically_normal().string();
}

void ForceFieldFile::add_file_name(const InputNode& name) {
  file_names_.push_back({name.source, name.line, name.column, name.text, path_from(name)});
}

InputNode ForceFieldFile::load(std::string_view text, const std::string& file,
                               const ReadFile& read) {
  InputNode root = document::read_document(text, file);
  const int source = static_cast<int>(sources_.size());
  sources_.push_back(file);
  set_source(root, source);
  root.kind = NodeKind::map;
  const auto* const beads = document::find_entry(root, "beads");
  if (auto* residues = find_entry(root, "residues")) {
    if (beads != nullptr) {
      refuse_at(file, *residues, "`residues` beside `beads`", "they are one key: keep one");
    }
    root.entry_names[static_cast<std::size_t>(residues - root.items.data())].text = "beads";
    beads_key_ = "residues";
  } else if (beads != nullptr) {
    beads_key_ = "beads";
  }
  if (auto* pairs = find_entry(root, "pairs"); pairs != nullptr && pairs->kind == NodeKind::list) {
    InputNode map = scalar("", *pairs);
    map.kind = NodeKind::map;
    add_entry(map, scalar("contact", *pairs), std::move(*pairs));
    *pairs = std::move(map);
  }
  const auto* const extends = document::find_entry(root, "extends");
  if (extends == nullptr) return root;
  if (extends->kind != NodeKind::scalar || extends->text.empty() ||
      document::has_control(extends->text)) {
    refuse_at(file, *extends, fmt::format("extends = {}", document::shown(*extends)),
              "name a built-in force field or a file");
  }
  const std::string& name = extends->text;
  std::string base_file = fmt::format("built-in table of {}", name), base_text;
  if (is_builtin(name)) {
    base_text = builtin_force_field_text(name);
  } else {
    base_file = path_from(*extends);
    const bool is_name = name.find_first_of("./\\") == std::string::npos;
    if (is_name || !read) {
      const auto& known = builtin_force_field_names();
      refuse_at(file, *extends, fmt::format("extends = {}", document::printable(name)),
                core::suggest_word(
                    name, known, fmt::format("name a file, or one of {}", fmt::join(known, ", "))));
    }
  }
  if (std::ranges::find(sources_, base_file) != sources_.end()) {
    refuse_at(file, *extends,
              fmt::format("{} extends itself: {} -> {}", document::printable(base_file),
                          fmt::join(sources_, " -> "), base_file),
              "take one `extends` out");
  }
  if (sources_.size() >= most_sources) {
    refuse_at(file, *extends, fmt::format("more than {} files extend each other", most_sources),
              "join some");
  }
  if (base_text.empty()) {
    base_text = read(base_file);
    add_file_name(*extends);
  }
  InputNode base = load(base_text, base_file, read);
  merge(base, std::move(root), "");
  return base;
}

void ForceFieldFile::read_data(const ReadFile& read) {
  const auto* const terms = document::find_entry(root_, "pair_terms");
  if (terms == nullptr) return;
  for (const InputNode& term : terms->items) {
    const auto* const file = document::find_entry(term, "file");
    if (file == nullptr || file->kind != NodeKind::scalar) continue;
    const auto& source = sources_[static_cast<std::size_t>(file->source)];
    if (file->text.empty() || document::has_control(file->text) || !read) {
      refuse_at(source, *file, fmt::format("file = {}", document::shown(*file)),
                "name a file with rows of r [nm] and U [kJ/mol]");
    }
    add_file_name(*file);
    const std::string& path = file_names_.back().path;
    if (!data_.contains(path)) data_.emplace(path, read(path));
  }
}

const std::string& ForceFieldFile::data(const InputNode& name) const {
  return data_.at(path_from(name));
}

std::shared_ptr<const ForceFieldFile> read_force_field(std::string_view text,
                                                       const std::string& file,
                                                       const ReadFile& read) {
  return std::make_shared<const ForceFieldFile>(text, file, read);
}

}  // namespace nfold::input

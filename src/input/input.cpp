// Conversion of an input tree to settings, collecting every problem before throwing.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/input.hpp"

#include <fmt/core.h>

#include <type_traits>
#include <utility>

#include "core/document/document.hpp"
#include "core/document/section_reader.hpp"
#include "input/consistency.hpp"
#include "input/keys.hpp"
#include "input/nearest.hpp"

namespace nfold::input {

using core::InputError;
using core::SourcePosition;
using document::InputNode;
using document::NodeKind;
using document::shown;

namespace {

class InputReader {
 public:
  explicit InputReader(std::string file) : file_(std::move(file)), reader_(file_) {}

  void read_sections(const InputNode& root, const std::string& file) {
    reader_.set_source(file);
    if (root.kind == NodeKind::map) {
      read_section({}, root);
    } else if (root.kind != NodeKind::nothing) {
      reader_.complain(root, fmt::format("'input' is {}", shown(root)),
                       "it is a section: put keys of an input file below it, indented");
    }
  }

  void read_override(const std::string& option) {
    reader_.set_source("--set " + option, false);
    const InputNode whole;
    const auto equals = option.find('=');
    if (equals == std::string::npos) {
      reader_.complain(whole, "no '=' found", "write --set dynamics.steps=1000");
      return;
    }
    const std::string name = option.substr(0, equals);
    const Key* key = find_key(name);
    if (key == nullptr && find_section(name) != nullptr) {
      reader_.complain(
          whole, fmt::format("'{}' is a section, not a key", name),
          fmt::format("write --set {0}.KEY=VALUE; 'nfold help {0}' lists its keys", name));
      return;
    }
    if (key == nullptr) {
      reject_or_note(reader_.position(whole), {}, name);
      return;
    }
    try {
      read_key(*key, document::read_value(option.substr(equals + 1), reader_.file()),
               reader_.position(whole));
    } catch (const InputError& error) {
      for (const auto& [at, problem, remedy] : error.problems()) {
        reader_.complain(at, problem, remedy);
      }
    }
  }

  Settings finish() {
    const auto& given = reader_.given();
    reader_.set_source(file_);
    for (const auto& key : all_keys()) {
      const bool is_replaced = !key.alternative_key.empty() && given.contains(key.alternative_key);
      if (key.required && !is_replaced && !given.contains(key.name)) {
        reader_.complain(
            InputNode(), fmt::format("key '{}' is missing", key.name),
            fmt::format("give {}; 'nfold help {}' says more", accepted_text(key), key.name));
      }
    }
    // Rules on several keys would report the wrong key while single keys are invalid.
    reader_.throw_if_any();
    complete_and_check(settings_, reader_);
    reader_.throw_if_any();
    return std::move(settings_);
  }

 private:
  /// Handles a name that is no key: a removed one is noted, any other is a problem.
  void reject_or_note(const SourcePosition& at, std::string_view section, const std::string& name) {
    const std::string full = document::join_path(section, name);
    if (is_removed_key(full)) {
      const core::InputProblem note{at, full + " has no effect any more", "leave it out"};
      settings_.notes.push_back(note.message());
      return;
    }
    const std::string where = section.empty() ? "" : fmt::format(" in '{}'", section);
    const std::string problem = fmt::format("unknown key '{}'{}", document::printable(name), where);
    if (name.starts_with("system.species[") || name.starts_with("system.species.")) {
      reader_.complain(
          at, problem,
          "--set takes the list as a whole, --set 'system.species=[{name: A, sequence: ...}]', "
          "or write it into the file; 'nfold help system.species' lists its keys");
      return;
    }
    const std::string nearest = reader_.is_full() ? "" : nearest_key(section, name);
    if (nearest.empty()) {
      reader_.complain(at, problem, "'nfold help' lists the keys");
      return;
    }
    const bool at_home = section_name(nearest) == section;
    const auto meant = at_home ? last_part(nearest) : std::string_view(nearest);
    const Key* key = find_key(nearest);
    const auto typed = unit_suffix(name), expected = unit_suffix(nearest);
    if (key != nullptr && !typed.empty() && !expected.empty() && typed != expected) {
      reader_.complain(at, problem,
                       fmt::format("did you mean '{}'? Its unit is {}", meant, key->unit));
    } else {
      reader_.complain(at, problem, fmt::format("did you mean '{}'?", meant));
    }
  }

  void read_section(std::string_view section, const InputNode& node) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const InputNode& name = node.entry_names[i];
      const InputNode& value = node.items[i];
      const std::string full = document::join_path(section, name.text);
      if (const Section* known = find_section(full)) {
        read_subsection(*known, name, value);
      } else if (const Key* key = find_key(full)) {
        read_key(*key, value, reader_.position(name, value));
      } else {
        reject_or_note(reader_.position(name), section, name.text);
      }
    }
  }

  void read_subsection(const Section& section, const InputNode& name, const InputNode& node) {
    if (node.kind == NodeKind::map) {
      read_section(section.name, node);
    } else if (node.kind == NodeKind::list && section.name == "bias") {
      read_biases(name, node);
    } else if (node.kind != NodeKind::nothing) {  // empty section: all its keys are commented out
      reader_.complain(name, fmt::format("'{}' is {}", section.name, shown(node)),
                       "it is a section: put its keys below it, indented");
    }
  }

  /// Reads a list of biases: the first into `bias`, the others into bias.more.
  void read_biases(const InputNode& name, const InputNode& list) {
    if (list.items.empty()) return;
    const InputNode& first = list.items.front();
    if (first.kind == NodeKind::map) {
      read_section("bias", first);
    } else {
      complain_entry<BiasSettings>("bias[0]", first);
    }
    InputNode others = list;
    others.items.erase(others.items.begin());
    read_key(*find_key("bias.more"), others, reader_.position(name));
  }

  void read_key(const Key& key, const InputNode& node, const SourcePosition& at) {
    if (!is_section_list(key)) {
      reader_.read_key(key, std::string(key.name), settings_, node, at);
      return;
    }
    reader_.mark_given(std::string(key.name), at);
    if (node.kind != NodeKind::list) {
      reader_.complain(at, fmt::format("{} = {}", key.name, shown(node)),
                       "must be " + accepted_text(key));
      return;
    }
    with_entries(key, settings_, [&](auto& list) { read_list(key.name, node, list); });
  }

  template <class Entry>
  void read_list(std::string_view key, const InputNode& node, std::vector<Entry>& list) {
    list.clear();
    for (const InputNode& entry : node.items) {
      const std::string name = fmt::format("{}[{}]", key, list.size());
      list.emplace_back();
      if (entry.kind == NodeKind::map) {
        reader_.mark_given(name, reader_.position(entry));
        reader_.read_section(entry_keys<Entry>(), entry, name, list.back());
      } else {
        complain_entry<Entry>(name, entry);
      }
    }
  }

  template <class Entry>
  void complain_entry(const std::string& name, const InputNode& entry) {
    constexpr bool is_species = std::is_same_v<Entry, SpeciesSettings>;
    reader_.complain(
        entry, fmt::format("{} is {}", name, shown(entry)),
        fmt::format("an entry is a section: '- {}', its other keys below, indented alike",
                    is_species ? "name: A" : "residues: [A:1, A:76]"));
  }

  std::string file_;
  document::SectionReader reader_;
  Settings settings_;
};

}  // namespace

Settings parse_input(std::string_view text, const std::string& file,
                     const std::vector<std::string>& overrides) {
  return parse_layers({{file, document::read_document(text, file), overrides}}, file);
}

Settings parse_layers(const std::vector<InputLayer>& layers, const std::string& file) {
  InputReader reader(file);
  for (const auto& layer : layers) {
    reader.read_sections(layer.sections, layer.file);
    for (const auto& option : layer.values) reader.read_override(option);
  }
  return reader.finish();
}

}  // namespace nfold::input

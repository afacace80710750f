// Conversion of an input tree to settings, collecting every problem before throwing.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/document/document.hpp"
#include "input/assign.hpp"
#include "input/consistency.hpp"
#include "input/keys.hpp"
#include "input/nearest.hpp"

namespace nfold::input {

using namespace document;
using core::InputError;
using core::InputProblem;
using core::SourcePosition;

namespace {

constexpr std::size_t most_problems = 50;  // limits the messages of a wrong file

std::string full_key_name(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

class InputReader {
 public:
  explicit InputReader(std::string file) : file_(std::move(file)) {}

  void read_text(std::string_view text) {
    const InputNode root = read_document(text, file_);
    read_section({}, root);
  }

  void read_sections(const InputNode& root, const std::string& file) {
    const std::string whole = std::exchange(file_, file);
    if (root.kind == NodeKind::map) {
      read_section({}, root);
    } else if (root.kind != NodeKind::nothing) {
      complain({file_, root.line, root.column}, fmt::format("'input' is {}", shown(root)),
               "it is a section: put keys of an input file below it, indented");
    }
    file_ = whole;
  }

  void read_override(const std::string& option) {
    const SourcePosition origin{"--set " + option, 0, 0};
    const auto equals = option.find('=');
    if (equals == std::string::npos) {
      complain(origin, "no '=' found", "write --set dynamics.steps=1000");
      return;
    }
    const std::string name = option.substr(0, equals);
    const Key* key = find_key(name);
    if (key == nullptr && find_section(name) != nullptr) {
      complain(origin, fmt::format("'{}' is a section, not a key", name),
               fmt::format("write --set {0}.KEY=VALUE; 'nfold help {0}' lists its keys", name));
      return;
    }
    if (key == nullptr) {
      complain_unknown(origin, {}, name);
      return;
    }
    try {
      read_key(*key, read_value(option.substr(equals + 1), origin.file), origin);
    } catch (const InputError& error) {
      problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
    }
  }

  Settings finish() {
    for (const auto& key : all_keys()) {
      const bool replaced = !key.instead.empty() && attempted_.contains(key.instead);
      if (key.required && !replaced && !attempted_.contains(key.name)) {
        complain({file_, 0, 0}, fmt::format("key '{}' is missing", key.name),
                 fmt::format("give {}; 'nfold help {}' says more", accepted_text(key), key.name));
      }
    }
    // Rules on several keys would report the wrong key while single keys are invalid.
    if (problems_.empty()) problems_ = complete_and_check(settings_, attempted_, file_);
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(settings_);
  }

 private:
  void complain(SourcePosition at, std::string problem, std::string remedy) {
    if (problems_.size() < most_problems) {
      problems_.push_back({std::move(at), std::move(problem), std::move(remedy)});
    }
  }

  void complain_unknown(const SourcePosition& at, std::string_view section,
                        const std::string& name) {
    const std::string where = section.empty() ? "" : fmt::format(" in '{}'", section);
    const std::string problem = fmt::format("unknown key '{}'{}", printable(name), where);
    if (name.starts_with("system.species[") || name.starts_with("system.species.")) {
      complain(
          at, problem,
          "--set takes the list as a whole, --set 'system.species=[{name: A, sequence: ...}]', "
          "or write it into the file; 'nfold help system.species' lists its keys");
      return;
    }
    const std::string nearest = problems_.size() < most_problems ? nearest_key(section, name) : "";
    if (nearest.empty()) {
      complain(at, problem, "'nfold help' lists the keys");
      return;
    }
    const bool at_home = section_name(nearest) == section;
    const auto meant = at_home ? last_part(nearest) : std::string_view(nearest);
    const Key* key = find_key(nearest);
    const auto typed = unit_suffix(name), expected = unit_suffix(nearest);
    if (key != nullptr && !typed.empty() && !expected.empty() && typed != expected) {
      complain(at, problem, fmt::format("did you mean '{}'? Its unit is {}", meant, key->unit));
    } else {
      complain(at, problem, fmt::format("did you mean '{}'?", meant));
    }
  }

  void read_section(std::string_view section, const InputNode& node) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const InputNode& name = node.entry_names[i];
      const InputNode& value = node.items[i];
      const std::string full = full_key_name(section, name.text);
      const SourcePosition at{file_, name.line, name.column};
      if (const Section* known = find_section(full)) {
        read_subsection(*known, value, at);
      } else if (const Key* key = find_key(full)) {
        const bool placed = value.line > 0 && value.kind != NodeKind::nothing;
        read_key(*key, value, placed ? SourcePosition{file_, value.line, value.column} : at);
      } else {
        complain_unknown(at, section, name.text);
      }
    }
  }

  void read_subsection(const Section& section, const InputNode& node, const SourcePosition& at) {
    if (node.kind == NodeKind::map) {
      read_section(section.name, node);
    } else if (node.kind == NodeKind::list && section.name == "bias") {
      read_biases(node, at);
    } else if (node.kind != NodeKind::nothing) {  // empty section: all its keys are commented out
      complain(at, fmt::format("'{}' is {}", section.name, shown(node)),
               "it is a section: put its keys below it, indented");
    }
  }

  /// Reads a list of biases: the first into `bias`, the others into bias.more.
  void read_biases(const InputNode& list, const SourcePosition& at) {
    if (list.items.empty()) return;
    const InputNode& first = list.items.front();
    if (first.kind == NodeKind::map) {
      read_section("bias", first);
    } else {
      complain_entry<BiasSettings>(source_position(first, at), "bias[0]", first);
    }
    InputNode others = list;
    others.items.erase(others.items.begin());
    read_key(*find_key("bias.more"), others, at);
  }

  void read_key(const Key& key, const InputNode& node, const SourcePosition& at) {
    attempted_[std::string(key.name)] = at;
    if (const auto* species = std::get_if<SpeciesListValue>(&key.value)) {
      read_list(key, *species, node, at);
    } else if (const auto* biases = std::get_if<BiasListValue>(&key.value)) {
      read_list(key, *biases, node, at);
    } else {
      assign(key, std::string(key.name), settings_, node, at);
    }
  }

  template <class Owner>
  void assign(const KeyOf<Owner>& key, const std::string& name, Owner& owner, const InputNode& node,
              const SourcePosition& at) {
    std::string hint;
    if (std::visit(Assign<Owner>{owner, node, hint}, key.value)) return;
    std::string remedy = "must be " + accepted_text(key);
    if (!hint.empty()) remedy += "; " + hint;
    complain(at, fmt::format("{} = {}", name, shown(node)), std::move(remedy));
  }

  template <class Entry>
  void read_list(const Key& key, const SectionListValue<Entry>& value, const InputNode& node,
                 const SourcePosition& at) {
    std::vector<Entry> list;
    if (node.kind != NodeKind::list) {
      complain(at, fmt::format("{} = {}", key.name, shown(node)), "must be " + accepted_text(key));
      return;
    }
    for (const InputNode& entry : node.items) {
      const std::string name = fmt::format("{}[{}]", key.name, list.size());
      list.emplace_back();
      if (entry.kind == NodeKind::map) {
        read_entry(name, entry, list.back(), at);
      } else {
        complain_entry<Entry>(source_position(entry, at), name, entry);
      }
    }
    value.set(settings_, list);
  }

  template <class Entry>
  void complain_entry(const SourcePosition& at, const std::string& name, const InputNode& entry) {
    constexpr bool is_species = std::is_same_v<Entry, SpeciesSettings>;
    complain(at, fmt::format("{} is {}", name, shown(entry)),
             fmt::format("an entry is a section: '- {}', its other keys below, indented alike",
                         is_species ? "name: A" : "residues: [A:1, A:76]"));
  }

  template <class Entry>
  void read_entry(const std::string& name, const InputNode& entry, Entry& owner,
                  const SourcePosition& list_at) {
    attempted_[name] = source_position(entry, list_at);
    for (std::size_t i = 0; i < entry.items.size(); ++i) {
      const SourcePosition at = source_position(entry.entry_names[i], list_at);
      const auto* key = find_entry_key<Entry>(entry.entry_names[i].text);
      if (key == nullptr) {
        complain_unknown_of_entry<Entry>(at, name, entry.entry_names[i].text);
        continue;
      }
      const std::string full = fmt::format("{}.{}", name, key->name);
      const InputNode& node = entry.items[i];
      attempted_[full] = node.kind == NodeKind::nothing ? at : source_position(node, at);
      assign(*key, full, owner, node, attempted_[full]);
    }
    for (const auto& key : entry_keys<Entry>()) {
      const std::string full = fmt::format("{}.{}", name, key.name);
      if (!key.required || attempted_.contains(full)) continue;
      complain(attempted_[name], fmt::format("key '{}' is missing in {}", key.name, name),
               fmt::format("give {}", accepted_text(key)));
    }
  }

  template <class Entry>
  void complain_unknown_of_entry(const SourcePosition& at, const std::string& entry,
                                 const std::string& name) {
    std::vector<std::string_view> names;
    for (const auto& key : entry_keys<Entry>()) names.push_back(key.name);
    const auto nearest = nearest_word(name, names);
    constexpr bool is_species = std::is_same_v<Entry, SpeciesSettings>;
    complain(at, fmt::format("unknown key '{}' in '{}'", printable(name), entry),
             nearest.empty() ? fmt::format("'nfold help {}' lists the keys",
                                           is_species ? "system.species" : "bias")
                             : fmt::format("did you mean '{}'?", nearest));
  }

  /// Returns the position of a node. A value of --set has only the position of the option.
  [[nodiscard]] SourcePosition source_position(const InputNode& node,
                                               const SourcePosition& around) const {
    return around.line > 0 ? SourcePosition{file_, node.line, node.column} : around;
  }

  std::string file_;
  Settings settings_;
  std::vector<InputProblem> problems_;
  GivenKeys attempted_;  // keys named by the text or an override, valid or not
};

}  // namespace

Settings parse_input(std::string_view text, const std::string& file,
                     const std::vector<std::string>& overrides) {
  InputReader reader(file);
  reader.read_text(text);
  for (const auto& option : overrides) reader.read_override(option);
  return reader.finish();
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

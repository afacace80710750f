// The tree of an input file to settings: every problem is collected before any is thrown.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "config/consistency.hpp"
#include "config/document.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "config/scalars.hpp"

namespace nfold::config {

namespace {

constexpr std::size_t most_problems = 50;  // a wrong file has no end of them

/// Can stand in a text by an escape in quotes, but in no name of ours.
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// For a message of one line: control characters become '?', and only the start is shown.
std::string printable(std::string text) {
  constexpr std::size_t most = 60;
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

std::string shown(const InputNode& node) {
  switch (node.kind) {
    case NodeKind::nothing:
      return "nothing";
    case NodeKind::list:
      return "a list";
    case NodeKind::map:
      return "a section";
    case NodeKind::scalar:
      break;
  }
  return node.text.empty() ? "an empty text" : printable(node.text);
}

std::string joined(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

/// Sets one key from a node. False if the node is not what the key takes; `hint` then may say more.
struct Assign {
  Settings& settings;
  const InputNode& node;
  std::string& hint;

  bool operator()(const RealValue& value) const {
    if (node.kind != NodeKind::scalar) return false;
    const auto number = to_real(node.text);
    if (!number) {
      hint = number_hint(node.text);
      return false;
    }
    const bool low = value.above ? *number <= value.at_least : *number < value.at_least;
    if (low || *number > value.at_most) return false;
    value.set(settings, *number);
    return true;
  }
  bool operator()(const IntegerValue& value) const {
    if (node.kind != NodeKind::scalar) return false;
    const auto number = to_integer(node.text);
    if (!number) {
      hint = number_hint(node.text);
      return false;
    }
    if (*number < value.at_least || *number > value.at_most) return false;
    value.set(settings, *number);
    return true;
  }
  bool operator()(const TextValue& value) const {
    if (node.kind != NodeKind::scalar || has_control(node.text)) return false;
    value.set(settings, node.text);
    return true;
  }
  bool operator()(const TextListValue& value) const {
    const std::vector<InputNode> alone{node};
    if (node.kind != NodeKind::scalar && node.kind != NodeKind::list) return false;
    std::vector<std::string> texts;
    for (const auto& item : node.kind == NodeKind::list ? node.items : alone) {
      if (item.kind != NodeKind::scalar || item.text.empty() || has_control(item.text)) {
        hint = "found " + shown(item) + " among them";
        return false;
      }
      texts.push_back(item.text);
    }
    value.set(settings, texts);
    return true;
  }
  bool operator()(const FlagValue& value) const {
    if (node.kind != NodeKind::scalar) return false;
    if (node.text != "true" && node.text != "false") return false;
    value.set(settings, node.text == "true");
    return true;
  }
  bool operator()(const ChoiceValue& value) const {
    if (node.kind != NodeKind::scalar) return false;
    const auto found = std::find(value.names.begin(), value.names.end(), node.text);
    if (found == value.names.end()) {
      const auto nearest = nearest_word(node.text, value.names);
      if (!nearest.empty()) hint = fmt::format("did you mean '{}'?", nearest);
      return false;
    }
    value.set(settings, static_cast<std::size_t>(found - value.names.begin()));
    return true;
  }
};

class InputReader {
 public:
  explicit InputReader(std::string file) : file_(std::move(file)) {}

  void read_text(std::string_view text) {
    const InputNode root = read_document(text, file_);
    read_section({}, root);
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
      if (key.required && !attempted_.contains(key.name)) {
        complain({file_, 0, 0}, fmt::format("key '{}' is missing", key.name),
                 fmt::format("give {}; 'nfold help {}' says more", accepted_text(key), key.name));
      }
    }
    // Rules that join several keys would blame the wrong one while single ones are wrong.
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
    const std::string nearest = problems_.size() < most_problems ? nearest_key(section, name) : "";
    if (nearest.empty()) {
      complain(at, problem, "'nfold help' lists the keys");
      return;
    }
    const bool at_home = section_of(nearest) == section;
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
      const std::string full = joined(section, name.text);
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
    } else if (node.kind != NodeKind::nothing) {  // nothing: all its keys are commented out
      complain(at, fmt::format("'{}' is {}", section.name, shown(node)),
               "it is a section: put its keys below it, indented");
    }
  }

  void read_key(const Key& key, const InputNode& node, const SourcePosition& at) {
    attempted_[key.name] = at;
    std::string hint;
    if (std::visit(Assign{settings_, node, hint}, key.value)) return;
    std::string remedy = "must be " + accepted_text(key);
    if (!hint.empty()) remedy += "; " + hint;
    complain(at, fmt::format("{} = {}", key.name, shown(node)), std::move(remedy));
  }

  std::string file_;
  Settings settings_;
  std::vector<InputProblem> problems_;
  GivenKeys attempted_;  // keys that the text or an override names, right or wrong
};

}  // namespace

Settings parse_input(std::string_view text, const std::string& file,
                     const std::vector<std::string>& overrides) {
  InputReader reader(file);
  reader.read_text(text);
  for (const auto& option : overrides) reader.read_override(option);
  return reader.finish();
}

}  // namespace nfold::config

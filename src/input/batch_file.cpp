// Reader of a list of targets, and of one target at a time.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/batch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/document/scalars.hpp"
#include "core/text.hpp"
#include "input/assign.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "input/nearest.hpp"

namespace nfold::input {

using namespace document;
using core::InputError;
using core::InputProblem;
using core::SourcePosition;

namespace fs = std::filesystem;

bool is_batch_output(std::string_view name) {
  if (name.ends_with(".tmp")) name.remove_suffix(4);
  const auto stem = name.substr(0, name.find('.'));
  const auto ending = name.substr(std::min(name.size(), name.rfind('.')));
  const auto is_of = [](std::string_view text, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), text) != all.end();
  };
  return is_of(stem, {"batch", "running", "results", "failed", "times"}) &&
         is_of(ending, {".csv", ".yaml", ".log", ".json", ".jsonl", ".status"});
}

namespace {

constexpr std::array<std::string_view, 2> protocol_names{"folding", "run"};
constexpr std::array<std::string_view, 3> execution_names{"auto", "cpu", "gpu"};
constexpr std::array<std::string_view, 7> structure_endings{
    ".pdb", ".ent", ".cif", ".pdb.gz", ".ent.gz", ".cif.gz", ".mmcif"};
constexpr std::array<std::string_view, 8> target_keys{"name",   "structure", "input_file", "model",
                                                      "chains", "protocol",  "execution",  "input"};
constexpr std::size_t longest_name = 100;

bool is_structure(const std::string& file) {
  return std::any_of(structure_endings.begin(), structure_endings.end(),
                     [&](std::string_view ending) { return file.ends_with(ending); });
}

/// Returns the name of a structure or input file without its extensions.
std::string name_from_path(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".pdb", ".ent", ".cif", ".mmcif", ".yaml", ".yml"}) {
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  }
  return name;
}

bool is_target_name(std::string_view name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._-+").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= longest_name && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), fits);
}

/// A map with known keys; each value is passed to the setter of its key.
class ListSection {
 public:
  using Taker = std::function<void(const InputNode&, const SourcePosition&)>;
  ListSection(std::string file, std::string where, std::vector<InputProblem>& problems)
      : file_(std::move(file)), where_(std::move(where)), problems_(problems) {}

  void on(std::string_view key, Taker taker) { takers_.emplace_back(key, std::move(taker)); }

  void read(const InputNode& node, const SourcePosition& at) {
    if (node.kind == NodeKind::nothing) return;
    if (node.kind != NodeKind::map) {
      complain(at, fmt::format("{} is no section", where_), "put its keys below it, indented");
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const InputNode& name = node.entry_names[i];
      const SourcePosition place{file_, name.line, name.column};
      const auto found = std::find_if(takers_.begin(), takers_.end(),
                                      [&](const auto& one) { return one.first == name.text; });
      if (found != takers_.end()) {
        found->second(node.items[i], place);
        continue;
      }
      std::vector<std::string_view> known;
      known.reserve(takers_.size());
      for (const auto& one : takers_) known.push_back(one.first);
      const auto nearest = input::nearest_word(name.text, known);
      complain(place, fmt::format("unknown key '{}' in {}", input::printable(name.text), where_),
               nearest.empty() ? fmt::format("it takes {}", fmt::join(known, ", "))
                               : fmt::format("did you mean '{}'?", nearest));
    }
  }

  void complain(const SourcePosition& at, std::string problem, std::string remedy) {
    problems_.push_back({at, std::move(problem), std::move(remedy)});
  }
  /// Returns a setter for a scalar; if `take` returns false, complains that the value must be
  /// `wanted`.
  Taker scalar(std::string key, std::string wanted, std::function<bool(const std::string&)> take) {
    return [this, key = std::move(key), wanted = std::move(wanted), take = std::move(take)](
               const InputNode& node, const SourcePosition& at) {
      if (node.kind == NodeKind::scalar && take(node.text)) return;
      complain(at, fmt::format("{} = {}", key, input::shown(node)), "must be " + wanted);
    };
  }

 private:
  std::string file_, where_;
  std::vector<InputProblem>& problems_;
  std::vector<std::pair<std::string_view, Taker>> takers_;
};

/// Returns a setter for an enumeration; `names` are in the order of its values.
template <class Word, std::size_t N>
std::function<bool(const std::string&)> to_enum(Word& word,
                                                const std::array<std::string_view, N>& names) {
  return [&word, &names](const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    word = static_cast<Word>(found - names.begin());
    return true;
  };
}
std::function<bool(const std::string&)> to_protocol(Protocol& protocol) {
  return to_enum(protocol, protocol_names);
}
std::function<bool(const std::string&)> to_execution(Execution& execution) {
  return to_enum(execution, execution_names);
}

std::function<bool(const std::string&)> to_text(std::string& to) {
  return [&to](const std::string& text) {
    to = text;
    return !text.empty();
  };
}

void throw_if_any(std::vector<InputProblem>& problems) {
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Returns the scalar value of a key; nullptr if there is none.
const InputNode* find_scalar(const InputNode& map, std::string_view key) {
  if (map.kind != NodeKind::map) return nullptr;
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    if (map.entry_names[i].text == key && map.items[i].kind == NodeKind::scalar) {
      return &map.items[i];
    }
  }
  return nullptr;
}

std::string entry_name(const InputNode& entry) {
  if (const auto* name = find_scalar(entry, "name")) return name->text;
  for (const char* key : {"structure", "input_file"}) {
    if (const auto* file = find_scalar(entry, key)) return name_from_path(file->text);
  }
  return {};
}

/// Reports why an entry has no name: it names no file, or a key is misspelt.
void complain_nameless(const InputNode& entry, const SourcePosition& at,
                       std::vector<InputProblem>& problems) {
  if (entry.kind != NodeKind::map) {
    const bool is_file = entry.kind == NodeKind::scalar;
    problems.push_back(
        {at, fmt::format("a target is {}", input::shown(entry)),
         fmt::format("write '- structure: {}'", is_file ? input::printable(entry.text) : "FILE")});
    return;
  }
  const auto before = problems.size();
  ListSection keys(at.file, "a target", problems);
  for (const auto key : target_keys) keys.on(key, [](const InputNode&, const SourcePosition&) {});
  keys.read(entry, at);
  if (problems.size() > before) return;
  problems.push_back({at, "a target without a name",
                      "give its structure or input_file, or a name of letters, digits and ._-+"});
}

std::vector<BatchTarget> read_targets(const InputNode& list, const SourcePosition& at,
                                      const std::string& file,
                                      std::vector<InputProblem>& problems) {
  std::vector<BatchTarget> targets;
  if (list.kind != NodeKind::list || list.items.empty()) {
    problems.push_back({at, "targets is no list", "write '- structure: FILE' below it, for each"});
    return targets;
  }
  std::map<std::string, int> line_of;
  targets.reserve(list.items.size());
  for (const auto& entry : list.items) {
    BatchTarget target{entry_name(entry), {file, entry.line, entry.column}, entry};
    if (target.name.empty()) {
      complain_nameless(entry, target.at, problems);
    } else if (!is_target_name(target.name)) {
      problems.push_back(
          {target.at, fmt::format("a target is named '{}'", input::printable(target.name)),
           fmt::format("give it a name of letters, digits and ._-+, at most {} of them, which its "
                       "folder will have",
                       longest_name)});
    } else if (is_batch_output(target.name)) {
      problems.push_back(
          {target.at,
           fmt::format("a target is named '{}', as a file that the batch writes", target.name),
           "give it another name, which its folder will have"});
    } else if (const auto [place, is_new] = line_of.try_emplace(target.name, entry.line); !is_new) {
      problems.push_back(
          {target.at,
           fmt::format("a second target '{}'; the first is in line {}", target.name, place->second),
           "give one of them another name"});
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace

BatchFile parse_batch(std::string_view text, const std::string& file) {
  BatchFile batch;
  batch.file = file;
  std::vector<InputProblem> problems;
  bool any_targets = false;
  ListSection settings(file, "'batch'", problems);
  settings.on("protocol",
              settings.scalar("batch.protocol", "folding or run", to_protocol(batch.protocol)));
  settings.on("budget_gpu_seconds",
              settings.scalar("batch.budget_gpu_seconds", "a number >= 0; 0: by size",
                              [&](const std::string& value) {
                                const auto number = to_real(value);
                                if (!number || *number < 0) return false;
                                batch.budget_gpu_seconds = *number;
                                return true;
                              }));
  settings.on("seed",
              settings.scalar("batch.seed", "a whole number", [&](const std::string& value) {
                const auto number = to_integer(value);
                if (number) batch.seed = *number;
                return number.has_value();
              }));
  settings.on("execution", settings.scalar("batch.execution", "auto, cpu or gpu",
                                           to_execution(batch.execution)));
  settings.on("idle_ranks_join", settings.scalar("batch.idle_ranks_join", "true or false",
                                                 [&](const std::string& value) {
                                                   batch.idle_ranks_join = value == "true";
                                                   return value == "true" || value == "false";
                                                 }));
  settings.on("ranks_per_node", [&](const InputNode& node, const SourcePosition& at) {
    const auto* const key = input::find_key("partition.ranks_per_node");
    input::Settings of_a_run;
    std::string hint;
    if (std::visit(input::Assign<input::Settings>{of_a_run, node, hint}, key->value)) {
      batch.ranks_per_node = of_a_run.partition.ranks_per_node;
    } else {
      settings.complain(at, fmt::format("batch.ranks_per_node = {}", input::shown(node)),
                        "must be " + input::accepted_text(*key));
    }
  });
  settings.on("machine", settings.scalar("batch.machine", "a file", to_text(batch.machine)));
  ListSection root(file, "the list of targets", problems);
  root.on("batch",
          [&](const InputNode& node, const SourcePosition& at) { settings.read(node, at); });
  root.on("input", [&](const InputNode& node, const SourcePosition&) { batch.input = node; });
  root.on("targets", [&](const InputNode& node, const SourcePosition& at) {
    any_targets = true;
    batch.targets = read_targets(node, at, file, problems);
  });
  root.read(read_document(text, file), {file, 0, 0});
  if (!any_targets && problems.empty()) {
    const SourcePosition whole{file, 0, 0};
    problems.push_back({whole, "key 'targets' is missing", "list them as '- structure: FILE'"});
  }
  throw_if_any(problems);
  return batch;
}

std::string batch_of_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_structure(name) || name.ends_with(".yaml")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  if (error || names.empty()) {
    SourcePosition at;
    at.file = folder.string();
    throw InputError(
        at, error ? error.message() : std::string("holds neither structure nor input file"),
        "give a folder with PDB, mmCIF or YAML files, or a list of targets");
  }
  std::string text = "targets:\n";
  for (const auto& name : names) {
    text += is_structure(name)
                ? fmt::format("- structure: {}\n", core::quote_yaml(name))
                : fmt::format("- input_file: {}\n  protocol: run\n", core::quote_yaml(name));
  }
  return text;
}

TargetInput read_target_input(const BatchFile& batch, const BatchTarget& target) {
  TargetInput input;
  input.protocol = batch.protocol;
  input.execution = batch.execution;
  input.path_base = batch.file;
  std::vector<InputProblem> problems;
  std::string name, structure, input_file, model;
  std::vector<std::string> chains;
  std::optional<InputNode> own;
  ListSection section(batch.file, fmt::format("target '{}'", target.name), problems);
  section.on("name", section.scalar("name", "a text", to_text(name)));
  section.on("structure", section.scalar("structure", "a file", to_text(structure)));
  section.on("input_file", section.scalar("input_file", "a file", to_text(input_file)));
  section.on("model", section.scalar("model", "a whole number", to_text(model)));
  section.on("protocol", section.scalar("protocol", "folding or run", to_protocol(input.protocol)));
  section.on("execution",
             section.scalar("execution", "auto, cpu or gpu", to_execution(input.execution)));
  section.on("input", [&](const InputNode& node, const SourcePosition&) { own = node; });
  section.on("chains", [&](const InputNode& node, const SourcePosition& at) {
    const bool is_list = node.kind == NodeKind::list;
    for (const auto& item : is_list ? node.items : std::vector<InputNode>{node}) {
      if (item.kind == NodeKind::scalar) {
        chains.push_back(core::quote_yaml(item.text));
      } else {
        section.complain(at, "chains is no list of texts", "write [A] or [\"A:10-50\"]");
      }
    }
  });
  section.read(target.entry, target.at);
  if (!structure.empty() && !input_file.empty()) {
    section.complain(target.at, "structure and input_file", "give one of them");
  }
  if (!input_file.empty() && (!chains.empty() || !model.empty())) {
    section.complain(target.at, "chains or model beside input_file", "put them into its `input`");
  }
  throw_if_any(problems);
  if (!input_file.empty()) {
    input.path_base = path_from_input(batch.file, input_file);
    const std::string path = input.path_base.string();
    input.sections.push_back(read_document(read_input_text(input.path_base), path));
    input.files.push_back(path);
  }
  if (!structure.empty())
    input.target_values.push_back("system.structure=" + core::quote_yaml(structure));
  if (!chains.empty()) {
    input.target_values.push_back(fmt::format("system.chains=[{}]", fmt::join(chains, ",")));
  }
  if (!model.empty()) input.target_values.push_back("system.model=" + model);
  input.target_values.push_back(
      fmt::format("dynamics.seed={}", target_seed(batch.seed, target.name)));
  const InputNode none;
  for (const InputNode* node : {&batch.input, own ? &*own : &none}) {
    if (node->kind == NodeKind::nothing) continue;
    input.sections.push_back(*node);
    input.files.push_back(batch.file);
  }
  return input;
}

input::Settings TargetInput::settings(const std::vector<std::string>& first,
                                      const std::vector<std::string>& last) const {
  std::vector<InputLayer> layers;
  std::vector<std::string> values = first;
  values.insert(values.end(), target_values.begin(), target_values.end());
  layers.push_back({path_base.string(), {}, values});
  for (std::size_t i = 0; i < sections.size(); ++i) layers.push_back({files[i], sections[i], {}});
  layers.push_back({path_base.string(), {}, last});
  return parse_layers(layers, path_base.string());
}

input::DeviceSettings parse_device_settings(const BatchFile& batch,
                                            const std::vector<std::string>& overrides) {
  document::InputNode devices;
  devices.kind = document::NodeKind::map;
  for (std::size_t k = 0; k < batch.input.entry_names.size(); ++k) {
    if (batch.input.entry_names[k].text != "devices") continue;
    devices.entry_names.push_back(batch.input.entry_names[k]);
    devices.items.push_back(batch.input.items[k]);
  }
  std::vector<std::string> values;
  std::copy_if(overrides.begin(), overrides.end(), std::back_inserter(values),
               [](const std::string& value) { return value.starts_with("devices."); });
  // Required keys of an input, on which the devices do not depend.
  const std::vector<std::string> any{"system.structure=any.pdb", "dynamics.steps=1"};
  return parse_layers({{batch.file, {}, any}, {batch.file, devices, values}}, batch.file).devices;
}

std::uint64_t target_seed(std::uint64_t batch_seed, std::string_view name) {
  // FNV-1a of the name, then splitmix64 with the seed, so that any two names are far apart.
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  hash += batch_seed * 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

}  // namespace nfold::input

// Reader of a list of targets, and of one target at a time.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/batch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "core/document/long_document.hpp"
#include "core/document/section_reader.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "input/input.hpp"
#include "input/key_makers.hpp"
#include "input/named_files.hpp"

namespace nfold::input {

using namespace document;
using namespace makers;

namespace fs = std::filesystem;

bool is_batch_output(std::string_view name) {
  if (name.ends_with(".tmp")) name.remove_suffix(4);
  const auto stem = name.substr(0, name.find('.'));
  const auto ending = name.substr(std::min(name.size(), name.rfind('.')));
  const auto is_of = [](std::string_view text, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), text) != all.end();
  };
  return is_of(stem, {"batch", "running", "results", "failed", "times", "binodal"}) &&
         is_of(ending, {".csv", ".h5", ".yaml", ".log", ".json", ".jsonl", ".status"});
}

namespace {

constexpr std::array<std::string_view, 4> protocol_names{"folding", "chain", "run", "phase"};
constexpr std::array<std::string_view, 3> execution_names{"auto", "cpu", "gpu"};
constexpr std::size_t longest_name = 100;

constexpr std::array<std::string_view, 3> list_sections{"batch", "input", "targets"};
constexpr TextRule not_empty{.may_be_empty = false};
using BatchKey = KeyOf<BatchFile>;
const std::array batch_keys{
    BatchKey{"protocol", choice<&BatchFile::protocol>(protocol_names)},
    BatchKey{"budget_gpu_seconds", real<&BatchFile::budget_gpu_seconds>(0)},
    BatchKey{"seed", integer<&BatchFile::seed>(0, any_seed)},
    BatchKey{"execution", choice<&BatchFile::execution>(execution_names)},
    BatchKey{"idle_ranks_join", flag<&BatchFile::idle_ranks_join>()},
    BatchKey{"ranks_per_node", integer<&BatchFile::ranks_per_node>(0, 1'000'000)},
    BatchKey{"machine", field<&BatchFile::machine>(not_empty)},
};

/// Keys of one target but for `input`.
struct TargetEntry {
  std::string name, structure, sequence, input_file;
  std::vector<std::string> chains;
  int model = 0;  // 0: not given
  Protocol protocol = Protocol::folding;
  Execution execution = Execution::automatic;
};
constexpr std::array<std::string_view, 1> target_sections{"input"};
using TargetKey = KeyOf<TargetEntry>;
const std::array target_keys{
    TargetKey{"name", text<&TargetEntry::name>()},
    TargetKey{"structure", field<&TargetEntry::structure>(not_empty)},
    TargetKey{"sequence", text_without_blanks<&TargetEntry::sequence>()},
    TargetKey{"input_file", field<&TargetEntry::input_file>(not_empty)},
    TargetKey{"model", integer<&TargetEntry::model>(1, 1'000'000)},
    TargetKey{"chains", text_list<&TargetEntry::chains>()},
    TargetKey{"protocol", choice<&TargetEntry::protocol>(protocol_names)},
    TargetKey{"execution", choice<&TargetEntry::execution>(execution_names)},
};

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
  return !name.empty() && name.size() <= longest_name && name[0] != '.' && name[0] != '-' &&
         std::ranges::all_of(name, is_name_character);
}

std::string entry_name(const InputNode& entry) {
  const auto scalar = [&entry](std::string_view key) {
    const auto* const node = find_entry(entry, key);
    return node != nullptr && node->kind == NodeKind::scalar ? node : nullptr;
  };
  if (const auto* name = scalar("name")) return name->text;
  for (const char* key : {"structure", "input_file"}) {
    if (const auto* file = scalar(key)) return name_from_path(file->text);
  }
  return {};
}

/// Returns the protocol of an entry. A sequence has no native state and cannot fold.
Protocol entry_protocol(const InputNode& entry, Protocol of_list) {
  if (const auto* const own = find_entry(entry, "protocol")) {
    const auto known = std::ranges::find(protocol_names, own->text);
    if (known != protocol_names.end()) {
      return static_cast<Protocol>(known - protocol_names.begin());
    }
  }
  const bool has_sequence = find_entry(entry, "sequence") != nullptr;
  return has_sequence && of_list == Protocol::folding ? Protocol::chain : of_list;
}

/// Reports why an entry has no name: it names no file, or a key is misspelt.
void complain_nameless(const InputNode& entry, const std::string& path, SectionReader& reader) {
  if (entry.kind != NodeKind::map) {
    const bool is_file = entry.kind == NodeKind::scalar;
    reader.complain(
        entry, fmt::format("a target is {}", shown(entry)),
        fmt::format("write '- structure: {}'", is_file ? printable(entry.text) : "FILE"));
    return;
  }
  TargetEntry ignored;
  if (!reader.read_section(target_keys, entry, path, ignored, target_sections)) return;
  reader.complain(entry, "a target without a name",
                  "give its structure or input_file, or a name of letters, digits and ._-+");
}

std::vector<BatchTarget> read_targets(const InputNode& list, SectionReader& reader) {
  std::vector<BatchTarget> targets;
  if (list.kind != NodeKind::list || list.items.empty()) {
    reader.complain(list, "targets is no list", "write '- structure: FILE' below it, for each");
    return targets;
  }
  std::map<std::string, int> line_of;
  targets.reserve(list.items.size());
  for (const auto& entry : list.items) {
    BatchTarget target{entry_name(entry), reader.position(entry), entry};
    if (target.name.empty()) {
      complain_nameless(entry, fmt::format("targets[{}]", targets.size()), reader);
    } else if (!is_target_name(target.name)) {
      reader.complain(
          entry, fmt::format("a target is named '{}'", printable(target.name)),
          fmt::format("give it a name of letters, digits and ._-+, at most {} of them, which its "
                      "folder will have",
                      longest_name));
    } else if (is_batch_output(target.name)) {
      reader.complain(
          entry,
          fmt::format("a target is named '{}', as a file that the batch writes", target.name),
          "give it another name, which its folder will have");
    } else if (const auto [place, is_new] = line_of.try_emplace(target.name, entry.line); !is_new) {
      reader.complain(
          entry,
          fmt::format("a second target '{}'; the first is in line {}", target.name, place->second),
          "give one of them another name");
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace

BatchFile parse_batch(std::string_view text, const std::string& file) {
  BatchFile batch;
  batch.file = file;
  SectionReader reader(file);
  const InputNode root = read_long_document(text, file);
  reader.read_section(std::span<const KeyOf<BatchFile>>(), root, "", batch, list_sections);
  if (const auto* settings = reader.find_section(root, "batch", "")) {
    reader.read_section(batch_keys, *settings, "batch", batch);
  }
  if (const auto* input = find_entry(root, "input")) batch.input = *input;
  if (const auto* targets = find_entry(root, "targets")) {
    batch.targets = read_targets(*targets, reader);
  } else {
    reader.throw_if_any();  // a misspelt key, perhaps
    core::refuse(file, "key 'targets' is missing", "list them as '- structure: FILE'");
  }
  reader.throw_if_any();
  const auto first = entry_protocol(batch.targets.front().entry, batch.protocol);
  const bool is_only = std::ranges::all_of(batch.targets, [&](const BatchTarget& target) {
    return entry_protocol(target.entry, batch.protocol) == first;
  });
  if (is_only) batch.only_protocol = first;
  return batch;
}

std::string batch_of_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_structure_name(name) || name.ends_with(".yaml")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  if (error || names.empty()) {
    core::refuse(folder.string(),
                 error ? error.message() : std::string("holds neither structure nor input file"),
                 "give a folder with PDB, mmCIF or YAML files, or a list of targets");
  }
  std::string text = "targets:\n";
  for (const auto& name : names) {
    text += is_structure_name(name)
                ? fmt::format("- structure: {}\n", core::quote_yaml(name))
                : fmt::format("- input_file: {}\n  protocol: run\n", core::quote_yaml(name));
  }
  return text;
}

TargetInput read_target_input(const BatchFile& batch, const BatchTarget& target) {
  SectionReader reader(batch.file);
  TargetEntry own;
  own.protocol = entry_protocol(target.entry, batch.protocol);
  own.execution = batch.execution;
  const auto path = "targets." + target.name;
  reader.read_section(target_keys, target.entry, path, own, target_sections);
  if (int{!own.structure.empty()} + int{!own.sequence.empty()} + int{!own.input_file.empty()} > 1) {
    reader.complain(target.at, "more than one of structure, sequence and input_file",
                    "give one of them");
  }
  if (!own.input_file.empty() && (!own.chains.empty() || own.model > 0)) {
    reader.complain(target.at, "chains or model beside input_file", "put them into its `input`");
  }
  reader.throw_if_any();
  TargetInput input;
  input.protocol = own.protocol;
  input.execution = own.execution;
  input.path_base = batch.file;
  if (!own.input_file.empty()) {
    input.path_base = path_from_input(batch.file, own.input_file);
    const std::string file = input.path_base.string();
    input.sections.push_back(read_document(read_input_text(input.path_base), file));
    input.files.push_back(file);
  }
  if (!own.structure.empty()) {
    input.target_values.push_back("system.structure=" + core::quote_yaml(own.structure));
  }
  if (!own.sequence.empty()) {
    input.target_values.push_back(
        fmt::format("system.species=[{{name: {}, sequence: {}, copies: 1}}]",
                    core::quote_yaml(target.name), core::quote_yaml(own.sequence)));
  }
  if (!own.chains.empty()) {
    const Rule list = TextListRule{};
    input.target_values.push_back("system.chains=" + format_value(list, own.chains));
  }
  if (own.model > 0) input.target_values.push_back(fmt::format("system.model={}", own.model));
  input.target_values.push_back(
      fmt::format("dynamics.seed={}", target_seed(batch.seed, target.name)));
  const auto* const own_keys = find_entry(target.entry, "input");
  for (const InputNode* node : {&batch.input, own_keys}) {
    if (node == nullptr || node->kind == NodeKind::nothing) continue;
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
  InputNode devices;
  devices.kind = NodeKind::map;
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

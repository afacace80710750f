// Parsing, scaling and writing of machine entries.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/document/section_reader.hpp"
#include "core/text.hpp"

namespace nfold::estimate {
namespace {

using namespace document::makers;
using document::InputNode;
using document::KeyOf;
using document::NodeKind;
using document::required;

// Spread of ln(real / estimated) of replica steps around a measured curve, which ignores a
// protein's shape and repulsion. From 30 runs of targets on a core.
constexpr double spread_of_replicas = 0.06;
constexpr double spread_of_scaling = 0.3;  // added by data sheets

constexpr std::uint64_t most_of_a_node = 1'000'000, most_machine_nodes = 1'000'000'000;

const std::array machine_keys{
    required("description", text<&Machine::description>()),
    KeyOf<Machine>{"speeds_are", text<&Machine::speed_source>()},
    KeyOf<Machine>{"measured_ranks", integer<&Machine::measured_ranks>(1, most_of_a_node)},
    KeyOf<Machine>{"terms_per_residue",
                   real_above<&Machine::speeds, &MachineTable::terms_per_residue>(0)},
};
const std::array node_keys{
    required("gpus", integer<&Machine::gpus_per_node>(0, most_of_a_node)),
    required("cores", integer<&Machine::cores_per_node>(1, most_of_a_node)),
    required("memory_gb", real_above<&Machine::host_memory_gb>(0)),
};
const std::array limit_keys{
    KeyOf<Machine>{"nodes", integer<&Machine::most_nodes>(1, most_machine_nodes)},
    KeyOf<Machine>{"hours", real_above<&Machine::most_hours>(0)},
};
struct NetworkEntry {
  double gb_per_s = 0, latency_us = 0;
};
const std::array network_keys{
    required("gb_per_s", real_above<&NetworkEntry::gb_per_s>(0)),
    required("latency_us", real<&NetworkEntry::latency_us>(0)),
};
const std::array price_keys{
    required("gpu_hour", real<&Machine::gpu_hour>(0)),
    required("core_hour", real<&Machine::core_hour>(0)),
    required("currency", text<&Machine::currency>()),
};
const std::array transfer_keys{
    KeyOf<TransferLink>{"gb_per_s", real_above<&TransferLink::gb_per_s>(0)},
    KeyOf<TransferLink>{"price_per_gb", real<&TransferLink::price_per_gb>(0)},
    KeyOf<TransferLink>{"wait_minutes", real<&TransferLink::wait_minutes>(0)},
    KeyOf<TransferLink>{"host", text<&TransferLink::host>()},
    KeyOf<TransferLink>{"folder", text<&TransferLink::folder>()},
};
const std::array gpu_keys{
    required("name", text<&DataSheet::name>()),
    required("memory_gb", real_above<&DataSheet::memory_gb>(0)),
    required("memory_gb_per_s", real_above<&DataSheet::memory_gb_per_s>(0)),
    required("multiprocessors", real_above<&DataSheet::units>(0)),
    required("clock_mhz", real_above<&DataSheet::clock_mhz>(0)),
    KeyOf<DataSheet>{"watts", real<&DataSheet::watts>(0)},
};
const std::array core_keys{
    required("name", text<&DataSheet::name>()),
    required("memory_gb_per_s", real_above<&DataSheet::memory_gb_per_s>(0)),
    required("floats_in_vector", real_above<&DataSheet::units>(0)),
    required("clock_mhz", real_above<&DataSheet::clock_mhz>(0)),
    KeyOf<DataSheet>{"watts", real<&DataSheet::watts>(0)},
};
const std::array step_keys{
    required("launch_us", real<&StepCoefficients::launch_us>(0)),
    required("residue_ns", real<&StepCoefficients::residue_ns>(0)),
    KeyOf<StepCoefficients>{"far_residue_ns", real<&StepCoefficients::far_residue_ns>(0)},
    required("term_ns", real<&StepCoefficients::term_ns>(0)),
    required("charge_pair_ns", real<&StepCoefficients::charge_pair_ns>(0)),
    required("neighbour_ns", real<&StepCoefficients::neighbour_ns>(0)),
    required("full_precision_factor", real_above<&StepCoefficients::full_precision_factor>(0)),
    KeyOf<StepCoefficients>{"crowding", real_above<&StepCoefficients::crowding>(0)},
    required("ghost_ns", real<&StepCoefficients::ghost_ns>(0)),
    required("exchange_us", real<&StepCoefficients::exchange_us>(0)),
    required("message_us", real<&StepCoefficients::message_us>(0)),
    required("spread", real_above<&StepCoefficients::spread>(0)),
};

using PairTimes = decltype(StepCoefficients::pair_ns);
template <std::size_t form>
KeyOf<PairTimes> pair_key() {
  return required<PairTimes>(
      pair_form_name(form),
      {document::RealRule{0, no_limit},
       [](const PairTimes& pair_ns) { return document::Value(pair_ns[form]); },
       [](PairTimes& pair_ns, const document::Value& value) {
         pair_ns[form] = std::get<double>(value);
       }});
}
template <std::size_t... form>
auto make_pair_keys(std::index_sequence<form...> /*forms*/) {
  return std::array{pair_key<form>()...};
}
const auto pair_keys = make_pair_keys(std::make_index_sequence<pair_form_count>());

class MachineReader {
 public:
  explicit MachineReader(const std::string& file)
      : reader_(file, "input/machines/h200.yaml has all keys") {}

  Machine read(const InputNode& root, const std::string& name) {
    Machine machine;
    machine.name = name;
    machine.based_on = name;
    machine.speed_source = "of its entry";
    const auto other = scaled_from(root);
    if (other) {
      machine.speeds = other->speeds;
      machine.gpu_step = other->gpu_step;
      machine.core_step = other->core_step;
      machine.job = other->job;
    } else if (name != default_machine) {
      // Part costs that the entry lacks are those of the default machine.
      const auto standing_in = builtin_machine(default_machine);
      machine.speeds.gpu.part = standing_in.speeds.gpu.part;
      machine.speeds.cpu_core.part = standing_in.speeds.cpu_core.part;
    }
    constexpr std::array<std::string_view, 9> sections{
        "scaled_from", "node", "limits", "network", "price", "transfer", "job", "gpu", "cpu_core"};
    reader_.read_section(machine_keys, root, "", machine, sections);
    for (const auto& key : machine_keys) {
      const bool is_speed = key.name == "speeds_are" || key.name == "terms_per_residue";
      if (!other && is_speed && find_entry(root, key.name) == nullptr) {
        reader_.complain_missing(root, key.name, "", accepted_text(key));
      }
    }
    read_surroundings(root, machine);
    if (machine.gpus_per_node > 0) {
      read_device(root, machine, other, true);
    } else if (!other && name != default_machine) {
      // These speeds are not used, but a batch's table has an entry for GPUs in any case.
      const auto standing_in = builtin_machine(default_machine);
      machine.speeds.gpu = standing_in.speeds.gpu;
      machine.gpu_step = standing_in.gpu_step;
    }
    read_device(root, machine, other, false);
    if (other) describe_scaling(root, machine, other->name);
    reader_.throw_if_any();
    return machine;
  }

 private:
  std::optional<Machine> scaled_from(const InputNode& root) {
    const auto* const node = find_entry(root, "scaled_from");
    if (node == nullptr) return std::nullopt;
    const auto& names = builtin_machine_names();
    const std::vector<std::string_view> known(names.begin(), names.end());
    const document::Rule rule = document::ChoiceRule{known};
    const auto choice = reader_.read_value(rule, document::describe_accepted(rule), "scaled_from",
                                           *node, reader_.position(*node));
    if (!choice) return std::nullopt;
    return builtin_machine(names[std::get<std::uint64_t>(*choice)]);
  }

  /// Reads nodes, network, prices and the link to the machine.
  void read_surroundings(const InputNode& root, Machine& machine) {
    if (const auto* node = reader_.require(root, "node", "", NodeKind::map)) {
      reader_.read_section(node_keys, *node, "node", machine);
    }
    if (const auto* limits = reader_.find_section(root, "limits", "")) {
      reader_.read_section(limit_keys, *limits, "limits", machine);
    }
    if (const auto* price = reader_.find_section(root, "price", "")) {
      reader_.read_section(price_keys, *price, "price", machine);
    }
    if (const auto* job = reader_.find_section(root, "job", "")) {
      reader_.read_section(job_keys(), *job, "job", machine.job);
    }
    if (const auto* transfer = reader_.find_section(root, "transfer", "")) {
      reader_.read_section(transfer_keys, *transfer, "transfer", machine.transfer);
    }
    if (const auto* network = reader_.find_section(root, "network", "")) {
      NetworkEntry entry;
      reader_.read_section(network_keys, *network, "network", entry);
      machine.network = {1e9 * entry.gb_per_s, entry.latency_us};
    }
  }

  /// Describes the source of the speeds of a scaled entry, whose own sections are measured.
  static void describe_scaling(const InputNode& root, Machine& machine, const std::string& other) {
    const auto* const computes = find_entry(root, machine.gpus_per_node > 0 ? "gpu" : "cpu_core");
    const auto is_scaled = [&](const char* key) {
      return computes == nullptr || find_entry(*computes, key) == nullptr;
    };
    machine.steps_are_scaled = is_scaled("step");
    machine.replicas_are_scaled = is_scaled("speeds");
    if (!machine.steps_are_scaled && !machine.replicas_are_scaled) return;
    const auto scaled = fmt::format("scaled from {} by data sheets, not measured", other);
    if (machine.steps_are_scaled && machine.replicas_are_scaled) {
      machine.speed_source = scaled;
    } else {
      machine.speed_source += fmt::format(
          "; of {} {}", machine.steps_are_scaled ? "one system" : "replicas and batches", scaled);
    }
  }

  /// Reads the section of the GPU or of the core. A scaled entry takes the speeds of `other` by the
  /// ratio of both data sheets, unless it has measured ones.
  void read_device(const InputNode& root, Machine& machine, const std::optional<Machine>& other,
                   bool is_gpu) {
    const std::string path = is_gpu ? "gpu" : "cpu_core";
    const auto* const section = reader_.require(root, path, "", NodeKind::map);
    if (section == nullptr) return;
    auto& sheet = is_gpu ? machine.gpu.emplace() : machine.core;
    auto& step = machine.step(is_gpu);
    auto& speeds = is_gpu ? machine.speeds.gpu : machine.speeds.cpu_core;
    constexpr std::array<std::string_view, 2> measured{"step", "speeds"};
    using Keys = std::span<const KeyOf<DataSheet>>;
    reader_.read_section(is_gpu ? Keys(gpu_keys) : Keys(core_keys), *section, path, sheet,
                         measured);
    if (other && (!is_gpu || other->gpu)) {
      const auto ratio = compare_sheets(sheet, is_gpu ? *other->gpu : other->core);
      step = scaled(step, ratio);
      scale(speeds, ratio.computing);
    }
    const auto find = [&](std::string_view key) {
      return other ? reader_.find_section(*section, key, path)
                   : reader_.require(*section, key, path, NodeKind::map);
    };
    if (const auto* node = find("step")) read_step(*node, path + ".step", step);
    if (const auto* node = find("speeds")) {
      read_speeds(reader_, *node, path + ".speeds", speeds);
    }
    speeds.name = sheet.name;
  }

  void read_step(const InputNode& section, const std::string& path, StepCoefficients& step) {
    constexpr std::array<std::string_view, 1> others{"pair_ns"};
    step.crowding = 1;
    reader_.read_section(step_keys, section, path, step, others);
    step.crowding = std::max(1.0, step.crowding);
    if (const auto* pairs = reader_.require(section, "pair_ns", path, NodeKind::map)) {
      reader_.read_section(pair_keys, *pairs, path + ".pair_ns", step.pair_ns);
    }
  }

  document::SectionReader reader_;
};

std::string format_text(const TransferLink& link) {
  auto text =
      fmt::format("transfer: {{gb_per_s: {:.4g}, price_per_gb: {:.4g}, wait_minutes: {:.4g}",
                  link.gb_per_s, link.price_per_gb, link.wait_minutes);
  if (!link.host.empty()) text += ", host: " + core::quote_yaml(link.host);
  if (!link.folder.empty()) text += ", folder: " + core::quote_yaml(link.folder);
  return text + "}\n";
}

std::string format_text(const StepCoefficients& step) {
  std::string text = "  step:\n";
  for (const auto& key : step_keys) {
    const auto value = std::get<double>(key.field.get(step));
    if (key.name == "far_residue_ns" && value == 0) continue;
    text += fmt::format("    {}: {:.4g}\n", key.name, value);
    if (key.name != "term_ns") continue;
    std::vector<std::string> pairs;
    pairs.reserve(pair_form_count);
    for (std::size_t form = 0; form < pair_form_count; ++form) {
      pairs.push_back(fmt::format("{}: {:.4g}", pair_form_name(form), step.pair_ns.at(form)));
    }
    text += fmt::format("    pair_ns: {{{}}}\n", fmt::join(pairs, ", "));
  }
  return text;
}

/// Returns the line of the watts in a data sheet; empty if they are unknown.
std::string watts_line(const DataSheet& sheet) {
  return sheet.watts > 0 ? fmt::format("  watts: {:.4g}\n", sheet.watts) : std::string();
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& name, const std::string& file) {
  return MachineReader(file).read(document::read_document(text, file), name);
}

Machine builtin_machine(std::string_view name) {
  const auto text = builtin_machine_text(name);
  if (text.empty()) throw std::out_of_range("no machine called " + std::string(name));
  return parse_machine(text, std::string(name), fmt::format("input/machines/{}.yaml", name));
}

double Machine::spread(bool on_gpu, bool of_replicas) const {
  const double by_scaling =
      (of_replicas ? replicas_are_scaled : steps_are_scaled) ? spread_of_scaling : 0;
  return std::hypot(step(on_gpu).spread, by_scaling, of_replicas ? spread_of_replicas : 0);
}

double Machine::mean_gpu_speed(int count) const {
  const auto used = std::min(static_cast<std::size_t>(count), unequal_gpus.size());
  if (used == 0) return 1;
  double sum = 0;
  for (const auto& one : std::span(unequal_gpus).first(used)) sum += one.speed;
  return sum / static_cast<double>(used);
}

double Machine::gpu_memory_gb(int count) const {
  double least = gpu ? gpu->memory_gb : 0;
  const auto used = std::min(static_cast<std::size_t>(count), unequal_gpus.size());
  for (const auto& one : std::span(unequal_gpus).first(used))
    least = std::min(least, one.memory_gb);
  return least;
}

double Machine::node_hour() const {
  return std::max(gpus_per_node * gpu_hour, cores_per_node * core_hour);
}

SheetRatio compare_sheets(const DataSheet& one, const DataSheet& other) {
  return {one.units * one.clock_mhz / (other.units * other.clock_mhz),
          one.memory_gb_per_s / other.memory_gb_per_s};
}

StepCoefficients scaled(StepCoefficients coefficients, const SheetRatio& ratio) {
  coefficients.term_ns /= ratio.computing;
  for (auto& pair : coefficients.pair_ns) pair /= ratio.computing;
  coefficients.charge_pair_ns /= ratio.computing;
  coefficients.residue_ns /= ratio.memory;
  coefficients.far_residue_ns /= ratio.memory;
  coefficients.ghost_ns /= ratio.memory;
  return coefficients;
}

std::string format_text(const Machine& machine) {
  std::string text = fmt::format("description: {}\nspeeds_are: {}\nmeasured_ranks: {}\n",
                                 core::quote_yaml(machine.description),
                                 core::quote_yaml(machine.speed_source), machine.measured_ranks);
  text += fmt::format("node: {{gpus: {}, cores: {}, memory_gb: {:.4g}}}\n", machine.gpus_per_node,
                      machine.cores_per_node, machine.host_memory_gb);
  text +=
      fmt::format("limits: {{nodes: {}, hours: {:.4g}}}\n", machine.most_nodes, machine.most_hours);
  text += fmt::format("network: {{gb_per_s: {:.4g}, latency_us: {:.4g}}}\n",
                      1e-9 * machine.network.bytes_per_second, machine.network.latency_us);
  text += fmt::format("price: {{gpu_hour: {:.4g}, core_hour: {:.4g}, currency: {}}}\n",
                      machine.gpu_hour, machine.core_hour, core::quote_yaml(machine.currency));
  text += format_text(machine.transfer);
  text += fmt::format("terms_per_residue: {:.4g}\n", machine.speeds.terms_per_residue);
  text += format_text(machine.job);
  if (machine.has_gpus()) {
    const auto& gpu = *machine.gpu;
    text += fmt::format(
        "gpu:\n  name: {}\n  memory_gb: {:.4g}\n  memory_gb_per_s: {:.5g}\n"
        "  multiprocessors: {:.4g}\n  clock_mhz: {:.5g}\n",
        core::quote_yaml(gpu.name), gpu.memory_gb, gpu.memory_gb_per_s, gpu.units, gpu.clock_mhz);
    text += watts_line(gpu) + format_text(machine.gpu_step) + format_text(machine.speeds.gpu);
  }
  text += fmt::format(
      "cpu_core:\n  name: {}\n  memory_gb_per_s: {:.4g}\n  floats_in_vector: {:.4g}\n"
      "  clock_mhz: {:.5g}\n",
      core::quote_yaml(machine.core.name), machine.core.memory_gb_per_s, machine.core.units,
      machine.core.clock_mhz);
  return text + watts_line(machine.core) + format_text(machine.core_step) +
         format_text(machine.speeds.cpu_core);
}

}  // namespace nfold::estimate

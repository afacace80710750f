// Parsing, scaling and writing of machine entries.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/text.hpp"
#include "estimate/section_reader.hpp"

namespace nfold::estimate {
namespace {

using Node = document::InputNode;
using document::NodeKind;

constexpr const char* example = "input/machines/h200.yaml";
// Spread of ln(real / estimated) of replica steps around a measured curve, which ignores a
// protein's shape and repulsion. From 30 runs of targets on a core.
constexpr double spread_of_replicas = 0.06;
constexpr double spread_of_scaling = 0.3;  // added by data sheets

class MachineReader {
 public:
  explicit MachineReader(const std::string& file) : reader_(file, example) {}

  Machine read(const Node& root, const std::string& name) {
    Machine machine;
    machine.name = name;
    machine.based_on = name;
    reader_.check_keys(root, "the machine",
                       {"description", "speeds_are", "measured_ranks", "scaled_from", "node",
                        "limits", "network", "price", "terms_per_residue", "gpu", "cpu_core"});
    machine.description = reader_.text(root, "description", "the machine");
    if (SectionReader::find(root, "measured_ranks") != nullptr) {
      machine.measured_ranks = static_cast<int>(
          std::lround(std::max(1.0, reader_.number(root, "measured_ranks", "the machine"))));
    }
    node(root, machine);
    limits(root, machine);
    network(root, machine);
    price(root, machine);
    const auto other = scaled_from(root);
    if (other) {
      machine.speeds = other->speeds;
      machine.gpu_step = other->gpu_step;
      machine.core_step = other->core_step;
    } else if (name != default_machine) {
      // Part costs that the entry lacks are those of the default machine.
      const auto standing_in = builtin_machine(default_machine);
      machine.speeds.gpu.part = standing_in.speeds.gpu.part;
      machine.speeds.cpu_core.part = standing_in.speeds.cpu_core.part;
    }
    if (!other || SectionReader::find(root, "terms_per_residue") != nullptr) {
      machine.speeds.terms_per_residue = reader_.number(root, "terms_per_residue", "the machine");
    }
    if (machine.gpus_per_node > 0) {
      gpu(root, machine, other);
    } else if (!other) {
      // These speeds are not used, but a batch's table has an entry for GPUs in any case.
      const auto fallback =
          name == default_machine ? std::optional<Machine>() : builtin_machine(default_machine);
      if (fallback)
        machine.speeds.gpu = fallback->speeds.gpu, machine.gpu_step = fallback->gpu_step;
    }
    core(root, machine, other);
    sources(root, machine, other);
    reader_.require_no_problem();
    return machine;
  }

 private:
  const Node* required_section(const Node& root, const char* key) {
    return reader_.required(root, key, "the machine", NodeKind::map, "a section");
  }

  void node(const Node& root, Machine& machine) {
    const auto* const section = required_section(root, "node");
    if (section == nullptr) return;
    reader_.check_keys(*section, "node", {"gpus", "cores", "memory_gb"});
    machine.gpus_per_node = static_cast<int>(std::lround(reader_.amount(*section, "gpus", "node")));
    machine.cores_per_node =
        static_cast<int>(std::lround(std::max(1.0, reader_.number(*section, "cores", "node"))));
    machine.host_memory_gb = reader_.number(*section, "memory_gb", "node");
  }
  void limits(const Node& root, Machine& machine) {
    const auto* const section = reader_.section(root, "limits", "the machine");
    if (section == nullptr) return;
    reader_.check_keys(*section, "limits", {"nodes", "hours"});
    machine.most_nodes =
        static_cast<int>(std::lround(std::max(1.0, reader_.number(*section, "nodes", "limits"))));
    machine.most_hours = reader_.number(*section, "hours", "limits");
  }
  void network(const Node& root, Machine& machine) {
    const auto* const section = reader_.section(root, "network", "the machine");
    if (section == nullptr) return;
    reader_.check_keys(*section, "network", {"gb_per_s", "latency_us"});
    machine.network.bytes_per_second = 1e9 * reader_.number(*section, "gb_per_s", "network");
    machine.network.latency_us = reader_.amount(*section, "latency_us", "network");
  }
  void price(const Node& root, Machine& machine) {
    const auto* const section = reader_.section(root, "price", "the machine");
    if (section == nullptr) return;
    reader_.check_keys(*section, "price", {"gpu_hour", "core_hour", "currency"});
    machine.gpu_hour = reader_.amount(*section, "gpu_hour", "price");
    machine.core_hour = reader_.amount(*section, "core_hour", "price");
    machine.currency = reader_.text(*section, "currency", "price");
  }
  std::optional<Machine> scaled_from(const Node& root) {
    const auto* const node = SectionReader::find(root, "scaled_from");
    if (node == nullptr) return std::nullopt;
    if (node->kind == NodeKind::scalar && !builtin_machine_text(node->text).empty()) {
      return builtin_machine(node->text);
    }
    reader_.add_problem(*node, fmt::format("scaled_from = {}", node->text),
                        fmt::format("must be one of {}", fmt::join(builtin_machine_names(), ", ")));
    return std::nullopt;
  }

  /// Records the source of the speeds. In a scaled entry, sections of its own are measured.
  void sources(const Node& root, Machine& machine, const std::optional<Machine>& other) {
    const auto* const computes =
        SectionReader::find(root, machine.gpus_per_node > 0 ? "gpu" : "cpu_core");
    const auto is_scaled = [&](const char* key) {
      return other && (computes == nullptr || SectionReader::find(*computes, key) == nullptr);
    };
    machine.steps_are_scaled = is_scaled("step");
    machine.replicas_are_scaled = is_scaled("speeds");
    if (!other || SectionReader::find(root, "speeds_are") != nullptr) {
      machine.speed_source = reader_.text(root, "speeds_are", "the machine");
    } else {
      machine.speed_source = "of its entry";
    }
    if (!other || (!machine.steps_are_scaled && !machine.replicas_are_scaled)) return;
    const auto scaled = fmt::format("scaled from {} by data sheets, not measured", other->name);
    if (machine.steps_are_scaled && machine.replicas_are_scaled) {
      machine.speed_source = scaled;
    } else {
      machine.speed_source += fmt::format(
          "; of {} {}", machine.steps_are_scaled ? "one system" : "replicas and batches", scaled);
    }
  }

  DataSheet sheet(const Node& section, const char* where, const char* units) {
    DataSheet sheet;
    sheet.name = reader_.text(section, "name", where);
    sheet.memory_gb = reader_.optional_number(section, "memory_gb").value_or(0);
    sheet.memory_gb_per_s = reader_.number(section, "memory_gb_per_s", where);
    sheet.units = reader_.number(section, units, where);
    sheet.clock_mhz = reader_.number(section, "clock_mhz", where);
    return sheet;
  }

  void gpu(const Node& root, Machine& machine, const std::optional<Machine>& other) {
    const auto* const section = required_section(root, "gpu");
    if (section == nullptr) return;
    reader_.check_keys(
        *section, "gpu",
        {"name", "memory_gb", "memory_gb_per_s", "multiprocessors", "clock_mhz", "step", "speeds"});
    (void)reader_.number(*section, "memory_gb", "gpu");
    machine.gpu = sheet(*section, "gpu", "multiprocessors");
    if (other && other->gpu) {
      const auto ratio = compare_sheets(*machine.gpu, *other->gpu);
      machine.gpu_step = scaled(machine.gpu_step, ratio);
      scale(machine.speeds.gpu, ratio.computing);
    }
    if (!other || SectionReader::find(*section, "step") != nullptr) {
      step(*section, "gpu", machine.gpu_step);
    }
    if (!other || SectionReader::find(*section, "speeds") != nullptr) {
      speeds(*section, "gpu", true, machine.speeds.gpu);
    }
    machine.speeds.gpu.name = machine.gpu->name;
  }

  void core(const Node& root, Machine& machine, const std::optional<Machine>& other) {
    const auto* const section = required_section(root, "cpu_core");
    if (section == nullptr) return;
    reader_.check_keys(
        *section, "cpu_core",
        {"name", "memory_gb_per_s", "floats_in_vector", "clock_mhz", "step", "speeds"});
    machine.core = sheet(*section, "cpu_core", "floats_in_vector");
    if (other) {
      const auto ratio = compare_sheets(machine.core, other->core);
      machine.core_step = scaled(machine.core_step, ratio);
      scale(machine.speeds.cpu_core, ratio.computing);
    }
    if (!other || SectionReader::find(*section, "step") != nullptr) {
      step(*section, "cpu_core", machine.core_step);
    }
    if (!other || SectionReader::find(*section, "speeds") != nullptr) {
      speeds(*section, "cpu_core", false, machine.speeds.cpu_core);
    }
    machine.speeds.cpu_core.name = machine.core.name;
  }

  void speeds(const Node& section, const std::string& where, bool is_gpu, BackendSpeeds& speeds) {
    const auto* const node = reader_.required(section, "speeds", where, NodeKind::map, "a section");
    if (node != nullptr) read_speeds(reader_, *node, where + ".speeds", is_gpu, speeds);
  }

  void step(const Node& section, const std::string& where_section, StepCoefficients& step) {
    const auto* const node =
        reader_.required(section, "step", where_section, NodeKind::map, "a section");
    if (node == nullptr) return;
    const auto where = where_section + ".step";
    reader_.check_keys(*node, where,
                       {"launch_us", "residue_ns", "far_residue_ns", "term_ns", "pair_ns",
                        "charge_pair_ns", "neighbour_ns", "full_precision_factor", "crowding",
                        "ghost_ns", "exchange_us", "message_us", "spread"});
    step.launch_us = reader_.amount(*node, "launch_us", where);
    step.residue_ns = reader_.amount(*node, "residue_ns", where);
    if (SectionReader::find(*node, "far_residue_ns") != nullptr) {
      step.far_residue_ns = reader_.amount(*node, "far_residue_ns", where);
    }
    step.term_ns = reader_.amount(*node, "term_ns", where);
    step.charge_pair_ns = reader_.amount(*node, "charge_pair_ns", where);
    step.neighbour_ns = reader_.amount(*node, "neighbour_ns", where);
    step.full_precision_factor = reader_.number(*node, "full_precision_factor", where);
    step.crowding = std::max(1.0, reader_.optional_number(*node, "crowding").value_or(1));
    step.ghost_ns = reader_.amount(*node, "ghost_ns", where);
    step.exchange_us = reader_.amount(*node, "exchange_us", where);
    step.message_us = reader_.amount(*node, "message_us", where);
    step.spread = reader_.number(*node, "spread", where);
    const auto* const pairs = reader_.required(*node, "pair_ns", where, NodeKind::map, "a section");
    if (pairs == nullptr) return;
    std::vector<std::string_view> forms;
    for (std::size_t form = 0; form < pair_form_count; ++form)
      forms.push_back(pair_form_name(form));
    reader_.check_keys(*pairs, where + ".pair_ns", forms);
    for (std::size_t form = 0; form < pair_form_count; ++form) {
      step.pair_ns.at(form) = reader_.amount(*pairs, forms[form], where + ".pair_ns");
    }
  }

  SectionReader reader_;
};

std::string format_text(const StepCoefficients& step) {
  std::string text = "  step:\n";
  const auto add = [&text](std::string_view key, double value) {
    text += fmt::format("    {}: {:.4g}\n", key, value);
  };
  add("launch_us", step.launch_us);
  add("residue_ns", step.residue_ns);
  if (step.far_residue_ns > 0) add("far_residue_ns", step.far_residue_ns);
  add("term_ns", step.term_ns);
  text += "    pair_ns: {";
  for (std::size_t form = 0; form < pair_form_count; ++form) {
    text += fmt::format("{}{}: {:.4g}", form == 0 ? "" : ", ", pair_form_name(form),
                        step.pair_ns.at(form));
  }
  text += "}\n";
  add("charge_pair_ns", step.charge_pair_ns);
  add("neighbour_ns", step.neighbour_ns);
  add("full_precision_factor", step.full_precision_factor);
  add("crowding", step.crowding);
  add("ghost_ns", step.ghost_ns);
  add("exchange_us", step.exchange_us);
  add("message_us", step.message_us);
  add("spread", step.spread);
  return text;
}

void add_curve(std::string& text, const char* name, const SpeedCurve& curve) {
  if (curve.points.empty()) return;
  text += fmt::format("    {}:\n      most_steps_per_second: {:.6g}\n", name,
                      curve.most_steps_per_second);
  if (curve.group > 1) text += fmt::format("      group: {}\n", curve.group);
  if (curve.repulsion_nm > 0) {
    text += fmt::format("      repulsion_nm: {:.6g}\n", curve.repulsion_nm);
  }
  text += "      points:\n";
  for (const auto& point : curve.points) {
    text +=
        fmt::format("      - {{residues: {:.6g}, replicas: {:.6g}, steps_per_second: {:.6g}}}\n",
                    point.residues, point.replicas, point.steps_per_second);
  }
}

std::string format_text(const BackendSpeeds& speeds) {
  std::string text = "  speeds:\n";
  for (const auto& [key, curve] : speed_curves) add_curve(text, key, speeds.*curve);
  text += "    part: {";
  for (const auto& cost : part_costs) {
    text += fmt::format("{}{}: {:.4g}", &cost == part_costs.data() ? "" : ", ", cost.key,
                        speeds.part.*cost.value);
  }
  return text + "}\n";
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
  text += fmt::format("terms_per_residue: {:.4g}\n", machine.speeds.terms_per_residue);
  if (machine.has_gpus()) {
    const auto& gpu = *machine.gpu;
    text += fmt::format(
        "gpu:\n  name: {}\n  memory_gb: {:.4g}\n  memory_gb_per_s: {:.5g}\n"
        "  multiprocessors: {:.4g}\n  clock_mhz: {:.5g}\n",
        core::quote_yaml(gpu.name), gpu.memory_gb, gpu.memory_gb_per_s, gpu.units, gpu.clock_mhz);
    text += format_text(machine.gpu_step) + format_text(machine.speeds.gpu);
  }
  text += fmt::format(
      "cpu_core:\n  name: {}\n  memory_gb_per_s: {:.4g}\n  floats_in_vector: {:.4g}\n"
      "  clock_mhz: {:.5g}\n",
      core::quote_yaml(machine.core.name), machine.core.memory_gb_per_s, machine.core.units,
      machine.core.clock_mhz);
  return text + format_text(machine.core_step) + format_text(machine.speeds.cpu_core);
}

}  // namespace nfold::estimate

// Tables of nodes and their devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/inventory_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "core/text_table.hpp"
#include "device/hardware/health.hpp"
#include "device/hardware/score.hpp"

namespace nfold::hardware {
namespace {

constexpr double giga = 1e9;
const std::string unknown = "?";

template <class Value>
std::string or_unknown(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : unknown;
}
std::string count_or_unknown(const std::optional<int>& count, const char* noun) {
  return count ? core::pluralise(*count, noun) : fmt::format("{} {}s", unknown, noun);
}
template <class Value>
std::string in(const std::optional<Value>& value, double unit, int digits) {
  return value ? fmt::format("{:.{}f}", static_cast<double>(*value) / unit, digits) : unknown;
}
/// Returns "79.1/85.5 GB"; "?" if both are unknown.
std::string format_pair(const std::string& now, const std::string& most, const char* unit) {
  if (now == unknown && most == unknown) return unknown;
  return now + "/" + most + " " + unit;
}

std::string cpu_line(const Cpu& cpu) {
  const auto processors = cpu.processors && cpu.cores && *cpu.processors > *cpu.cores
                              ? fmt::format(" ({} threads)", *cpu.processors)
                              : "";
  const double score = score_of(cpu);
  return fmt::format(
      "  CPU: {}; {}, {}{}, {}; memory free {}; clock {}; score {:.1f}, best {:.1f}\n",
      cpu.model.empty() ? "unknown model" : cpu.model, count_or_unknown(cpu.sockets, "socket"),
      count_or_unknown(cpu.cores, "core"), processors,
      count_or_unknown(cpu.numa_nodes, "NUMA node"),
      format_pair(in(cpu.memory_free_bytes, giga, 1), in(cpu.memory_total_bytes, giga, 1), "GB"),
      format_pair(or_unknown(cpu.clock_mhz), or_unknown(cpu.most_clock_mhz), "MHz"), score,
      available_score(cpu));
}

std::string remaps_text(const std::optional<RowRemaps>& remaps) {
  if (!remaps) return unknown;
  return fmt::format("{}{}{}", remaps->corrected + remaps->uncorrected,
                     remaps->is_pending ? " pending" : "", remaps->has_failed ? " failed" : "");
}

std::string gpu_table(const NodeInventory& node, std::span<const NodeInventory> nodes) {
  core::TextTable table;
  table.add({"GPU", "model", "memory free", "units", "clock", "temperature", "power", "use", "ECC",
             "remaps", "score", "best", "health"});
  for (const auto& gpu : node.gpus) {
    const auto health = assess_health(gpu, same_model_devices(gpu, nodes));
    const double score = score_of(gpu);
    table.add(
        {fmt::format("{}{}", gpu.index, gpu.is_visible ? "" : " hidden"),
         gpu.name.empty() ? unknown : gpu.name,
         format_pair(in(gpu.memory_free_bytes, giga, 1), in(gpu.memory_total_bytes, giga, 1), "GB"),
         or_unknown(gpu.compute_units),
         format_pair(or_unknown(gpu.clock_mhz), or_unknown(gpu.most_clock_mhz), "MHz"),
         format_pair(or_unknown(gpu.temperature_celsius), or_unknown(gpu.temperature_limit_celsius),
                     "C"),
         format_pair(in(gpu.power_watt, 1, 0), in(gpu.power_limit_watt, 1, 0), "W"),
         gpu.utilisation ? fmt::format("{:.0f} %", 100 * *gpu.utilisation) : unknown,
         or_unknown(gpu.corrected_errors) + "/" + or_unknown(gpu.uncorrected_errors),
         remaps_text(gpu.row_remaps), gpu.lost ? unknown : fmt::format("{:.1f}", score),
         gpu.lost ? unknown : fmt::format("{:.1f}", available_score(gpu)),
         health_level_name(health.level)});
  }
  return table.text();
}

std::string processes_text(const std::optional<std::vector<GpuProcess>>& processes) {
  if (!processes) return unknown;
  std::vector<std::string> texts;
  for (const auto& process : *processes) {
    texts.push_back(fmt::format("{} ({} GB)", process.pid, in(process.memory_bytes, giga, 1)));
  }
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string location_table(const NodeInventory& node) {
  core::TextTable table;
  table.add({"GPU", "UUID", "PCI bus", "PCIe", "NUMA", "cores beside it", "network card", "MIG",
             "processes"});
  for (const auto& gpu : node.gpus) {
    table.add({std::to_string(gpu.index), gpu.uuid.empty() ? unknown : gpu.uuid,
               gpu.pci_bus_id.empty() ? unknown : gpu.pci_bus_id,
               gpu.pcie_generation || gpu.pcie_width
                   ? or_unknown(gpu.pcie_generation) + " x" + or_unknown(gpu.pcie_width)
                   : unknown,
               or_unknown(gpu.numa_node), gpu.processors ? list_text(*gpu.processors) : unknown,
               or_unknown(gpu.network_card),
               gpu.is_split ? (*gpu.is_split ? "on" : "off") : unknown,
               processes_text(gpu.processes)});
  }
  return table.text();
}

std::string link_text(const GpuLink& link) {
  if (link.nvlink_links) {
    return fmt::format("NVLink{} x{}",
                       link.nvlink_generation ? fmt::format(" {}", *link.nvlink_generation) : "",
                       *link.nvlink_links);
  }
  return "PCIe" + (link.path ? ", " + *link.path : "");
}

/// Groups pairs by their kind of link: eight GPUs have 28 pairs, of one or two kinds.
std::string link_lines(const NodeInventory& node) {
  struct Kind {
    std::string text, pairs;
  };
  std::vector<Kind> kinds;
  for (const auto& link : node.links) {
    auto text = link_text(link);
    const auto pair = fmt::format("{}-{}", link.first, link.second);
    const auto known = std::ranges::find(kinds, text, &Kind::text);
    if (known == kinds.end()) {
      kinds.push_back({std::move(text), pair});
    } else {
      known->pairs += " " + pair;
    }
  }
  std::string lines;
  for (const auto& kind : kinds) {
    const bool is_all = kinds.size() == 1 && node.links.size() > 1;
    lines += fmt::format("  {}: {}\n", kind.text,
                         is_all ? "between all pairs" : "between GPUs " + kind.pairs);
  }
  return lines;
}

std::string with_unit(const std::optional<double>& value, double unit, int digits,
                      const char* name) {
  return value ? in(value, unit, digits) + " " + name : unknown;
}

void add_measured(core::TextTable& table, const std::string& device,
                  const MeasuredSpeed& measured) {
  if (!measured.pair_forces_per_second && !measured.failure) return;
  table.add({device, with_unit(measured.pair_forces_per_second, giga, 2, "G/s"),
             with_unit(measured.memory_bytes_per_second, giga, 1, "GB/s"),
             with_unit(measured.host_link_bytes_per_second, giga, 1, "GB/s"),
             with_unit(measured.exchange_latency_seconds, 1e-6, 1, "us")});
}

std::string measured_table(const NodeInventory& node) {
  core::TextTable table;
  table.add(
      {"measured", "pair forces", "memory bandwidth", "link to the host", "exchange latency"});
  add_measured(table, "CPU", node.cpu.measured);
  for (const auto& gpu : node.gpus)
    add_measured(table, fmt::format("GPU {}", gpu.index), gpu.measured);
  for (const auto& link : node.links) {
    if (!link.bytes_per_second && !link.latency_seconds) continue;
    table.add({fmt::format("GPU {} to {}", link.first, link.second), "", "",
               with_unit(link.bytes_per_second, giga, 1, "GB/s"),
               with_unit(link.latency_seconds, 1e-6, 1, "us")});
  }
  const bool is_any = node.cpu.measured.pair_forces_per_second || node.cpu.measured.failure ||
                      std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) {
                        return gpu.measured.pair_forces_per_second || gpu.measured.failure;
                      });
  return is_any ? table.text() : "";
}

}  // namespace

std::string table_text(std::span<const NodeInventory> nodes) {
  std::string text;
  for (const auto& node : nodes) {
    text +=
        fmt::format("{}{}{}\n", text.empty() ? "" : "\n", node.host.empty() ? "a node" : node.host,
                    node.driver ? ", GPU driver " + *node.driver : "");
    text += cpu_line(node.cpu);
    if (!node.gpus.empty()) text += gpu_table(node, nodes) + location_table(node);
    text += link_lines(node) + measured_table(node);
    for (const auto& gpu : node.gpus) {
      const auto health = assess_health(gpu, same_model_devices(gpu, nodes));
      for (const auto& reason : health.reasons) {
        text +=
            fmt::format("  GPU {} is {}: {}\n", gpu.index, health_level_name(health.level), reason);
      }
    }
    if (node.cpu.measured.failure) {
      text += fmt::format("  the CPU's measurement failed: {}\n", *node.cpu.measured.failure);
    }
    for (const auto& note : node.notes) text += "  note: " + note + "\n";
  }
  return text;
}

}  // namespace nfold::hardware

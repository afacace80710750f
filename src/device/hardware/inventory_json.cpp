// Conversion of inventories to and from JSON, with one list of fields for both.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/inventory_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "device/hardware/health.hpp"
#include "device/hardware/score.hpp"

namespace nfold::hardware {
namespace {

using Json = nlohmann::ordered_json;

// Calls `visit` with the name and the member of each field. Objects may be const.

template <class Visit>
void each_field(auto& speed, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(speed)>, MeasuredSpeed>
{
  visit("pair_forces_per_second", speed.pair_forces_per_second);
  visit("residue_steps_per_second", speed.residue_steps_per_second);
  visit("memory_bytes_per_second", speed.memory_bytes_per_second);
  visit("host_link_bytes_per_second", speed.host_link_bytes_per_second);
  visit("exchange_latency_seconds", speed.exchange_latency_seconds);
  visit("failure", speed.failure);
}

template <class Visit>
void each_field(auto& cpu, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(cpu)>, Cpu>
{
  visit("model", cpu.model);
  visit("sockets", cpu.sockets);
  visit("cores", cpu.cores);
  visit("processors", cpu.processors);
  visit("numa_nodes", cpu.numa_nodes);
  visit("clock_mhz", cpu.clock_mhz);
  visit("most_clock_mhz", cpu.most_clock_mhz);
  visit("memory_total_bytes", cpu.memory_total_bytes);
  visit("memory_free_bytes", cpu.memory_free_bytes);
  visit("utilisation", cpu.utilisation);
  visit("measured", cpu.measured);
}

template <class Visit>
void each_field(auto& process, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(process)>, GpuProcess>
{
  visit("pid", process.pid);
  visit("memory_bytes", process.memory_bytes);
}

template <class Visit>
void each_field(auto& remaps, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(remaps)>, RowRemaps>
{
  visit("corrected", remaps.corrected);
  visit("uncorrected", remaps.uncorrected);
  visit("is_pending", remaps.is_pending);
  visit("has_failed", remaps.has_failed);
}

template <class Visit>
void each_field(auto& gpu, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(gpu)>, Gpu>
{
  visit("index", gpu.index);
  visit("name", gpu.name);
  visit("uuid", gpu.uuid);
  visit("pci_bus_id", gpu.pci_bus_id);
  visit("lost", gpu.lost);
  visit("is_visible", gpu.is_visible);
  visit("compute_capability", gpu.compute_capability);
  visit("compute_units", gpu.compute_units);
  visit("compute_units_source", gpu.compute_units_source);
  visit("memory_total_bytes", gpu.memory_total_bytes);
  visit("memory_free_bytes", gpu.memory_free_bytes);
  visit("clock_mhz", gpu.clock_mhz);
  visit("most_clock_mhz", gpu.most_clock_mhz);
  visit("temperature_celsius", gpu.temperature_celsius);
  visit("temperature_limit_celsius", gpu.temperature_limit_celsius);
  visit("power_watt", gpu.power_watt);
  visit("power_limit_watt", gpu.power_limit_watt);
  visit("corrected_errors", gpu.corrected_errors);
  visit("uncorrected_errors", gpu.uncorrected_errors);
  visit("row_remaps", gpu.row_remaps);
  visit("throttle_reasons", gpu.throttle_reasons);
  visit("utilisation", gpu.utilisation);
  visit("processes", gpu.processes);
  visit("is_split", gpu.is_split);
  visit("pcie_generation", gpu.pcie_generation);
  visit("pcie_width", gpu.pcie_width);
  visit("numa_node", gpu.numa_node);
  visit("processors", gpu.processors);
  visit("network_card", gpu.network_card);
  visit("measured", gpu.measured);
}

template <class Visit>
void each_field(auto& link, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(link)>, GpuLink>
{
  visit("first", link.first);
  visit("second", link.second);
  visit("nvlink_generation", link.nvlink_generation);
  visit("nvlink_links", link.nvlink_links);
  visit("path", link.path);
  visit("bytes_per_second", link.bytes_per_second);
  visit("latency_seconds", link.latency_seconds);
}

template <class Visit>
void each_field(auto& node, const Visit& visit)
  requires std::is_same_v<std::remove_cvref_t<decltype(node)>, NodeInventory>
{
  visit("host", node.host);
  visit("cpu", node.cpu);
  visit("driver", node.driver);
  visit("gpus", node.gpus);
  visit("links", node.links);
  visit("notes", node.notes);
}

template <class T>
Json json_of(const T& value);
template <class T>
Json json_of(const std::vector<T>& values);
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(json_of(value));
  return list;
}
template <class T>
Json json_of(const T& value) {
  if constexpr (std::is_same_v<T, ProcessorSet>) {
    return list_text(value);
  } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    Json object = Json::object();
    each_field(value,
               [&object](const char* name, const auto& field) { object[name] = json_of(field); });
    return object;
  } else {
    return value;
  }
}

template <class T>
void read_into(const Json& json, T& value);
template <class T>
void read_into(const Json& json, std::vector<T>& values);
template <class T>
void read_into(const Json& json, std::optional<T>& value) {
  if (json.is_null()) {
    value.reset();
  } else {
    read_into(json, value.emplace());
  }
}
template <class T>
void read_into(const Json& json, std::vector<T>& values) {
  for (const auto& one : json) read_into(one, values.emplace_back());
}
template <class T>
void read_into(const Json& json, T& value) {
  if constexpr (std::is_same_v<T, ProcessorSet>) {
    value = parse_list(json.get<std::string>()).value_or(ProcessorSet());
  } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    each_field(value, [&json](const char* name, auto& field) { read_into(json.at(name), field); });
  } else {
    value = json.get<T>();
  }
}

double rounded(double value) { return static_cast<double>(std::lround(value * 10)) / 10; }

}  // namespace

std::string write_node(const NodeInventory& node) {
  return json_of(node).dump(-1, ' ', false, Json::error_handler_t::replace);
}

NodeInventory read_node_text(const std::string& text) {
  try {
    NodeInventory node;
    read_into(Json::parse(text), node);
    return node;
  } catch (const Json::exception& failure) {
    throw std::runtime_error(std::string("the inventory of a node cannot be read: ") +
                             failure.what());
  }
}

nlohmann::ordered_json report_json(std::span<const NodeInventory> nodes) {
  Json report{{"nodes", Json::array()}};
  auto worst = HealthLevel::healthy;
  for (const auto& node : nodes) {
    Json node_json = json_of(node);
    const double cpu = score_of(node.cpu);
    node_json["cpu"]["score"] = rounded(cpu);
    node_json["cpu"]["best"] = rounded(available_score(node.cpu));
    for (std::size_t k = 0; k < node.gpus.size(); ++k) {
      const auto& gpu = node.gpus[k];
      const auto health = health_of(gpu, twins_of(gpu, nodes));
      const double score = score_of(gpu);
      auto& json = node_json["gpus"][k];
      json["verdict"] = health_level_name(health.level);
      json["reasons"] = health.reasons;
      json["score"] = rounded(score);
      json["best"] = rounded(available_score(gpu));
      if (gpu.is_visible) worst = std::max(worst, health.level);
    }
    report["nodes"].push_back(std::move(node_json));
  }
  report["verdict"] = health_level_name(worst);
  return report;
}

}  // namespace nfold::hardware

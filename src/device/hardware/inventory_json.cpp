// Conversion of inventories to and from JSON, with one list of fields for both.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/inventory_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/hardware/health.hpp"
#include "device/hardware/score.hpp"

namespace nfold::hardware {
namespace {

using Json = nlohmann::ordered_json;

/// Names and members of the fields of a struct, in the order of the JSON.
template <class Struct>
constexpr auto fields = nullptr;
template <>
constexpr auto fields<MeasuredSpeed> =
    std::tuple(std::pair("pair_forces_per_second", &MeasuredSpeed::pair_forces_per_second),
               std::pair("residue_steps_per_second", &MeasuredSpeed::residue_steps_per_second),
               std::pair("memory_bytes_per_second", &MeasuredSpeed::memory_bytes_per_second),
               std::pair("host_link_bytes_per_second", &MeasuredSpeed::host_link_bytes_per_second),
               std::pair("exchange_latency_seconds", &MeasuredSpeed::exchange_latency_seconds),
               std::pair("failure", &MeasuredSpeed::failure));
template <>
constexpr auto fields<Cpu> =
    std::tuple(std::pair("model", &Cpu::model), std::pair("sockets", &Cpu::sockets),
               std::pair("cores", &Cpu::cores), std::pair("processors", &Cpu::processors),
               std::pair("numa_nodes", &Cpu::numa_nodes), std::pair("clock_mhz", &Cpu::clock_mhz),
               std::pair("most_clock_mhz", &Cpu::most_clock_mhz),
               std::pair("memory_total_bytes", &Cpu::memory_total_bytes),
               std::pair("memory_free_bytes", &Cpu::memory_free_bytes),
               std::pair("utilisation", &Cpu::utilisation), std::pair("measured", &Cpu::measured));
template <>
constexpr auto fields<GpuProcess> = std::tuple(
    std::pair("pid", &GpuProcess::pid), std::pair("memory_bytes", &GpuProcess::memory_bytes));
template <>
constexpr auto fields<RowRemaps> = std::tuple(std::pair("corrected", &RowRemaps::corrected),
                                              std::pair("uncorrected", &RowRemaps::uncorrected),
                                              std::pair("is_pending", &RowRemaps::is_pending),
                                              std::pair("has_failed", &RowRemaps::has_failed));
template <>
constexpr auto fields<Gpu> = std::tuple(
    std::pair("index", &Gpu::index), std::pair("name", &Gpu::name), std::pair("uuid", &Gpu::uuid),
    std::pair("pci_bus_id", &Gpu::pci_bus_id), std::pair("lost", &Gpu::lost),
    std::pair("is_visible", &Gpu::is_visible),
    std::pair("compute_capability", &Gpu::compute_capability),
    std::pair("compute_units", &Gpu::compute_units),
    std::pair("compute_units_source", &Gpu::compute_units_source),
    std::pair("memory_total_bytes", &Gpu::memory_total_bytes),
    std::pair("memory_free_bytes", &Gpu::memory_free_bytes),
    std::pair("clock_mhz", &Gpu::clock_mhz), std::pair("most_clock_mhz", &Gpu::most_clock_mhz),
    std::pair("temperature_celsius", &Gpu::temperature_celsius),
    std::pair("temperature_limit_celsius", &Gpu::temperature_limit_celsius),
    std::pair("power_watt", &Gpu::power_watt),
    std::pair("power_limit_watt", &Gpu::power_limit_watt),
    std::pair("corrected_errors", &Gpu::corrected_errors),
    std::pair("uncorrected_errors", &Gpu::uncorrected_errors),
    std::pair("row_remaps", &Gpu::row_remaps),
    std::pair("throttle_reasons", &Gpu::throttle_reasons),
    std::pair("utilisation", &Gpu::utilisation), std::pair("processes", &Gpu::processes),
    std::pair("is_split", &Gpu::is_split), std::pair("pcie_generation", &Gpu::pcie_generation),
    std::pair("pcie_width", &Gpu::pcie_width), std::pair("numa_node", &Gpu::numa_node),
    std::pair("processors", &Gpu::processors), std::pair("network_card", &Gpu::network_card),
    std::pair("measured", &Gpu::measured));
template <>
constexpr auto fields<GpuLink> =
    std::tuple(std::pair("first", &GpuLink::first), std::pair("second", &GpuLink::second),
               std::pair("nvlink_generation", &GpuLink::nvlink_generation),
               std::pair("nvlink_links", &GpuLink::nvlink_links), std::pair("path", &GpuLink::path),
               std::pair("bytes_per_second", &GpuLink::bytes_per_second),
               std::pair("latency_seconds", &GpuLink::latency_seconds));
template <>
constexpr auto fields<NodeInventory> = std::tuple(
    std::pair("host", &NodeInventory::host), std::pair("cpu", &NodeInventory::cpu),
    std::pair("driver", &NodeInventory::driver), std::pair("gpus", &NodeInventory::gpus),
    std::pair("links", &NodeInventory::links), std::pair("notes", &NodeInventory::notes));

/// Calls visit(name, member) for each field of a struct, which may be const.
template <class Struct, class Visit>
void each_field(Struct& value, const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field.first, value.*field.second), ...); },
             fields<std::remove_const_t<Struct>>);
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
      const auto health = assess_health(gpu, same_model_devices(gpu, nodes));
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

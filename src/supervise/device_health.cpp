// Parser of the report on devices.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/device_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/parse_number.hpp"

namespace nfold::supervise {
namespace {

using Json = nlohmann::json;

template <class Value>
Value value_or(const Json& from, const char* key, Value otherwise) {
  const auto found = from.find(key);
  if (found == from.end() || found->is_null()) return otherwise;
  return found->get<Value>();
}

NodeHealth to_node_health(const Json& json) {
  NodeHealth node{value_or<std::string>(json, "host", ""), {}};
  for (const auto& one : value_or<Json>(json, "gpus", Json::array())) {
    if (!value_or(one, "is_visible", true)) continue;
    node.gpus.push_back({value_or(one, "index", 0), value_or<std::string>(one, "uuid", ""),
                         value_or<std::string>(one, "verdict", "healthy"),
                         value_or(one, "reasons", std::vector<std::string>())});
    auto& gpu = node.gpus.back();
    if (gpu.uuid.empty()) gpu.uuid = std::to_string(gpu.index);  // a GPU that does not respond
  }
  return node;
}

}  // namespace

std::optional<std::vector<NodeHealth>> parse_devices(std::string_view text) {
  const auto start = text.find_first_of("{[");
  if (start == std::string_view::npos) return std::nullopt;
  try {
    const Json all = Json::parse(text.substr(start));
    const Json nodes = all.is_array()          ? all
                       : all.contains("nodes") ? all.at("nodes")
                                               : Json::array({all});
    std::vector<NodeHealth> read;
    for (const auto& node : nodes) {
      const auto gpus = node.find("gpus");
      if (gpus == node.end() || (!gpus->is_array() && !gpus->is_null())) return std::nullopt;
      read.push_back(to_node_health(node));
    }
    return read;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::vector<GpuHealth> visible_gpus(std::vector<GpuHealth> gpus,
                                    std::string_view cuda_visible_devices) {
  if (cuda_visible_devices.empty()) return gpus;
  std::vector<GpuHealth> seen;
  for (auto rest = cuda_visible_devices; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto name = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const auto index = core::parse_number<int>(name);
    const auto found = std::ranges::find_if(gpus, [&](const GpuHealth& gpu) {
      return index ? gpu.index == *index : !name.empty() && gpu.uuid.starts_with(name);
    });
    if (found != gpus.end()) seen.push_back(*found);
  }
  return seen;
}

std::string describe_unfit(const std::vector<NodeHealth>& nodes) {
  std::string text;
  for (const auto& node : nodes) {
    for (const auto& gpu : node.gpus) {
      if (!gpu.is_unfit()) continue;
      text += fmt::format("{}GPU {} ({}) of {} is unfit: {}", text.empty() ? "" : "; ", gpu.index,
                          gpu.uuid, node.host,
                          gpu.reasons.empty() ? "no reason given"
                                              : fmt::format("{}", fmt::join(gpu.reasons, ", ")));
    }
  }
  return text;
}

}  // namespace nfold::supervise

// Numbers of ranks by nodes and their GPUs.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/text.hpp"

namespace nfold::supervise {
namespace {

/// True if both names are equal, or one is the short name of the other.
bool is_same_host(const std::string& a, const std::string& b) {
  const auto [shorter, longer] =
      std::minmax(a, b, [](const auto& x, const auto& y) { return x.size() < y.size(); });
  return longer.starts_with(shorter) &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '.');
}

const NodeHealth* find_health(const std::vector<NodeHealth>& health, const std::string& host) {
  if (host.empty()) return health.empty() ? nullptr : health.data();
  const auto found =
      std::ranges::find_if(health, [&](const auto& node) { return is_same_host(node.host, host); });
  return found == health.end() ? nullptr : &*found;
}

/// Returns a node with the maximum number of ranks for it.
NodeAssignment offer_slots(const NodeSlots& node, const std::vector<NodeHealth>& health,
                           const ExcludedResources& excluded) {
  NodeAssignment offer{node.host, node.slots, {}};
  const auto* known = find_health(health, node.host);
  if (known == nullptr || known->gpus.empty()) {
    offer.ranks = std::max(1, node.slots);
    return offer;
  }
  std::vector<std::string> fit;
  for (const auto& gpu : known->gpus) {
    if (!gpu.is_unfit() && !excluded.has_device(gpu.uuid)) fit.push_back(gpu.uuid);
  }
  const int all = static_cast<int>(known->gpus.size()), left = static_cast<int>(fit.size());
  const bool shares = node.slots > all;
  if (node.slots == 0) {
    offer.ranks = left;
  } else if (!shares || left == 0) {
    offer.ranks = std::min(node.slots, left);
  }
  if (left < all) offer.devices = fit;
  return offer;
}

}  // namespace

bool ExcludedResources::has_device(const std::string& uuid) const {
  return std::ranges::find(devices, uuid) != devices.end();
}
bool ExcludedResources::has_host(const std::string& host) const {
  return std::ranges::any_of(hosts, [&](const auto& one) { return is_same_host(one, host); });
}

void ExcludedResources::add(const ExcludedResources& more) {
  for (const auto& device : more.devices) {
    if (!has_device(device)) devices.push_back(device);
  }
  for (const auto& host : more.hosts) {
    if (!has_host(host)) hosts.push_back(host);
  }
}

int Placement::ranks() const {
  return std::accumulate(nodes.begin(), nodes.end(), 0,
                         [](int sum, const auto& node) { return sum + node.ranks; });
}

std::string Placement::describe() const {
  std::string text = core::pluralise(ranks(), "rank") + " on ";
  if (nodes.size() == 1 && nodes[0].host.empty()) {
    text += "this node";
  } else {
    std::vector<std::string> hosts;
    hosts.reserve(nodes.size());
    for (const auto& node : nodes) hosts.push_back(fmt::format("{} ({})", node.host, node.ranks));
    text += fmt::format("{}", fmt::join(hosts, ", "));
  }
  std::size_t devices = 0;
  for (const auto& node : nodes) devices += node.devices.size();
  if (devices > 0) text += fmt::format(", of whose GPUs {} are used", devices);
  return text;
}

Placement place_ranks(int asked, const Allocation& given, const std::vector<NodeHealth>& health,
                      const ExcludedResources& excluded) {
  Placement placement;
  std::vector<NodeSlots> nodes = given.nodes;
  const int wanted = asked > 0 ? asked : given.tasks;
  if (nodes.size() < 2) {
    // One node: the launcher needs no host name, and GPUs beyond the ranks are spare.
    auto local_slots = offer_slots({"", wanted}, health, excluded);
    if (local_slots.ranks > 0) placement.nodes.push_back(local_slots);
    return placement;
  }
  int left = wanted;
  for (const auto& node : nodes) {
    if (excluded.has_host(node.host)) continue;
    auto offer = offer_slots(node, health, excluded);
    offer.ranks = std::min(offer.ranks, left);
    left -= offer.ranks;
    if (offer.ranks > 0) placement.nodes.push_back(std::move(offer));
  }
  // More ranks than slots requested, and nothing excluded: the launcher accepts or rejects them.
  const bool is_whole = excluded.hosts.empty() && excluded.devices.empty();
  if (left > 0 && asked > 0 && is_whole && !placement.nodes.empty()) {
    placement.nodes.back().ranks += left;
  }
  return placement;
}

}  // namespace nfold::supervise

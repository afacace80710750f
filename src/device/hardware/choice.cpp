// Choice of a GPU for each rank from the user's wish and readings.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "comm/rank_locations.hpp"
#include "core/lines.hpp"
#include "core/parse_number.hpp"
#include "core/text.hpp"
#include "device/hardware/score.hpp"

namespace nfold::hardware {
namespace {

bool is_listed_as(const GpuOffer& offer, const std::string& word) {
  return word.starts_with("GPU-") ? comm::format_uuid(offer.id).starts_with(word)
                                  : core::parse_number<int>(word) == offer.index;
}

/// Replaces the readings of each GPU by those of the lowest rank that sees it, since readings
/// change at any moment.
std::vector<std::vector<GpuOffer>> agreed(std::span<const std::vector<GpuOffer>> by_rank) {
  std::map<comm::GpuId, GpuOffer> first;
  std::vector<std::vector<GpuOffer>> all(by_rank.begin(), by_rank.end());
  for (auto& offers : all) {
    for (auto& offer : offers) offer = first.emplace(offer.id, offer).first->second;
  }
  return all;
}

/// Returns the offers that a rank may take, in the order of preference, if `ranks` ranks choose
/// from the same GPUs.
std::vector<GpuOffer> candidates(const std::vector<GpuOffer>& offers, const DeviceWish& wish,
                                 std::size_t ranks) {
  std::vector<GpuOffer> wanted;
  std::ranges::copy_if(offers, std::back_inserter(wanted), &GpuOffer::is_eligible);
  if (wish.which == DeviceWish::Which::listed) {
    std::ranges::sort(wanted, {}, &GpuOffer::list_index);
    return wanted;
  }
  std::ranges::stable_sort(wanted, {}, [](const GpuOffer& offer) {
    return std::tuple(offer.level == HealthLevel::unfit, -offer.best, offer.level, offer.index);
  });
  std::size_t most = std::min(wanted.size(), ranks);
  for (const int limit : {wish.count, wish.max}) {
    if (limit > 0 && wish.which == DeviceWish::Which::best) {
      most = std::min(most, static_cast<std::size_t>(limit));
    }
  }
  wanted.resize(most);
  std::ranges::sort(wanted, {}, &GpuOffer::index);
  return wanted;
}

std::string problem_of(const std::vector<GpuOffer>& offers, const DeviceWish& wish,
                       std::size_t rank) {
  const auto wanted = std::ranges::count_if(offers, &GpuOffer::is_eligible);
  for (const auto& word : wish.listed) {
    if (std::ranges::none_of(offers,
                             [&](const auto& offer) { return is_listed_as(offer, word); })) {
      return fmt::format("--gpus names {}, and rank {} sees no such GPU", word, rank);
    }
  }
  if (wish.count > wanted) {
    return fmt::format("--gpus sets {} GPUs of each node, and rank {} sees {}{}", wish.count, rank,
                       wanted, wish.filter.empty() ? "" : " that devices.filter lets pass");
  }
  if (wanted == 0) {
    return fmt::format("none of the {} GPUs that rank {} sees meets devices.filter", offers.size(),
                       rank);
  }
  return {};
}

}  // namespace

std::optional<Condition> parse_condition(std::string_view text) {
  using Kind = Condition::Kind;
  text = core::trim(text);
  if (text == "healthy") return Condition{Kind::healthy, "", 0};
  if (text == "fit") return Condition{Kind::fit, "", 0};
  const auto behind = [text](std::string_view key,
                             std::string_view sign) -> std::optional<std::string_view> {
    if (!text.starts_with(key)) return std::nullopt;
    const auto rest = core::trim(text.substr(key.size()));
    if (!rest.starts_with(sign)) return std::nullopt;
    return core::trim(rest.substr(sign.size()));
  };
  for (const auto& [sign, kind] : {std::pair{"!=", Kind::not_name}, std::pair{"=", Kind::name}}) {
    const auto name = behind("name", sign);
    if (name && !name->empty()) return Condition{kind, std::string(*name), 0};
  }
  for (const auto& [key, kind] : {std::pair{"memory_gb", Kind::memory_gb},
                                  std::pair{"free_memory_gb", Kind::free_memory_gb}}) {
    const auto words = behind(key, ">=");
    const auto gigabytes = words ? core::parse_number<double>(*words) : std::nullopt;
    if (gigabytes && *gigabytes >= 0) return Condition{kind, "", *gigabytes};
  }
  return std::nullopt;
}

bool meets(const Gpu& gpu, HealthLevel level, const Condition& condition) {
  using Kind = Condition::Kind;
  const auto has_bytes = [&](const std::optional<std::int64_t>& bytes) {
    constexpr double gigabyte = 1e9;
    return bytes && static_cast<double>(*bytes) >= condition.gigabytes * gigabyte;
  };
  const bool has_name =
      core::to_lower(gpu.name).find(core::to_lower(condition.text)) != std::string::npos;
  switch (condition.kind) {
    case Kind::name:
      return has_name;
    case Kind::not_name:
      return !gpu.name.empty() && !has_name;
    case Kind::memory_gb:
      return has_bytes(gpu.memory_total_bytes);
    case Kind::free_memory_gb:
      return has_bytes(gpu.memory_free_bytes);
    case Kind::healthy:
      return !gpu.name.empty() && level == HealthLevel::healthy;
    default:
      return !gpu.name.empty() && level != HealthLevel::unfit;
  }
}

std::string read_gpus_option(std::string_view text, DeviceWish& wish) {
  text = core::trim(text);
  if (text == "all") {
    wish.which = DeviceWish::Which::all;
    wish.filter.clear();
    return {};
  }
  if (const auto count = core::parse_number<int>(text)) {
    if (*count < 1) return "a count of GPUs is 1 or more; '0,' means the GPU numbered 0";
    wish.count = *count;
    return {};
  }
  std::set<std::string> known;
  std::vector<std::string> listed;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    const std::string word(core::trim(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const auto number = core::parse_number<int>(word);
    if (!(number && *number >= 0) && !word.starts_with("GPU-")) {
      return "'" + word + "' is neither the number of a GPU nor a UUID (GPU-...)";
    }
    if (!known.insert(word).second) return "'" + word + "' stands there twice";
    listed.push_back(word);
  }
  if (listed.empty()) return "it names no GPU";
  wish.which = DeviceWish::Which::listed;
  wish.listed = std::move(listed);
  wish.filter.clear();
  return {};
}

std::vector<GpuOffer> list_offers(std::span<const comm::GpuId> seen, const NodeInventory& node,
                                  const DeviceWish& wish) {
  std::vector<GpuOffer> offers;
  for (const auto& id : seen) {
    GpuOffer offer;
    offer.id = id;
    offer.index = static_cast<int>(offers.size());
    const auto known = std::ranges::find(node.gpus, comm::format_uuid(id), &Gpu::uuid);
    Gpu gpu;  // with unknown properties
    if (known != node.gpus.end()) {
      gpu = *known;
      offer.index = gpu.index;
      offer.level = assess_health(gpu).level;
      offer.best = available_score(gpu);
    }
    offer.is_eligible =
        std::all_of(wish.filter.begin(), wish.filter.end(),
                    [&](const Condition& condition) { return meets(gpu, offer.level, condition); });
    if (wish.which == DeviceWish::Which::listed) {
      const auto word = std::ranges::find_if(
          wish.listed, [&](const std::string& each) { return is_listed_as(offer, each); });
      offer.is_eligible = word != wish.listed.end();
      offer.list_index = static_cast<int>(word - wish.listed.begin());
    }
    offers.push_back(offer);
  }
  return offers;
}

std::string choice_text(const Gpu& gpu, int rank) {
  const double score = score_of(gpu);
  auto text = fmt::format("rank {} computes on GPU {} ({}, {}), {}, score {:.1f}", rank, gpu.index,
                          gpu.name, gpu.uuid, health_level_name(assess_health(gpu).level), score);
  if (gpu.utilisation) text += fmt::format(", {:.0f} % in use", 100 * *gpu.utilisation);
  if (gpu.numa_node) text += fmt::format("; NUMA node {}", *gpu.numa_node);
  if (gpu.network_card) text += "; nearest network card " + *gpu.network_card;
  return text;
}

std::string choice_warning(const Gpu& gpu, int rank) {
  const auto health = assess_health(gpu);
  if (health.level == HealthLevel::healthy) return {};
  return fmt::format(
      "rank {} computes on GPU {} ({}), which is {}: {}; nfold devices reports more, and --gpus or "
      "devices.filter leaves it out",
      rank, gpu.index, gpu.uuid, health_level_name(health.level), fmt::join(health.reasons, "; "));
}

GpuChoice choose_gpus(std::span<const std::vector<GpuOffer>> by_rank, const DeviceWish& wish) {
  const auto all = agreed(by_rank);
  std::map<std::set<comm::GpuId>, std::size_t> ranks_that_see;
  const auto ids_of = [](const std::vector<GpuOffer>& offers) {
    std::set<comm::GpuId> ids;
    for (const auto& offer : offers) ids.insert(offer.id);
    return ids;
  };
  for (const auto& offers : all) ++ranks_that_see[ids_of(offers)];
  GpuChoice choice;
  std::vector<std::vector<comm::GpuId>> in_order;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    choice.problem = problem_of(all[rank], wish, rank);
    if (!choice.problem.empty()) return choice;
    auto& order = in_order.emplace_back();
    for (const auto& offer : candidates(all[rank], wish, ranks_that_see[ids_of(all[rank])])) {
      order.push_back(offer.id);
    }
  }
  const auto chosen = comm::assign_gpus(in_order);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto& id = in_order[rank][chosen[rank]];
    const auto offer = std::ranges::find(all[rank], id, &GpuOffer::id);
    choice.by_rank.push_back(static_cast<std::size_t>(offer - all[rank].begin()));
  }
  return choice;
}

GpuChoice choose_gpus(const comm::Communicator& ranks, const std::vector<GpuOffer>& mine,
                      const DeviceWish& wish) {
  const auto count = static_cast<std::int64_t>(mine.size());
  const auto counts = ranks.all_gather(std::span<const std::int64_t>(&count, 1));
  const auto all = ranks.all_gather(std::span<const GpuOffer>(mine));
  std::vector<std::vector<GpuOffer>> by_rank;
  auto from = all.begin();
  for (const auto size : counts) {
    by_rank.emplace_back(from, from + size);
    from += size;
    if (size == 0) {
      throw std::runtime_error(fmt::format(
          "this nfold was built for CUDA, but rank {} finds no CUDA device; run on a GPU "
          "node or use a CPU build",
          by_rank.size() - 1));
    }
  }
  auto choice = choose_gpus(by_rank, wish);
  if (!choice.problem.empty()) throw NoSuchDevice(choice.problem);
  return choice;
}

}  // namespace nfold::hardware

// Moved arrays of each rank, as text and JSON, and the search for a number of GPUs without them.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/memory_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "comm/first_reason.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "device/device_memory.hpp"

namespace nfold::setup {
namespace {

using device::moving_order;
using telemetry::format_bytes;

/// Returns the bytes of the arrays of one use, wherever they stand.
std::int64_t bytes_of_use(const device::MemoryEstimate& estimate, std::size_t use) {
  std::int64_t bytes = 0;
  for (const auto& one : estimate.arrays()) {
    if (to_index(one.use) == use) bytes += one.device_bytes + one.host_bytes;
  }
  return bytes;
}

/// Returns the names of the uses from `first` to before `last` that have arrays.
std::vector<std::string> use_names(const device::MemoryEstimate& estimate, std::size_t first,
                                   std::size_t last) {
  std::vector<std::string> names;
  for (std::size_t use = first; use < last; ++use) {
    if (bytes_of_use(estimate, use) > 0) names.emplace_back(moving_order[use].name);
  }
  return names;
}

/// Ranks in a row with the same estimate; `last` included.
struct RankRange {
  int first = 0, last = 0;
  std::size_t index = 0;  ///< in PlacedMemory
  [[nodiscard]] std::string text() const {
    return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
  }
};

/// Returns the bytes of each group, use and place, in the order of the estimate.
nlohmann::json group_rows(const device::MemoryEstimate& estimate) {
  struct Row {
    std::string group, use, where;
    std::int64_t bytes;
  };
  std::vector<Row> rows;
  const auto add = [&](const Row& added) {
    if (added.bytes == 0) return;
    const auto at = std::ranges::find_if(rows, [&](const Row& row) {
      return row.group == added.group && row.use == added.use && row.where == added.where;
    });
    if (at == rows.end()) {
      rows.push_back(added);
    } else {
      at->bytes += added.bytes;
    }
  };
  for (const auto& one : estimate.arrays()) {
    const auto use = to_index(one.use);
    const std::string name = use < moving_order.size() ? moving_order[use].name : "";
    add({one.group, name, estimate.is_for_gpu() ? "GPU" : "host", one.device_bytes});
    add({one.group, name, "host", one.host_bytes});
  }
  auto json = nlohmann::json::array();
  for (const auto& row : rows) {
    json.push_back({{"group", row.group}, {"where", row.where}, {"bytes", row.bytes}});
    if (!row.use.empty()) json.back()["use"] = row.use;
  }
  return json;
}

std::vector<RankRange> rank_ranges(const PlacedMemory& placed) {
  const auto& ranks = placed.memory.ranks;
  if (ranks.size() == 1) return {{0, placed.memory.rank_count - 1, 0}};
  std::vector<RankRange> ranges;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const auto rank = static_cast<int>(k);
    if (k > 0 && placed.moved_uses[k] == placed.moved_uses[k - 1] &&
        group_rows(ranks[k]) == group_rows(ranks[k - 1])) {
      ranges.back().last = rank;
    } else {
      ranges.push_back({rank, rank, k});
    }
  }
  return ranges;
}

}  // namespace

Placement place_arrays(const comm::Communicator& communicator, const device::JobDevices& devices,
                       const device::MemoryEstimate& mine) {
  const auto there = device::free_memory(devices);
  Placement placement{
      mine.count_uses_to_move(there.device_bytes, there.host_bytes - mine.host_bytes()), {}};
  device::set_moved_uses(placement.moved_uses);
  if (placement.moved_uses > 0) {
    placement.message = fmt::format(
        "{}memory: {} ({}) go to host memory, because {} are planned and {} are free for this "
        "rank{}",
        communicator.size() > 1 ? fmt::format("rank {}: ", communicator.rank()) : "",
        fmt::join(use_names(mine, 0, placement.moved_uses), ", "),
        format_bytes(mine.movable_bytes(placement.moved_uses)),
        format_bytes(mine.needed_device_bytes()), format_bytes(there.device_bytes),
        device::describe_memory_limit());
  }
  const auto first = comm::first_reason(communicator, placement.message);
  placement.message = first ? first->text : "";
  return placement;
}

RankMemory rank_memory(const estimate::Machine& machine, int rank_count, std::int64_t limit) {
  constexpr double giga = 1e9;
  const auto bytes = [](double gb) { return static_cast<std::int64_t>(gb * giga); };
  const int of_node = std::min(rank_count, machine.gpus_per_node);
  const int nodes = (rank_count + machine.gpus_per_node - 1) / machine.gpus_per_node;
  const auto runtime = runtime_memory(rank_count, true, nodes);
  RankMemory memory{bytes(machine.gpu->memory_gb) - runtime.device_bytes(),
                    bytes(machine.host_memory_gb) / of_node - runtime.host_bytes()};
  if (limit > 0) memory.device_bytes = std::min(memory.device_bytes, limit);
  return memory;
}

bool PlacedMemory::fits(std::size_t rank) const {
  return device::fits_with_margin(memory.ranks[rank].needed_device_bytes(), of_rank.device_bytes);
}

PlacedMemory place(const RunMemory& memory, const RankMemory& of_rank) {
  PlacedMemory placed{memory, of_rank, {}};
  for (auto& estimate : placed.memory.ranks) {
    const auto uses = estimate.count_uses_to_move(of_rank.device_bytes,
                                                  of_rank.host_bytes - estimate.host_bytes());
    placed.moved_uses.push_back(uses);
    estimate = estimate.with_moved(uses);
  }
  return placed;
}

std::vector<std::string> placement_table(const PlacedMemory& placed) {
  const auto& ranks = placed.memory.ranks;
  core::TextTable order("rlrl");
  order.add({"", "arrays", "at most", "link to the host"});
  for (std::size_t use = 0; use < moving_order.size(); ++use) {
    std::int64_t most = 0;
    for (const auto& one : ranks) most = std::max(most, bytes_of_use(one, use));
    order.add({std::to_string(use + 1), moving_order[use].name, most > 0 ? format_bytes(most) : "-",
               moving_order[use].traffic});
  }
  core::TextTable by_rank("lrrll");
  by_rank.add({"rank", "on the GPU", "on the host", "moved to the host", "moves next"});
  const auto join = [](const std::vector<std::string>& names) {
    return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
  };
  for (const auto& range : rank_ranges(placed)) {
    const auto& one = ranks[range.index];
    const auto moved = placed.moved_uses[range.index];
    auto next = use_names(one, moved, moving_order.size());
    next.resize(std::min<std::size_t>(next.size(), 1));
    if (!placed.fits(range.index)) {
      const bool is_refused = exceeds(one.needed_device_bytes(), placed.of_rank.device_bytes);
      next = {is_refused ? "does not fit" : "hardly fits"};
    }
    by_rank.add({range.text(), format_bytes(one.device_bytes()), format_bytes(one.host_bytes()),
                 join(use_names(one, 0, moved)), join(next)});
  }
  std::vector<std::string> lines{"order in which arrays move to host memory where a GPU is short"};
  for (const auto& line : order.lines()) lines.push_back(line);
  for (const auto& line : by_rank.lines()) lines.push_back(line);
  return lines;
}

nlohmann::json placement_json(const PlacedMemory& placed) {
  nlohmann::json json{{"rank_count", placed.memory.rank_count},
                      {"is_sampled", placed.memory.is_sampled},
                      {"available_device_bytes", placed.of_rank.device_bytes},
                      {"order", nlohmann::json::array()},
                      {"ranks", nlohmann::json::array()}};
  for (const auto& one : moving_order) {
    json["order"].push_back({{"use", one.name}, {"traffic", one.traffic}});
  }
  for (const auto& range : rank_ranges(placed)) {
    const auto& one = placed.memory.ranks[range.index];
    const auto moved = placed.moved_uses[range.index];
    json["ranks"].push_back({{"first", range.first},
                             {"last", range.last},
                             {"fits", placed.fits(range.index)},
                             {"device_bytes", one.device_bytes()},
                             {"needed_device_bytes", one.needed_device_bytes()},
                             {"host_bytes", one.host_bytes()},
                             {"moved", use_names(one, 0, moved)},
                             {"moves_next", use_names(one, moved, moving_order.size())},
                             {"groups", group_rows(one)}});
  }
  return json;
}

std::optional<int> smallest_rank_count(int least, const std::function<bool(int)>& fits) {
  constexpr int ranks_at_most = 65'536;
  int enough = least;
  while (enough <= ranks_at_most && !fits(enough)) enough *= 2;
  if (enough > ranks_at_most) return std::nullopt;
  int few = enough == least ? least - 1 : enough / 2;  // does not fit, or is below `least`
  while (enough - few > 1) {
    const int middle = (few + enough) / 2;
    (fits(middle) ? enough : few) = middle;
  }
  return enough;
}

std::optional<int> smallest_gpu_count(const estimate::Machine& machine, std::int64_t limit,
                                      const std::function<RunMemory(int)>& memory_on) {
  return smallest_rank_count(1, [&](int ranks) {
    return device::fits_with_margin(memory_on(ranks).needed_device_bytes(),
                                    rank_memory(machine, ranks, limit).device_bytes);
  });
}

std::string describe_smallest_count(const estimate::Machine& machine,
                                    const std::optional<int>& count) {
  const std::string gpus =
      fmt::format("GPUs of {}", machine.name == "here" ? "this computer" : machine.name);
  if (!count) return fmt::format("no number of {} holds all arrays without such a step", gpus);
  const int there = machine.gpus_per_node * machine.most_nodes;
  return fmt::format("the smallest number of {} that needs no such step is {}{}", gpus, *count,
                     *count > there ? fmt::format(", more than the {} there are", there) : "");
}

}  // namespace nfold::setup

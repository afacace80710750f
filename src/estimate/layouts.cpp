// Enumeration and description of layouts.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/text.hpp"

namespace nfold::estimate {
namespace {

/// Nodes and ranks of a node that layouts of one kind of devices may have.
class LayoutList {
 public:
  LayoutList(const Machine& machine, const LayoutWish& wish, bool on_gpu)
      : machine_(machine),
        wish_(wish),
        on_gpu_(on_gpu),
        most_(on_gpu                       ? machine.gpus_per_node
              : wish.includes_busy_cores() ? machine.cores_per_node
                                           : machine.free_cores()),
        asked_per_node_(on_gpu ? wish.gpus_per_node : wish.cores_per_node) {}

  [[nodiscard]] std::vector<Layout> list() const {
    std::vector<Layout> layouts;
    if (asks_for_others() || wish_.cores_per_node > machine_.cores_per_node) return layouts;
    for (const int nodes : numbers(wish_.nodes, machine_.most_nodes)) {
      for (const int per_node : ranks_of_node(nodes)) {
        layouts.push_back({nodes, per_node, on_gpu_});
      }
    }
    return layouts;
  }

 private:
  /// True if the wish names the other kind of devices alone.
  [[nodiscard]] bool asks_for_others() const {
    return on_gpu_ ? wish_.cores_per_node && !wish_.gpus_per_node : wish_.gpus_per_node.has_value();
  }
  [[nodiscard]] std::vector<int> numbers(std::optional<int> asked, int most) const {
    if (asked) return *asked <= most ? std::vector{*asked} : std::vector<int>();
    if (!wish_.lists_every_number && !wish_.ranks) return candidate_counts(most);
    std::vector<int> all(static_cast<std::size_t>(most));
    std::iota(all.begin(), all.end(), 1);
    return all;
  }
  [[nodiscard]] std::vector<int> ranks_of_node(int nodes) const {
    if (wish_.ranks) {
      const int per_node = *wish_.ranks / nodes;
      const bool fits = *wish_.ranks % nodes == 0 && per_node >= 1 && per_node <= most_ &&
                        per_node == asked_per_node_.value_or(per_node);
      return fits ? std::vector{per_node} : std::vector<int>();
    }
    const bool is_whole = nodes > 1 && !wish_.nodes && !asked_per_node_;
    return is_whole ? std::vector{most_} : numbers(asked_per_node_, most_);
  }

  const Machine& machine_;
  const LayoutWish& wish_;
  bool on_gpu_;
  int most_;
  std::optional<int> asked_per_node_;
};

}  // namespace

Backend to_backend(const Layout& layout) { return layout.on_gpu ? Backend::gpu : Backend::cpu; }

JobRanks job_of(const Layout& layout) {
  JobRanks job;
  (layout.on_gpu ? job.gpu : job.cpu) = layout.ranks();
  if (layout.on_gpu) job.cpu = layout.nodes * layout.cores_beside_gpus;
  job.cpu_threads = job.cpu;
  return job;
}

WorkSeconds work_seconds(const Machine& machine, const Layout& layout, const TargetWork& work,
                         int ranks) {
  return work_seconds(work, machine.speeds, job_of(layout), to_backend(layout), ranks);
}

std::string describe(const Layout& layout) {
  auto ranks = core::pluralise(layout.ranks_per_node, layout.on_gpu ? "GPU" : "core");
  if (const int beside = layout.cores_beside_gpus; beside > 0) {
    ranks += " and " + core::pluralise(beside, "core");
  }
  return layout.nodes == 1 ? ranks : fmt::format("{} nodes of {}", layout.nodes, ranks);
}

std::vector<int> candidate_counts(int most) {
  std::vector<int> numbers;
  for (int number = 1; number < most; number = std::max(number + 1, number * 9 / 8)) {
    numbers.push_back(number);
  }
  numbers.push_back(most);
  return numbers;
}

std::string describe(const Layout& layout, const std::string& machine) {
  return fmt::format("{} of {}", describe(layout), machine);
}

std::vector<Layout> list_layouts(const Machine& machine, const LayoutWish& wish) {
  const auto on_gpus =
      machine.has_gpus() ? LayoutList(machine, wish, true).list() : std::vector<Layout>();
  const auto on_cores = LayoutList(machine, wish, false).list();
  auto layouts = on_gpus;
  layouts.insert(layouts.end(), on_cores.begin(), on_cores.end());
  if (!wish.mixes) return layouts;
  for (auto mixed : on_gpus) {
    const int gpus = mixed.ranks_per_node;
    const int share = machine.free_cores() * gpus / machine.gpus_per_node;
    mixed.cores_beside_gpus = wish.cores_per_node.value_or(share) - gpus;
    if (mixed.cores_beside_gpus > 0) layouts.push_back(mixed);
  }
  return layouts;
}

std::string describe_limits(const Machine& machine) {
  const auto cores = core::pluralise(machine.cores_per_node, "core");
  const auto node =
      machine.has_gpus() ? core::pluralise(machine.gpus_per_node, "GPU") + " and " + cores : cores;
  return machine.most_nodes == 1 ? "one node of " + node
                                 : fmt::format("up to {} nodes of {}", machine.most_nodes, node);
}

std::string format_time_span(double seconds) {
  constexpr double minute = 60, hour = 3600, day = 24 * hour, year = 365.25 * day;
  if (seconds < 2 * minute) return fmt::format("{:.3g} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.3g} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{:.3g} h", seconds / hour);
  if (seconds < 2 * year) return fmt::format("{:.3g} days", seconds / day);
  return fmt::format("{:.3g} years", seconds / year);
}

}  // namespace nfold::estimate

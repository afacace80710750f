// Environment variables of Slurm, PBS and LSF.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "core/parse_number.hpp"

namespace nfold::supervise {
namespace {

constexpr int most_hosts = 100'000;  // limit for garbled lists

/// Splits at commas outside of brackets.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : list) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  std::erase(parts, "");
  return parts;
}

void add_range(std::vector<std::string>& hosts, const std::string& head, std::string_view range,
               const std::string& tail) {
  const auto dash = range.find('-');
  const auto first_text = range.substr(0, dash);
  const auto first = core::parse_number<int>(first_text);
  const auto last =
      dash == std::string_view::npos ? first : core::parse_number<int>(range.substr(dash + 1));
  if (!first || !last || *last - *first > most_hosts) return;
  for (int k = *first; k <= *last; ++k) {
    hosts.push_back(fmt::format("{}{:0{}}{}", head, k, first_text.size(), tail));
  }
}

void add_node(std::vector<NodeSlots>& nodes, const std::string& host, int slots) {
  const auto known = std::ranges::find(nodes, host, &NodeSlots::host);
  if (known != nodes.end()) {
    known->slots += slots;
  } else {
    nodes.push_back({host, slots});
  }
}

int sum_slots(const std::vector<NodeSlots>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), 0,
                         [](int sum, const auto& node) { return sum + node.slots; });
}

Allocation slurm_allocation(const Variables& variables) {
  Allocation given{Scheduler::slurm, {}, 0};
  const auto hosts = expand_hosts(variables("SLURM_JOB_NODELIST"));
  const auto slots = expand_counts(variables("SLURM_TASKS_PER_NODE"));
  const int gpus = core::parse_number<int>(variables("SLURM_GPUS_ON_NODE")).value_or(0);
  const auto tasks = core::parse_number<int>(variables("SLURM_NTASKS"));
  for (std::size_t k = 0; k < hosts.size(); ++k) {
    // Without --ntasks, SLURM_TASKS_PER_NODE is the cores or 1; one rank for each GPU is intended.
    const int of_node = k < slots.size() ? slots[k] : 1;
    given.nodes.push_back({hosts[k], tasks || gpus == 0 ? of_node : gpus});
  }
  const int summed = gpus > 0 ? sum_slots(given.nodes) : static_cast<int>(hosts.size());
  given.tasks = tasks.value_or(summed);
  return given;
}

Allocation pbs_allocation(const std::string& node_file) {
  Allocation given{Scheduler::pbs, {}, 0};
  std::istringstream lines(node_file);
  for (std::string host; lines >> host;) add_node(given.nodes, host, 1);
  given.tasks = sum_slots(given.nodes);
  return given;
}

Allocation lsf_allocation(const std::string& hosts) {
  Allocation given{Scheduler::lsf, {}, 0};
  std::istringstream words(hosts);
  std::string host;
  for (int slots = 0; words >> host >> slots;) add_node(given.nodes, host, slots);
  given.tasks = sum_slots(given.nodes);
  return given;
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  for (const auto& part : split(list)) {
    const auto open = part.find('['), close = part.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) {
      hosts.push_back(part);
      continue;
    }
    for (const auto& range : split(part.substr(open + 1, close - open - 1))) {
      add_range(hosts, part.substr(0, open), range, part.substr(close + 1));
    }
  }
  return hosts;
}

std::vector<int> expand_counts(std::string_view list) {
  std::vector<int> counts;
  for (const auto& part : split(list)) {
    const auto times = part.find("(x");
    const auto count = core::parse_number<int>(std::string_view(part).substr(0, times));
    int repeats = 1;
    if (times != std::string::npos) {
      const auto end = part.find(')', times);
      repeats = core::parse_number<int>(std::string_view(part).substr(times + 2, end - times - 2))
                    .value_or(0);
    }
    if (count) counts.insert(counts.end(), std::clamp(repeats, 0, most_hosts), *count);
  }
  return counts;
}

Allocation read_allocation(const Variables& variables, const FileText& file_text) {
  if (!variables("SLURM_JOB_ID").empty()) return slurm_allocation(variables);
  if (const auto file = variables("PBS_NODEFILE"); !file.empty())
    return pbs_allocation(file_text(file));
  if (const auto hosts = variables("LSB_MCPU_HOSTS"); !hosts.empty()) return lsf_allocation(hosts);
  return {};
}

}  // namespace nfold::supervise

// Processor binding by sched_getaffinity and sched_setaffinity.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace nfold::hardware {
namespace {

ProcessorSet set_of(const cpu_set_t& given) {
  static_assert(CPU_SETSIZE == ProcessorSet().size());
  ProcessorSet set;
  for (std::size_t k = 0; k < set.size(); ++k) set[k] = CPU_ISSET(k, &given);
  return set;
}

}  // namespace

ProcessorSet bound_processors() {
  cpu_set_t bound;
  return sched_getaffinity(0, sizeof(bound), &bound) == 0 ? set_of(bound) : ProcessorSet();
}

bool bind_to(const ProcessorSet& processors) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (std::size_t k = 0; k < processors.size(); ++k) {
    if (processors[k]) CPU_SET(k, &wanted);
  }
  return sched_setaffinity(0, sizeof(wanted), &wanted) == 0;
}

std::optional<ProcessorSet> reachable_processors() {
  cpu_set_t bound, all;
  if (sched_getaffinity(0, sizeof(bound), &bound) != 0) return std::nullopt;
  // The kernel clips the request to the processors given to the job, and so reveals them.
  std::memset(&all, 0xff, sizeof(all));
  if (sched_setaffinity(0, sizeof(all), &all) != 0) return std::nullopt;
  const bool is_known = sched_getaffinity(0, sizeof(all), &all) == 0;
  (void)sched_setaffinity(0, sizeof(bound), &bound);
  return is_known ? std::optional(set_of(all)) : std::nullopt;
}

int share_of_processors(std::span<const ProcessorSet> by_process, std::size_t own) {
  const auto& mine = by_process[own];
  double share = 0;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (!mine[k]) continue;
    const auto sharers =
        std::ranges::count_if(by_process, [k](const ProcessorSet& other) { return other[k]; });
    share += 1.0 / static_cast<double>(sharers);
  }
  constexpr double rounding = 1e-6;
  return std::max(1, static_cast<int>(share + rounding));
}

std::string list_text(const ProcessorSet& processors) {
  std::string text;
  for (std::size_t k = 0; k < processors.size(); ++k) {
    if (!processors[k]) continue;
    std::size_t last = k;
    while (last + 1 < processors.size() && processors[last + 1]) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(k);
    if (last > k) text += "-" + std::to_string(last);
    k = last;
  }
  return text;
}

std::optional<ProcessorSet> parse_list(const std::string& text) {
  ProcessorSet set;
  std::string_view rest = text;
  const auto number = [&rest]() -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || value >= ProcessorSet().size()) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  };
  while (!rest.empty()) {
    const auto first = number();
    if (!first) return std::nullopt;
    auto last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      last = number();
      if (!last || *last < *first) return std::nullopt;
    }
    for (std::size_t k = *first; k <= *last; ++k) set.set(k);
    if (rest.starts_with(',')) {
      rest.remove_prefix(1);
    } else if (!rest.empty()) {
      return std::nullopt;
    }
  }
  return set;
}

}  // namespace nfold::hardware

// Assignment of targets to parts.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "core/document/scalars.hpp"
#include "core/refusal.hpp"

namespace nfold::batch {
namespace {

/// Rounds to four bits, so that values differing in the last bit become equal and sums are exact.
double coarse(double seconds) {
  constexpr double steps = 16;
  int exponent = 0;
  const double mantissa = std::frexp(seconds, &exponent);
  return std::ldexp(std::floor(mantissa * steps) / steps, exponent);
}

}  // namespace

Part parse_part(const std::string& text) {
  constexpr std::uint64_t most = 100'000;
  const auto slash = text.find('/');
  std::optional<std::uint64_t> number, of;
  if (slash != std::string::npos) {
    number = document::to_integer(text.substr(0, slash));
    of = document::to_integer(text.substr(slash + 1));
  }
  if (!number || !of || *number < 1 || *number > *of || *of > most) {
    core::refuse("--part", text, "expected K/N, with K from 1 to N, as 2/4");
  }
  return {static_cast<int>(*number), static_cast<int>(*of)};
}

std::string part_infix(const Part& part) {
  return part.is_all() ? "" : fmt::format(".part-{}-of-{}", part.number, part.of);
}

std::vector<int> assign_parts(std::span<const double> seconds, int parts) {
  std::vector<double> cost;
  for (const double one : seconds) cost.push_back(coarse(one));
  std::vector<std::size_t> order(cost.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return cost[k]; });
  std::vector<std::pair<double, int>> loads(static_cast<std::size_t>(parts));  // seconds, targets
  std::vector<int> part_of(cost.size());
  for (const auto k : order) {
    const auto least = std::ranges::min_element(loads);
    least->first += cost[k];
    ++least->second;
    part_of[k] = static_cast<int>(least - loads.begin()) + 1;
  }
  return part_of;
}

}  // namespace nfold::batch

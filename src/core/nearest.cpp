// Edit distance and the nearest word.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/nearest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace nfold::core {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

bool is_near(std::size_t distance, std::size_t length) {
  return distance <= std::max<std::size_t>(1, length / 3);
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > longest_word) return {};
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const auto candidate : known) {
    const auto distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return is_near(best_distance, word.size()) ? best : std::string_view();
}

std::string suggest_word(std::string_view word, std::span<const std::string_view> known,
                         std::string otherwise) {
  const auto nearest = nearest_word(word, known);
  return nearest.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", nearest);
}

}  // namespace nfold::core

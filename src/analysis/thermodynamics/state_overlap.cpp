// Overlap of neighbouring states by the Bennett acceptance ratio.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/state_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "analysis/frame.hpp"
#include "analysis/sampling_limits.hpp"
#include "device/node_threads.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr int bisections = 80;

/// Returns the weight of the upper state in a sample with this difference of reduced energies
/// (upper minus lower).
double upper_share(double difference, double offset) {
  return 1 / (1 + std::exp(difference - offset));
}

/// Returns the overlap. differences: reduced energy in the upper state minus that in the lower one,
/// of all samples of both.
double overlap_of(const std::vector<double>& differences, double lower_count, double upper_count) {
  if (lower_count == 0 || upper_count == 0) return 0;
  // The offset at which the weights sum to the samples of the upper state.
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  const double margin = std::log(lower_count + upper_count) + 1;
  double low = *least - margin, high = *most + margin;
  for (int k = 0; k < bisections; ++k) {
    const double middle = 0.5 * (low + high);
    double sum = 0;
    for (const double d : differences) sum += upper_share(d, middle);
    (sum < upper_count ? low : high) = middle;
  }
  double both = 0;
  for (const double d : differences) {
    const double share = upper_share(d, low);
    both += share * (1 - share);
  }
  return both / std::max(lower_count, upper_count);
}

}  // namespace

std::vector<double> neighbour_overlaps(const FoldingSamples& samples) {
  const std::size_t states = samples.states.size();
  std::vector<std::vector<std::size_t>> of_state(states);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    of_state[static_cast<std::size_t>(samples.state[n])].push_back(n);
  }
  std::vector<double> overlaps(states > 0 ? states - 1 : 0);
  device::for_each_on_node_threads(overlaps.size(), [&](std::size_t k) {
    const auto lower = samples.state_potential(samples.states[k]);
    const auto upper = samples.state_potential(samples.states[k + 1]);
    std::vector<double> differences;
    differences.reserve(of_state[k].size() + of_state[k + 1].size());
    for (const auto* const one : {&of_state[k], &of_state[k + 1]}) {
      for (const std::size_t n : *one) {
        const auto parts = samples.energy(n);
        differences.push_back(upper.reduced(parts) - lower.reduced(parts));
      }
    }
    overlaps[k] = overlap_of(differences, static_cast<double>(of_state[k].size()),
                             static_cast<double>(of_state[k + 1].size()));
  });
  return overlaps;
}

std::vector<StateRange> joined_states(const std::vector<double>& overlaps) {
  std::vector<StateRange> ranges{{}};
  for (std::size_t k = 0; k < overlaps.size(); ++k) {
    if (overlaps[k] < analysis::least_overlap) ranges.push_back({k + 1, k + 1});
    ranges.back().last = k + 1;
  }
  return ranges;
}

std::string describe_gaps(const LadderPath& path, const std::vector<double>& overlaps) {
  constexpr int most_named = 8;
  std::string text;
  int gaps = 0;
  for (std::size_t k = 0; k < overlaps.size(); ++k) {
    if (overlaps[k] >= analysis::least_overlap || ++gaps > most_named) continue;
    text += fmt::format("{}{} and {} (overlap {:.3f})", text.empty() ? "" : ", ", path.describe(k),
                        path.describe(k + 1), overlaps[k]);
  }
  if (gaps > most_named) text += fmt::format(" and {} more pairs", gaps - most_named);
  return text;
}

void require_overlap(const FoldingSamples& samples) {
  const auto gaps = describe_gaps(LadderPath(samples.states), neighbour_overlaps(samples));
  if (gaps.empty()) return;
  throw analysis::AnalysisError(
      fmt::format("samples of neighbouring states overlap by less than {}: {}; put states between "
                  "them, or run longer",
                  analysis::least_overlap, gaps));
}

}  // namespace nfold::thermodynamics

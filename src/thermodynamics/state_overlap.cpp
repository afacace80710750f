// Overlap matrices of pairs of states.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/state_overlap.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/frame.hpp"
#include "analysis/sampling_limits.hpp"

namespace nfold::thermodynamics {
namespace {

double overlap_of_pair(const FoldingSamples& from, const ChosenSamples& pair,
                       const std::vector<replicas::ThermodynamicState>& states) {
  try {
    const auto overlap =
        StateReweighting(states, pair.energy, pair.count, from.screening).overlap();
    return std::min(overlap[1], overlap[2]);
  } catch (const analysis::AnalysisError&) {
    return 0;  // so far apart that not even their free energies converge
  }
}

std::vector<replicas::ThermodynamicState> states_of(const FoldingSamples& from,
                                                    const StateRange& range) {
  const auto first = from.states.begin() + static_cast<std::ptrdiff_t>(range.first);
  return {first, first + static_cast<std::ptrdiff_t>(range.size())};
}

}  // namespace

std::vector<double> neighbour_overlaps(const FoldingSamples& from, const ChosenSamples& chosen) {
  std::vector<double> overlaps(from.states.size() - 1);
  device::on_threads_alone(overlaps.size(), [&](std::size_t k) {
    const StateRange pair{k, k + 1};
    overlaps[k] = overlap_of_pair(from, chosen.of_states(k, k + 1), states_of(from, pair));
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

std::string describe_gaps(const std::vector<replicas::ThermodynamicState>& states,
                          const std::vector<double>& overlaps) {
  constexpr int most_named = 8;
  const LadderPath path(states);
  std::string text;
  int gaps = 0;
  for (std::size_t k = 0; k < overlaps.size(); ++k) {
    if (overlaps[k] >= analysis::least_overlap || ++gaps > most_named) continue;
    text += fmt::format("{}{} and {} (overlap {:.2g})", text.empty() ? "" : "; ", path.describe(k),
                        path.describe(k + 1), overlaps[k]);
  }
  if (gaps > most_named) text += fmt::format("; and {} more pairs", gaps - most_named);
  return text;
}

StateReweighting reweighting_of(const FoldingSamples& from, const ChosenSamples& chosen,
                                const StateRange& range) {
  const auto of_range = chosen.of_states(range.first, range.last);
  return {states_of(from, range), of_range.energy, of_range.count, from.screening,
          [](std::size_t items, const auto& item) { device::on_threads_alone(items, item); }};
}

StateReweighting reweighting_of_all(const FoldingSamples& from, const ChosenSamples& chosen) {
  const auto gaps = describe_gaps(from.states, neighbour_overlaps(from, chosen));
  if (!gaps.empty()) {
    throw analysis::AnalysisError(fmt::format(
        "neighbouring states share too few samples, an overlap of {} is needed: {}; put more "
        "states between them",
        analysis::least_overlap, gaps));
  }
  return reweighting_of(from, chosen, {0, from.states.size() - 1});
}

}  // namespace nfold::thermodynamics

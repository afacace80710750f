// Bennett's acceptance ratio of each pair of neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/state_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "analysis/frame.hpp"
#include "device/threads_alone.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr int bisections = 80;

/// Share of the upper state in a sample whose reduced energy there is higher by this.
double upper_share(double difference, double offset) {
  return 1 / (1 + std::exp(difference - offset));
}

/// differences: reduced energy in the upper state less that in the lower one, of all samples of
/// both.
double overlap_of(const std::vector<double>& differences, double lower_count, double upper_count) {
  if (lower_count == 0 || upper_count == 0) return 0;
  // The offset at which shares add up to the samples of the upper state.
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

std::string describe(Varies what, double coordinate) {
  switch (what) {
    case Varies::temperature:
      return fmt::format("{:.1f} K", coordinate);
    case Varies::contact_strength:
      return fmt::format("contact strength {:.3g}", coordinate);
    case Varies::ionic_strength:
      return fmt::format("{:.3g} mol/l of salt", coordinate);
    case Varies::umbrella_centre:
      return fmt::format("umbrella at {:.3g} nm", coordinate);
  }
  return {};
}

}  // namespace

std::vector<double> neighbour_overlaps(const FoldingSamples& samples) {
  const std::size_t states = samples.states.size();
  std::vector<std::vector<std::size_t>> of_state(states);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    of_state[static_cast<std::size_t>(samples.state[n])].push_back(n);
  }
  std::vector<double> overlaps(states > 0 ? states - 1 : 0);
  device::on_threads_alone(overlaps.size(), [&](std::size_t k) {
    const auto lower = samples.potential_in(samples.states[k]);
    const auto upper = samples.potential_in(samples.states[k + 1]);
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

void require_overlap(const FoldingSamples& samples) {
  const auto overlaps = neighbour_overlaps(samples);
  const LadderPath path(samples.states);
  std::string gaps;
  for (std::size_t k = 0; k < overlaps.size(); ++k) {
    if (overlaps[k] >= least_overlap) continue;
    const auto name = [&](std::size_t state) {
      return describe(path.varies(), path.coordinate(samples.states[state]));
    };
    gaps += fmt::format("{}{} and {} ({:.3f})", gaps.empty() ? "" : ", ", name(k), name(k + 1),
                        overlaps[k]);
  }
  if (gaps.empty()) return;
  throw analysis::AnalysisError(
      fmt::format("samples of neighbouring states overlap by less than {}: {}; put states between "
                  "them, or run longer",
                  least_overlap, gaps));
}

}  // namespace nfold::thermodynamics

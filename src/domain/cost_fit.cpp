// Ridge regression on shares of the estimated time, alternating between kinds of work and ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/cost_fit.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace nfold::domain {
namespace {

constexpr std::size_t kinds = 5;
using ByKind = std::array<double, kinds>;

// Standard deviations relative to the mean: of one measurement, and the priors of a cost and of a
// rank's speed.
constexpr double noise = 0.02, doubt_of_cost = 0.5, doubt_of_speed = 0.5;
constexpr int turns = 300, sweeps = 4;

constexpr double squared(double x) { return x * x; }

ByKind counts_of(const CostSample& sample) {
  return {sample.pairs, sample.charged_pairs, sample.residues, sample.term_work, sample.ghosts};
}
ByKind costs_of(const WorkCosts& costs) {
  return {costs.pair, costs.charged_pair, costs.residue, costs.term, costs.ghost};
}

double dot(const ByKind& a, const ByKind& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kinds; ++k) sum += a[k] * b[k];
  return sum;
}

/// Sums over one rank's samples of shares (of the time estimated by the prior, in units of its
/// mean) and of measured times.
struct Sums {
  std::array<ByKind, kinds> shares_squared{};
  ByKind measured_times_share{};

  void add(const ByKind& share, double measured) {
    for (std::size_t k = 0; k < kinds; ++k) {
      measured_times_share[k] += measured * share[k];
      for (std::size_t j = 0; j < kinds; ++j) shares_squared[k][j] += share[k] * share[j];
    }
  }
};

/// Returns the slowness factor of a rank for given cost factors.
double slowness_of(const Sums& sums, const ByKind& factor) {
  double predicted_squared = 0;
  for (std::size_t k = 0; k < kinds; ++k) {
    predicted_squared += factor[k] * dot(sums.shares_squared[k], factor);
  }
  constexpr double weight = squared(noise / doubt_of_speed);
  return (dot(sums.measured_times_share, factor) + weight) / (predicted_squared + weight);
}

/// Improves the cost factors one after another in a few sweeps, for given slowness of the ranks.
void improve(const std::vector<Sums>& ranks, const std::vector<double>& slowness, ByKind& factor) {
  Sums all;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t k = 0; k < kinds; ++k) {
      all.measured_times_share[k] += slowness[r] * ranks[r].measured_times_share[k];
      for (std::size_t j = 0; j < kinds; ++j) {
        all.shares_squared[k][j] += squared(slowness[r]) * ranks[r].shares_squared[k][j];
      }
    }
  }
  constexpr double weight = squared(noise / doubt_of_cost);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t k = 0; k < kinds; ++k) {
      const double others =
          dot(all.shares_squared[k], factor) - all.shares_squared[k][k] * factor[k];
      factor[k] = std::max(0.0, (all.measured_times_share[k] - others + weight) /
                                    (all.shares_squared[k][k] + weight));
    }
  }
}

}  // namespace

std::optional<FittedCosts> fit_costs(std::span<const CostSample> samples, int rank_count,
                                     const WorkCosts& prior) {
  const ByKind first = costs_of(prior);
  double seconds = 0, units = 0;
  for (const auto& sample : samples) {
    seconds += sample.busy_seconds;
    units += dot(first, counts_of(sample));
  }
  if (!(seconds > 0 && units > 0)) return std::nullopt;
  const double mean_seconds = seconds / static_cast<double>(samples.size());
  const double seconds_per_unit = seconds / units;
  std::vector<Sums> ranks(static_cast<std::size_t>(rank_count));
  for (const auto& sample : samples) {
    ByKind share = counts_of(sample);
    for (std::size_t k = 0; k < kinds; ++k) share[k] *= first[k] * seconds_per_unit / mean_seconds;
    ranks.at(static_cast<std::size_t>(sample.rank)).add(share, sample.busy_seconds / mean_seconds);
  }
  ByKind factor;
  factor.fill(1);
  std::vector<double> slowness(ranks.size(), 1);
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t r = 0; r < ranks.size(); ++r) slowness[r] = slowness_of(ranks[r], factor);
    improve(ranks, slowness, factor);
  }
  return FittedCosts{{first[0] * factor[0], first[1] * factor[1], first[2] * factor[2],
                      first[3] * factor[3], first[4] * factor[4]},
                     seconds_per_unit};
}

}  // namespace nfold::domain

// Statistics of replicas' time series about their common mean.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replica_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "analysis/reweighting.hpp"

namespace nfold::analysis {
namespace {

/// Returns 1 + 2 tau of all replicas. The common mean counts a drift of all of them as correlation.
double pooled_inefficiency(std::span<const double> values, std::size_t replicas, double mean,
                           double variance) {
  const std::size_t times = values.size() / replicas;
  double g = 1;
  for (std::size_t lag = 1; lag < times && variance > 0; ++lag) {
    double sum = 0;
    for (std::size_t n = 0; n + lag * replicas < values.size(); ++n) {
      sum += (values[n] - mean) * (values[n + lag * replicas] - mean);
    }
    const auto left = static_cast<double>(times - lag);
    const double correlation = sum / (left * static_cast<double>(replicas) * variance);
    if (correlation <= 0) break;
    g += 2 * correlation * left / static_cast<double>(times);
  }
  return g;
}

struct Autocorrelation {
  double mean, variance, inefficiency;
  double squared_error;  // square of the mean's standard error
};
Autocorrelation autocorrelation(std::span<const double> values, std::size_t replicas) {
  const auto samples = static_cast<double>(values.size());
  const double mean = mean_of(values);
  const double variance = squares_about(values, mean) / samples;
  const double g = pooled_inefficiency(values, replicas, mean, variance);
  return {mean, variance, g, variance * g / samples};
}

}  // namespace

ReplicaMean replica_mean(std::span<const double> values, std::size_t replicas) {
  if (values.empty() || replicas == 0 || values.size() % replicas != 0) {
    throw std::invalid_argument("a mean of no samples, or not of all replicas");
  }
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  auto [mean, variance, g, squared_error] = autocorrelation(values, replicas);
  if (replicas > 1) {
    const std::size_t times = values.size() / replicas;
    double squares = 0;
    for (std::size_t r = 0; r < replicas; ++r) {
      double sum = 0;
      for (std::size_t t = 0; t < times; ++t) sum += values[t * replicas + r];
      const double difference = sum / static_cast<double>(times) - mean;
      squares += difference * difference;
    }
    const auto count = static_cast<double>(replicas);
    squared_error = std::max(squared_error, squares / (count * (count - 1)));
  }
  if (!(squared_error > 0)) return {{mean, not_known, not_known}, g};
  return {{mean, std::sqrt(squared_error), variance / squared_error}, g};
}

std::size_t equilibration_times(std::span<const double> values, std::size_t replicas,
                                std::size_t stride) {
  const std::size_t times = values.size() / replicas;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t first = 0; 2 * first <= times && first < times; first += stride) {
    const double squared_error =
        autocorrelation(values.subspan(first * replicas), replicas).squared_error;
    if (squared_error < least) best = first, least = squared_error;
  }
  return best;
}

}  // namespace nfold::analysis

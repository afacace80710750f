// Means of each state, with errors between and within ladders.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/state_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "analysis/reweighting.hpp"
#include "device/node_threads.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr std::size_t ladders_enough = 16;
// Longer series are thinned for the autocorrelation, which can only widen the error.
constexpr std::size_t most_correlated = 2'000;
constexpr std::size_t replicas_per_part = 512;

double independent_samples(std::span<const double> series) {
  const std::size_t stride = (series.size() + most_correlated - 1) / most_correlated;
  std::vector<double> thinned;
  thinned.reserve(series.size() / stride + 1);
  for (std::size_t n = 0; n < series.size(); n += stride) thinned.push_back(series[n]);
  return static_cast<double>(thinned.size()) / analysis::statistical_inefficiency(thinned);
}

/// Returns the mean of one state. series: (ladders, times).
StateMean mean_of_state(std::span<const double> series, std::size_t times) {
  std::vector<std::span<const double>> ladders;
  std::vector<double> means;
  for (; !series.empty(); series = series.subspan(times)) {
    ladders.push_back(series.first(times));
    means.push_back(analysis::mean_of(ladders.back()));
  }
  const auto count = static_cast<double>(ladders.size());
  const double samples = count * static_cast<double>(times), mean = analysis::mean_of(means);
  if (samples < 2) return {mean, std::numeric_limits<double>::quiet_NaN(), 1};
  double squares = 0;
  for (const auto ladder : ladders) squares += analysis::squares_about(ladder, mean);
  const double variance = squares / (samples - 1);
  double variance_of_mean = 0;
  if (ladders.size() > 1)
    variance_of_mean = analysis::squares_about(means, mean) / (count - 1) / count;
  if (ladders.size() < ladders_enough) {
    double independent = 0;
    for (const auto ladder : ladders) independent += independent_samples(ladder);
    variance_of_mean = std::max(variance_of_mean, variance / independent);
  }
  return {mean, std::sqrt(variance_of_mean),
          variance_of_mean > 0 ? std::min(samples, variance / variance_of_mean) : samples};
}

}  // namespace

std::vector<StateMean> state_means(const FoldingSamples& samples, std::span<const double> values) {
  const std::size_t states = samples.states.size();
  const auto replicas = static_cast<std::size_t>(samples.replicas);
  if (values.empty() || values.size() != samples.size() || states == 0 || replicas == 0 ||
      replicas % states != 0 || values.size() % replicas != 0) {
    throw std::invalid_argument("means of no samples, or not of all replicas");
  }
  const std::size_t ladders = replicas / states, times = values.size() / replicas;
  std::vector<double> series(values.size());  // (states, ladders, times)
  // A few ladders at a time, so that their series fit the cache.
  const std::size_t of_a_part = std::max<std::size_t>(1, replicas_per_part / states);
  device::for_each_on_node_threads((ladders + of_a_part - 1) / of_a_part, [&](std::size_t part) {
    const std::size_t first = part * of_a_part, last = std::min(first + of_a_part, ladders);
    std::vector<std::size_t> seen((last - first) * states, 0);  // number of times so far
    for (std::size_t n = 0; n < times; ++n) {
      for (std::size_t r = first * states; r < last * states; ++r) {
        const auto state = static_cast<std::size_t>(samples.state[n * replicas + r]);
        const std::size_t ladder = r / states;
        if (seen[(ladder - first) * states + state]++ != n) {
          throw std::invalid_argument("a ladder has not each of its states once");
        }
        series[(state * ladders + ladder) * times + n] = values[n * replicas + r];
      }
    }
  });
  std::vector<StateMean> found(states);
  device::for_each_on_node_threads(states, [&](std::size_t k) {
    const auto of_state = std::span<const double>(series).subspan(k * ladders * times);
    found[k] = mean_of_state(of_state.first(ladders * times), times);
  });
  return found;
}

}  // namespace nfold::thermodynamics

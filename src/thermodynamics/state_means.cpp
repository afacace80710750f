// Series of a state, ladder by ladder; errors between and within them.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/state_means.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "analysis/reweighting.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr std::size_t ladders_enough = 16;
// Of a longer series every so many count for its autocorrelation, which can only widen the error.
constexpr std::size_t most_correlated = 2'000;

double mean_of(const std::vector<double>& series) {
  double sum = 0;
  for (const double x : series) sum += x;
  return sum / static_cast<double>(series.size());
}

double squares_about(const std::vector<double>& series, double mean) {
  double sum = 0;
  for (const double x : series) sum += (x - mean) * (x - mean);
  return sum;
}

double independent_samples(const std::vector<double>& series) {
  const std::size_t stride = (series.size() + most_correlated - 1) / most_correlated;
  std::vector<double> thinned;
  thinned.reserve(series.size() / stride + 1);
  for (std::size_t n = 0; n < series.size(); n += stride) thinned.push_back(series[n]);
  return static_cast<double>(thinned.size()) / analysis::statistical_inefficiency(thinned);
}

/// ladders: (ladders, times) of one state.
StateMean mean_of_state(const std::vector<std::vector<double>>& ladders) {
  const auto count = static_cast<double>(ladders.size());
  std::vector<double> means;
  means.reserve(ladders.size());
  for (const auto& series : ladders) means.push_back(mean_of(series));
  StateMean found;
  found.mean = mean_of(means);
  double squares = 0, samples = 0;
  for (const auto& series : ladders) {
    squares += squares_about(series, found.mean);
    samples += static_cast<double>(series.size());
  }
  if (samples < 2) {
    found.error = std::numeric_limits<double>::quiet_NaN();
    found.independent = 1;
    return found;
  }
  const double variance = squares / (samples - 1);
  double of_mean = 0;
  if (ladders.size() > 1) of_mean = squares_about(means, found.mean) / (count - 1) / count;
  if (ladders.size() < ladders_enough) {
    double independent = 0;
    for (const auto& series : ladders) independent += independent_samples(series);
    of_mean = std::max(of_mean, variance / independent);
  }
  found.error = std::sqrt(of_mean);
  found.independent = of_mean > 0 ? std::min(samples, variance / of_mean) : samples;
  return found;
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
  std::vector<std::vector<std::vector<double>>> series(states,
                                                       std::vector<std::vector<double>>(ladders));
  for (auto& of_state : series) {
    for (auto& one : of_state) one.reserve(times);
  }
  for (std::size_t n = 0; n < values.size(); ++n) {
    const std::size_t ladder = n % replicas / states;
    series[static_cast<std::size_t>(samples.state[n])][ladder].push_back(values[n]);
  }
  std::vector<StateMean> found;
  found.reserve(states);
  for (const auto& of_state : series) {
    const bool complete = std::all_of(of_state.begin(), of_state.end(),
                                      [&](const auto& one) { return one.size() == times; });
    if (!complete) throw std::invalid_argument("a ladder has not each of its states once");
    found.push_back(mean_of_state(of_state));
  }
  return found;
}

}  // namespace nfold::thermodynamics

// Thinning and resampling.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/chosen_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace nfold::thermodynamics {
namespace {

constexpr std::size_t most_samples = 60'000;
constexpr std::size_t samples_resampled = 15'000;

}  // namespace

void ChosenSamples::add(const FoldingSamples& from, std::size_t n) {
  energy.push_back(from.energy(n));
  q.push_back(static_cast<double>(from.formed_contacts[n]) /
              static_cast<double>(std::max<std::int64_t>(1, from.contacts)));
  if (!from.radius_of_gyration_nm.empty()) {
    radius_of_gyration_nm.push_back(from.radius_of_gyration_nm[n]);
  }
  count[static_cast<std::size_t>(from.state[n])] += 1;
}

ChosenSamples thinned(const FoldingSamples& from) {
  ChosenSamples chosen;
  chosen.count.assign(from.states.size(), 0);
  // A stride that shares no factor with the replicas meets all of them.
  std::size_t stride = (from.size() + most_samples - 1) / most_samples;
  const auto replicas = static_cast<std::size_t>(from.replicas);
  while (stride > 1 && std::gcd(stride, replicas) != 1) ++stride;
  for (std::size_t n = 0; n < from.size(); n += stride) chosen.add(from, n);
  return chosen;
}

ChosenSamples resampled(const FoldingSamples& from, std::mt19937_64& random) {
  const auto replicas = static_cast<std::size_t>(from.replicas);
  const std::size_t times = from.size() / replicas;
  const std::size_t states = from.states.size();
  const std::size_t ladders = replicas / states;
  // Of many replicas a row of samples is many already: then fewer stretches, which are longer.
  const std::size_t rows = std::max<std::size_t>(1, samples_resampled / replicas);
  const std::size_t stretches = std::min<std::size_t>({10, times, rows});
  const std::size_t length = times / stretches;
  const std::size_t all = ladders * stretches * length * states;
  const std::size_t stride = std::clamp<std::size_t>(all / samples_resampled, 1, length);
  ChosenSamples chosen;
  chosen.count.assign(states, 0);
  for (std::size_t draw = 0; draw < ladders * stretches; ++draw) {
    const std::size_t which = random() % (ladders * stretches);
    const std::size_t ladder = which / stretches;
    const std::size_t first = which % stretches * length;
    for (std::size_t t = first; t < first + length; ++t) {
      if ((t - first) % stride != 0) continue;
      for (std::size_t k = 0; k < states; ++k) {
        chosen.add(from, t * replicas + ladder * states + k);
      }
    }
  }
  return chosen;
}

std::vector<ChosenSamples> resampled_often(const FoldingSamples& from, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ChosenSamples> all;
  for (int k = 0; k < resamplings; ++k) {
    auto drawn = resampled(from, random);
    if (*std::min_element(drawn.count.begin(), drawn.count.end()) > 0) {
      all.push_back(std::move(drawn));
    }
  }
  return all;
}

StateReweighting reweighting_of(const FoldingSamples& from, const ChosenSamples& chosen,
                                std::vector<double> start) {
  return {from.states, chosen.energy, chosen.count, from.screening, std::move(start)};
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace nfold::thermodynamics

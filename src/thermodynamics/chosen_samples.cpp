// Choice of samples within a limit of memory, and draws of stretches of time.
// SPDX-License-Identifier: BSD-3-Clause
#include "thermodynamics/chosen_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace nfold::thermodynamics {
namespace {

/// Parts into which a ladder's time is cut for a bootstrap.
constexpr std::size_t stretches_of_ladder = 10;

}  // namespace

std::int64_t bytes_per_sample(std::size_t nodes) {
  constexpr std::int64_t features = 5, numbers_beside = 8;  // Q, radius, state, weights of a draw
  const auto of_nodes = static_cast<std::int64_t>(2 * nodes * sizeof(double));
  return static_cast<std::int64_t>(sizeof(EnergyParts) +
                                   (features + numbers_beside) * sizeof(double)) +
         of_nodes;
}

void ChosenSamples::add(const FoldingSamples& from, std::size_t n, std::uint32_t of_stretch) {
  energy.push_back(from.energy(n));
  q.push_back(static_cast<double>(from.formed_contacts[n]) /
              static_cast<double>(std::max<std::int64_t>(1, from.contacts)));
  if (!from.radius_of_gyration_nm.empty()) {
    radius_of_gyration_nm.push_back(from.radius_of_gyration_nm[n]);
  }
  state.push_back(from.state[n]);
  stretch.push_back(of_stretch);
  count[static_cast<std::size_t>(from.state[n])] += 1;
}

ChosenSamples ChosenSamples::of_states(std::size_t first, std::size_t last) const {
  if (first == 0 && last + 1 == count.size()) return *this;
  ChosenSamples some;
  some.stretches = stretches;
  some.count.assign(count.begin() + static_cast<std::ptrdiff_t>(first),
                    count.begin() + static_cast<std::ptrdiff_t>(last + 1));
  for (std::size_t n = 0; n < state.size(); ++n) {
    const auto of = static_cast<std::size_t>(state[n]);
    if (of < first || of > last) continue;
    some.energy.push_back(energy[n]);
    some.q.push_back(q[n]);
    if (!radius_of_gyration_nm.empty()) {
      some.radius_of_gyration_nm.push_back(radius_of_gyration_nm[n]);
    }
    some.state.push_back(state[n] - static_cast<std::int32_t>(first));
    some.stretch.push_back(stretch[n]);
  }
  return some;
}

std::size_t stride_of_times(const FoldingSamples& from, std::int64_t most_bytes) {
  const auto bytes =
      static_cast<std::int64_t>(from.size()) * bytes_per_sample(from.screening.size());
  return static_cast<std::size_t>(std::max<std::int64_t>(1, (bytes + most_bytes - 1) / most_bytes));
}

ChosenSamples chosen_samples(const FoldingSamples& from, std::int64_t most_bytes) {
  const auto replicas = static_cast<std::size_t>(from.replicas), states = from.states.size();
  const std::size_t times = from.size() / replicas;
  const std::size_t stretches = std::min(stretches_of_ladder, times);
  ChosenSamples chosen;
  chosen.count.assign(states, 0);
  chosen.stretches = static_cast<std::uint32_t>((replicas + states - 1) / states * stretches);
  const std::size_t stride = stride_of_times(from, most_bytes);
  for (std::size_t time = 0; time < times; time += stride) {
    for (std::size_t r = 0; r < replicas; ++r) {
      const std::size_t stretch = r / states * stretches + time * stretches / times;
      chosen.add(from, time * replicas + r, static_cast<std::uint32_t>(stretch));
    }
  }
  return chosen;
}

Draw draw_of(const ChosenSamples& chosen, const std::vector<double>& times_drawn) {
  Draw draw;
  draw.multiplicity.reserve(chosen.stretch.size());
  draw.count.assign(chosen.count.size(), 0);
  for (std::size_t n = 0; n < chosen.stretch.size(); ++n) {
    draw.multiplicity.push_back(times_drawn[chosen.stretch[n]]);
    draw.count[static_cast<std::size_t>(chosen.state[n])] += draw.multiplicity.back();
  }
  return draw;
}

std::vector<std::vector<double>> draw_stretches(const ChosenSamples& chosen, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> draws(resamplings, std::vector<double>(chosen.stretches, 0));
  for (auto& draw : draws) {
    for (std::uint32_t k = 0; k < chosen.stretches; ++k) draw[random() % chosen.stretches] += 1;
  }
  return draws;
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace nfold::thermodynamics

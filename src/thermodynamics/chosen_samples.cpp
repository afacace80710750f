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

/// Of each ladder, numbered ladder by ladder.
class Stretches {
 public:
  explicit Stretches(const FoldingSamples& from)
      : replicas_(static_cast<std::size_t>(from.replicas)),
        states_(from.states.size()),
        ladders_(replicas_ / states_) {
    const std::size_t times = from.size() / replicas_;
    // Of many replicas a row of samples is many already: then fewer stretches, which are longer.
    const std::size_t rows = std::max<std::size_t>(1, samples_resampled / replicas_);
    of_a_ladder_ = std::min<std::size_t>({10, times, rows});
    length_ = times / of_a_ladder_;
    const std::size_t all = ladders_ * of_a_ladder_ * length_ * states_;
    stride_ = std::clamp<std::size_t>(all / samples_resampled, 1, length_);
  }

  /// As many as there are, with replacement.
  [[nodiscard]] std::vector<std::size_t> drawn(std::mt19937_64& random) const {
    std::vector<std::size_t> which(ladders_ * of_a_ladder_);
    for (auto& one : which) one = random() % which.size();
    return which;
  }
  [[nodiscard]] ChosenSamples of(const FoldingSamples& from,
                                 const std::vector<std::size_t>& which) const {
    ChosenSamples chosen;
    chosen.count.assign(states_, 0);
    for (const std::size_t one : which) {
      const std::size_t ladder = one / of_a_ladder_, first = one % of_a_ladder_ * length_;
      for (std::size_t t = first; t < first + length_; t += stride_) {
        for (std::size_t k = 0; k < states_; ++k) {
          chosen.add(from, t * replicas_ + ladder * states_ + k);
        }
      }
    }
    return chosen;
  }

 private:
  std::size_t replicas_, states_, ladders_, of_a_ladder_ = 1, length_ = 1, stride_ = 1;
};

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
  const Stretches stretches(from);
  return stretches.of(from, stretches.drawn(random));
}

std::vector<ChosenSamples> resampled_often(const FoldingSamples& from, std::uint64_t seed,
                                           int threads) {
  const Stretches stretches(from);
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::size_t>> draws;
  draws.reserve(resamplings);
  for (int k = 0; k < resamplings; ++k) draws.push_back(stretches.drawn(random));
  std::vector<ChosenSamples> all(draws.size());
  device::on_threads_alone(
      all.size(), [&](std::size_t k) { all[k] = stretches.of(from, draws[k]); }, threads);
  std::erase_if(all, [](const ChosenSamples& drawn) {
    return *std::min_element(drawn.count.begin(), drawn.count.end()) == 0;
  });
  return all;
}

StateReweighting reweighting_of(const FoldingSamples& from, const ChosenSamples& chosen,
                                std::vector<double> start, const analysis::Loop& loop) {
  return {from.states, chosen.energy, chosen.count, from.screening, std::move(start), loop};
}

StateReweighting reweighting_alone(const FoldingSamples& from, const ChosenSamples& chosen) {
  return reweighting_of(from, chosen, {}, [](std::size_t items, const auto& item) {
    device::on_threads_alone(items, item);
  });
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0, sum = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace nfold::thermodynamics

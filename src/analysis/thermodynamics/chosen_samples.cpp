// Thinning and bootstrap resampling of samples.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/chosen_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "analysis/thermodynamics/state_overlap.hpp"

namespace nfold::thermodynamics {
namespace {

/// Returns the bytes per sample of a ChosenSamples and its reweighting.
std::size_t bytes_per_sample(const FoldingSamples& from) {
  constexpr std::size_t plain_numbers = 12, copies_of_screened = 2;
  return sizeof(EnergyParts) +
         sizeof(double) * (plain_numbers + copies_of_screened * from.screening.size());
}

/// Equal time intervals of the chosen times of each ladder, numbered ladder by ladder.
class TimeIntervals {
 public:
  explicit TimeIntervals(const FoldingSamples& from)
      : replicas_(static_cast<std::size_t>(from.replicas)),
        states_(from.states.size()),
        ladders_(replicas_ / states_),
        stride_(time_stride(from)),
        times_((from.size() / replicas_ + stride_ - 1) / stride_),
        intervals_per_ladder_(std::min<std::size_t>(10, times_)) {}

  /// Draws as many intervals as there are, with replacement.
  [[nodiscard]] std::vector<std::size_t> drawn(std::mt19937_64& random) const {
    std::vector<std::size_t> which(ladders_ * intervals_per_ladder_);
    for (auto& one : which) one = random() % which.size();
    return which;
  }
  [[nodiscard]] ChosenSamples of(const FoldingSamples& from,
                                 const std::vector<std::size_t>& which) const {
    ChosenSamples chosen;
    chosen.count.assign(states_, 0);
    for (const std::size_t one : which) {
      const std::size_t ladder = one / intervals_per_ladder_,
                        interval = one % intervals_per_ladder_;
      const std::size_t last = times_ * (interval + 1) / intervals_per_ladder_;
      for (std::size_t t = times_ * interval / intervals_per_ladder_; t < last; ++t) {
        for (std::size_t k = 0; k < states_; ++k) {
          chosen.add(from, t * stride_ * replicas_ + ladder * states_ + k);
        }
      }
    }
    return chosen;
  }

 private:
  std::size_t replicas_, states_, ladders_, stride_, times_, intervals_per_ladder_;
};

}  // namespace

void ChosenSamples::add(const FoldingSamples& from, std::size_t n) {
  energy.push_back(from.energy(n));
  q.push_back(static_cast<double>(from.formed_contacts[n]) /
              static_cast<double>(std::max<std::int64_t>(1, from.contacts)));
  quantities.resize(from.quantities.size());
  for (std::size_t s = 0; s < quantities.size(); ++s) {
    quantities[s].push_back(from.quantities[s][n]);
  }
  count[static_cast<std::size_t>(from.state[n])] += 1;
}

std::size_t time_stride(const FoldingSamples& from, std::size_t memory_bytes) {
  const auto replicas = static_cast<std::size_t>(from.replicas);
  const std::size_t times = from.size() / replicas;
  constexpr std::size_t sets = 1 + bootstrap_set_count;
  const std::size_t most_times =
      std::max<std::size_t>(1, memory_bytes / (sets * bytes_per_sample(from) * replicas));
  return std::max<std::size_t>(1, (times + most_times - 1) / most_times);
}

ChosenSamples thinned(const FoldingSamples& from) {
  ChosenSamples chosen;
  chosen.count.assign(from.states.size(), 0);
  const auto replicas = static_cast<std::size_t>(from.replicas);
  const std::size_t stride = time_stride(from);
  for (std::size_t first = 0; first < from.size(); first += stride * replicas) {
    for (std::size_t r = 0; r < replicas; ++r) chosen.add(from, first + r);
  }
  return chosen;
}

std::vector<ChosenSamples> bootstrap_sets(const FoldingSamples& from, std::uint64_t seed,
                                          int threads) {
  const TimeIntervals intervals(from);
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::size_t>> draws;
  draws.reserve(bootstrap_set_count);
  for (int k = 0; k < bootstrap_set_count; ++k) draws.push_back(intervals.drawn(random));
  std::vector<ChosenSamples> all(draws.size());
  device::for_each_on_node_threads(
      all.size(), [&](std::size_t k) { all[k] = intervals.of(from, draws[k]); }, threads);
  std::erase_if(all, [](const ChosenSamples& drawn) {
    return *std::min_element(drawn.count.begin(), drawn.count.end()) == 0;
  });
  return all;
}

StateReweighting make_reweighting(const FoldingSamples& from, const ChosenSamples& chosen,
                                  std::vector<double> start, const analysis::Loop& loop) {
  return {from.states, chosen.energy, chosen.count, from.screening, std::move(start), loop};
}

StateReweighting reweight_on_all_threads(const FoldingSamples& from, const ChosenSamples& chosen) {
  require_overlap(from);
  return make_reweighting(from, chosen, {}, [](std::size_t items, const auto& item) {
    device::for_each_on_node_threads(items, item);
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

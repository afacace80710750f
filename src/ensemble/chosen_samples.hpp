// Which samples of an ensemble reweighting takes, and others in their place for errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "ensemble/folding.hpp"
#include "ensemble/state_reweighting.hpp"

namespace nfold::ensemble {

/// Some of the samples, as MBAR takes them, with what they are averaged for.
struct ChosenSamples {
  std::vector<EnergyParts> energy;
  std::vector<double> q, radius_of_gyration_nm;
  std::vector<double> count;  ///< (states)

  void add(const FoldingSamples& from, std::size_t n);
};

/// Evenly so many that MBAR takes a second or so, of all replicas.
[[nodiscard]] ChosenSamples thinned(const FoldingSamples& from);

/// How often samples are drawn again for an error.
inline constexpr int resamplings = 24;
/// Stretches of time of each ladder, drawn with replacement.
[[nodiscard]] ChosenSamples resampled(const FoldingSamples& from, std::mt19937_64& random);

[[nodiscard]] StateReweighting reweighting_of(const FoldingSamples& from,
                                              const ChosenSamples& chosen,
                                              std::vector<double> start = {});

/// Calls visit(reweighting, samples) for each time they were drawn again and every state has some.
/// start: free energies of all samples.
template <class Visit>
void for_each_resampling(const FoldingSamples& from, std::uint64_t seed,
                         const std::vector<double>& start, const Visit& visit) {
  std::mt19937_64 random(seed);
  for (int k = 0; k < resamplings; ++k) {
    const auto drawn = resampled(from, random);
    if (*std::min_element(drawn.count.begin(), drawn.count.end()) == 0) continue;
    visit(reweighting_of(from, drawn, start), drawn);
  }
}

/// Standard deviation of one; not a number of fewer than two.
[[nodiscard]] double deviation(const std::vector<double>& values);

}  // namespace nfold::ensemble

// Which samples of an ensemble reweighting takes, and others in their place for errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "device/threads_alone.hpp"
#include "thermodynamics/folding.hpp"
#include "thermodynamics/state_reweighting.hpp"

namespace nfold::thermodynamics {

/// Some of the samples, as MBAR takes them, with what they are averaged for.
struct ChosenSamples {
  std::vector<EnergyParts> energy;
  std::vector<double> q;
  std::vector<std::vector<double>> radius_of_gyration_nm;  ///< (species), (samples) each
  std::vector<double> count;                               ///< (states)

  void add(const FoldingSamples& from, std::size_t n);
};

/// How often samples are drawn again for an error.
inline constexpr int resamplings = 24;
/// Memory that the samples and those drawn again for errors may take together.
inline constexpr std::size_t memory_limit_bytes = std::size_t{1} << 30U;
/// Reweighting takes the samples of every so many times, those of all replicas: 1, and so all of
/// them, unless they need more memory.
[[nodiscard]] std::size_t stride_of_times(const FoldingSamples& from,
                                          std::size_t memory_bytes = memory_limit_bytes);
/// All samples of these times.
[[nodiscard]] ChosenSamples thinned(const FoldingSamples& from);

/// A bootstrap set as large as `from`: stretches of time of each ladder, drawn with replacement.
[[nodiscard]] ChosenSamples resampled(const FoldingSamples& from, std::mt19937_64& random);
/// As often as they are drawn again, but for those that lack samples of a state.
[[nodiscard]] std::vector<ChosenSamples> resampled_often(
    const FoldingSamples& from, std::uint64_t seed, int threads = device::host_threads_alone());

[[nodiscard]] StateReweighting reweighting_of(
    const FoldingSamples& from, const ChosenSamples& chosen, std::vector<double> start = {},
    const analysis::Loop& loop = analysis::one_after_another);
/// On all threads that this process may take alone. AnalysisError unless neighbouring states
/// overlap (state_overlap.hpp).
[[nodiscard]] StateReweighting reweighting_alone(const FoldingSamples& from,
                                                 const ChosenSamples& chosen);

/// compute(reweighting, samples) for each time they were drawn again, in the order of the draws; by
/// several threads at once, so it may change nothing that it shares. start: free energies of all
/// samples.
template <class Compute>
[[nodiscard]] auto for_resamplings(const FoldingSamples& from, std::uint64_t seed,
                                   const std::vector<double>& start, const Compute& compute,
                                   int threads = device::host_threads_alone()) {
  using Result = decltype(compute(std::declval<StateReweighting>(), std::declval<ChosenSamples>()));
  const auto drawn = resampled_often(from, seed, threads);
  std::vector<Result> results(drawn.size());
  device::on_threads_alone(
      drawn.size(),
      [&](std::size_t k) { results[k] = compute(reweighting_of(from, drawn[k], start), drawn[k]); },
      threads);
  return results;
}

/// Standard deviation of one; not a number of fewer than two.
[[nodiscard]] double deviation(const std::vector<double>& values);

}  // namespace nfold::thermodynamics

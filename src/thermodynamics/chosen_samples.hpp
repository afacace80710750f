// Samples selected for reweighting, and bootstrap samples for its errors.
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

/// Selected samples for MBAR, with the quantities to average.
struct ChosenSamples {
  std::vector<EnergyParts> energy;
  std::vector<double> q;
  std::vector<std::vector<double>> radius_of_gyration_nm;  ///< (species), (samples) each
  std::vector<double> count;                               ///< (states)

  void add(const FoldingSamples& from, std::size_t n);
};

/// Number of bootstrap samples for an error.
inline constexpr int resamplings = 24;
/// Memory limit of the samples and all bootstrap samples together [bytes].
inline constexpr std::size_t memory_limit_bytes = std::size_t{1} << 30U;
/// Returns the stride of the sampled times that fits the memory; 1 takes all. Samples of all
/// replicas are taken at each time.
[[nodiscard]] std::size_t stride_of_times(const FoldingSamples& from,
                                          std::size_t memory_bytes = memory_limit_bytes);
/// Returns all samples of these times.
[[nodiscard]] ChosenSamples thinned(const FoldingSamples& from);

/// Returns a bootstrap set as large as `from`: time intervals of each ladder, drawn with
/// replacement.
[[nodiscard]] ChosenSamples resampled(const FoldingSamples& from, std::mt19937_64& random);
/// Returns `resamplings` bootstrap sets, except those without samples of some state.
[[nodiscard]] std::vector<ChosenSamples> resampled_often(
    const FoldingSamples& from, std::uint64_t seed, int threads = device::host_threads_alone());

[[nodiscard]] StateReweighting reweighting_of(
    const FoldingSamples& from, const ChosenSamples& chosen, std::vector<double> start = {},
    const analysis::Loop& loop = analysis::one_after_another);
/// Reweights on all threads that this process may use. Throws AnalysisError unless neighbouring
/// states overlap (state_overlap.hpp).
[[nodiscard]] StateReweighting reweighting_alone(const FoldingSamples& from,
                                                 const ChosenSamples& chosen);

/// Returns compute(reweighting, samples) for each bootstrap set, in the order of the draws. Several
/// threads call it at once, so it must not modify shared data. start: free energies of all samples.
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

/// Returns the standard deviation of one value; NaN for fewer than two.
[[nodiscard]] double deviation(const std::vector<double>& values);

}  // namespace nfold::thermodynamics

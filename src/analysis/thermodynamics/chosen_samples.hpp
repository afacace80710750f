// Samples selected for reweighting, and bootstrap samples for its errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"
#include "analysis/thermodynamics/state_reweighting.hpp"
#include "device/node_threads.hpp"

namespace nfold::thermodynamics {

/// Selected samples for MBAR, with the quantities to average.
struct ChosenSamples {
  std::vector<EnergyParts> energy;
  std::vector<double> q;
  std::vector<std::vector<double>> quantities;  ///< (columns), (samples) each
  std::vector<double> count;                    ///< (states)

  void add(const FoldingSamples& from, std::size_t n);
};

/// Number of bootstrap samples for an error.
inline constexpr int bootstrap_set_count = 24;
/// Memory limit of the samples and all bootstrap samples together [bytes].
inline constexpr std::size_t memory_limit_bytes = std::size_t{1} << 30U;
/// Returns the stride of the sampled times that fits the memory; 1 takes all. Samples of all
/// replicas are taken at each time.
[[nodiscard]] std::size_t time_stride(const FoldingSamples& from,
                                      std::size_t memory_bytes = memory_limit_bytes);
/// Returns all samples of these times.
[[nodiscard]] ChosenSamples thinned(const FoldingSamples& from);

/// Returns bootstrap_set_count sets as large as `from`, except those without samples of some state:
/// time intervals of each ladder, drawn with replacement.
[[nodiscard]] std::vector<ChosenSamples> bootstrap_sets(const FoldingSamples& from,
                                                        std::uint64_t seed,
                                                        int threads = device::node_thread_count());

[[nodiscard]] StateReweighting make_reweighting(
    const FoldingSamples& from, const ChosenSamples& chosen, std::vector<double> start = {},
    const analysis::Loop& loop = analysis::run_sequentially);
/// Reweights on all threads that this process may use. Throws AnalysisError unless neighbouring
/// states overlap (state_overlap.hpp).
[[nodiscard]] StateReweighting reweight_on_all_threads(const FoldingSamples& from,
                                                       const ChosenSamples& chosen);

/// Returns compute(reweighting, samples) for each bootstrap set, in the order of the draws. Several
/// threads call it at once, so it must not modify shared data. start: free energies of all samples.
template <class Compute>
[[nodiscard]] auto for_bootstrap_sets(const FoldingSamples& from, std::uint64_t seed,
                                      const std::vector<double>& start, const Compute& compute,
                                      int threads = device::node_thread_count()) {
  using Result = decltype(compute(std::declval<StateReweighting>(), std::declval<ChosenSamples>()));
  const auto drawn = bootstrap_sets(from, seed, threads);
  std::vector<Result> results(drawn.size());
  device::for_each_on_node_threads(
      drawn.size(),
      [&](std::size_t k) {
        results[k] = compute(make_reweighting(from, drawn[k], start), drawn[k]);
      },
      threads);
  return results;
}

/// Returns the standard deviation of one value; NaN for fewer than two.
[[nodiscard]] double deviation(const std::vector<double>& values);
/// Returns the standard deviation of a quantity over bootstrap sets.
template <class Set, class Quantity>
[[nodiscard]] double error_of(const std::vector<Set>& sets, const Quantity& quantity) {
  std::vector<double> values;
  values.reserve(sets.size());
  for (const auto& set : sets) values.push_back(std::invoke(quantity, set));
  return deviation(values);
}

}  // namespace nfold::thermodynamics

// Which samples of an ensemble reweighting takes, and others in their place for errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <random>
#include <utility>
#include <vector>

#include "device/host_threads.hpp"
#include "thermodynamics/folding.hpp"
#include "thermodynamics/state_reweighting.hpp"

namespace nfold::thermodynamics {

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
/// Stretches of time of each ladder, drawn with replacement; about 15,000 samples, unless there are
/// more replicas.
[[nodiscard]] ChosenSamples resampled(const FoldingSamples& from, std::mt19937_64& random);
/// As often as they are drawn again, but for those that lack samples of a state.
[[nodiscard]] std::vector<ChosenSamples> resampled_often(const FoldingSamples& from,
                                                         std::uint64_t seed);

[[nodiscard]] StateReweighting reweighting_of(const FoldingSamples& from,
                                              const ChosenSamples& chosen,
                                              std::vector<double> start = {});

/// compute(reweighting, samples) for each time they were drawn again, in the order of the draws; by
/// several threads at once, so it may change nothing that it shares. start: free energies of all
/// samples.
template <class Compute>
[[nodiscard]] auto for_resamplings(const FoldingSamples& from, std::uint64_t seed,
                                   const std::vector<double>& start, const Compute& compute,
                                   int threads = device::host_threads_alone()) {
  using Result = decltype(compute(std::declval<StateReweighting>(), std::declval<ChosenSamples>()));
  const auto drawn = resampled_often(from, seed);
  std::vector<Result> results(drawn.size());
  const device::ProcessorsOfAllRanks everywhere;
  const auto workers = std::min(drawn.size(), static_cast<std::size_t>(std::max(1, threads)));
  std::vector<std::future<void>> all;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    all.push_back(std::async(std::launch::async, [&, worker] {
      for (std::size_t k = worker; k < drawn.size(); k += workers) {
        results[k] = compute(reweighting_of(from, drawn[k], start), drawn[k]);
      }
    }));
  }
  // All of them, before one that failed tells of it: they use what is here.
  for (const auto& one : all) one.wait();
  for (auto& one : all) one.get();
  return results;
}

/// Standard deviation of one; not a number of fewer than two.
[[nodiscard]] double deviation(const std::vector<double>& values);

}  // namespace nfold::thermodynamics

// Samples of an ensemble that reweighting takes, and how often a bootstrap draws each of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/threads_alone.hpp"
#include "thermodynamics/folding.hpp"
#include "thermodynamics/state_reweighting.hpp"

namespace nfold::thermodynamics {

/// Memory that samples may take beside their columns while they are reweighted.
inline constexpr std::int64_t most_sample_bytes = std::int64_t{1} << 30U;
/// Memory of one sample. nodes: see ScreeningNodes.
[[nodiscard]] std::int64_t bytes_per_sample(std::size_t nodes);

/// Samples as MBAR takes them, with what is averaged over them.
struct ChosenSamples {
  std::vector<EnergyParts> energy;
  std::vector<double> q, radius_of_gyration_nm;
  std::vector<std::int32_t> state;
  std::vector<std::uint32_t> stretch;  ///< part of a ladder's time that a bootstrap draws at once
  std::vector<double> count;           ///< (states)
  std::uint32_t stretches = 0;

  void add(const FoldingSamples& from, std::size_t n, std::uint32_t of_stretch);
  /// Those of the states from `first` to `last`, which become states 0, 1, ...
  [[nodiscard]] ChosenSamples of_states(std::size_t first, std::size_t last) const;
};

/// 1: all samples are taken. Beyond most_bytes the samples of every so many times are taken, of all
/// replicas.
[[nodiscard]] std::size_t stride_of_times(const FoldingSamples& from,
                                          std::int64_t most_bytes = most_sample_bytes);
[[nodiscard]] ChosenSamples chosen_samples(const FoldingSamples& from,
                                           std::int64_t most_bytes = most_sample_bytes);

/// Number of draws for an error.
inline constexpr int resamplings = 24;
/// How often each sample is in one draw.
struct Draw {
  std::vector<double> multiplicity;  ///< (samples)
  std::vector<double> count;         ///< (states) samples drawn of each
};
/// Draws as many stretches as there are, with replacement. times_drawn: (stretches)
[[nodiscard]] Draw draw_of(const ChosenSamples& chosen, const std::vector<double>& times_drawn);
/// (resamplings, stretches) how often each draw has each stretch.
[[nodiscard]] std::vector<std::vector<double>> draw_stretches(const ChosenSamples& chosen,
                                                              std::uint64_t seed);

/// compute(reweighting) for each draw, in the order of the draws; several threads call it at once,
/// so it may change nothing that it shares.
template <class Compute>
[[nodiscard]] auto for_resamplings(const ChosenSamples& chosen, const StateReweighting& mbar,
                                   std::uint64_t seed, const Compute& compute,
                                   int threads = device::host_threads_alone()) {
  const auto draws = draw_stretches(chosen, seed);
  std::vector<decltype(compute(mbar))> results(draws.size());
  device::on_threads_alone(
      draws.size(),
      [&](std::size_t k) {
        auto draw = draw_of(chosen, draws[k]);
        results[k] = compute(mbar.resampled(std::move(draw.multiplicity), std::move(draw.count)));
      },
      threads);
  return results;
}

/// Standard deviation of one; not a number of fewer than two.
[[nodiscard]] double deviation(const std::vector<double>& values);

}  // namespace nfold::thermodynamics

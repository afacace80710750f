// Size, shape and internal distances of one chain over replicas and time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replica_series.hpp"
#include "analysis/superposition.hpp"
#include "model/topology/topology.hpp"

namespace nfold::analysis {

/// Averages after equilibration. Errors are by jackknife over groups of replicas.
struct ChainAverages {
  SampledEstimate end_to_end_nm;
  /// Kirkwood: 1 / ((1 - 1/N) <1/r_ij>), over all pairs of residues.
  SampledEstimate hydrodynamic_radius_nm;
  /// 1 - 3 <I2> / <I1^2> of the invariants I1 and I2 of the gyration tensor, 0 of a sphere, 1 of a
  /// rod: Aronovitz and Nelson, J. Phys. (Paris) 47, 1445 (1986).
  SampledEstimate asphericity;
  /// <1 - 3 I2 / I1^2>, the relative shape anisotropy: Theodorou and Suter, Macromolecules 18, 1206
  /// (1985).
  SampledEstimate shape_anisotropy;
  /// nu of R_s = R_0 s^nu, by least squares over the distances of at least first_separation.
  /// Without a number of independent samples.
  SampledEstimate scaling_exponent;
  double scaling_length_nm;  ///< R_0
  /// (N - 1) R_s = <r_ij^2>^(1/2) of all residues s = |i - j| apart, from s = 1.
  std::vector<double> distance_nm, distance_error_nm;
};

/// Sums over conformations of a chain without box, by group of replicas and block of time, so that
/// the equilibration can be chosen afterwards. Sums are integers: added over ranks in any order
/// they have the same bits.
class ChainStatistics {
 public:
  /// Lowest |i - j| of the fit of nu, as in Tesei et al., Nature 626, 897 (2024).
  static constexpr int first_separation = 6;
  /// Fewest residues of a chain for that fit: it then has ten distances.
  static constexpr int fewest_residues_to_fit = first_separation + 10;

  explicit ChainStatistics(const topology::Topology& topology);

  /// Adds the conformation of a replica at the current time. Throws AnalysisError if it is not
  /// finite or a sum overflows.
  void add(std::int64_t replica, std::span<const Point> x_nm);
  /// Ends a time, of which all replicas of this rank were added.
  void end_time();

  [[nodiscard]] std::int64_t times() const { return times_; }
  /// Returns the number of times of a block, a power of two: blocks are joined in pairs as soon as
  /// there are most_blocks.
  [[nodiscard]] static std::int64_t block_length(std::int64_t times);
  /// Returns the averages from this time on, a multiple of block_length(times()).
  [[nodiscard]] ChainAverages averages(std::int64_t first_time) const;

  /// Integers to be added over ranks; (blocks, groups, columns).
  [[nodiscard]] const std::vector<std::int64_t>& sums() const { return sums_; }
  /// Replaces all sums. Throws std::invalid_argument for sums of another chain.
  void restore(std::int64_t times, std::vector<std::int64_t> sums);

 private:
  static constexpr std::size_t most_blocks = 16, groups = 16;
  [[nodiscard]] std::size_t at(std::size_t block, std::size_t group) const {
    return (block * groups + group) * columns_;
  }
  void compute_row(std::span<const Point> x_nm);
  void join_blocks();

  std::vector<double> mass_;
  std::size_t columns_;
  std::int64_t times_ = 0;
  std::vector<std::int64_t> sums_;
  std::vector<double> row_;  // (columns) of one conformation
};

}  // namespace nfold::analysis

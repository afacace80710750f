// Sizes of clusters of chains in contact.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analysis/blocked_sums.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// Returns (clusters) the number of chains in each, largest first. Two chains are in one cluster if
/// a residue of one is closer than cutoff_nm to one of the other, by nearest images, or if other
/// chains connect them.
[[nodiscard]] std::vector<int> cluster_sizes(const topology::Topology& topology,
                                             std::span<const Point> x_nm, double cutoff_nm);

class Clusters final : public Accumulator {
 public:
  Clusters(const topology::Topology& topology, double cutoff_nm);

  [[nodiscard]] std::string name() const override { return "clusters"; }
  void add(const Frame& frame) override;
  [[nodiscard]] std::vector<Result> results() const override;

 protected:
  void save_parameters(WordWriter& to) const override { to.put_number(cutoff_nm_); }
  void save_sums(WordWriter& to) const override;
  void restore_sums(WordReader& from) override;

 private:
  const topology::Topology& topology_;
  double cutoff_nm_;
  std::vector<std::int64_t>
      clusters_of_size_;  // (chains) [s - 1]: number of clusters of s chains, all frames
  std::vector<std::int64_t> largest_of_size_;  // (chains) [s - 1]: frames with largest s
  BlockedSums sums_{3};  // number of clusters, chains of the largest, sum of squared sizes
};

}  // namespace nfold::analysis

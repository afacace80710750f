// Radius of gyration and end-to-end distance of chains, by species.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "analysis/blocked_sums.hpp"
#include "analysis/chain_kinds.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// Returns the mass-weighted centre [nm] of one chain's residues, unwrapped.
[[nodiscard]] Point chain_centre_nm(const topology::Topology& topology,
                                    const topology::Chain& chain, std::span<const Point> x_nm);
/// Returns the mass-weighted radius of gyration [nm] of one chain; NaN if the chain is broken.
[[nodiscard]] double chain_radius_of_gyration_nm(const topology::Topology& topology,
                                                 const topology::Chain& chain,
                                                 std::span<const Point> x_nm);
/// Returns the radius of gyration from the positions of that chain alone.
[[nodiscard]] double radius_of_gyration_from_rows_nm(const topology::Topology& topology,
                                                     const topology::Chain& chain,
                                                     std::span<const Point> rows);

class ChainSizes final : public Accumulator {
 public:
  /// bins > 0. largest_nm: upper end of all histograms; 0: four times the end-to-end distance of a
  /// random coil, or a stretched chain's if that is less, and half of it for the radius.
  ChainSizes(const topology::Topology& topology, int bins, double largest_nm);

  [[nodiscard]] std::string name() const override { return "chain_sizes"; }
  void add(const Frame& frame) override;
  [[nodiscard]] std::vector<Result> results() const override;

 protected:
  void save_parameters(WordWriter& to) const override;
  void save_sums(WordWriter& to) const override;
  void restore_sums(WordReader& from) override;

 private:
  enum Size : std::size_t { radius, distance, sizes };
  void count(Size size, std::size_t species, double nm);
  void add_results_of(Size size, std::vector<Result>& results) const;

  const topology::Topology& topology_;
  ChainKinds species_;
  int bins_;
  std::array<double, sizes> largest_nm_;  // upper end of each histogram
  std::vector<std::int64_t> counts_;      // (sizes, species, bins)
  BlockedSums sums_;  // (sizes, species, 2): means over chains of the size and its square
};

}  // namespace nfold::analysis

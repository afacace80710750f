// Density profile along a box axis, relative to the slab centre.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analysis/blocked_sums.hpp"
#include "analysis/chain_kinds.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// Profiles of residues and mass by species in slices across one axis, from -L/2 to L/2 about the
/// slab centre, which is found again in each frame (slab_centre.hpp).
class DensityProfile final : public Accumulator {
 public:
  /// Throws AnalysisError unless the box is periodic along all axes. bins > 0.
  DensityProfile(const topology::Topology& topology, std::size_t axis, int bins);

  [[nodiscard]] std::string name() const override { return "density_profile"; }
  void add(const Frame& frame) override;
  [[nodiscard]] std::vector<Result> results() const override;

 protected:
  void save_parameters(WordWriter& to) const override;
  void save_sums(WordWriter& to) const override { sums_.save(to); }
  void restore_sums(WordReader& from) override { sums_.restore(from); }

 private:
  [[nodiscard]] std::size_t column(std::size_t row, std::size_t bin) const {
    return row * static_cast<std::size_t>(bins_) + bin;
  }

  const topology::Topology& topology_;
  ChainKinds species_;
  std::size_t axis_;
  int bins_;
  // Rows of bins: residue counts of each species and of all, then masses of each and of all.
  BlockedSums sums_;
};

}  // namespace nfold::analysis

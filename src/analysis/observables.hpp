// Observables of a frame: Q, radius of gyration, RMSD to native.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/superposition.hpp"
#include "model/topology/topology.hpp"
#include "system/box.hpp"

namespace nfold::analysis {

/// Returns the native contact fraction with a sharp limit, r_ij <= factor * d_ij for nearest
/// images, unweighted; NaN without contacts.
[[nodiscard]] double native_contact_fraction(const topology::Topology& topology,
                                             std::span<const Point> x_nm, double factor = 1.2);
/// Means over the chains of each species.
class SpeciesMeans {
 public:
  explicit SpeciesMeans(const topology::Topology& topology);
  void add(const topology::Chain& chain, double value) {
    sum_[static_cast<std::size_t>(chain.species)] += value;
  }
  /// Returns (species) the means, after all chains have been added.
  [[nodiscard]] std::vector<double> means() const;

 private:
  std::vector<double> sum_;
  std::vector<int> chains_;
};

/// Returns the column name of a species' radius of gyration, with the species' name if there are
/// several.
[[nodiscard]] std::string radius_of_gyration_name(const topology::Topology& topology,
                                                  std::size_t species);
/// Returns (species) the mean over chains of the radius of gyration [nm], mass-weighted like
/// radius_of_gyration of MDAnalysis.
[[nodiscard]] std::vector<double> radii_of_gyration_nm(const topology::Topology& topology,
                                                       std::span<const Point> x_nm);
/// Returns the RMSD of all residues after the best superposition onto native (unweighted) [nm];
/// Theobald, Acta Cryst. A 61, 478 (2005). NaN unless every residue has a native position.
[[nodiscard]] double rmsd_to_native_nm(const topology::Topology& topology,
                                       std::span<const Point> x_nm);

}  // namespace nfold::analysis

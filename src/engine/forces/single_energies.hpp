// Energies of single terms and pairs on the host, by the functions of the kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Energies in double: same bits for every caller. Ignores exclusions and biases.
class SingleEnergies {
 public:
  /// The topology must outlive it.
  explicit SingleEnergies(const topology::Topology& topology);
  ~SingleEnergies();
  SingleEnergies(SingleEnergies&&) noexcept;
  SingleEnergies& operator=(SingleEnergies&&) noexcept;

  /// [kJ/mol] Energy of a term. kind: index in topology::BondedKinds; term: index in its list;
  /// difference_nm: from each end to the next, (ends - 1, 3).
  [[nodiscard]] double of_term(std::size_t kind, std::size_t term,
                               const double* difference_nm) const;
  /// [kJ/mol] Energy of two residues from the square of their distance [nm^2]; 0 out of range.
  [[nodiscard]] double short_range(int i, int j, double distance_squared) const;
  [[nodiscard]] double electrostatic(int i, int j, double distance_squared) const;

 private:
  class PairEnergy;
  template <class Kernel>
  class EnergyOf;
  const topology::Topology* topology_;
  std::vector<double> pair_table_, charge_table_;  // read by the kernels
  std::unique_ptr<const PairEnergy> short_range_, electrostatic_;
};

}  // namespace nfold::forces

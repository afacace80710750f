// Energies of terms and pairs one by one, on the host, by the functions that kernels sum.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::forces {

/// In double: the same bits wherever one is asked for. Neither exclusions nor biases are known.
class SingleEnergies {
 public:
  /// The topology must outlive it.
  explicit SingleEnergies(const topology::Topology& topology);
  ~SingleEnergies();
  SingleEnergies(SingleEnergies&&) noexcept;
  SingleEnergies& operator=(SingleEnergies&&) noexcept;

  /// [kJ/mol] Of a term of a kind of the one list, by its place there. difference_nm: from each end
  /// to the next, (ends - 1, 3).
  [[nodiscard]] double of_term(std::size_t kind, std::size_t term,
                               const double* difference_nm) const;
  /// [kJ/mol] Of two residues by the square of their distance [nm^2]; 0 out of range.
  [[nodiscard]] double short_range(int i, int j, double distance_squared) const;
  [[nodiscard]] double electrostatic(int i, int j, double distance_squared) const;

 private:
  class PairEnergy;
  template <class Kernel>
  class EnergyOf;
  const topology::Topology* topology_;
  std::vector<double> pair_table_;  // that the kernel of short_range_ reads
  std::unique_ptr<const PairEnergy> short_range_, electrostatic_;
};

}  // namespace nfold::forces

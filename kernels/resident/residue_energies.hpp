// Histograms of each residue's part of the potential energy over many replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/contact_12_10.hpp"
#include "kernels/potentials/contact_gaussian.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "kernels/potentials/repulsion_12.hpp"
#include "kernels/resident/replica_positions.hpp"

namespace nfold::kernels {

/// Terms by residue; each term is listed under each of its residues.
template <class Term>
struct ResidueTerms {
  const std::int32_t* first;  // (residues + 1)
  const std::int32_t* end;    // (entries, Term::ends)
  const double* parameter;    // (entries, Term::parameters)
};

/// Counts residue energies. The energy of a term or pair is divided equally among its residues.
/// Work item: some replicas of one residue; consecutive items are consecutive replicas.
struct CountResidueEnergies {
  ReplicaPositions replicas;
  ResidueTerms<Bond> bonds;
  ResidueTerms<Angle> angles;
  ResidueTerms<Dihedral> dihedrals;
  ResidueTerms<Contact1210> contacts_12_10;
  ResidueTerms<ContactGaussian> contacts_gaussian;
  Repulsion12<double> repulsion;
  const std::uint32_t* acts;  // (residues, mask_words) bit j: the pair with j may repel
  int mask_words;
  const std::int32_t* table;  // (replicas) table whose histograms a replica adds to; -1: none
  int shares, bins;
  double lowest_kj_mol, bins_per_kj_mol;
  std::int64_t* histogram;  // (tables, residues, bins)
  std::int32_t*
      replica_bin;  // (replicas, residues) bins, output in place of the histogram; or null

  NFOLD_FUNCTION void operator()(int item) const {
    const int i = item / shares;
    for (int r = item % shares; r < replicas.replicas; r += shares) {
      if (table[r] < 0) continue;
      const ReplicaRow row = replicas.row(r);
      const double energy = term_energy_part(bonds, row, i) + term_energy_part(angles, row, i) +
                            term_energy_part(dihedrals, row, i) +
                            term_energy_part(contacts_12_10, row, i) +
                            term_energy_part(contacts_gaussian, row, i) + pair_energy_part(row, i);
      const int bin = bin_of((energy - lowest_kj_mol) * bins_per_kj_mol, bins);
      if (replica_bin != nullptr) {
        replica_bin[static_cast<std::int64_t>(r) * replicas.residues + i] = bin;
        continue;
      }
      const std::int64_t place = static_cast<std::int64_t>(table[r]) * replicas.residues + i;
      add_count(histogram + place * bins + bin, 1);
    }
  }

 private:
  template <class Term>
  [[nodiscard]] NFOLD_FUNCTION double term_energy_part(const ResidueTerms<Term>& terms,
                                                       const ReplicaRow& row, int i) const {
    double sum = 0;
    for (std::int64_t k = terms.first[i]; k < terms.first[i + 1]; ++k) {
      const std::int32_t* const end = terms.end + k * Term::ends;
      double d[3 * (Term::ends - 1)];
      for (int e = 0; e < Term::ends - 1; ++e) row.difference(end[e + 1], end[e], d + 3 * e);
      sum += Term::energy(d, terms.parameter + k * Term::parameters);
    }
    return sum / Term::ends;
  }
  [[nodiscard]] NFOLD_FUNCTION double pair_energy_part(const ReplicaRow& row, int i) const {
    const Partners<Mixed> none{};
    double sum = 0;
    for (int word = 0; word < mask_words; ++word) {
      std::uint32_t bits = acts[static_cast<std::int64_t>(i) * mask_words + word];
      for (int j = word * 32; bits != 0; ++j, bits >>= 1U) {
        if ((bits & 1U) == 0) continue;
        // Most pairs are out of range along one axis already.
        double d[3];
        d[0] = row.difference(i, j, 0);
        if (!repulsion.in_range(d[0] * d[0], {}, none, 0)) continue;
        d[1] = row.difference(i, j, 1);
        if (!repulsion.in_range(d[1] * d[1], {}, none, 0)) continue;
        d[2] = row.difference(i, j, 2);
        const double squared = squared_length(d);
        if (repulsion.in_range(squared, {}, none, 0)) {
          sum += repulsion.energy(squared, {}, none, 0);
        }
      }
    }
    return 0.5 * sum;
  }
};

}  // namespace nfold::kernels

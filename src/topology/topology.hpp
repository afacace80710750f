// What interacts with what, by global residue id: the model's terms with their numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nfold::topology {

/// One bead. Its index in Topology::residues is its global id everywhere in nfold.
struct Residue {
  std::string name;  ///< parent residue's three letters, e.g. "MET" for MSE
  int number = 0;    ///< author's number in the structure file
  char insertion_code = ' ';
  int chain = 0;    ///< index into Topology::chains
  int segment = 0;  ///< unbroken stretch of bonded residues; two segments never share a bond
  double mass_amu = 1;
  double charge_e = 0;
};

/// A chain of the structure; its residues are consecutive global ids.
struct Chain {
  std::string name;
  int first = 0;  ///< global id of its first residue
  int count = 0;
};

/// U = (k/2)(r - length)^2
struct Bond {
  int i, j;
  double length_nm, k_kj_mol_nm2;
};
/// U = (k/2)(theta - theta0)^2
struct Angle {
  int i, j, k;
  double theta0_rad, k_kj_mol_rad2;
};
/// U = k1 [1 - cos(phi - phi0)] + k3 [1 - cos 3(phi - phi0)], IUPAC sign of phi
struct Dihedral {
  int i, j, k, l;
  double phi0_rad, k1_kj_mol, k3_kj_mol;
};
/// U = epsilon [5 (d/r)^12 - 6 (d/r)^10]
struct Contact1210 {
  int i, j;
  double distance_nm, epsilon_kj_mol;
};
/// U = -A G + (a / r^12)(1 - G), G = exp(-(r - d)^2 / (2 sigma^2)), A = epsilon
struct ContactGaussian {
  int i, j;
  double distance_nm, epsilon_kj_mol, sigma_nm, a_kj_mol_nm12;
};
/// U = epsilon (sigma/r)^12 for r < cutoff, plain truncation, all pairs that are not excluded
struct Repulsion {
  double epsilon_kj_mol = 0, sigma_nm = 0.4, cutoff_nm = 1.1;
};

/// The whole system, the same on every rank. Units: nm, amu, e, kJ/mol, rad.
struct Topology {
  std::vector<Residue> residues;
  std::vector<Chain> chains;
  std::vector<Bond> bonds;
  std::vector<Angle> angles;
  std::vector<Dihedral> dihedrals;
  std::vector<Contact1210> contacts_12_10;
  std::vector<ContactGaussian> contacts_gaussian;
  Repulsion repulsion;
  /// Pairs (i < j, sorted, unique) without general repulsion: 1-2, 1-3, 1-4 and native contacts.
  std::vector<std::pair<int, int>> exclusions;
  /// (residues) native coordinates [nm]
  std::vector<std::array<double, 3>> native_nm;

  /// One line per thing a person may want to look at; for the log, not part of the hash.
  std::vector<std::string> notes;

  [[nodiscard]] int residue_count() const { return static_cast<int>(residues.size()); }
};

/// "MET 1 (chain A)": how errors and reports name a residue.
[[nodiscard]] std::string residue_label(const Topology& topology, int id);

/// 64-bit hash of everything that enters the trajectory (terms, masses, order); names too. The same
/// on every machine: FNV-1a over 64-bit words with a final mix, doubles by their bits.
[[nodiscard]] std::uint64_t hash_of(const Topology& topology);

}  // namespace nfold::topology

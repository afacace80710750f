// Copies of molecules put together to one system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::topology {

/// A molecule of one or more chains with its terms, ids from 0, and how many of it there are.
struct Part {
  Topology molecule;
  std::string species;  ///< empty: chains keep the names of the structure
  int copies = 1;
};

/// A system put together part by part; a part need not stay once it is added. Chains of a species
/// are called "NAME.3", or "NAME.B.3" if the molecule has several; without a species, those of copy
/// n >= 2 "An", or "A_n" where that would meet another chain. Reference coordinates of the copies
/// stand on one cubic lattice, `spacing_nm` apart; 0: the largest extent of a molecule plus 2 nm.
class Assembly {
 public:
  /// expected: parts like those to come and as many molecules of them, for the room that they take;
  /// potentials and options are those of the first. Throws structure::StructureError if there would
  /// be more residues than an int counts, or none.
  Assembly(const std::vector<Part>& expected, double spacing_nm);
  /// Copy by copy.
  void add(const Part& part);
  [[nodiscard]] Topology take() { return std::move(all_); }

 private:
  std::string name_of(const Part& part, const Chain& chain, int copy, const std::string& separator);

  Topology all_;
  std::unordered_set<std::string> names_;
  int side_ = 1, segments_ = 0, domains_ = 0, molecules_ = 0;
  double spacing_nm_ = 0;
};

/// All copies of all parts, part by part.
[[nodiscard]] Topology assemble(const std::vector<Part>& parts, double spacing_nm);

}  // namespace nfold::topology

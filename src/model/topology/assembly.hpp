// Assembly of copies of molecules to one system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::topology {

/// A molecule of one or more chains with its terms, ids from 0, and the number of its copies.
struct Part {
  Topology molecule;
  std::string species;  ///< empty: chains keep their names in the structure
  int copies = 1;
};

/// A system assembled part by part; a part may be destroyed once it is added. Chains of a species
/// are named "NAME.3", or "NAME.B.3" if the molecule has several; without a species, those of copy
/// n >= 2 "An", or "A_n" if that collides with another chain. Reference coordinates of the copies
/// stand on one cubic lattice, `spacing_nm` apart; 0: the largest extent of a molecule plus 2 nm.
class Assembly {
 public:
  /// `expected` are parts like those to be added with as many molecules, for the capacity; the
  /// first sets potentials and options. Throws structure::StructureError if the number of residues
  /// is 0 or exceeds int.
  Assembly(const std::vector<Part>& expected, double spacing_nm);
  /// Appends all copies of a part.
  void add(const Part& part);
  [[nodiscard]] Topology take() { return std::move(all_); }

 private:
  std::string make_chain_name(const Part& part, const Chain& chain, int copy,
                              const std::string& separator);

  Topology all_;
  std::unordered_set<std::string> names_;
  int side_ = 1, segments_ = 0, domains_ = 0, molecules_ = 0;
  double spacing_nm_ = 0;
};

/// Returns the system of all copies of all parts, in order.
[[nodiscard]] Topology assemble(const std::vector<Part>& parts, double spacing_nm);

}  // namespace nfold::topology

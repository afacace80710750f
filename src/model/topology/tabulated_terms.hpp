// Pair terms that no kernel of their own computes, summed in tables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input/force_field.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Tables of a force field, for the list of all residues and for that of charged ones.
struct TabulatedTerms {
  std::shared_ptr<const pair_forms::TabulatedFunctions> pairs;
  /// Null if charges, if there are any, are those of a Debye-Hueckel term with one dielectric
  /// constant.
  std::shared_ptr<const pair_forms::TabulatedFunctions> charges;
  bool multiplies_charges = false;
  std::vector<std::string> type_names;
};

/// Tabulates all pair terms. The list of charged residues takes a Debye-Hueckel term with a
/// dielectric constant that depends on the distance, or a Yukawa term that acts between charged
/// beads alone; the other terms are summed. Throws structure::StructureError for functions that no
/// table can hold, and for terms with and without a site factor in one sum.
[[nodiscard]] TabulatedTerms tabulate_terms(const input::ForceField& field);

/// Returns the potentials of the tables. The second requires tables of charges.
[[nodiscard]] ShortRange tabulated_short_range(const TabulatedTerms& terms);
[[nodiscard]] Electrostatics tabulated_charges(const TabulatedTerms& terms);

/// Describes tables for people: their terms, cutoff and largest error.
[[nodiscard]] std::string describe_tables(const input::ForceField& field,
                                          const TabulatedTerms& terms);

}  // namespace nfold::topology

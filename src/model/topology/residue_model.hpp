// Builder of condensate models: one molecule from its structure or sequence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "input/force_field.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/confidence_go.hpp"
#include "model/topology/go_model.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

struct TabulatedTerms;

/// Parameters of a condensate model.
struct ResidueModel {
  std::shared_ptr<const input::ForceFieldFile> file;
  input::CondensateSettings options;  ///< options of the input, completed by evaluate()
  double temperature_kelvin = 300;
  GoModel go;                  ///< used for folded domains, if options.domains == go
  ConfidenceGo confidence_go;  ///< used if options.domains == confidence_go
  /// Set by evaluate(); null: the kernels of built-in potentials compute all pair terms.
  std::shared_ptr<const TabulatedTerms> tables;
  input::ForceField force_field;  ///< set by evaluate()

  /// Evaluates the file with the options at this temperature, and tabulates its pair terms if need
  /// be. Throws core::InputError, and structure::StructureError as tabulate_terms().
  void evaluate();
  /// Evaluates the file, but keeps the tables.
  void evaluate_numbers();
};

/// Builds one molecule: the beads of each monomer with their types, masses and charges, the terms
/// of its chain kinds, terms that hold its folded domains, exclusions and the system's potentials.
/// `domain_of` is the domain of each residue (folded_domains()). Throws structure::StructureError
/// for a residue or chain kind that the force field lacks, for a domain without coordinates and for
/// geometry that no term supports.
[[nodiscard]] Topology build_residue_model(const structure::Structure& structure,
                                           const std::vector<int>& domain_of,
                                           const ResidueModel& model);

}  // namespace nfold::topology

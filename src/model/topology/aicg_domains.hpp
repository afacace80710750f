// Terms of AICG2+ that hold the folded domains of a chain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/structure/structure.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Adds the terms of AICG2+ (Li, Wang and Takada, PNAS 111, 10550 (2014)): native contacts, 1-3 and
/// 1-4 wells within each domain, and flexible angles and dihedrals of all triples and quadruples
/// with a residue of a domain. Pairs up to 1-4 with a residue of a domain, and native pairs, are
/// excluded from the pair potentials; exclusions then need sorting. Constants are those of
/// genesis_cg_tool without its factor for straight angles. Throws structure::StructureError if a
/// domain has coordinates of C-alpha atoms alone, or a residue without flexible terms.
void add_aicg_domains(Topology& topology, const structure::Structure& structure);

/// Returns the flexible dihedral of AICG2+ of four residues, whose inner two have these names
/// (Terakawa and Takada, Biophys. J. 101, 1450 (2011)); its lowest energy is 0.
[[nodiscard]] FlexibleDihedral make_flexible_dihedral(std::string_view second,
                                                      std::string_view third);

}  // namespace nfold::topology

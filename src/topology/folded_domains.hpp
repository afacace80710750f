// Which residues form folded domains: as an input lists them, or found in a structure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "structure/structure.hpp"

namespace nfold::topology {

/// (residues, through all chains) the domain of each, from 0 in the order of `domains`; -1: none.
/// An entry is "10-50" or "10-50,60-72" by the numbers of the structure, with "B:" before it where
/// there are several chains; "auto" alone stands for find_domains(). Throws
/// structure::StructureError for a text that is no range, a bound that is no residue of the chain
/// and a residue in two domains.
[[nodiscard]] std::vector<int> folded_domains(const structure::Structure& structure,
                                              const std::vector<std::string>& domains);

/// How find_domains() tells folded from disordered residues.
struct DomainSearch {
  double contact_nm = 0.8;   ///< two C-alpha atoms nearer than this are in contact
  int least_separation = 5;  ///< ... if at least so far along the chain: no helix by itself counts
  int least_contacts = 2;    ///< a residue with so many is packed
  int longest_loop = 12;     ///< residues between packed ones of a domain belong to it
  int least_residues = 30;   ///< a smaller cluster is no domain
};

/// Packed residues that hang together by contacts form a cluster; with the loops between them, a
/// cluster of enough residues is a domain. Domains that touch are one. Numbered by their first
/// residue; -1: none.
[[nodiscard]] std::vector<int> find_domains(const structure::Structure& structure,
                                            const DomainSearch& search = {});

}  // namespace nfold::topology

// Folded domains, listed in an input or found in a structure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::topology {

/// Criteria of find_domains() for folded residues.
struct DomainSearch {
  double contact_nm = 0.8;   ///< two C-alpha atoms closer than this are in contact
  int least_separation = 5;  ///< ... if at least this far along the chain; excludes single helices
  int least_contacts = 2;    ///< a residue with so many is packed
  int longest_loop = 12;     ///< residues between packed ones of a domain belong to it
  std::size_t least_residues = 20;  ///< a smaller cluster is no domain
  /// Two lobes are separate domains if the contacts between them are fewer than this fraction of
  /// those within the one that has fewer: 0.06 for the two of an antibody's light chain, 0.19 for
  /// malate dehydrogenase, 0.55 for halves of ubiquitin.
  double largest_cut = 0.15;
  double least_plddt = structure::confident_plddt;  ///< a residue of less belongs to no domain
  double largest_pae_angstrom = 8;                  ///< mean within a domain, if the PAE is known
  bool between_chains = false;  ///< a domain may have residues of several chains
  int least_interface = 10;     ///< contacts of two chains that make their domains one, on request
};

/// Finds domains. Packed residues of a chain that are connected by contacts form a cluster, which
/// is cut between lobes. A lobe of enough residues, with the loops between them, is a domain. If
/// the structure has a PAE, find_domains_by_pae() finds them instead. Returns the domain of each
/// residue, numbered by first residue; -1: none.
[[nodiscard]] std::vector<int> find_domains(const structure::Structure& structure,
                                            const DomainSearch& search = {});

/// Groups the confident residues by average linkage (Sokal and Michener, 1958) of their PAE, the
/// mean of both directions: two groups become one while the mean PAE between them is at most the
/// largest. A group of enough residues is a domain. Each confident residue then moves to the domain
/// with the lowest mean PAE to it, if that is at most the largest: neighbours along the chain
/// always have a low PAE, so that groups may form across the border of two domains. Returns what
/// find_domains() does.
[[nodiscard]] std::vector<int> find_domains_by_pae(const structure::Structure& structure,
                                                   const DomainSearch& search);

/// Returns the domain of each residue, numbered from 0 by first residue, of a group of each residue
/// (-1: none). A group of fewer than `least_residues` is no domain.
[[nodiscard]] std::vector<int> number_domains(const std::vector<int>& group_of,
                                              std::size_t least_residues);

/// Returns the domain of each residue through all chains, from 0 in the order of `domains`; -1:
/// none. An entry is a text for structure::ResidueFinder, "10-50" or "B:10-50,60-72", which may
/// name several chains; "auto" alone stands for find_domains(). Throws structure::StructureError
/// for a text that is no range, a bound that is no residue of the chain and a residue in two
/// domains.
[[nodiscard]] std::vector<int> folded_domains(const structure::Structure& structure,
                                              const std::vector<std::string>& domains,
                                              const DomainSearch& search = {});

}  // namespace nfold::topology

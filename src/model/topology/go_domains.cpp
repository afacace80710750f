// Selection of the terms of a go model of the whole molecule that lie inside its domains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/go_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nfold::topology {
namespace {

/// Returns the bead of each residue of a protein.
std::vector<int> protein_beads(const Topology& topology, const structure::Structure& structure) {
  std::vector<int> beads;
  for (std::size_t c = 0; c < structure.chains.size(); ++c) {
    if (structure.chains[c].kind != "protein") continue;
    const Chain& chain = topology.chains[c];
    for (int id = chain.first; id < chain.first + chain.count; ++id) beads.push_back(id);
  }
  return beads;
}

/// Replaces the ids of a term.
template <class Term>
void set_ids(Term& term, const std::vector<int>& beads) {
  const auto set = [&beads](int& id) { id = beads.at(static_cast<std::size_t>(id)); };
  set(term.i);
  set(term.j);
  if constexpr (requires { term.k; }) set(term.k);
  if constexpr (requires { term.l; }) set(term.l);
}

}  // namespace

void add_go_domains(Topology& topology, const structure::Structure& structure, const GoModel& model,
                    input::NativePairs native) {
  GoModel single = model;
  single.copies = 1;
  single.least_plddt = 0;  // the domains decide which residues are held
  // Chains of other kinds have no go terms. Ids are those of the whole molecule.
  structure::Structure proteins = structure;
  std::erase_if(proteins.chains,
                [](const structure::Chain& chain) { return chain.kind != "protein"; });
  Topology whole = build_go_model(proteins, single);
  const auto beads = protein_beads(topology, structure);
  BondedKinds::for_each([&](auto kind) {
    for (auto& term : (whole.*kind.terms).items()) set_ids(term, beads);
  });
  const auto inside = [&](const auto& term) {
    const auto [residues, numbers] = term.parts();
    const int domain = topology.residues[static_cast<std::size_t>(residues.front())].domain;
    return domain >= 0 && std::ranges::all_of(residues, [&](int i) {
             return topology.residues[static_cast<std::size_t>(i)].domain == domain;
           });
  };
  std::map<std::pair<int, int>, Bond> stiff;
  for (const Bond& bond : whole.bonds) {
    if (inside(bond)) stiff.emplace(std::pair(bond.i, bond.j), bond);
  }
  for (Bond& bond : topology.bonds.items()) {
    const auto found = stiff.find({bond.i, bond.j});
    if (found != stiff.end()) bond = found->second;
  }
  const auto add = [&](auto kind, const auto& exclude) {
    for (const auto& term : terms_of(whole, kind)) {
      if (!inside(term)) continue;
      (topology.*kind.terms).push_back(term);
      const auto [residues, numbers] = term.parts();
      exclude(std::minmax(residues.front(), residues.back()));
    }
  };
  const auto exclude = [&](const std::pair<int, int>& ends) {
    topology.exclusions.push_back(ends);
  };
  add(AngleKind{}, exclude);
  add(DihedralKind{}, exclude);
  const std::set<std::pair<int, int>> near(topology.exclusions.begin(), topology.exclusions.end());
  const auto exclude_native = [&](const std::pair<int, int>& contact) {
    if (native == input::NativePairs::all || near.contains(contact)) return;
    exclude(contact);
    if (native == input::NativePairs::charges) topology.charged_exclusions.push_back(contact);
  };
  add(Contact1210Kind{}, exclude_native);
  add(ContactGaussianKind{}, exclude_native);
  for (const std::string& note : whole.notes) topology.notes.push_back(note);
  if (topology.contact_count() == 0) {
    topology.notes.emplace_back(
        "no native contact inside a domain: nothing holds it; check the domains and the contact "
        "map");
  }
}

}  // namespace nfold::topology

// Selection of the terms of a go model of the whole molecule that lie inside its domains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/go_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nfold::topology {

void add_go_domains(Topology& topology, const structure::Structure& structure,
                    const GoModel& model) {
  GoModel single = model;
  single.copies = 1;
  single.least_plddt = 0;  // the domains decide which residues are held
  const Topology whole = build_go_model(structure, single);
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
  const auto add = [&](auto kind) {
    for (const auto& term : terms_of(whole, kind)) {
      if (!inside(term)) continue;
      (topology.*kind.terms).push_back(term);
      const auto [residues, numbers] = term.parts();
      topology.exclusions.emplace_back(std::minmax(residues.front(), residues.back()));
    }
  };
  add(AngleKind{});
  add(DihedralKind{});
  add(Contact1210Kind{});
  add(ContactGaussianKind{});
  for (const std::string& note : whole.notes) topology.notes.push_back(note);
  if (topology.contact_count() == 0) {
    topology.notes.emplace_back(
        "no native contact inside a domain: nothing holds it; check the domains and the contact "
        "map");
  }
}

}  // namespace nfold::topology

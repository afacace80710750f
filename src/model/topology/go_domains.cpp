// Selection of the terms of a go model of the whole molecule that lie inside its domains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/go_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

namespace nfold::topology {

void add_go_domains(Topology& topology, const structure::Structure& structure,
                    const GoModel& model) {
  GoModel single = model;
  single.copies = 1;
  const Topology whole = build_go_model(structure, single);
  const auto inside = [&](std::initializer_list<int> residues) {
    const int domain = topology.residues[static_cast<std::size_t>(*residues.begin())].domain;
    for (const int i : residues) {
      if (topology.residues[static_cast<std::size_t>(i)].domain != domain) return false;
    }
    return domain >= 0;
  };
  std::map<std::pair<int, int>, Bond> stiff;
  for (const Bond& bond : whole.bonds) {
    if (inside({bond.i, bond.j})) stiff.emplace(std::pair(bond.i, bond.j), bond);
  }
  for (Bond& bond : topology.bonds.items()) {
    const auto found = stiff.find({bond.i, bond.j});
    if (found != stiff.end()) bond = found->second;
  }
  for (const Angle& angle : whole.angles) {
    if (!inside({angle.i, angle.j, angle.k})) continue;
    topology.angles.push_back(angle);
    topology.exclusions.emplace_back(std::minmax(angle.i, angle.k));
  }
  for (const Dihedral& dihedral : whole.dihedrals) {
    if (!inside({dihedral.i, dihedral.j, dihedral.k, dihedral.l})) continue;
    topology.dihedrals.push_back(dihedral);
    topology.exclusions.emplace_back(std::minmax(dihedral.i, dihedral.l));
  }
  for (const Contact1210& contact : whole.contacts_12_10) {
    if (!inside({contact.i, contact.j})) continue;
    topology.contacts_12_10.push_back(contact);
    topology.exclusions.emplace_back(contact.i, contact.j);
  }
  for (const ContactGaussian& contact : whole.contacts_gaussian) {
    if (!inside({contact.i, contact.j})) continue;
    topology.contacts_gaussian.push_back(contact);
    topology.exclusions.emplace_back(contact.i, contact.j);
  }
  for (const std::string& note : whole.notes) topology.notes.push_back(note);
  if (topology.contacts_12_10.empty() && topology.contacts_gaussian.empty()) {
    topology.notes.emplace_back(
        "no native contact inside a domain: nothing holds it; check the domains and the contact "
        "map");
  }
}

}  // namespace nfold::topology

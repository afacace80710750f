// Copies of a whole system: every id shifted, every number as in the first.
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/replicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "structure/structure.hpp"

namespace nfold::topology {
namespace {

double largest_extent_nm(const Topology& one) {
  double extent = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const auto& x : one.native_nm) {
      low = std::min(low, x[axis]);
      high = std::max(high, x[axis]);
    }
    extent = std::max(extent, high - low);
  }
  return extent;
}

// "A2" unless a chain of the structure is called so, or two copies would meet there ("A1" + "2").
const char* separator_for(const Topology& one, int copies) {
  std::set<std::string> names;
  for (int copy = 1; copy <= copies; ++copy) {
    for (const Chain& chain : one.chains) {
      const std::string name = copy == 1 ? chain.name : fmt::format("{}{}", chain.name, copy);
      if (!names.insert(name).second) return "_";
    }
  }
  return "";
}

template <typename Term, typename Shift>
void append(std::vector<Term>& to, const std::vector<Term>& from, Shift shift) {
  for (Term term : from) {
    shift(term);
    to.push_back(term);
  }
}

void append_terms(Topology& all, const Topology& one, int shift) {
  append(all.bonds, one.bonds, [=](Bond& b) { b.i += shift, b.j += shift; });
  append(all.restraints, one.restraints, [=](Bond& b) { b.i += shift, b.j += shift; });
  append(all.angles, one.angles, [=](Angle& a) { a.i += shift, a.j += shift, a.k += shift; });
  append(all.dihedrals, one.dihedrals,
         [=](Dihedral& d) { d.i += shift, d.j += shift, d.k += shift, d.l += shift; });
  append(all.contacts_12_10, one.contacts_12_10,
         [=](Contact1210& c) { c.i += shift, c.j += shift; });
  append(all.contacts_gaussian, one.contacts_gaussian,
         [=](ContactGaussian& c) { c.i += shift, c.j += shift; });
  append(all.exclusions, one.exclusions,
         [=](std::pair<int, int>& e) { e.first += shift, e.second += shift; });
}

}  // namespace

Topology replicate(const Topology& one, int copies, double spacing_nm) {
  const int count = one.residue_count();
  if (copies < 1 || copies > std::numeric_limits<int>::max() / std::max(count, 1)) {
    throw structure::StructureError(fmt::format(
        "{} copies of {} residues; expected at least one copy and at most {} residues in all",
        copies, count, std::numeric_limits<int>::max()));
  }
  Topology all = one;
  const double extent = largest_extent_nm(one);
  const double spacing = spacing_nm > 0 ? spacing_nm : extent + 2;
  if (spacing < extent) {
    all.notes.push_back(
        fmt::format("copies stand {:.2f} nm apart but extend over {:.2f} nm: they may overlap",
                    spacing, extent));
  }
  int side = 1;
  while (static_cast<long>(side) * side * side < copies) ++side;
  const std::string separator = separator_for(one, copies);
  const int segments = one.residues.empty() ? 0 : one.residues.back().segment + 1;
  for (int copy = 1; copy < copies; ++copy) {
    const std::array<int, 3> place{copy % side, copy / side % side, copy / side / side};
    const std::array<double, 3> offset{spacing * place[0], spacing * place[1], spacing * place[2]};
    for (const Chain& chain : one.chains) {
      all.chains.push_back({fmt::format("{}{}{}", chain.name, separator, copy + 1),
                            chain.first + copy * count, chain.count});
    }
    append(all.residues, one.residues, [&](Residue& r) {
      r.chain += copy * static_cast<int>(one.chains.size());
      r.segment += copy * segments;
    });
    append(all.native_nm, one.native_nm, [&](std::array<double, 3>& x) {
      for (std::size_t axis = 0; axis < 3; ++axis) x[axis] += offset[axis];
    });
    append_terms(all, one, copy * count);
  }
  return all;
}

}  // namespace nfold::topology

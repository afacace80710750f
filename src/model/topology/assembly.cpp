// Assembly of copies of molecules, each stored once with the rule that shifts ids of copies.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/topology/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "model/structure/structure.hpp"

namespace nfold::topology {
namespace {

double largest_extent_nm(const Topology& one) {
  double extent = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const auto& x : one.native_nm) {
      low = std::min(low, x[axis]);  // comparisons with a NaN leave the bound unchanged
      high = std::max(high, x[axis]);
    }
    extent = std::max(extent, high - low);
  }
  return extent;
}

// Returns the separator in names of copies: none ("A2"), unless a chain of the structure has such a
// name or two copies would collide ("A1" + "2").
const char* separator_for(const Topology& one, int copies) {
  std::unordered_set<std::string> names;
  for (int copy = 1; copy <= copies; ++copy) {
    for (const Chain& chain : one.chains) {
      const std::string name = copy == 1 ? chain.name : fmt::format("{}{}", chain.name, copy);
      if (!names.insert(name).second) return "_";
    }
  }
  return "";
}

/// Reserves capacity for all parts at once; growing part by part would move earlier parts.
template <typename Member>
void reserve(Topology& all, const std::vector<Part>& parts, Member terms) {
  std::size_t count = 0;
  for (const Part& part : parts) {
    count += (part.molecule.*terms).size() * static_cast<std::size_t>(part.copies);
  }
  (all.*terms).reserve(count);
}

void reserve_for(Topology& all, const std::vector<Part>& parts) {
  reserve(all, parts, &Topology::residues);
  reserve(all, parts, &Topology::chains);
  BondedKinds::for_each([&](auto kind) { reserve(all, parts, kind.terms); });
  reserve(all, parts, &Topology::exclusions);
  reserve(all, parts, &Topology::charged_exclusions);
  reserve(all, parts, &Topology::native_nm);
}

/// Returns the largest value of the member plus 1; 0 if there is none.
template <typename Member>
int id_count(const Topology& one, Member member) {
  int largest = -1;
  for (const Residue& residue : one.residues) largest = std::max(largest, residue.*member);
  return largest + 1;
}

void check_copies(const Part& part) {
  const int count = part.molecule.residue_count();
  if (part.copies < 1 || part.copies > std::numeric_limits<int>::max() / std::max(count, 1)) {
    throw structure::StructureError(fmt::format(
        "{} copies of {} residues; expected at least one copy and at most {} residues in all",
        part.copies, count, std::numeric_limits<int>::max()));
  }
}

}  // namespace

Assembly::Assembly(const std::vector<Part>& expected, double spacing_nm) {
  double extent = 0;
  long copies = 0, residues = 0;
  for (const Part& part : expected) {
    check_copies(part);
    extent = std::max(extent, largest_extent_nm(part.molecule));
    copies += part.copies;
    residues += static_cast<long>(part.copies) * part.molecule.residue_count();
  }
  if (residues < 1 || residues > std::numeric_limits<int>::max()) {
    throw structure::StructureError(fmt::format("{} residues in all; expected 1 to {}", residues,
                                                std::numeric_limits<int>::max()));
  }
  while (static_cast<long>(side_) * side_ * side_ < copies) ++side_;
  spacing_nm_ = spacing_nm > 0 ? spacing_nm : extent + 2;
  if (copies > 1 && spacing_nm_ < extent) {
    all_.notes.push_back(
        fmt::format("copies stand {:.2f} nm apart but extend over {:.2f} nm: they may overlap",
                    spacing_nm_, extent));
  }
  reserve_for(all_, expected);
  const Topology& first = expected.front().molecule;
  all_.short_range = first.short_range;
  all_.short_range.site_factors.clear();  // each part adds its own
  all_.electrostatics = first.electrostatics;
  all_.box = first.box;
}

void Assembly::add(const Part& part) {
  const Topology& one = part.molecule;
  const int segments = id_count(one, &Residue::segment), domains = id_count(one, &Residue::domain);
  const std::string separator = separator_for(one, part.species.empty() ? part.copies : 1);
  const int residues = one.residue_count(), chains = static_cast<int>(one.chains.size());
  const IdRule ids{all_.residue_count(), residues};
  const Copying<Residue>::Rule of_residues{
      {static_cast<int>(all_.chains.size()), chains}, {segments_, segments}, {domains_, domains}};
  for (int copy = 0; copy < part.copies; ++copy) {
    const int first = ids.copy_shift(static_cast<std::size_t>(copy));
    for (const Chain& chain : one.chains) {
      all_.chains.push_back({make_chain_name(part, chain, copy, separator), first + chain.first,
                             chain.count, static_cast<int>(all_.species.size()), molecules_ + copy,
                             chain.is_closed, chain.pieces});
    }
  }
  const auto copies = static_cast<std::size_t>(part.copies);
  auto rows = one.residues.flat();
  auto& factors = all_.short_range.site_factors;
  const int first_site = static_cast<int>(factors.size());
  for (Residue& residue : rows) {
    if (residue.site >= 0) residue.site += first_site;
  }
  const auto& own_factors = one.short_range.site_factors;
  factors.insert(factors.end(), own_factors.begin(), own_factors.end());
  all_.residues.append(rows, copies, of_residues);
  all_.native_nm.append(one.native_nm.flat(), copies, {molecules_, side_, spacing_nm_});
  BondedKinds::for_each(
      [&](auto kind) { (all_.*kind.terms).append((one.*kind.terms).flat(), copies, ids); });
  all_.exclusions.append(one.exclusions.flat(), copies, ids);
  all_.charged_exclusions.append(one.charged_exclusions.flat(), copies, ids);
  segments_ += segments * part.copies;
  domains_ += domains * part.copies;
  molecules_ += part.copies;
  all_.species.push_back(
      {part.species.empty() && !one.species.empty() ? one.species.front().name : part.species,
       part.copies * static_cast<int>(one.chains.size())});
  for (const std::string& note : one.notes) {
    const auto& notes = all_.notes;
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) all_.notes.push_back(note);
  }
}

std::string Assembly::make_chain_name(const Part& part, const Chain& chain, int copy,
                                      const std::string& separator) {
  std::string name = chain.name;
  if (part.species.empty()) {
    if (copy > 0) name = fmt::format("{}{}{}", chain.name, separator, copy + 1);
  } else {
    name = part.species;
    if (part.molecule.chains.size() > 1) name += "." + chain.name;
    if (part.copies > 1) name += fmt::format(".{}", copy + 1);
  }
  // Another species may have the name of a chain of this one.
  while (!names_.insert(name).second) name += "_";
  return name;
}

Topology assemble(const std::vector<Part>& parts, double spacing_nm) {
  Assembly assembly(parts, spacing_nm);
  for (const Part& part : parts) assembly.add(part);
  return assembly.take();
}

}  // namespace nfold::topology

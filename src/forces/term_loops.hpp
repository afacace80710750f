// The forces of all terms as one range of work items.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "forces/force_tables.hpp"

namespace nfold::forces {

/// The items without ghosts, or the others.
enum class Part { interior, border };

template <class Precision>
struct TermLoops {
  enum Kind { dihedral, angle, bond, restraint, contact_12_10, gaussian };
  static constexpr int kinds = 6;

  kernels::TermForceLoop<Precision, kernels::Dihedral> dihedrals;
  kernels::TermForceLoop<Precision, kernels::Angle> angles;
  kernels::TermForceLoop<Precision, kernels::Bond> bonds, restraints;
  kernels::TermForceLoop<Precision, kernels::Contact1210> contacts_12_10;
  kernels::TermForceLoop<Precision, kernels::ContactGaussian> contacts_gaussian;
  int last[kinds];   // running end of each kind's items
  int first[kinds];  // first item of the kind's own numbering

  [[nodiscard]] int items() const { return last[kinds - 1]; }

  KOKKOS_FUNCTION void operator()(int item) const {
    if (item < last[dihedral]) {
      dihedrals(first[dihedral] + item);
    } else if (item < last[angle]) {
      angles(first[angle] + item - last[dihedral]);
    } else if (item < last[bond]) {
      bonds(first[bond] + item - last[angle]);
    } else if (item < last[restraint]) {
      restraints(first[restraint] + item - last[bond]);
    } else if (item < last[contact_12_10]) {
      contacts_12_10(first[contact_12_10] + item - last[restraint]);
    } else {
      contacts_gaussian(first[gaussian] + item - last[contact_12_10]);
    }
  }
};

/// first_of(set), last_of(set): the items of each kind.
template <class Precision, class First, class Last>
[[nodiscard]] TermLoops<Precision> some_term_loops(
    const ForceTables<Precision>& t, kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::Scale<typename Precision::Real>& scale, int* exploded, const First& first_of,
    const Last& last_of) {
  const auto force = t.term_forces();
  const auto loop_of = [&](const auto& set) { return set.force_loop(x, scale, force, exploded); };
  TermLoops<Precision> loops{loop_of(t.dihedrals),
                             loop_of(t.angles),
                             loop_of(t.bonds),
                             loop_of(t.restraints),
                             loop_of(t.contacts_12_10),
                             loop_of(t.contacts_gaussian),
                             {},
                             {}};
  int total = 0, kind = 0;
  const auto add = [&](const auto& set) {
    loops.first[kind] = first_of(set);
    total += last_of(set) - first_of(set);
    loops.last[kind++] = total;
  };
  add(t.dihedrals);
  add(t.angles);
  add(t.bonds);
  add(t.restraints);
  add(t.contacts_12_10);
  add(t.contacts_gaussian);
  return loops;
}
template <class Precision>
[[nodiscard]] TermLoops<Precision> term_loops(
    Part part, const ForceTables<Precision>& t,
    kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::Scale<typename Precision::Real>& scale, int* exploded) {
  const bool inside = part == Part::interior;
  return some_term_loops(
      t, x, scale, exploded, [&](const auto& set) { return inside ? 0 : set.interior_items(); },
      [&](const auto& set) { return inside ? set.interior_items() : set.items(); });
}
template <class Precision>
[[nodiscard]] TermLoops<Precision> all_term_loops(
    const ForceTables<Precision>& t, kernels::Columns<const typename Precision::Coordinate> x,
    const kernels::Scale<typename Precision::Real>& scale, int* exploded) {
  return some_term_loops(
      t, x, scale, exploded, [](const auto&) { return 0; },
      [](const auto& set) { return set.items(); });
}

}  // namespace nfold::forces

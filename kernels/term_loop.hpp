// Forces and energies of bonded terms and contacts, one lane a term.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/fixed_point.hpp"
#include "kernels/portable.hpp"
#include "kernels/views.hpp"

namespace nfold::kernels {

/// The terms of one kind that this rank computes; tables padded with copies of a term whose forces
/// nobody gathers.
template <class Term, class Real>
struct TermTable {
  const int* row[Term::ends];               // (padded terms) local rows
  const Real* parameter[Term::parameters];  // (padded terms)
};

/// Writes the force of each term end, in quanta, to slot first_slot + end * slot_stride + term.
/// Work item: `lanes` terms.
template <class Precision, class Term>
struct TermForceLoop {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;
  using Quanta = typename Precision::Quanta;

  TermTable<Term, Real> table;
  Columns<const Coordinate> x;
  Columns<Quanta> force;  // (slots)
  std::int64_t first_slot, slot_stride;
  int* exploded;

  NFOLD_FUNCTION void operator()(int item) const {
    // Pointers on the stack: the compiler then knows that no store below can change them.
    const TermTable<Term, Real> own = table;
    const Coordinate *const px = x.x, *const py = x.y, *const pz = x.z;
    const std::int64_t stride = slot_stride;
    const std::int64_t first = first_slot + static_cast<std::int64_t>(item) * lanes;
    Quanta* const fx = force.x + first;
    Quanta* const fy = force.y + first;
    Quanta* const fz = force.z + first;
    int bad = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      const int term = item * lanes + lane;
      Real d[3 * (Term::ends - 1)], p[Term::parameters], f[3 * Term::ends];
      NFOLD_UNROLL
      for (int e = 0; e < Term::ends - 1; ++e) {
        const int a = own.row[e][term];
        const int b = own.row[e + 1][term];
        d[3 * e] = Precision::template to_nm<Real>(Precision::difference(px[b], px[a]));
        d[3 * e + 1] = Precision::template to_nm<Real>(Precision::difference(py[b], py[a]));
        d[3 * e + 2] = Precision::template to_nm<Real>(Precision::difference(pz[b], pz[a]));
      }
      NFOLD_UNROLL
      for (int k = 0; k < Term::parameters; ++k) p[k] = own.parameter[k][term];
      Term::forces(d, p, f);
      Quanta rest_x = 0, rest_y = 0, rest_z = 0;
      NFOLD_UNROLL
      for (int e = 0; e < Term::ends; ++e) {
        if (e == Term::closing) continue;
        const Quanta qx = Precision::quanta(f[3 * e]);
        const Quanta qy = Precision::quanta(f[3 * e + 1]);
        const Quanta qz = Precision::quanta(f[3 * e + 2]);
        bad |= static_cast<int>(!Precision::in_range(f[3 * e])) |
               static_cast<int>(!Precision::in_range(f[3 * e + 1])) |
               static_cast<int>(!Precision::in_range(f[3 * e + 2]));
        fx[e * stride + lane] = qx;
        fy[e * stride + lane] = qy;
        fz[e * stride + lane] = qz;
        rest_x -= qx;
        rest_y -= qy;
        rest_z -= qz;
      }
      fx[Term::closing * stride + lane] = rest_x;
      fy[Term::closing * stride + lane] = rest_y;
      fz[Term::closing * stride + lane] = rest_z;
    }
    if (bad != 0) *exploded = 1;
  }
};

/// Adds the energies, always in double, of the terms counted here (those whose first residue this
/// rank owns). Work item: one term.
template <class Precision, class Term>
struct TermEnergyLoop {
  using Coordinate = typename Precision::Coordinate;

  TermTable<Term, double> table;
  const int* counted;  // (terms) 1 where this rank counts the term
  Columns<const Coordinate> x;

  NFOLD_FUNCTION void operator()(int term, std::int64_t& sum) const {
    double d[3 * (Term::ends - 1)], p[Term::parameters];
    for (int e = 0; e < Term::ends - 1; ++e) {
      const int a = table.row[e][term];
      const int b = table.row[e + 1][term];
      d[3 * e] = Precision::template to_nm<double>(Precision::difference(x.x[b], x.x[a]));
      d[3 * e + 1] = Precision::template to_nm<double>(Precision::difference(x.y[b], x.y[a]));
      d[3 * e + 2] = Precision::template to_nm<double>(Precision::difference(x.z[b], x.z[a]));
    }
    for (int k = 0; k < Term::parameters; ++k) p[k] = table.parameter[k][term];
    if (counted[term] != 0) sum += to_energy_counts(Term::energy(d, p));
  }
};

}  // namespace nfold::kernels

// Forces and energies of bonded terms and contacts, one lane per term.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/gathered_force.hpp"

namespace nfold::kernels {

/// Terms of one kind that this rank computes. Tables are padded with copies of a term; the forces
/// of these are not gathered.
template <class Term, class Real>
struct TermTable {
  const int* row[Term::ends];               // (padded terms) local rows
  const Real* parameter[Term::parameters];  // (padded terms)
};

/// Writes the force of each term end [quanta] to slot first_slot + end * slot_stride + term; a GPU
/// adds it to the total of its row, if owned, in any order. Work item: `lanes` terms.
template <class Precision, class Term>
struct TermForceLoop {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;
  using Quanta = typename Precision::Quanta;

  TermTable<Term, Real> table;
  Columns<const Coordinate> x;
  Scale<Real> scale;
  TermForces<Precision> force;
  std::int64_t first_slot, slot_stride;
  int* exploded;
  Real strength;  // factor for terms with has_strength

  NFOLD_FUNCTION void operator()(int item) const {
    // Pointers on the stack: the compiler then knows that no store below changes them.
    const TermTable<Term, Real> own = table;
    const Coordinate *const px = x.x, *const py = x.y, *const pz = x.z;
    const Scale<Real> nm = scale;
    [[maybe_unused]] const Real factor = strength;
    [[maybe_unused]] const std::int64_t stride = slot_stride;
    [[maybe_unused]] const std::int64_t first =
        first_slot + static_cast<std::int64_t>(item) * lanes;
#ifdef KOKKOS_ENABLE_CUDA
    const auto totals = force;
    const auto give = [&](int e, int lane, Quanta qx, Quanta qy, Quanta qz) {
      totals.add(own.row[e][item * lanes + lane], qx, qy, qz);
    };
#else
    Quanta* const fx = force.x + first;
    Quanta* const fy = force.y + first;
    Quanta* const fz = force.z + first;
    const auto give = [=](int e, int lane, Quanta qx, Quanta qy, Quanta qz) {
      fx[e * stride + lane] = qx;
      fy[e * stride + lane] = qy;
      fz[e * stride + lane] = qz;
    };
#endif
    int bad = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      const int term = item * lanes + lane;
      Real d[3 * (Term::ends - 1)], p[Term::parameters], f[3 * Term::ends];
      NFOLD_UNROLL
      for (int e = 0; e < Term::ends - 1; ++e) {
        const int a = own.row[e][term];
        const int b = own.row[e + 1][term];
        d[3 * e] = Precision::template to_nm<Real>(Precision::difference(px[b], px[a]), nm.x);
        d[3 * e + 1] = Precision::template to_nm<Real>(Precision::difference(py[b], py[a]), nm.y);
        d[3 * e + 2] = Precision::template to_nm<Real>(Precision::difference(pz[b], pz[a]), nm.z);
      }
      NFOLD_UNROLL
      for (int k = 0; k < Term::parameters; ++k) p[k] = own.parameter[k][term];
      Real along = 0;
      if constexpr (Term::is_central) {
        along = Term::force_over_distance(d, p);
        if constexpr (Term::has_strength) along *= factor;
        for (int axis = 0; axis < 3; ++axis) f[axis] = along * d[axis];
      } else {
        Term::forces(d, p, f);
      }
      const auto in_quanta = [&](int k) {
        if constexpr (!Term::is_central) return flagged_quanta<Precision>(f[k], bad);
        flag_force<Precision>(f[k], bad);
        return Precision::clamped_product(along, d[k]);
      };
      Quanta rest_x = 0, rest_y = 0, rest_z = 0;
      NFOLD_UNROLL
      for (int e = 0; e < Term::ends; ++e) {
        if (e == Term::closing) continue;
        const Quanta qx = in_quanta(3 * e);
        const Quanta qy = in_quanta(3 * e + 1);
        const Quanta qz = in_quanta(3 * e + 2);
        give(e, lane, qx, qy, qz);
        rest_x -= qx;
        rest_y -= qy;
        rest_z -= qz;
      }
      give(Term::closing, lane, rest_x, rest_y, rest_z);
    }
    if (bad != 0) *exploded = 1;
  }
};

/// Bond vectors and parameters of one term in double, for energies and virials.
template <class Precision, class Term>
struct ExactTerm {
  double d[3 * (Term::ends - 1)], p[Term::parameters];

  NFOLD_FUNCTION ExactTerm(const TermTable<Term, double>& table,
                           Columns<const typename Precision::Coordinate> x,
                           const Scale<double>& scale, int term) {
    for (int e = 0; e < Term::ends - 1; ++e) {
      const int a = table.row[e][term];
      const int b = table.row[e + 1][term];
      d[3 * e] = Precision::to_nm(Precision::difference(x.x[b], x.x[a]), scale.x);
      d[3 * e + 1] = Precision::to_nm(Precision::difference(x.y[b], x.y[a]), scale.y);
      d[3 * e + 2] = Precision::to_nm(Precision::difference(x.z[b], x.z[a]), scale.z);
    }
    for (int k = 0; k < Term::parameters; ++k) p[k] = table.parameter[k][term];
  }
};

/// Adds the energies of the counted terms at strength 1, always in double. Work item: one term.
template <class Precision, class Term>
struct TermEnergyLoop {
  using Sums = ExactSums<1>;
  TermTable<Term, double> table;
  const int* counted;  // (terms) 1 if this rank owns the term's first residue
  Columns<const typename Precision::Coordinate> x;
  Scale<double> scale;

  NFOLD_FUNCTION void operator()(int term, Sums& sums) const {
    if (counted[term] == 0) return;
    const ExactTerm<Precision, Term> exact(table, x, scale, term);
    sums.add_energy(0, Term::energy(exact.d, exact.p));
  }
};

/// Adds the virial, sum of x_a F_b over the ends, of the counted terms: xx, yy, zz, xy, xz, yz in
/// energy counts. Work item: one term.
template <class Precision, class Term>
struct TermVirialLoop {
  using Sums = ExactSums<6>;
  TermEnergyLoop<Precision, Term> terms;
  double strength;  // factor for terms with has_strength

  NFOLD_FUNCTION void operator()(int term, Sums& sums) const {
    if (terms.counted[term] == 0) return;
    const ExactTerm<Precision, Term> exact(terms.table, terms.x, terms.scale, term);
    double f[3 * Term::ends] = {};
    Term::forces(exact.d, exact.p, f);
    if constexpr (Term::has_strength) {
      for (double& component : f) component *= strength;
    }
    // The closing end makes the forces sum to zero.
    for (int e = 0; e < Term::ends; ++e) {
      if (e == Term::closing) continue;
      for (int axis = 0; axis < 3; ++axis) f[3 * Term::closing + axis] -= f[3 * e + axis];
    }
    double at[3] = {0, 0, 0}, sum[6] = {};
    for (int e = 1; e < Term::ends; ++e) {
      for (int axis = 0; axis < 3; ++axis) at[axis] += exact.d[3 * (e - 1) + axis];
      for (int axis = 0; axis < 3; ++axis) sum[axis] += at[axis] * f[3 * e + axis];
      sum[3] += at[0] * f[3 * e + 1];
      sum[4] += at[0] * f[3 * e + 2];
      sum[5] += at[1] * f[3 * e + 2];
    }
    for (int k = 0; k < 6; ++k) sums.add_energy(k, sum[k]);
  }
};

}  // namespace nfold::kernels

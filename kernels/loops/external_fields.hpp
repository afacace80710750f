// Forces and energies of external fields on each bead.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// One field; see bias::ExternalField.
struct ExternalField {
  std::int64_t origin[3];  // [counts of the box]
  double nm[3];            // length of a count [nm]; 0: the axis does not count
  int periodic[3];
  double inner, centre, k, slope;
};

/// Vector from the origin to a bead along the axes that count, and its length [nm].
struct FieldDistance {
  double d[3], length;

  NFOLD_FUNCTION FieldDistance(const ExternalField& field, Columns<const std::int64_t> position,
                               int row) {
    const std::int64_t at[3] = {position.x[row], position.y[row], position.z[row]};
    double squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
      constexpr int turn_bits = 44, above = 64 - turn_bits;
      const std::int64_t plain = at[axis] - field.origin[axis];
      const auto wrapped =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(plain) << above) >> above;
      d[axis] = static_cast<double>(field.periodic[axis] != 0 ? wrapped : plain) * field.nm[axis];
      squared += d[axis] * d[axis];
    }
    length = square_root(squared);
  }
};

/// Adds the force of one field to the totals of the beads that feel it. Work item: one row.
template <class Precision>
struct ExternalForceLoop {
  using Real = typename Precision::Real;
  ExternalField field;
  std::uint32_t bit;
  const std::uint32_t* feels;  // (rows) bits of fields
  Columns<const std::int64_t> position;
  Columns<std::int64_t> total;  // [quanta]
  int* exploded;

  NFOLD_FUNCTION void operator()(int row) const {
    if ((feels[row] & bit) == 0) return;
    const FieldDistance from(field, position, row);
    if (from.length < field.inner || from.length == 0) return;
    const double slope = field.k * (from.length - field.centre) + field.slope;
    const double along = -slope / from.length;
    bool bad = false;
    total.x[row] += flagged_quanta<Precision>(static_cast<Real>(along * from.d[0]), bad);
    total.y[row] += flagged_quanta<Precision>(static_cast<Real>(along * from.d[1]), bad);
    total.z[row] += flagged_quanta<Precision>(static_cast<Real>(along * from.d[2]), bad);
    if (bad) *exploded = 1;
  }
};

/// Sums the energy of one field. Work item: one row.
struct ExternalEnergyLoop {
  using Sums = ExactSums<1>;
  ExternalField field;
  std::uint32_t bit;
  const std::uint32_t* feels;  // (rows)
  Columns<const std::int64_t> position;

  NFOLD_FUNCTION void operator()(int row, Sums& sums) const {
    if ((feels[row] & bit) == 0) return;
    const double s = FieldDistance(field, position, row).length;
    if (s < field.inner) return;
    const double off = s - field.centre;
    sums.add_energy(0, 0.5 * field.k * off * off + field.slope * off);
  }
};

}  // namespace nfold::kernels

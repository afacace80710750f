// Chain forces in a thread block of resident replicas; pairs are in resident_pairs.hpp.
// SPDX-License-Identifier: BSD-3-Clause
//
// A thread walks along a few consecutive residues of one replica, whose chain terms share vectors
// and planes, or takes one sort of terms of one residue. Absent terms have strength 0 and no force.
#pragma once

#include "kernels/cuda/resident_pairs.hpp"
#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/dihedral.hpp"

namespace nfold::kernels {

template <ResidentPositionFormat kind, int fixed_log_width, class Contact>
class ResidentForces : protected ResidentPairForces<kind, fixed_log_width, Contact> {
 public:
  using Pairs = ResidentPairForces<kind, fixed_log_width, Contact>;
  __device__ ResidentForces(const ResidentRun<Contact>& run, char* shared) : Pairs(run, shared) {}

 protected:
  using Pairs::at, Pairs::add, Pairs::bond_between, Pairs::bond_vector, Pairs::log_width,
      Pairs::magic_bits, Pairs::rounded_bits;
  using Pairs::bad_, Pairs::force_, Pairs::rounded_position_, Pairs::system_;

  /// Adds all terms that begin at these residues.
  __device__ void add_chain_terms(int first, int last) {
    if (first >= last) return;
    unsigned sum[4][3] = {};
    const float4 second = rounded_position_[at(first + 1)];
    BondVector<float> a = bond_between(rounded_position_[at(first)], second);
    float4 next = rounded_position_[at(first + 2)];
    BondVector<float> b = bond_between(second, next);
    BondPlane<float> ab(a, b);
#pragma unroll 1
    for (int row = first; row < last; ++row) {
      const float4 far = rounded_position_[at(row + 3)];
      const BondVector<float> c = bond_between(next, far);
      const BondPlane<float> bc(b, c);
      const ChainTerms<float> terms = system_.chain[row];
      float bond[3], angle[9], dihedral[12];
      const float largest = Bond::forces(a, terms.bond, bond) +
                            Angle::forces(a, b, ab, terms.angle, angle) +
                            Dihedral::forces(a, b, ab, bc, terms.dihedral, dihedral);
      if (largest < largest_rounded) {
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
          const unsigned b0 = rounded_bits(bond[axis]), a0 = rounded_bits(angle[axis]);
          const unsigned a2 = rounded_bits(angle[6 + axis]), d0 = rounded_bits(dihedral[axis]);
          const unsigned d1 = rounded_bits(dihedral[3 + axis]);
          const unsigned d3 = rounded_bits(dihedral[9 + axis]);
          sum[0][axis] = sum[0][axis] + b0 + a0 + d0;
          sum[1][axis] = sum[1][axis] + d1 - b0 - a0 - a2;
          sum[2][axis] = sum[2][axis] + a2 - d0 - d1 - d3;
          sum[3][axis] = d3;
        }
      } else {
        bad_ |= add_exactly(all, row);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) sum[3][axis] = 0;
      }
      flush(sum[0], at(row));
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        sum[0][axis] = sum[1][axis];
        sum[1][axis] = sum[2][axis];
        sum[2][axis] = sum[3][axis];
      }
      a = b;
      b = c;
      ab = bc;
      next = far;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) flush(sum[k], at(last + k));
  }
  /// Adds the bonds that begin at these residues, for chains without other terms.
  __device__ void add_chain_bonds(int first, int last) {
    if (first >= last) return;
    unsigned sum[2][3] = {};
    float4 here = rounded_position_[at(first)];
#pragma unroll 1
    for (int row = first; row < last; ++row) {
      const float4 next = rounded_position_[at(row + 1)];
      float bond[3];
      const float largest = Bond::forces(bond_between(here, next), system_.chain[row].bond, bond);
      if (largest < largest_rounded) {
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
          const unsigned quanta = rounded_bits(bond[axis]);
          sum[0][axis] += quanta;
          sum[1][axis] = 0U - quanta;
        }
      } else {
        bad_ |= add_exactly(bonds, row);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) sum[1][axis] = 0;
      }
      flush(sum[0], at(row));
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) sum[0][axis] = sum[1][axis];
      here = next;
    }
    flush(sum[0], at(last));
  }
  /// Return the parameters for add_bond_and_angle and add_dihedral; padding rows have no terms.
  [[nodiscard]] __device__ float4 bond_angle_of(int row) const {
    if (row >= system_.residues) return make_float4(0, 0, 0, 0);
    const ChainTerms<float>& terms = system_.chain[row];
    return make_float4(terms.bond[0], terms.bond[1], terms.angle[0], terms.angle[1]);
  }
  [[nodiscard]] __device__ float4 dihedral_of(int row) const {
    if (row >= system_.residues) return make_float4(0, 0, 0, 0);
    const float* const p = system_.chain[row].dihedral;
    return make_float4(p[0], p[1], p[2], p[3]);
  }
  /// Adds the bond and the angle that begin at a residue.
  __device__ void add_bond_and_angle(int row, const float4& bond_angle) {
    const float4 p0 = rounded_position_[at(row)], p1 = rounded_position_[at(row + 1)],
                 p2 = rounded_position_[at(row + 2)];
    const float of_bond[2] = {bond_angle.x, bond_angle.y};
    const float of_angle[2] = {bond_angle.z, bond_angle.w};
    const auto a = bond_between(p0, p1), b = bond_between(p1, p2);
    const BondPlane<float> ab(a, b);
    float bond[3], angle[9];
    const float largest = Bond::forces(a, of_bond, bond) + Angle::forces(a, b, ab, of_angle, angle);
    if (!(largest < largest_rounded)) {
      bad_ |= add_exactly(angles, row);
      return;
    }
    unsigned sum[3][3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const unsigned b0 = rounded_bits(bond[axis]), a0 = rounded_bits(angle[axis]);
      const unsigned a2 = rounded_bits(angle[6 + axis]);
      sum[0][axis] = b0 + a0;
      sum[1][axis] = 0U - b0 - a0 - a2;
      sum[2][axis] = a2;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) flush(sum[k], at(row + k));
  }
  /// Adds the dihedral that begins at a residue.
  __device__ void add_dihedral(int row, const float4& dihedral) {
    const float4 p0 = rounded_position_[at(row)], p1 = rounded_position_[at(row + 1)],
                 p2 = rounded_position_[at(row + 2)];
    const float4 p3 = rounded_position_[at(row + 3)];
    const float parameter[4] = {dihedral.x, dihedral.y, dihedral.z, dihedral.w};
    const auto a = bond_between(p0, p1), b = bond_between(p1, p2), c = bond_between(p2, p3);
    const BondPlane<float> ab(a, b), bc(b, c);
    float f[12];
    if (!(Dihedral::forces(a, b, ab, bc, parameter, f) < largest_rounded)) {
      bad_ |= add_exactly(dihedrals, row);
      return;
    }
    unsigned sum[4][3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      sum[0][axis] = rounded_bits(f[axis]);
      sum[1][axis] = rounded_bits(f[3 + axis]);
      sum[3][axis] = rounded_bits(f[9 + axis]);
      sum[2][axis] = 0U - sum[0][axis] - sum[1][axis] - sum[3][axis];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) flush(sum[k], at(row + k));
  }

 private:
  /// Margin for the rounding of force bounds; each bound is a sum over several forces.
  static constexpr float largest_rounded = 0.999F * Mixed::product_limit;

  __device__ void flush(const unsigned* sum, int index) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      add(force_ + axis * resident_padded_capacity + index, sum[axis]);
    }
  }

  template <class Term>
  static __device__ void add_term(const float* f, int width, int* force, float& size) {
    for (int e = 0; e < Term::ends; ++e) {
      if (e == Term::closing) continue;
      for (int axis = 0; axis < 3; ++axis) {
        size += fabsf(f[3 * e + axis]);
        const int quanta = __float2int_rn(f[3 * e + axis]);
        atomicAdd(force + axis * resident_padded_capacity + e * width, quanta);
        atomicAdd(force + axis * resident_padded_capacity + Term::closing * width, -quanta);
      }
    }
  }
  enum Terms { angles = 1, dihedrals = 2, all = 3, bonds = 4 };
  __device__ int add_exactly(Terms which, int row) {
    return add_terms_exactly(which, rounded_position_ + at(row), force_ + at(row), 1 << log_width(),
                             system_.chain + row, system_.largest_term, system_.scale.x);
  }
  /// Adds terms with a force too large for rounding by one addition, or NaN. Returns 1 if they are
  /// out of range. It adds the magic bits that the fast way leaves in the sums.
  static __device__ __noinline__ int add_terms_exactly(Terms which, const float4* position,
                                                       int* force, int width,
                                                       const ChainTerms<float>* row,
                                                       float largest_term, float scale) {
    const ChainTerms<float> terms = *row;
    const auto a = bond_vector(position[0], position[width], scale);
    const auto b = bond_vector(position[width], position[2 * width], scale);
    const auto c = bond_vector(position[2 * width], position[3 * width], scale);
    const BondPlane<float> ab(a, b), bc(b, c);
    float f[12];
    float size = 0;
    if ((which & (angles | bonds)) != 0 && terms.bond[Bond::k] != 0) {
      Bond::forces(a, terms.bond, f);
      add_term<Bond>(f, width, force, size);
    }
    if ((which & angles) != 0 && terms.angle[Angle::k] != 0) {
      Angle::forces(a, b, ab, terms.angle, f);
      add_term<Angle>(f, width, force, size);
    }
    if ((which & dihedrals) != 0 &&
        (terms.dihedral[Dihedral::k1] != 0 || terms.dihedral[Dihedral::k3] != 0)) {
      Dihedral::forces(a, b, ab, bc, terms.dihedral, f);
      add_term<Dihedral>(f, width, force, size);
    }
    for (int axis = 0; axis < 3; ++axis) {
      for (int e = 0; e < 4; ++e) {
        const int of_dihedrals = e == 2 ? -3 : 1;
        int roundings = 0;
        if ((which & angles) != 0) roundings += term_roundings(e) - of_dihedrals;
        if ((which & dihedrals) != 0) roundings += of_dihedrals;
        if ((which & bonds) != 0) roundings += bond_roundings(e);
        add(force + axis * resident_padded_capacity + e * width,
            static_cast<unsigned>(roundings) * magic_bits);
      }
    }
    return size < largest_term ? 0 : 1;
  }
};

}  // namespace nfold::kernels

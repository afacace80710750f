// A small system as the resident kernels see it: tables that all of its replicas share.
// SPDX-License-Identifier: BSD-3-Clause
//
// Resident: many steps a launch, state in registers and scratch memory, lists made anew within. All
// forces are the general path's own functions, rounded and summed alike, so the bits are the same.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/langevin_step.hpp"
#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/ashbaugh_hatch.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/contact_12_10.hpp"
#include "kernels/potentials/contact_gaussian.hpp"
#include "kernels/potentials/debye_hueckel.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "kernels/potentials/repulsion_12.hpp"
#include "kernels/potentials/wang_frenkel.hpp"

namespace nfold::kernels {

/// In place of a native contact: chains without any, of bonds alone, whose residues attract each
/// other by their types and may be charged.
struct AshbaughHatchChains {
  static constexpr int parameters = 1;
};
struct WangFrenkelChains {
  static constexpr int parameters = 1;
};
/// The pair potential of a system with such contacts, and whether residues have types and charges.
template <class Contact>
struct ResidentModel {
  template <class Real>
  using Pair = Repulsion12<Real>;
  static constexpr bool is_sticky = false;
};
template <>
struct ResidentModel<AshbaughHatchChains> {
  template <class Real>
  using Pair = AshbaughHatch<Real, true>;
  static constexpr bool is_sticky = true;
};
template <>
struct ResidentModel<WangFrenkelChains> {
  template <class Real>
  using Pair = WangFrenkel<Real>;
  static constexpr bool is_sticky = true;
};

/// What a pair potential reads of a residue beside its place.
struct alignas(16) ResidentResidue {
  float half_sigma, half_lambda, charge;
  std::int32_t kind;
  [[nodiscard]] NFOLD_FUNCTION Partners<Mixed> as_partner() const {
    Partners<Mixed> p;
    p.half_sigma[0] = half_sigma;
    p.half_lambda[0] = half_lambda;
    p.charge[0] = charge;
    p.kind[0] = kind;
    return p;
  }
};

/// Terms that begin at a residue: the bond to the next one, the angle of the next two, the dihedral
/// of the next three, each with the parameters of its kind. One whose strength is 0 is not there.
/// Strengths are in quanta where they are for forces: that scales by a power of two and changes no
/// bit.
template <class Real>
struct alignas(8 * sizeof(Real)) ChainTerms {
  Real bond[2], angle[2], dihedral[4];
};

/// A GPU's resident kernels round forces by adding a number (Mixed::magic) whose bits stay in the
/// sums: how often they do in those of the four residues that begin with one, by its terms. With
/// those of the residues before, that is 0 but for the first three.
[[nodiscard]] NFOLD_FUNCTION constexpr int roundings_of_terms(int end) {
  return end == 0 ? 3 : (end == 3 ? 1 : -2);
}
/// The same where there are bonds alone.
[[nodiscard]] NFOLD_FUNCTION constexpr int roundings_of_bonds(int end) {
  return end == 0 ? 1 : (end == 1 ? -1 : 0);
}

/// A native contact, as the one residue that looks after it knows it.
template <class Real, class Term>
struct alignas(Term::parameters > 3 ? 8 * sizeof(Real) : 4 * sizeof(Real)) ResidentContact {
  Real parameter[Term::parameters];
  std::int32_t other, keeper;
};

/// Force on the residue that looks after the contact, over d, from it to the other [quanta/nm].
NFOLD_FUNCTION float along_contact(const float* d,
                                   const ResidentContact<float, Contact1210>& contact) {
  return Contact1210::force_over_distance(d, contact.parameter[0], contact.parameter[1]);
}
NFOLD_FUNCTION float along_contact(const float* d,
                                   const ResidentContact<float, ContactGaussian>& contact) {
  return ContactGaussian::force_over_distance(d, contact.parameter);
}

/// Each contact and each pair that may repel is looked after by one of its two residues, so that it
/// is computed once; about half of a residue's each.
template <class Contact>
struct ResidentSystem {
  using Pair = typename ResidentModel<Contact>::template Pair<float>;
  int residues;
  const ChainTerms<float>* chain;  // (residues)
  int contacts;
  const int* contact_first;  // (residues + 1) of each residue's own
  const ResidentContact<float, Contact>* contact;
  const std::uint32_t* looks_after;  // (residues, mask_words) bit j: the pair with j
  int mask_words;
  // Of sticky chains: (residues, and 32 that only pad), and the pairs of charges.
  const ResidentResidue* residue;
  const std::uint32_t* looks_after_charges;  // (residues, mask_words)
  int sticky_pairs, charge_pairs;            // how many pairs there are of either
  const std::int32_t* force_start;  // (residues) what takes the bits of all roundings off a sum
  Pair pair;                        // in quanta
  // Forces over distance [quanta/nm] up to which no component reaches Mixed::product_limit.
  float small_pair, small_contact, small_charges;
  float largest_term;  // [quanta] of the components of a residue's chain terms together
  float list_range_squared, largest_move_squared;  // [nm^2] (cutoff + skin)^2, (skin/2)^2
  float charge_range_squared;                      // as list_range_squared
  Scale<float> scale;
  const int* mass_class;    // (residues)
  const double* half_kick;  // (classes) h/(2 m) times the force quantum
  int classes;
  StepConstants constants;              // but for the replica
  PhiloxKeys keys;                      // of its seed
  int umbrella_first, umbrella_second;  // residues whose distance umbrellas act on; -1: none
  /// Pairs and contacts of one residue, or int32 sums might wrap.
  static constexpr int partners_at_most = 128;
};

/// The same in double, for energies.
template <class Contact>
struct ExactResidentSystem {
  const ChainTerms<double>* chain;                  // (residues)
  const ResidentContact<double, Contact>* contact;  // as in ResidentSystem
  typename ResidentModel<Contact>::template Pair<double> pair;
  Scale<double> scale;
  const double* mass;                  // (residues) [amu]
  const double* native_reach_squared;  // (contacts) [nm^2] up to which Q counts one
};

/// A replica's spring on the distance of two residues: parameters of a kernels::Bond, exact and as
/// forces in quanta take them.
struct ResidentUmbrella {
  double exact[Bond::parameters];
  float parameter[Bond::parameters];
};

/// Why a launch cannot vouch for a replica's bits.
enum ResidentUnsure : int {
  unknown = 1,  // a number beyond its range, or more partners than there is room for
  too_far = 2   // residues stand too far from each other for the floats that places are kept in
};

/// The replicas of one launch, in groups of equally many that work side by side:
/// (groups, residues, 3, lanes).
struct ResidentReplicas {
  int replicas, groups;
  std::int64_t* position;            // [2^-44 turns]
  double* velocity;                  // [nm/ps]
  std::int32_t* force;               // [quanta] of the last step, written
  const std::uint32_t* number;       // (groups * lanes) replica numbers, which address the noise
  const double* noise;               // (classes, groups * lanes) sqrt(1 - c1^2) sqrt(kT/m) [nm/ps]
  const float* contact_strength;     // (groups * lanes)
  const ResidentUmbrella* umbrella;  // (groups * lanes) null where there are none
  const DebyeHueckel<float>* electrostatics;  // (groups * lanes) in quanta; null: no charges
  int* unsure;                                // (groups * lanes) bits of ResidentUnsure are set
};

}  // namespace nfold::kernels

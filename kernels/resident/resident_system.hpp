// Tables of a small system that all of its replicas share in resident kernels.
// SPDX-License-Identifier: BSD-3-Clause
//
// Resident kernels run many steps per launch: the state stays in registers and scratch memory, and
// lists are rebuilt inside. Forces use the functions and rounding of the general path, so the bits
// are the same.
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

/// Largest number of residues of resident kernels.
inline constexpr int resident_residues_at_most = 2560;

/// Placeholder of the contact type: chains of bonds alone, without native contacts, whose residues
/// attract each other by type and may be charged.
struct AshbaughHatchChains {
  static constexpr int parameters = 1;
};
struct WangFrenkelChains {
  static constexpr int parameters = 1;
};
/// Pair potential of a system with such contacts; is_sticky: residues have types and charges.
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

/// Residue data beside the position that a pair potential reads.
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
/// of the next three, each with the parameters of its kind. A strength of 0 means no term. Force
/// strengths are in quanta: a scaling by a power of two, which changes no bit.
template <class Real>
struct alignas(8 * sizeof(Real)) ChainTerms {
  Real bond[2], angle[2], dihedral[4];
};

/// Returns how often Mixed::magic stays in the force sum of end `end` of the four residues of the
/// terms that begin at one. A GPU's resident kernels round forces by adding it. Summed over all
/// terms of a chain the count is 0, except for its first three residues.
[[nodiscard]] NFOLD_FUNCTION constexpr int term_roundings(int end) {
  return end == 0 ? 3 : (end == 3 ? 1 : -2);
}
/// Returns term_roundings() for chains of bonds alone.
[[nodiscard]] NFOLD_FUNCTION constexpr int bond_roundings(int end) {
  return end == 0 ? 1 : (end == 1 ? -1 : 0);
}

/// Native contact as stored with the residue that keeps it.
template <class Real, class Term>
struct alignas(Term::parameters > 3 ? 8 * sizeof(Real) : 4 * sizeof(Real)) ResidentContact {
  Real parameter[Term::parameters];
  std::int32_t other, keeper;
};

/// Returns the force on the keeper divided by d, the vector from it to the other [quanta/nm].
NFOLD_FUNCTION float contact_force_over_distance(
    const float* d, const ResidentContact<float, Contact1210>& contact) {
  return Contact1210::force_over_distance(d, contact.parameter[0], contact.parameter[1]);
}
NFOLD_FUNCTION float contact_force_over_distance(
    const float* d, const ResidentContact<float, ContactGaussian>& contact) {
  return ContactGaussian::force_over_distance(d, contact.parameter);
}

/// Each contact and each pair that may repel is kept by one of its two residues, so that it is
/// computed once; a residue keeps about half of its own.
template <class Contact>
struct ResidentSystem {
  using Pair = typename ResidentModel<Contact>::template Pair<float>;
  int residues;
  const ChainTerms<float>* chain;  // (residues)
  int contacts;
  const int* contact_first;  // (residues + 1) offsets of each residue's contacts
  const ResidentContact<float, Contact>* contact;
  const std::uint32_t* kept_pairs;  // (residues, mask_words) bit j: keeps the pair with j
  int mask_words;
  // Sticky chains only: (residues, and 32 for padding), and the charge pairs.
  const ResidentResidue* residue;
  const std::uint32_t* kept_charge_pairs;  // (residues, mask_words)
  int sticky_pairs, charge_pairs;          // number of pairs of each sort
  const std::int32_t* force_start;         // (residues) minus the rounding bits of a sum
  Pair pair;                               // forces in quanta
  // Forces over distance [quanta/nm] up to which no component reaches Mixed::product_limit.
  float small_pair, small_contact, small_charges;
  float largest_term;  // [quanta] limit of the summed components of a residue's chain terms
  float list_range_squared, move_limit_squared;  // [nm^2] (cutoff + skin)^2, (skin/2)^2
  float charge_range_squared;                    // [nm^2] (electrostatic cutoff + skin)^2
  Scale<float> scale;
  const int* mass_class;    // (residues)
  const double* half_kick;  // (classes) h/(2 m) times the force quantum
  int classes;
  StepConstants constants;              // all but the replica
  PhiloxKeys keys;                      // keys of the seed
  int umbrella_first, umbrella_second;  // residues of the umbrella distance; -1: none
  /// Limit of pairs and contacts of one residue; beyond it int32 sums might wrap.
  static constexpr int partners_at_most = 128;
};

/// Tables in double, for energies.
template <class Contact>
struct ExactResidentSystem {
  const ChainTerms<double>* chain;                  // (residues)
  const ResidentContact<double, Contact>* contact;  // see ResidentSystem
  typename ResidentModel<Contact>::template Pair<double> pair;
  Scale<double> scale;
  const double* mass;                  // (residues) [amu]
  const double* native_reach_squared;  // (contacts) [nm^2] limit of a formed contact
};

/// Umbrella spring of a replica: parameters of a kernels::Bond, exact and scaled for forces in
/// quanta.
struct ResidentUmbrella {
  double exact[Bond::parameters];
  float parameter[Bond::parameters];
};

/// Reason why the bits of a replica are not guaranteed after a launch.
enum ResidentUnsure : int {
  out_of_range = 1,  // a number out of range, or more partners than the capacity
  too_far = 2        // residues too far apart for positions stored as floats
};

/// Replicas of one launch, in groups of equal size that run side by side: (groups, residues, 3,
/// lanes).
struct ResidentReplicas {
  int replicas, groups;
  std::int64_t* position;            // [2^-44 turns]
  double* velocity;                  // [nm/ps]
  std::int32_t* force;               // [quanta] of the last step, output
  const std::uint32_t* number;       // (groups * lanes) replica numbers, which address the noise
  const double* noise;               // (classes, groups * lanes) sqrt(1 - c1^2) sqrt(kT/m) [nm/ps]
  const float* contact_strength;     // (groups * lanes)
  const ResidentUmbrella* umbrella;  // (groups * lanes); null: no umbrellas
  const DebyeHueckel<float>* electrostatics;  // (groups * lanes) in quanta; null: no charges
  int* unsure;                                // (groups * lanes) bits of ResidentUnsure, output
};

}  // namespace nfold::kernels

// Interactions of a system by global residue id: the model's terms with their parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/topology/repeated.hpp"
#include "model/topology/residue.hpp"
#include "system/bias/biases.hpp"
#include "system/bias/external_field.hpp"
#include "system/box.hpp"
#include "system/pair_forms/pair_forms.hpp"

namespace nfold::topology {

/// A chain; its residues have consecutive global ids.
struct Chain {
  std::string name;
  int first = 0;  ///< global id of its first residue
  int count = 0;
  int species = 0;         ///< index into Topology::species
  int molecule = 0;        ///< index of the molecule, a copy of a species; its chains share it
  bool is_closed = false;  ///< its last residue is bonded to its first
  int pieces = 1;          ///< parts not connected by bonds, springs or native contacts
};

/// Molecule type: all copies of one molecule, which may have several chains.
struct Species {
  std::string name;
  int chains = 0;  ///< chains of all copies
};

/// Residue ids and numbers of a bonded term.
template <std::size_t ends, std::size_t number_count>
struct TermParts {
  std::array<int, ends> residues;
  std::array<double, number_count> numbers;
};
template <std::size_t ends, std::size_t number_count>
TermParts(std::array<int, ends>, std::array<double, number_count>) -> TermParts<ends, number_count>;

/// Energy of a bonded term [kJ/mol], and its derivative by the term's coordinate.
struct TermValue {
  double energy, slope;
};

// Bonded terms. parts() decomposes each into all its residues and numbers; a new member does not
// compile until it is added there. value() computes the term from its coordinate by standard
// functions, for the sequential reference; the coordinate is the distance of two residues [nm],
// the angle of three or the dihedral angle of four [rad]. Loops over all kinds use BondedKinds,
// below.

/// U = (k/2)(r - length)^2
struct Bond {
  int i, j;
  double length_nm, k_kj_mol_nm2;
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, length, k] = *this;
    return TermParts{std::array{a, b}, std::array{length, k}};
  }
  [[nodiscard]] TermValue value(double r) const {
    const double stretch = r - length_nm;
    return {0.5 * k_kj_mol_nm2 * stretch * stretch, k_kj_mol_nm2 * stretch};
  }
  void shift(int by) { i += by, j += by; }
};
/// U = (k/2)(theta - theta0)^2
struct Angle {
  int i, j, k;
  double theta0_rad, k_kj_mol_rad2;
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, c, theta0, strength] = *this;
    return TermParts{std::array{a, b, c}, std::array{theta0, strength}};
  }
  [[nodiscard]] TermValue value(double theta) const {
    const double bend = theta - theta0_rad;
    return {0.5 * k_kj_mol_rad2 * bend * bend, k_kj_mol_rad2 * bend};
  }
  void shift(int by) { i += by, j += by, k += by; }
};
/// U = k1 [1 - cos(phi - phi0)] + k3 [1 - cos 3(phi - phi0)], IUPAC sign of phi
struct Dihedral {
  int i, j, k, l;
  double phi0_rad, k1_kj_mol, k3_kj_mol;
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, c, d, phi0, k1, k3] = *this;
    return TermParts{std::array{a, b, c, d}, std::array{phi0, k1, k3}};
  }
  [[nodiscard]] TermValue value(double phi) const {
    const double d = phi - phi0_rad;
    return {k1_kj_mol * (1 - std::cos(d)) + k3_kj_mol * (1 - std::cos(3 * d)),
            k1_kj_mol * std::sin(d) + 3 * k3_kj_mol * std::sin(3 * d)};
  }
  void shift(int by) { i += by, j += by, k += by, l += by; }
};
/// U = epsilon [5 (d/r)^12 - 6 (d/r)^10]
struct Contact1210 {
  int i, j;
  double distance_nm, epsilon_kj_mol;
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, distance, epsilon] = *this;
    return TermParts{std::array{a, b}, std::array{distance, epsilon}};
  }
  [[nodiscard]] TermValue value(double r) const {
    const double q10 = std::pow(distance_nm / r, 10), q12 = std::pow(distance_nm / r, 12);
    return {epsilon_kj_mol * (5 * q12 - 6 * q10), -60 * epsilon_kj_mol * (q12 - q10) / r};
  }
  void shift(int by) { i += by, j += by; }
};
/// U = -A G + (a / r^12)(1 - G), G = exp(-(r - d)^2 / (2 sigma^2)), A = epsilon
struct ContactGaussian {
  int i, j;
  double distance_nm, epsilon_kj_mol, sigma_nm, a_kj_mol_nm12;
  [[nodiscard]] constexpr auto parts() const {
    const auto& [c, d, distance, epsilon, sigma, a] = *this;
    return TermParts{std::array{c, d}, std::array{distance, epsilon, sigma, a}};
  }
  [[nodiscard]] TermValue value(double r) const {
    const double x = r - distance_nm, w2 = sigma_nm * sigma_nm;
    const double g = std::exp(-x * x / (2 * w2)), core = a_kj_mol_nm12 / std::pow(r, 12);
    return {core * (1 - g) - epsilon_kj_mol * g,
            epsilon_kj_mol * g * x / w2 - 12 * core / r * (1 - g) + core * g * x / w2};
  }
  void shift(int by) { i += by, j += by; }
};
/// U(theta): a cubic spline through nodes at first + k step between `low` and `high`; lines
/// outside, of slope -outer_slope and outer_slope.
struct TabulatedAngle {
  static constexpr int nodes = 10;
  int i, j, k;
  double first_rad, step_rad, low_rad, high_rad, outer_slope_kj_mol_rad;
  std::array<double, nodes> energy_kj_mol, curvature_kj_mol_rad2;  ///< curvature: second derivative
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, c, first, step, low, high, outer_slope, energy, curvature] = *this;
    TermParts<3, 5 + 2 * nodes> all{{a, b, c}, {first, step, low, high, outer_slope}};
    for (std::size_t n = 0; n < nodes; ++n) {
      all.numbers[5 + n] = energy[n];
      all.numbers[5 + nodes + n] = curvature[n];
    }
    return all;
  }
  [[nodiscard]] TermValue value(double theta) const {
    const double inside = std::clamp(theta, low_rad, high_rad);
    auto [energy, slope] = spline_at(inside);
    if (theta != inside) slope = std::copysign(outer_slope_kj_mol_rad, theta - inside);
    return {energy + slope * (theta - inside), slope};
  }
  /// Returns energy and slope of the spline within its nodes.
  [[nodiscard]] TermValue spline_at(double theta) const {
    const double steps = (theta - first_rad) / step_rad;
    const auto node = static_cast<std::size_t>(
        std::clamp(std::floor(steps), 0.0, static_cast<double>(nodes - 2)));
    const double x = theta - (first_rad + static_cast<double>(node) * step_rad), h = step_rad;
    const double y0 = energy_kj_mol[node], y1 = energy_kj_mol[node + 1];
    const double m0 = curvature_kj_mol_rad2[node], m1 = curvature_kj_mol_rad2[node + 1];
    const double slope = (y1 - y0) / h - h * (2 * m0 + m1) / 6;
    return {y0 + x * (slope + x * (m0 / 2 + x * (m1 - m0) / (6 * h))),
            slope + x * (m0 + x * (m1 - m0) / (2 * h))};
  }
  void shift(int by) { i += by, j += by, k += by; }
};

/// U = LJ(r) + epsilon (1 - lambda) up to 2^(1/6) sigma, lambda LJ(r) beyond it, plus (A/r)
/// exp(-kappa r), minus a constant; LJ(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6]. It has no
/// cutoff.
struct LocalPair {
  int i, j;
  double sigma_nm, epsilon_kj_mol, lambda;
  double amplitude_kj_mol_nm = 0, kappa_per_nm = 0;
  double shift_kj_mol = 0;  ///< subtracted at every distance
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, sigma, epsilon, stickiness, amplitude, kappa, constant] = *this;
    return TermParts{std::array{a, b},
                     std::array{sigma, epsilon, stickiness, amplitude, kappa, constant}};
  }
  [[nodiscard]] TermValue value(double r) const {
    const double q6 = std::pow(sigma_nm / r, 6), lj = 4 * epsilon_kj_mol * (q6 * q6 - q6);
    const double lj_slope = -24 * epsilon_kj_mol * (2 * q6 * q6 - q6) / r;
    const bool is_core = r <= std::cbrt(std::sqrt(2.0)) * sigma_nm;
    const double screened = amplitude_kj_mol_nm / r * std::exp(-kappa_per_nm * r);
    return {(is_core ? lj + epsilon_kj_mol * (1 - lambda) : lambda * lj) + screened - shift_kj_mol,
            (is_core ? 1 : lambda) * lj_slope - screened * (1 / r + kappa_per_nm)};
  }
  void shift(int by) { i += by, j += by; }
};

/// U = c0 + sum over n = 1, 2, 3 of [c_n cos(n phi) + s_n sin(n phi)] - depth exp(-x^2/(2
/// width^2)), x = phi - phi0 in (-pi, pi], IUPAC sign of phi
struct FlexibleDihedral {
  int i, j, k, l;
  std::array<double, 7> fourier_kj_mol;  ///< c0, c1, s1, c2, s2, c3, s3
  double phi0_rad = 0, depth_kj_mol = 0, width_rad = 1;
  [[nodiscard]] constexpr auto parts() const {
    const auto& [a, b, c, d, fourier, phi0, depth, width] = *this;
    TermParts<4, 10> all{{a, b, c, d}, {}};
    for (std::size_t n = 0; n < fourier.size(); ++n) all.numbers[n] = fourier[n];
    all.numbers[7] = phi0;
    all.numbers[8] = depth;
    all.numbers[9] = width;
    return all;
  }
  [[nodiscard]] TermValue value(double phi) const {
    TermValue sum{fourier_kj_mol[0], 0};
    for (std::size_t n = 1; n <= 3; ++n) {
      const double order = static_cast<double>(n);
      const double c = fourier_kj_mol[2 * n - 1], s = fourier_kj_mol[2 * n];
      sum.energy += c * std::cos(order * phi) + s * std::sin(order * phi);
      sum.slope += order * (s * std::cos(order * phi) - c * std::sin(order * phi));
    }
    const double x = std::remainder(phi - phi0_rad, 2 * std::numbers::pi),
                 w2 = width_rad * width_rad;
    const double well = depth_kj_mol * std::exp(-x * x / (2 * w2));
    return {sum.energy - well, sum.slope + well * x / w2};
  }
  void shift(int by) { i += by, j += by, k += by, l += by; }
};

using pair_forms::ShortRange;
using pair_forms::ShortRangeForm;
using pair_forms::TypePair;

/// U = q_i q_j coulomb [exp(-kappa r)/r - exp(-kappa cutoff)/cutoff if shifted] for r < cutoff,
/// between all charged pairs that are not excluded (Debye and Hueckel); or a tabulated function.
struct Electrostatics {
  double coulomb_kj_mol_nm = 0;  ///< ke / eps_r; 0: no electrostatics
  double kappa_per_nm = 0, cutoff_nm = 0;
  bool shifted = false;
  /// In place of the Debye-Hueckel potential: functions of pairs of types, or one function, which
  /// is multiplied by both charges. coulomb_kj_mol_nm is 1, kappa_per_nm 0. The short-range
  /// potential is tabulated too.
  std::shared_ptr<const pair_forms::TabulatedFunctions> tabulated{};
  bool multiplies_charges = false;
  [[nodiscard]] bool acts() const { return coulomb_kj_mol_nm > 0; }
};

/// Bonded terms of a system, one member per kind of BondedKinds. Copies of a molecule are stored
/// once.
struct BondedTerms {
  Repeated<Bond> bonds;
  Repeated<Bond> restraints;  ///< elastic network of folded domains
  Repeated<Angle> angles;
  Repeated<Dihedral> dihedrals;
  Repeated<Contact1210> contacts_12_10;
  Repeated<ContactGaussian> contacts_gaussian;
  Repeated<TabulatedAngle> tabulated_angles;
  Repeated<Bond> bias_springs;            ///< harmonic biases on distances; see add_bias()
  Repeated<LocalPair> local_pairs;        ///< stacked bases, and rests of weighted contacts
  Repeated<ContactGaussian> local_wells;  ///< 1-3 distances of AICG2+
  Repeated<FlexibleDihedral> flexible_dihedrals;
};

/// Parts of a system other than bonded terms.
struct TopologyParts {
  Repeated<Residue> residues;
  std::vector<Chain> chains;
  std::vector<Species> species;
  system::Box box;
  ShortRange short_range;
  Electrostatics electrostatics;
  std::vector<bias::Bias> biases;  ///< biases that need sums over residues; see add_bias()
  std::vector<bias::Variable> biased_variables;  ///< all biases, in the order of the input
  std::vector<bias::ExternalField> fields;       ///< at most bias::most_external_fields
  /// Pairs (i < j, sorted, unique) without short-range and electrostatic potential: bonded ones,
  /// restraints and native contacts; in the go model also 1-3 and 1-4.
  Repeated<std::pair<int, int>> exclusions;
  /// Those of the exclusions that keep the electrostatic potential (sorted).
  Repeated<std::pair<int, int>> charged_exclusions;
  /// (residues) reference coordinates [nm], NaN without a structure; or empty
  Repeated<std::array<double, 3>> native_nm;

  /// Notes for the log, one line each; not part of the hash.
  std::vector<std::string> notes;
};

/// The whole system, equal on every rank. Units: nm, amu, e, kJ/mol, rad.
struct Topology : TopologyParts, BondedTerms {
  [[nodiscard]] int residue_count() const { return static_cast<int>(residues.size()); }
  /// Number of species, at least 1: chains of a topology without named species count as one.
  [[nodiscard]] std::size_t species_count() const {
    return std::max<std::size_t>(species.size(), 1);
  }
  /// Number of native contacts of either form.
  [[nodiscard]] std::int64_t contact_count() const {
    return static_cast<std::int64_t>(contacts_12_10.size() + contacts_gaussian.size());
  }
  /// True if every residue has reference coordinates.
  [[nodiscard]] bool has_native_structure() const;
};

/// Part of the energy that a bonded term contributes to.
enum class EnergyPart { bond, angle, dihedral, restraint, contact };

// Kinds of bonded terms. Each kind defines the topology's member with its terms, singular and
// plural for messages, its part of the energy, and the work of one of its ends in pairs of the
// neighbour list (rough, since only ratios matter).

struct BondKind {
  using Term = Bond;
  static constexpr auto terms = &Topology::bonds;
  static constexpr const char *name = "bond", *plural = "bonds";
  static constexpr EnergyPart energy = EnergyPart::bond;
  static constexpr double work = 2;
};
struct AngleKind {
  using Term = Angle;
  static constexpr auto terms = &Topology::angles;
  static constexpr const char *name = "angle", *plural = "angles";
  static constexpr EnergyPart energy = EnergyPart::angle;
  static constexpr double work = 6;
};
struct DihedralKind {
  using Term = Dihedral;
  static constexpr auto terms = &Topology::dihedrals;
  static constexpr const char *name = "dihedral", *plural = "dihedrals";
  static constexpr EnergyPart energy = EnergyPart::dihedral;
  static constexpr double work = 12;
};
struct Contact1210Kind {
  using Term = Contact1210;
  static constexpr auto terms = &Topology::contacts_12_10;
  static constexpr const char *name = "contact", *plural = "12-10 contacts";
  static constexpr EnergyPart energy = EnergyPart::contact;
  static constexpr double work = 2;
};
struct ContactGaussianKind {
  using Term = ContactGaussian;
  static constexpr auto terms = &Topology::contacts_gaussian;
  static constexpr const char *name = "contact", *plural = "Gaussian contacts";
  static constexpr EnergyPart energy = EnergyPart::contact;
  static constexpr double work = 2;
};
struct RestraintKind {
  using Term = Bond;
  static constexpr auto terms = &Topology::restraints;
  static constexpr const char *name = "restraint", *plural = "springs of elastic networks";
  static constexpr EnergyPart energy = EnergyPart::restraint;
  static constexpr double work = 2;
};

struct TabulatedAngleKind {
  using Term = TabulatedAngle;
  static constexpr auto terms = &Topology::tabulated_angles;
  static constexpr const char *name = "tabulated angle", *plural = "tabulated angles";
  static constexpr EnergyPart energy = EnergyPart::angle;
  static constexpr double work = 8;
};

struct BiasSpringKind {
  using Term = Bond;
  static constexpr auto terms = &Topology::bias_springs;
  static constexpr const char *name = "bias spring", *plural = "springs of biases";
  static constexpr EnergyPart energy = EnergyPart::restraint;
  static constexpr double work = 2;
};
struct LocalPairKind {
  using Term = LocalPair;
  static constexpr auto terms = &Topology::local_pairs;
  static constexpr const char *name = "local pair", *plural = "local pairs";
  static constexpr EnergyPart energy = EnergyPart::contact;
  static constexpr double work = 3;
};
struct LocalWellKind {
  using Term = ContactGaussian;
  static constexpr auto terms = &Topology::local_wells;
  static constexpr const char *name = "local well", *plural = "local wells";
  static constexpr EnergyPart energy = EnergyPart::angle;
  static constexpr double work = 2;
};
struct FlexibleDihedralKind {
  using Term = FlexibleDihedral;
  static constexpr auto terms = &Topology::flexible_dihedrals;
  static constexpr const char *name = "flexible dihedral", *plural = "flexible dihedrals";
  static constexpr EnergyPart energy = EnergyPart::dihedral;
  static constexpr double work = 14;
};
/// True for a bias, which steers the system and does not hold it together.
template <class Kind>
inline constexpr bool is_bias = std::is_same_v<BiasSpringKind, Kind>;

/// True for a native contact, which the fraction of native contacts counts.
template <class Kind>
inline constexpr bool is_native_contact =
    std::is_same_v<Contact1210Kind, Kind> || std::is_same_v<ContactGaussianKind, Kind>;

/// List of types for loops at compile time.
template <class... Kinds>
struct KindList {
  static constexpr std::size_t size = sizeof...(Kinds);
  /// Calls visit(Kind{}) for each kind, in this order.
  template <class Visit>
  static constexpr void for_each(const Visit& visit) {
    (visit(Kinds{}), ...);
  }
  /// Calls visit(Kind{}) for the kind at this index.
  template <class Visit>
  static constexpr void at(std::size_t index, const Visit& visit) {
    std::size_t k = 0;
    (void)((k++ == index ? (visit(Kinds{}), true) : false) || ...);
  }
  template <class Kind>
  static constexpr std::size_t index_of() {
    std::size_t index = 0;
    (void)((std::is_same_v<Kind, Kinds> || (++index, false)) || ...);
    return index;
  }
};

/// List of all kinds of bonded terms. Append new kinds, so that the hash of a topology without them
/// stays the same.
using BondedKinds = KindList<BondKind, AngleKind, DihedralKind, Contact1210Kind,
                             ContactGaussianKind, RestraintKind, TabulatedAngleKind, BiasSpringKind,
                             LocalPairKind, LocalWellKind, FlexibleDihedralKind>;

static_assert(sizeof(BondedTerms) == BondedKinds::size * sizeof(Repeated<Bond>),
              "a member of BondedTerms has no kind");

/// Number of residues of a term.
template <class Term>
inline constexpr std::size_t residues_per_term =
    std::tuple_size_v<decltype(Term{}.parts().residues)>;

/// Returns a topology's terms of a kind.
template <class Kind>
[[nodiscard]] const auto& terms_of(const Topology& topology, Kind /*kind*/) {
  return topology.*Kind::terms;
}

/// Describes the bonded terms by the counts of all kinds present, "76 bonds, 75 angles, 190 12-10
/// contacts", or "no bonded terms".
[[nodiscard]] std::string describe_bonded_terms(const Topology& topology);

/// Adds a bias. A harmonic bias on a distance becomes a spring, a bonded term that needs no sum
/// over ranks.
void add_bias(Topology& topology, const bias::Bias& bias);

/// Sorts the exclusions, all and charged ones, and removes repeated ones.
void sort_exclusions(Topology& topology);

/// Returns the residue that follows i in its segment, a part of a chain without breaks, or the
/// first one after the last of a closed chain; -1: none.
[[nodiscard]] int next_residue(const Topology& topology, int i);

/// Returns the label of a residue in errors and reports, "MET 1 (chain A)".
[[nodiscard]] std::string residue_label(const Topology& topology, int id);

/// Throws structure::StructureError if two residues at this distance stand in the same place, where
/// a bond or contact of theirs has no direction.
void require_distinct_positions(const Topology& topology, int i, int j, double distance_nm);

/// Returns a 64-bit hash of everything that enters the trajectory (terms, masses, order), and of
/// names. Equal on every machine: FNV-1a over 64-bit words with a final mix, doubles by their bits.
[[nodiscard]] std::uint64_t hash_topology(const Topology& topology);

}  // namespace nfold::topology

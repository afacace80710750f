// Force field: beads, pair terms, chain kinds and networks, evaluated at the conditions of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/settings.hpp"
#include "system/pair_forms/pair_function.hpp"

namespace nfold::input {

/// Conditions at which the numbers of a force field are evaluated, once, at the start.
struct Conditions {
  double temperature_kelvin = 300, ionic_strength_molar = 0.15, ph = 7.5;
  bool operator==(const Conditions&) const = default;
};

/// Bead position of residues with a structure: the C-alpha atom, or the centre of mass of the
/// residue, in folded domains only or everywhere.
enum class TableBead { calpha, centre_of_mass_in_domains, centre_of_mass };

/// Facts about a model for people, as its file states them.
struct ModelFacts {
  std::string name, article, fitted_for, temperature, salt, cannot;
  std::string mixtures;  ///< rule for folded and disordered parts: which terms act between them
  double friction_per_ps = 0.01;  ///< default of the Langevin thermostat
};

/// A bead type. With folded types, types n .. 2n - 1 are the same beads in folded domains.
struct BeadType {
  std::string name;  ///< "ALA", "SEP", "RP"; scoped to the force field; equal in both copies
  double mass_amu = 0, charge_e = 0;
  std::string like;  ///< bead from which it took its numbers; empty: none
};

/// Numbers of each type of an Ashbaugh-Hatch term without rows, overrides and addends. Those of a
/// pair are the means of both types.
struct MeanNumbers {
  double epsilon_kj_mol = 0;
  std::vector<double> sigma_nm, lambda;  ///< (types); an offset of pairs is already subtracted
};

/// A pair term with the numbers of each pair of types, after mixing, rows, overrides and factors.
struct PairTerm {
  std::string name;  ///< "contact", "cation_pi"
  pair_forms::FunctionKind kind{};
  /// (types, types), symmetric; nullopt: the term does not act between the two types.
  std::vector<std::optional<pair_forms::PairFunction>> functions;
  bool has_site_factor = false;  ///< times ForceField::site_factor of both beads
  /// Set if the kernel that mixes means of types computes the same term.
  std::optional<MeanNumbers> means;
  double cutoff_nm = 0;          ///< limit of all pairs; 0: only cutoff_over_sigma limits them
  double cutoff_over_sigma = 0;  ///< > 0: a pair ends at this times its sigma, at most cutoff_nm
  pair_forms::CutoffForm cutoff_form = pair_forms::CutoffForm::truncated;
};

/// Debye-Hueckel potential, q_i q_j unit(r). Exactly one of the two descriptions is used.
struct ChargeTerm {
  bool acts = false;  ///< false: the force field has no such term
  /// (coulomb/dielectric) exp(-kappa r)/r
  double coulomb_kj_mol_nm = 0;  ///< e^2 N_A / (4 pi eps0), in vacuum
  double dielectric_constant = 0, inverse_debye_length_per_nm = 0;
  double cutoff_nm = 0;
  bool shifted = false;
  bool is_screened_by_salt = false;  ///< the Debye length follows from the ionic strength
  /// Set for a dielectric constant that depends on r: energy of two unit charges.
  std::optional<pair_forms::PairFunction> unit;
};

/// A bonded term of a chain kind, of `beads` (indices into ChainKind::roles) of monomers at the
/// offsets `monomers`: 0, 1 ("next"), 2 ("next next"), 3.
struct ChainTerm {
  std::vector<int> beads, monomers;
  bool from_structure = false;          ///< length_nm or theta0_rad from the structure
  double length_nm = 0;                 ///< bonds
  double theta0_rad = 0;                ///< angles; phi0 of dihedrals
  double k = 0;                         ///< [kJ/mol/nm^2] or [kJ/mol/rad^2], in (k/2) x^2
  double k1_kj_mol = 0, k3_kj_mol = 0;  ///< dihedrals: sum of k_n [1 - cos n(phi - phi0)]
};

/// A pair term between neighbours of a chain, with a sigma and a factor of its own and no cutoff:
/// U = factor [term(r) - term(shift_cutoff_nm)].
struct LocalPairTerm {
  std::vector<int> beads, monomers;   ///< two each, as ChainTerm
  int term = 0;                       ///< index into ForceField::pair_terms
  bool sigma_from_structure = false;  ///< distance/2^(1/6)
  double sigma_nm = 0, factor = 1;
  double shift_cutoff_nm = 0;  ///< 0: no shift
};

/// Elastic network of folded domains.
struct Network {
  double k_kj_mol_nm2 = 0, cutoff_nm = 0;
  int min_separation = 2;      ///< smallest j - i within a chain
  bool excludes_pairs = true;  ///< its pairs have no pair term
};

/// Pair terms of native contacts of go domains.
enum class NativePairs { none, charges, all };

/// Pairs without pair terms, besides those of networks.
struct Exclusions {
  bool bonds = true, angle_ends = false, local_pairs = false;
  NativePairs native = NativePairs::none;
  int separation_below = 0;  ///< monomers i, j of a chain with j - i below this
};

/// Beads of a monomer.
struct Monomer {
  std::string letter;      ///< letter or name in a sequence; empty: any
  std::vector<int> types;  ///< (roles) bead types
};

/// A way to join monomers to a chain: protein, rna, peg.
struct ChainKind {
  std::string name;
  std::vector<std::string> roles;  ///< beads of a monomer as terms name them; protein: "bead"
  /// Empty: one bead, named as the residue.
  std::vector<Monomer> monomers;
  std::vector<ChainTerm> bonds, angles, dihedrals;
  std::vector<LocalPairTerm> local_pairs;
  Exclusions excluded;
  bool has_charged_ends = false;                 ///< +1 e on the first, -1 e on the last monomer
  double first_mass_amu = 0, last_mass_amu = 0;  ///< added to a charged end
  bool flexible_angles = false;  ///< angle potential of AICG2+ for disordered residues
  Network network;
};

/// A force field at its conditions, with the options of an input applied. Valid if returned by
/// evaluate().
struct ForceField {
  ModelFacts facts;
  Conditions conditions;
  /// Options of the input, every 0 and by_model replaced by the file's value. Values that follow
  /// from a rule (dielectric constant from temperature, Debye length from salt) stay 0, as do those
  /// that differ between terms.
  CondensateSettings options;
  std::vector<BeadType> beads;       ///< (types), at most 256
  bool has_folded_types = false;     ///< the second half of `beads` are copies in folded domains
  std::vector<PairTerm> pair_terms;  ///< short-range terms and Yukawa terms, in the file's order
  ChargeTerm charges;
  std::vector<ChainKind> chains;  ///< the first is protein
  TableBead bead = TableBead::calpha;
  /// Factor of a bead with the solvent-accessible area [nm^2] of its residue; null: none. The
  /// energy of a pair is multiplied by those of both beads. Disordered beads have 1, and so have
  /// beads without the numbers that it reads.
  std::function<double(int type, double area_nm2)> site_factor;
  /// True if a number depends on this condition; those of a Debye-Hueckel term with a dielectric
  /// constant count for none.
  bool uses_temperature = false, uses_ionic_strength = false, uses_ph = false;

  [[nodiscard]] int bead_count() const {
    return static_cast<int>(beads.size()) / (has_folded_types ? 2 : 1);
  }
  [[nodiscard]] int folded_type(int type) const {
    return has_folded_types ? type + bead_count() : type;
  }
  /// Returns the type of a bead outside folded domains; -1 if there is none of this name.
  [[nodiscard]] int find_bead(std::string_view name) const;
  [[nodiscard]] const std::optional<pair_forms::PairFunction>& function(const PairTerm& term, int a,
                                                                        int b) const {
    return term.functions[static_cast<std::size_t>(a) * beads.size() + static_cast<std::size_t>(b)];
  }
  /// Returns the chain kind of this name; the first if there is none.
  [[nodiscard]] const ChainKind& chain_kind(std::string_view name) const;
  /// Returns the only short-range term; null if there are several or none.
  [[nodiscard]] const PairTerm* contact() const;
};

/// Text of a force-field file and of the files that it extends.
class ForceFieldFile;

/// Returns the text of a file that a force field names (`extends`, `file`). The path is relative to
/// the folder of the file that names it, joined with that folder.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Parses a force field from YAML; `file` names it in errors. Any bytes are safe. Throws
/// InputError. Without `read`, only built-in names can be extended.
[[nodiscard]] std::shared_ptr<const ForceFieldFile> read_force_field(std::string_view text,
                                                                     const std::string& file,
                                                                     const ReadFile& read = {});

/// Evaluates every number at the conditions. Options of `settings` that are given (not 0, not
/// by_model) replace the file's. Remembers the last results, because the targets of a list share
/// their conditions. Throws InputError with all problems, each with its line.
[[nodiscard]] ForceField evaluate(const ForceFieldFile& file, const Conditions& conditions,
                                  const CondensateSettings& settings = {});

/// Returns the conditions of a run, those of its first state in an ensemble.
[[nodiscard]] Conditions run_conditions(const Settings& settings);

/// Returns the charge of a histidine [e], 1/(1 + 10^(pH - pKa)), rounded to 2^-40 so that it is
/// equal on every machine.
[[nodiscard]] double histidine_charge(double ph, double pka);

/// Names of the built-in force fields, sorted: files of input/force_fields at build time.
[[nodiscard]] const std::vector<std::string_view>& builtin_force_field_names();
/// Returns the text of input/force_fields/NAME.yaml at build time.
[[nodiscard]] std::string_view builtin_force_field_text(std::string_view name);
[[nodiscard]] std::shared_ptr<const ForceFieldFile> builtin_force_field(std::string_view name);

}  // namespace nfold::input

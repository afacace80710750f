// Keys of `force_field` that the models for condensates read.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr std::array<Name, 5> domain_names{"none", "elastic-network", "go", "confidence-go",
                                           "aicg2p"};
constexpr std::array<Name, 3> bead_position_names{"model", "calpha", "centre-of-mass"};
constexpr std::array<Name, 3> flag_names{"model", "false", "true"};

constexpr auto field_at = &Settings::force_field;
constexpr auto model_in = &ForceFieldSettings::condensate;
using Condensate = CondensateSettings;

}  // namespace

std::vector<Key> makers::condensate_keys() {
  return {
      Key{"force_field.table", text<field_at, model_in, &Condensate::table>(), "", refuse,
          "File with the parameters of the model, in place of the built-in table "
          "(input/force_fields has those); relative to the input file's folder."},
      Key{"force_field.domains", choice<field_at, model_in, &Condensate::domains>(domain_names), "",
          refuse,
          "How folded domains of a condensate model keep their shape: elastic-network (springs "
          "between near residues, as CALVADOS 3), go (the go model's bonds, angles, dihedrals and "
          "contacts inside a domain, where other pairs only repel), aicg2p (contacts, wells and "
          "flexible terms of AICG2+, for the model aicg2p) or confidence-go (12-10 contacts "
          "weighted by pLDDT and PAE through the whole predicted structure, without domains; von "
          "Buelow et al., Protein Sci. 35, e70694 (2026)).",
          false, "elastic-network if a species has domains, else none"},
      Key{"force_field.ionic_strength_molar",
          real<field_at, model_in, &Condensate::ionic_strength_molar>(0, 10), "mol/l", refuse,
          "Salt; sets the Debye length of the CALVADOS models. HPS and Mpipi have a fixed one."},
      Key{"force_field.ph", real<field_at, model_in, &Condensate::ph>(0, 14), "", refuse,
          "pH; sets the charge of histidine in the CALVADOS models, 1/(1 + 10^(pH - 6)). HPS and "
          "Mpipi have a fixed one."},
      Key{"force_field.flexible_angles", flag<field_at, model_in, &Condensate::flexible_angles>(),
          "", refuse,
          "Gives each three disordered residues that follow each other the angle potential of "
          "AICG2+ for flexible chains (Terakawa and Takada, Biophys. J. 101, 1450 (2011)), by the "
          "residue in the middle, in addition to the model's own terms."},
      Key{"force_field.charged_ends",
          choice<field_at, model_in, &Condensate::charged_ends>(end_names, end_synonyms), "",
          refuse,
          "Ends of each chain that are charged: +1 e on the first, -1 e on the last residue, and "
          "in the CALVADOS models the mass of the end's atoms, 2 and 16 amu. model: both for the "
          "CALVADOS models, else none. A species may say otherwise."},
      Key{"force_field.bond_k_kj_mol_nm2",
          real<field_at, model_in, &Condensate::bond_k_kj_mol_nm2>(0, 1e7), "kJ/mol/nm^2", refuse,
          "Bonds: (k/2)(r - r0)^2; 0 takes the model's: 8368 for HPS (20 kcal/mol/A^2; some HOOMD "
          "scripts have 8360), 8033 for CALVADOS, 8033.28 for Mpipi."},
      Key{"force_field.bond_length_nm", real<field_at, model_in, &Condensate::bond_length_nm>(0, 2),
          "nm", refuse,
          "r0 of bonds outside folded domains; 0 takes the model's: 0.38 for HPS (some HOOMD "
          "scripts have 0.381) and CALVADOS, 0.381 for Mpipi."},
      Key{"force_field.short_range_cutoff_nm",
          real<field_at, model_in, &Condensate::short_range_cutoff_nm>(0, 20), "nm", refuse,
          "Cutoff of the short-range potential; 0 takes the model's: 2.0. Mpipi's pairs end at "
          "three times their sigma and take no other."},
      Key{"force_field.short_range_cutoff_over_sigma",
          real<field_at, model_in, &Condensate::short_range_cutoff_over_sigma>(0, 20), "", refuse,
          "> 0: a pair ends at this times its sigma instead. OpenABC's HPS: 4, with "
          "short_range_shifted: true; HOOMD's scripts: 2.0 nm without a shift, which is the "
          "default here."},
      Key{"force_field.short_range_shifted",
          choice<field_at, model_in, &Condensate::short_range_shifted>(flag_names), "", refuse,
          "Shifts the short-range potential to 0 at the cutoff; model: true for the CALVADOS "
          "models, false for HPS."},
      Key{"force_field.electrostatic_cutoff_nm",
          real<field_at, model_in, &Condensate::electrostatic_cutoff_nm>(0, 50), "nm", refuse,
          "Cutoff of the Debye-Hueckel potential; 0 takes the model's: 4.0 for the CALVADOS "
          "models, else 3.5."},
      Key{"force_field.electrostatic_shifted",
          choice<field_at, model_in, &Condensate::electrostatic_shifted>(flag_names), "", refuse,
          "Shifts the Debye-Hueckel potential to 0 at the cutoff; model: true for the CALVADOS "
          "models, else false (OpenABC's HPS: true)."},
      Key{"force_field.dielectric_constant",
          real<field_at, model_in, &Condensate::dielectric_constant>(0, 1000), "", refuse,
          "Relative permittivity of the water; 0 takes the model's: that of Akerlof and Oshry, J. "
          "Am. Chem. Soc. 72, 2844 (1950), at the run's temperature for the CALVADOS models, else "
          "80."},
      Key{"force_field.inverse_debye_length_per_nm",
          real<field_at, model_in, &Condensate::inverse_debye_length_per_nm>(0, 100), "1/nm",
          refuse,
          "kappa of the Debye-Hueckel potential; 0 takes the model's: from the ionic strength for "
          "the CALVADOS models, 1 for HPS, 1.26 for Mpipi."},
      Key{"force_field.restraint_k_kj_mol_nm2",
          real<field_at, model_in, &Condensate::restraint_k_kj_mol_nm2>(0, 1e6), "kJ/mol/nm^2",
          refuse, "Elastic network: (k/2)(r - r_ref)^2; 0 takes the model's: 700, as CALVADOS 3."},
      Key{"force_field.restraint_cutoff_nm",
          real<field_at, model_in, &Condensate::restraint_cutoff_nm>(0, 10), "nm", refuse,
          "Elastic network: pairs nearer than this in the structure; 0 takes the model's: 0.9, as "
          "CALVADOS 3."},
      Key{"force_field.bead", choice<field_at, model_in, &Condensate::bead>(bead_position_names),
          "", refuse,
          "Which point of a structure's residue the bead stands for; model: the centre of mass "
          "inside folded domains of CALVADOS 3, else the C-alpha atom."},
  };
}

}  // namespace nfold::input

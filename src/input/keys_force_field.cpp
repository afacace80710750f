// Keys of `force_field` that the go model reads.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

constexpr std::array<Name, 3> map_names{"shadow", "heavy-atom", "calpha"};
constexpr std::array<Name, 2> potential_names{"12-10", "gaussian"};

/// Returns the help of the key: all names.
std::string describe_models() {
  return fmt::format(
      "go is the C-alpha structure-based model of Clementi, Nymeyer and Onuchic, J. Mol. Biol. "
      "298, "
      "937 (2000). The others are for condensates: {}. input/force_fields has their articles.",
      fmt::join(model_names().subspan(1), ", "));
}

constexpr auto force_field_at = &Settings::force_field;
constexpr auto contacts_at = &ForceFieldSettings::contacts;
constexpr auto confidence_at = &ForceFieldSettings::confidence;
constexpr auto repulsion_at = &ForceFieldSettings::repulsion;

}  // namespace

std::vector<Key> makers::force_field_keys() {
  static const std::string model_help = describe_models();
  return {
      Key{"force_field.model", choice<force_field_at, &ForceFieldSettings::model>(model_names()),
          "", refuse, model_help},
      Key{"force_field.epsilon_kj_mol",
          real_above<force_field_at, &ForceFieldSettings::epsilon_kj_mol>(0, 1000), "kJ/mol",
          refuse,
          "Energy scale of the go model, or of go domains. With 1 kJ/mol, kT = epsilon at 120.27 "
          "K.",
          false, "1 for go, 4.184 for go domains in another model"},
      Key{"force_field.mass_amu", real_above<force_field_at, &ForceFieldSettings::mass_amu>(0, 1e6),
          "amu", refuse,
          "Mass of every residue. 1 gives SMOG's reduced units, 100 that of a residue; a heavier "
          "mass allows a longer time step."},
      Key{"force_field.bond_k_per_nm2",
          real<force_field_at, &ForceFieldSettings::bond_k_per_nm2>(0, 1e7), "epsilon/nm^2", refuse,
          "Bonds: (k/2)(r - r0)^2."},
      Key{"force_field.angle_k_per_rad2",
          real<force_field_at, &ForceFieldSettings::angle_k_per_rad2>(0, 1e5), "epsilon/rad^2",
          refuse, "Angles: (k/2)(theta - theta0)^2."},
      Key{"force_field.dihedral_k1",
          real<force_field_at, &ForceFieldSettings::dihedral_k1>(0, 1000), "epsilon", refuse,
          "Dihedrals: k1 [1 - cos(phi - phi0)]."},
      Key{"force_field.dihedral_k3",
          real<force_field_at, &ForceFieldSettings::dihedral_k3>(0, 1000), "epsilon", refuse,
          "Dihedrals: k3 [1 - cos 3(phi - phi0)]."},
      Key{"force_field.contact_potential",
          choice<force_field_at, &ForceFieldSettings::contact_potential>(potential_names), "",
          refuse,
          "12-10 is epsilon [5 (d/r)^12 - 6 (d/r)^10]; gaussian is that of Lammert, Schug and "
          "Onuchic, Proteins 77, 881 (2009)."},
      Key{"force_field.contact_epsilon",
          real<force_field_at, &ForceFieldSettings::contact_epsilon>(0, 1000), "epsilon", refuse,
          "Depth of a native contact."},
      Key{"force_field.gaussian_sigma_nm",
          real_above<force_field_at, &ForceFieldSettings::gaussian_sigma_nm>(0, 10), "nm", refuse,
          "Width of a gaussian contact."},
      Key{"force_field.gaussian_a_nm12",
          real<force_field_at, &ForceFieldSettings::gaussian_a_nm12>(0, 1), "epsilon nm^12", refuse,
          "Excluded volume of a gaussian contact, the a of a/r^12; 0.4^12 by default."},

      Key{"force_field.contacts.map",
          choice<force_field_at, contacts_at, &ContactSettings::map>(map_names), "", refuse,
          "shadow (Noel, Whitford and Onuchic, J. Phys. Chem. B 116, 8692 (2012)), heavy-atom (any "
          "two heavy atoms closer than the cutoff) or calpha (C-alpha atoms closer than it)."},
      Key{"force_field.contacts.cutoff_nm",
          real_above<force_field_at, contacts_at, &ContactSettings::cutoff_nm>(0, 10), "nm", refuse,
          "Largest distance of a native contact, between the atoms that the map looks at.", false,
          "0.6 for shadow, 0.45 for heavy-atom, 0.8 for calpha"},
      Key{"force_field.contacts.shadow_radius_nm",
          real<force_field_at, contacts_at, &ContactSettings::shadow_radius_nm>(0, 1), "nm", refuse,
          "Radius of an atom that shadows a contact; 0 turns the shadow map into a plain cutoff."},
      Key{"force_field.contacts.bonded_radius_nm",
          real<force_field_at, contacts_at, &ContactSettings::bonded_radius_nm>(0, 1), "nm", refuse,
          "The same for an atom bonded to one of the two."},
      Key{"force_field.contacts.legacy_atan",
          flag<force_field_at, contacts_at, &ContactSettings::legacy_atan>(), "", refuse,
          "Shadow angles by atan(radius/distance), as SMOG 2's program does; false takes asin."},
      Key{"force_field.contacts.min_sequence_separation",
          integer<force_field_at, contacts_at, &ContactSettings::min_sequence_separation>(3, 1000),
          "residues", refuse, "Smallest |i - j| of a contact within a chain."},

      Key{"force_field.confidence.least_plddt",
          real<force_field_at, confidence_at, &ConfidenceSettings::least_plddt>(0, 100), "", refuse,
          "pLDDT below which a residue of a predicted structure is free: it belongs to no domain "
          "that auto finds, and the go model has no native angles, dihedrals and contacts of it. 0 "
          "holds all residues."},
      Key{"force_field.confidence.largest_pae_angstrom",
          real<force_field_at, confidence_at, &ConfidenceSettings::largest_pae_angstrom>(0, 100),
          "angstrom", refuse,
          "Domains that auto finds by PAE: two groups of residues are one domain if the mean PAE "
          "between them, of both directions, is at most this (average linkage)."},
      Key{"force_field.confidence.contact_epsilon_kj_mol",
          real<force_field_at, confidence_at, &ConfidenceSettings::contact_epsilon_kj_mol>(0, 1000),
          "kJ/mol", refuse, "Depth of a contact of confidence-go with weight 1."},
      Key{"force_field.confidence.contact_cutoff_nm",
          real_above<force_field_at, confidence_at, &ConfidenceSettings::contact_cutoff_nm>(0, 10),
          "nm", refuse, "Largest distance of a contact of confidence-go in the structure."},
      Key{"force_field.confidence.plddt_centre",
          real<force_field_at, confidence_at, &ConfidenceSettings::plddt_centre>(0, 200), "",
          refuse,
          "pLDDT at which the weight of a confidence-go contact halves: the weight is "
          "s(plddt_slope "
          "(p - plddt_centre)) s(-pae_slope_per_nm (e - pae_centre_nm)), s(x) = 1/(1 + exp(-x)), p "
          "the lower pLDDT of both residues, e the mean of their PAE."},
      Key{"force_field.confidence.plddt_slope",
          real<force_field_at, confidence_at, &ConfidenceSettings::plddt_slope>(0, 100), "", refuse,
          "The same, its steepness by pLDDT."},
      Key{"force_field.confidence.pae_centre_nm",
          real<force_field_at, confidence_at, &ConfidenceSettings::pae_centre_nm>(0, 100), "nm",
          refuse, "The same, PAE at which the weight halves."},
      Key{"force_field.confidence.pae_slope_per_nm",
          real<force_field_at, confidence_at, &ConfidenceSettings::pae_slope_per_nm>(0, 1000),
          "1/nm", refuse, "The same, its steepness by PAE."},

      Key{"force_field.repulsion.epsilon",
          real<force_field_at, repulsion_at, &RepulsionSettings::epsilon>(0, 1000), "epsilon",
          refuse, "Repulsion at r = sigma."},
      Key{"force_field.repulsion.sigma_nm",
          real_above<force_field_at, repulsion_at, &RepulsionSettings::sigma_nm>(0, 10), "nm",
          refuse, "Size of a residue."},
      Key{"force_field.repulsion.cutoff_nm",
          real_above<force_field_at, repulsion_at, &RepulsionSettings::cutoff_nm>(0, 20), "nm",
          refuse,
          "Beyond it the repulsion is left out, without a shift; 1.1 is OpenSMOG's suggestion."},
  };
}

}  // namespace nfold::input

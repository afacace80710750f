# Model of a force-field table and an input's conditions, by code independent of nfold.
# SPDX-License-Identifier: BSD-3-Clause

import math
from pathlib import Path

from .condensate_terms import Model
from nfold_report.resolved_input import lookup, parse_input

TABLES = Path(__file__).resolve().parents[2] / "input/force_fields"
AVOGADRO_PER_NM3_MOLAR = 0.602214076  # particles in 1 nm3 at 1 mol/l
# Defaults of the input, from its reference.
TEMPERATURE_KELVIN, IONIC_STRENGTH_MOLAR, PH = 300.0, 0.15, 7.5


def read_table(settings, folder):
    """Table named by the input, or the model's own, as a dict."""
    own = lookup(settings, "force_field.table", "")
    path = Path(folder) / own if own else TABLES / f"{lookup(settings, 'force_field.model')}.yaml"
    return parse_input(path.read_text(encoding="utf-8"))


def permittivity(table, settings, kelvin):
    constant = lookup(settings, "force_field.dielectric_constant", 0) or table.get("dielectric_constant", 0)
    if constant:
        return constant
    inverse, *powers = table["dielectric_of_temperature"]
    return inverse / kelvin + sum(c * kelvin**n for n, c in enumerate(powers))


def electrostatics(table, settings):
    """(ke / eps_r in kJ/mol nm, kappa in 1/nm)"""
    kelvin = lookup(settings, "dynamics.temperature_kelvin", TEMPERATURE_KELVIN)
    coulomb = table["coulomb_kj_mol_nm"] / permittivity(table, settings, kelvin)
    kappa = lookup(settings, "force_field.inverse_debye_length_per_nm", 0) \
        or table.get("inverse_debye_length_per_nm", 0)
    if not kappa:
        bjerrum = coulomb / (table["gas_constant_kj_mol_kelvin"] * kelvin)
        salt = lookup(settings, "force_field.ionic_strength_molar", IONIC_STRENGTH_MOLAR)
        kappa = math.sqrt(8 * math.pi * bjerrum * salt * AVOGADRO_PER_NM3_MOLAR)
    return coulomb, kappa


def residue_charges(table, settings):
    charges = {name: row["charge_e"] for name, row in table["residues"].items()}
    if "histidine_pka" in table:
        ph = lookup(settings, "force_field.ph", PH)
        charges["HIS"] = 1 / (1 + 10 ** (ph - table["histidine_pka"]))
    return charges


def read_model(settings, folder):
    """(Model, bead name) of an input (a dict) whose paths start at `folder`."""
    table = read_table(settings, folder)
    residues = table["residues"]
    coulomb, kappa = electrostatics(table, settings)
    model = Model(
        form=table["form"].replace("-", "_"),
        masses={name: row["mass_amu"] for name, row in residues.items()},
        charges=residue_charges(table, settings),
        cutoff_nm=table.get("short_range_cutoff_nm", 0), shifted=table.get("short_range_shifted", False),
        bond_k=table["bond_k_kj_mol_nm2"], bond_length_nm=table["bond_length_nm"],
        coulomb=coulomb, kappa_per_nm=kappa, coulomb_cutoff_nm=table["electrostatic_cutoff_nm"],
        coulomb_shifted=table["electrostatic_shifted"], epsilon=table.get("epsilon_kj_mol", 0),
        charged_ends="both" if table["charged_ends"] else "none",
        end_masses=(table.get("first_residue_mass_amu", 0), table.get("last_residue_mass_amu", 0)),
        restraint_k=table["restraint_k_kj_mol_nm2"], restraint_cutoff_nm=table["restraint_cutoff_nm"])
    if model.form == "ashbaugh_hatch":
        model.sigmas = {name: row["sigma_nm"] for name, row in residues.items()}
        model.lambdas = {name: row["lambda"] - table["lambda_offset"] for name, row in residues.items()}
    else:
        model.pairs = {(a, b): (epsilon, sigma, mu) for a, b, epsilon, sigma, mu in table["pairs"]}
    return model, table.get("bead", "calpha")

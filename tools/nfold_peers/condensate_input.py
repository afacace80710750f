# Terms of an nfold condensate input, by code independent of nfold.
# SPDX-License-Identifier: BSD-3-Clause

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from .calpha_structure import Calphas
from .condensate_tables import read_model
from .condensate_terms import ChainSpec, end_charges, condensate_terms
from .fasta import THREE_LETTERS, read_fasta
from .go_terms import ModelError, go_terms
from .pdb_residues import read_residues
from nfold_report.resolved_input import lookup

RANGE = re.compile(r"^(?:(\w+):)?(-?\d+)-(-?\d+)$")
MG_PER_ML_OF_AMU_PER_NM3 = 1.66053906660
PER_NM3_OF_MILLIMOLAR = 6.02214076e-4
# Input keys that replace a number of the model if they are not 0.
NUMBERS = {"bond_k_kj_mol_nm2": "bond_k", "bond_length_nm": "bond_length_nm",
           "short_range_cutoff_nm": "cutoff_nm", "short_range_cutoff_over_sigma": "cutoff_over_sigma",
           "electrostatic_cutoff_nm": "coulomb_cutoff_nm", "restraint_k_kj_mol_nm2": "restraint_k",
           "restraint_cutoff_nm": "restraint_cutoff_nm"}
FLAGS = {"short_range_shifted": "shifted", "electrostatic_shifted": "coulomb_shifted"}


def parse_charged_ends(value):
    """none, first, last or both; None for the model's own."""
    return {True: "both", False: "none", "model": None}.get(value, value)


def changed_model(model, settings):
    """Model with the changes of the input."""
    changes = {}
    for key, name in NUMBERS.items():
        if lookup(settings, f"force_field.{key}", 0):
            changes[name] = float(lookup(settings, f"force_field.{key}"))
    for key, name in FLAGS.items():
        if lookup(settings, f"force_field.{key}", "model") != "model":
            changes[name] = lookup(settings, f"force_field.{key}") is True
    ends = parse_charged_ends(lookup(settings, "force_field.charged_ends", "model"))
    if ends is not None:
        changes["charged_ends"] = ends
    if "cutoff_over_sigma" in changes and "cutoff_nm" not in changes:
        changes["cutoff_nm"] = math.inf
    return replace(model, **changes)


def domain_members(domain, residues):
    """Indices of the residues named by a text such as '10-50,60-72'."""
    members = []
    for part in domain.split(","):
        match = RANGE.match(part.strip())
        if not match:
            raise ModelError(f"domain {domain!r}: expected ranges such as '10-50,60-72'")
        chain, first, last = match.group(1), int(match.group(2)), int(match.group(3))
        members += [i for i, residue in enumerate(residues)
                    if first <= residue.number <= last and chain in (None, residue.chain)]
    return members


def structure_chain(species, folder, bead, held, settings):
    """ChainSpec of a species with a structure of one chain; `held` is none, elastic-network or go."""
    residues = read_residues(folder / species["structure"])
    chains = species.get("chains") or sorted({residue.chain for residue in residues})
    if len(chains) != 1 or ":" in chains[0]:
        raise ModelError(f"species {species['name']}: only structures with one whole chain are read here")
    residues = [residue for residue in residues if residue.chain == chains[0]]
    domains = [domain_members(domain, residues) for domain in species.get("domains", [])]
    if held == "none":
        domains = []
    folded = {i for domain in domains for i in domain}
    if bead == "centre-of-mass-in-domains" and held != "go":
        places = [residue.centre_of_mass_nm() if i in folded else residue.calpha_nm()
                  for i, residue in enumerate(residues)]
    else:
        whole = bead == "centre-of-mass"
        places = [residue.centre_of_mass_nm() if whole else residue.calpha_nm() for residue in residues]
    chain = ChainSpec([residue.name for residue in residues], domains, np.array(places))
    if held == "go":
        bonded = np.arange(len(residues)) < len(residues) - 1
        chain.go = go_terms(Calphas(chain.reference_nm, np.zeros(len(residues), dtype=int), bonded), settings)
    return chain


def sequence_chain(species, folder):
    text = species.get("sequence", "")
    if species.get("fasta"):
        records = read_fasta(folder / species["fasta"])
        text = records[species["record"]] if species.get("record") else next(iter(records.values()))
    return ChainSpec([THREE_LETTERS[letter] for letter in text if not letter.isspace()])


def chain_mass(chain, model):
    """Mass of one molecule [amu]."""
    ends = sum(mass for _, _, mass in end_charges(chain, model))
    return sum(model.masses[name] for name in chain.sequence) + ends


def copy_count(species, chain, model, box):
    """Number of molecules of a species, given or by its concentration in the box."""
    volume = math.prod(box) if len(box) == 3 else (box[0] ** 3 if box else 0)
    if species.get("concentration_millimolar"):
        return round(species["concentration_millimolar"] * volume * PER_NM3_OF_MILLIMOLAR)
    if species.get("concentration_mg_per_ml"):
        return round(species["concentration_mg_per_ml"] * volume
                     / (chain_mass(chain, model) * MG_PER_ML_OF_AMU_PER_NM3))
    return species.get("copies", 1)


def input_terms(settings, folder):
    """CondensateTerms of an input (a dict) whose paths start at `folder`. Raises ModelError."""
    folder = Path(folder)
    model, bead = read_model(settings, folder)
    model = changed_model(model, settings)
    if lookup(settings, "force_field.bead", "model") != "model":
        bead = lookup(settings, "force_field.bead")
    held = lookup(settings, "force_field.domains", "elastic-network")
    model.domains_only_repel = held == "go"
    chains = []
    for species in lookup(settings, "system.species", []):
        chain = structure_chain(species, folder, bead, held, settings) if species.get("structure") \
            else sequence_chain(species, folder)
        chain.charged_ends = parse_charged_ends(species.get("charged_ends", "model"))
        chains += [chain] * copy_count(species, chain, model, lookup(settings, "system.box_nm", []))
    box = lookup(settings, "system.box_nm", []) or [0]
    concentration = lookup(settings, "system.concentration_mg_per_ml", 0)
    if concentration:
        mass = sum(chain_mass(chain, model) for chain in chains)
        # grid spacing of nfold for a computed box: 2^-30 nm
        box = [round((mass * MG_PER_ML_OF_AMU_PER_NM3 / concentration) ** (1 / 3) * 2**30) / 2**30]
    return condensate_terms(chains, model, box * 3 if len(box) == 1 else box)

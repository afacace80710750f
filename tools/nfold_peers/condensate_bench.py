# Benchmark condensate for nfold, OpenMM and LAMMPS: 20 residue types, 2 residues/nm3.
# SPDX-License-Identifier: BSD-3-Clause
"""Values: sigma uniform in 0.45 to 0.68 nm, lambda uniform in 0 to 1 over 20 types, five of them charged, all
types equally frequent, chains of 150; Ashbaugh-Hatch to 2 nm, Debye-Hueckel to 4 nm.
"""

from dataclasses import dataclass
from itertools import groupby

import numpy as np
import yaml

from .condensate_terms import ChainSpec, Model, condensate_terms
from .fasta import THREE_LETTERS

LETTERS = "ARNDCQEGHILKMFPSTWYV"
CHARGES = {"R": 1.0, "K": 1.0, "D": -1.0, "E": -1.0, "S": -1.0}
CHAIN_LENGTH, PER_NM3 = 150, 2.0
MOST_SEQUENCES = 250  # systems of more chains have copies, since an input names each sequence
MASS_AMU, EPSILON, SHORT_RANGE_NM = 110.0, 0.8368, 2.0
COULOMB, KAPPA_PER_NM, COULOMB_CUTOFF_NM = 1.7, 1.026, 4.0
BOND_K, BOND_NM = 8033.0, 0.38
TEMPERATURE_KELVIN, TIME_STEP_PS, FRICTION_PER_PS = 300.0, 0.01, 0.01


@dataclass
class Condensate:
    sequences: list  # one-letter sequence of each chain
    sigmas: dict  # letter to nm
    lambdas: dict
    box_nm: float

    @property
    def residues(self):
        return sum(map(len, self.sequences))

    @property
    def letters(self):
        return "".join(self.sequences)


def make_condensate(residues, common_lambda=None, seed=5):
    """Make a condensate. The last chain is shorter if the residues are no multiple of 150; copies are adjacent."""
    random = np.random.default_rng(seed)
    sigmas = random.uniform(0.45, 0.68, len(LETTERS)).round(6)
    lambdas = random.uniform(0, 1, len(LETTERS)).round(6)
    if common_lambda is not None:
        lambdas[:] = common_lambda
    letters = "".join(random.choice(list(LETTERS), residues))
    drawn = [letters[i:i + CHAIN_LENGTH] for i in range(0, residues, CHAIN_LENGTH)]
    whole = residues // CHAIN_LENGTH
    distinct = min(whole, MOST_SEQUENCES)
    sequences = [drawn[n * distinct // whole] for n in range(whole)] + drawn[whole:]
    return Condensate(sequences, dict(zip(LETTERS, sigmas.tolist())), dict(zip(LETTERS, lambdas.tolist())),
                      round((residues / PER_NM3) ** (1 / 3), 6))


def bench_terms(condensate):
    """CondensateTerms for OpenMM."""
    names = THREE_LETTERS
    model = Model(
        form="ashbaugh_hatch", masses=dict.fromkeys(names.values(), MASS_AMU),
        charges={names[letter]: charge for letter, charge in CHARGES.items()},
        sigmas={names[letter]: value for letter, value in condensate.sigmas.items()},
        lambdas={names[letter]: value for letter, value in condensate.lambdas.items()},
        epsilon=EPSILON, cutoff_nm=SHORT_RANGE_NM, shifted=True, bond_k=BOND_K, bond_length_nm=BOND_NM,
        coulomb=COULOMB, kappa_per_nm=KAPPA_PER_NM, coulomb_cutoff_nm=COULOMB_CUTOFF_NM,
        coulomb_shifted=True)
    chains = [ChainSpec([names[letter] for letter in sequence]) for sequence in condensate.sequences]
    return condensate_terms(chains, model, (condensate.box_nm,) * 3)


def force_field_table(condensate):
    """Force-field table, as a dict."""
    residues = {THREE_LETTERS[letter]: {"mass_amu": MASS_AMU, "charge_e": CHARGES.get(letter, 0.0),
                                        "sigma_nm": condensate.sigmas[letter],
                                        "lambda": condensate.lambdas[letter]} for letter in LETTERS}
    return {"form": "ashbaugh-hatch", "charged_ends": False, "bead": "calpha", "epsilon_kj_mol": EPSILON,
            "lambda_offset": 0, "short_range_cutoff_nm": SHORT_RANGE_NM, "short_range_shifted": True,
            "coulomb_kj_mol_nm": COULOMB, "dielectric_constant": 1,
            "inverse_debye_length_per_nm": KAPPA_PER_NM, "electrostatic_cutoff_nm": COULOMB_CUTOFF_NM,
            "electrostatic_shifted": True, "bond_k_kj_mol_nm2": BOND_K, "bond_length_nm": BOND_NM,
            "restraint_k_kj_mol_nm2": 700, "restraint_cutoff_nm": 0.9, "residues": residues}


def straight_start(condensate):
    """Coordinates (residues, 3) [nm] without overlaps: one straight line winds evenly through the periodic cube, about
    1.15 nm from itself. The chains lie along it end to end, one free site apart."""
    box, lengths = condensate.box_nm, list(map(len, condensate.sequences))
    places = condensate.residues + len(lengths)
    turns = max(1, round((BOND_NM * places / box) ** 0.5))  # number in x and in y; turns * turns along z
    chain = np.repeat(np.arange(len(lengths)), lengths)
    along = (np.arange(condensate.residues) + chain) / places
    positions = box * along[:, None] * np.array([turns, 1, turns * turns])
    firsts = np.cumsum([0, *lengths[:-1]])
    return positions - (np.floor(positions[firsts] / box) * box)[chain]


def write_input(condensate, folder, steps):
    """Write an nfold input with its table and sequences, without output except checkpoints. Returns its path."""
    kinds = [(f"chain-{number}", text, len(list(copies)))
             for number, (text, copies) in enumerate(groupby(condensate.sequences), 1)]
    (folder / "chains.fasta").write_text("".join(f">{name}\n{text}\n" for name, text, _ in kinds),
                                         encoding="ascii")
    (folder / "table.yaml").write_text(yaml.safe_dump(force_field_table(condensate)), encoding="ascii")
    settings = {
        "system": {"box_nm": [condensate.box_nm] * 3,
                   "species": [{"name": name, "fasta": "chains.fasta", "record": name, "copies": copies}
                               for name, _, copies in kinds]},
        "force_field": {"model": "calvados2", "table": "table.yaml"},
        "dynamics": {"steps": steps, "time_step_ps": TIME_STEP_PS, "friction_per_ps": FRICTION_PER_PS,
                     "temperature_kelvin": TEMPERATURE_KELVIN},
        "output": {"trajectory_every_steps": 0, "energies_every_steps": 0}}
    path = folder / "condensate.yaml"
    path.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="ascii")
    return path

# The benchmark condensate: 20 residue types, 2 residues/nm3, the same for nfold, OpenMM and LAMMPS.
# SPDX-License-Identifier: BSD-3-Clause
"""sigma uniform in 0.45 to 0.68 nm, lambda uniform in 0 to 1 over 20 types, five of them charged, all
types equally frequent, chains of 150; Ashbaugh-Hatch to 2 nm, Debye-Hueckel to 4 nm.
"""

from dataclasses import dataclass

import numpy as np

from .condensate_terms import ChainOf, Model, condensate_terms
from .fasta import THREE_LETTERS

LETTERS = "ARNDCQEGHILKMFPSTWYV"
CHARGES = {"R": 1.0, "K": 1.0, "D": -1.0, "E": -1.0, "S": -1.0}
CHAIN_LENGTH, PER_NM3 = 150, 2.0
MASS_AMU, EPSILON, SHORT_RANGE_NM = 110.0, 0.8368, 2.0
COULOMB, KAPPA_PER_NM, COULOMB_CUTOFF_NM = 1.7, 1.026, 4.0
BOND_K, BOND_NM = 8033.0, 0.38
TEMPERATURE_KELVIN, TIME_STEP_PS, FRICTION_PER_PS = 300.0, 0.01, 0.01


@dataclass
class Condensate:
    sequences: list  # of letters, a chain each
    sigmas: dict  # letter to nm
    lambdas: dict
    box_nm: float

    @property
    def residues(self):
        return sum(map(len, self.sequences))

    @property
    def letters(self):
        return "".join(self.sequences)


def make_condensate(residues, lambda_of_all=None, seed=5):
    """The last chain is shorter where the residues are no multiple of 150."""
    random = np.random.default_rng(seed)
    sigmas = random.uniform(0.45, 0.68, len(LETTERS)).round(6)
    lambdas = random.uniform(0, 1, len(LETTERS)).round(6)
    if lambda_of_all is not None:
        lambdas[:] = lambda_of_all
    letters = "".join(random.choice(list(LETTERS), residues))
    return Condensate([letters[i:i + CHAIN_LENGTH] for i in range(0, residues, CHAIN_LENGTH)],
                      dict(zip(LETTERS, sigmas.tolist())), dict(zip(LETTERS, lambdas.tolist())),
                      round((residues / PER_NM3) ** (1 / 3), 6))


def terms_of(condensate):
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
    chains = [ChainOf([names[letter] for letter in sequence]) for sequence in condensate.sequences]
    return condensate_terms(chains, model, (condensate.box_nm,) * 3)


def laid_out(condensate):
    """(residues, 3): one path to and fro through the box, neighbours a bond or a row apart."""
    along = int(condensate.box_nm // BOND_NM) - 2
    rows = int(np.ceil((condensate.residues / along) ** 0.5))
    place = np.arange(condensate.residues)
    x, row = place % along, place // along
    y, z = row % rows, row // rows
    x = np.where(row % 2, along - 1 - x, x)
    y = np.where(z % 2, rows - 1 - y, y)
    step = condensate.box_nm / np.array([along, rows, np.ceil((row[-1] + 1) / rows)])
    step[0] = BOND_NM
    jitter = np.random.default_rng(1).uniform(-0.01, 0.01, (condensate.residues, 3))
    return np.stack([x, y, z], axis=1) * step + jitter

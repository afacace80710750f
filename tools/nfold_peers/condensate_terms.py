# Terms of the one-bead-a-residue condensate models, from sequences and conditions.
# SPDX-License-Identifier: BSD-3-Clause
"""HPS, CALVADOS and Mpipi, by code independent of nfold, so that tests can
compare the two. Units: nm, kJ/mol, amu, e, K; ionic strength mol/l.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from .go_terms import GoTerms


@dataclass
class Model:
    """Parameters of residue types (by three-letter names) and of conditions."""

    form: str  # "ashbaugh_hatch" or "wang_frenkel"
    masses: dict
    charges: dict
    cutoff_nm: float
    shifted: bool
    bond_k: float
    bond_length_nm: float
    coulomb: float  # ke / eps_r, kJ/mol nm
    kappa_per_nm: float
    coulomb_cutoff_nm: float
    coulomb_shifted: bool
    sigmas: dict = field(default_factory=dict)  # Ashbaugh-Hatch
    lambdas: dict = field(default_factory=dict)
    epsilon: float = 0
    cutoff_over_sigma: float = 0  # cutoff of a pair as a multiple of its sigma, if above 0
    pairs: dict = field(default_factory=dict)  # Wang-Frenkel: (a, b) to (epsilon, sigma, mu)
    charged_ends: str = "none"  # none, first, last, both
    end_masses: tuple = (0.0, 0.0)  # added to the first and to the last residue
    restraint_k: float = 0
    restraint_cutoff_nm: float = 0
    domains_only_repel: bool = False


@dataclass
class ChainSpec:
    """Chain to build. Domains are lists of residue indices; coordinates are the reference structure's.
    Domains keep their shape by springs, or by `go` if it is given."""

    sequence: list
    domains: list = field(default_factory=list)
    reference_nm: np.ndarray | None = None
    go: GoTerms | None = None  # terms of the whole chain; those outside a domain are left out
    charged_ends: str | None = None  # none, first, last, both; None for the model's own


@dataclass
class CondensateTerms:
    """Terms of a system. Ids are global residue ids in the order of the chains."""

    model: Model
    names: list
    masses: np.ndarray
    charges: np.ndarray
    domain: np.ndarray  # number in the system, -1 for none
    bonds: np.ndarray  # (bonds, 2)
    lengths: np.ndarray
    bond_k: np.ndarray
    restraints: np.ndarray  # (restraints, 2)
    restraint_lengths: np.ndarray
    go: list  # GoTerms per chain, by global ids; their bonds are among `bonds`
    box_nm: tuple  # 0 for an axis without a border

    @property
    def exclusions(self):
        """Sorted, unique pairs (i < j) without short-range and electrostatic potential."""
        pairs = [self.bonds, self.restraints, *(go.exclusions for go in self.go)]
        return np.unique(np.concatenate(pairs), axis=0)


def akerlof_oshry(kelvin):
    """Relative permittivity of water as in CALVADOS; J. Am. Chem. Soc. 72, 2844 (1950)."""
    return 5321 / kelvin + 233.76 - 0.9297 * kelvin + 1.417e-3 * kelvin**2 - 8.292e-7 * kelvin**3


def calvados_electrostatics(kelvin, ionic_strength):
    """(ke / eps_r, kappa) with the constants of CALVADOS."""
    kt = 8.3145e-3 * kelvin
    bjerrum = 1.6021766**2 / (4 * math.pi * 8.854188 * akerlof_oshry(kelvin)) * 6.02214076 * 1000 / kt
    return bjerrum * kt, math.sqrt(8 * math.pi * bjerrum * ionic_strength * 0.602214076)


def histidine_charge(ph):
    return 1 / (1 + 10**(ph - 6))


def chain_restraints(chain, model):
    """(pairs, lengths) of the elastic network within each domain."""
    pairs, lengths = [], []
    for domain in chain.domains:
        for a, i in enumerate(domain):
            for j in domain[a + 1:]:
                distance = np.linalg.norm(chain.reference_nm[i] - chain.reference_nm[j])
                if j - i >= 2 and distance < model.restraint_cutoff_nm:
                    pairs.append((i, j))
                    lengths.append(distance)
    return pairs, lengths


def chain_bonds(chain, model):
    """Bonds of a chain. A bond that touches a domain has the length in the reference structure."""
    folded = {i for domain in chain.domains for i in domain}
    bonds = [(i, i + 1) for i in range(len(chain.sequence) - 1)]
    lengths = [np.linalg.norm(chain.reference_nm[i] - chain.reference_nm[j])
               if i in folded or j in folded else model.bond_length_nm for i, j in bonds]
    return bonds, lengths


def inside_domains(go, domains):
    """Terms of a GoTerms whose residues are all in one domain."""
    number = {i: n for n, members in enumerate(domains) for i in members}

    def inside(ids):
        found = [{number.get(i, -1 - i) for i in row} for row in ids.tolist()]
        return np.array([len(row) == 1 and min(row) >= 0 for row in found], dtype=bool)

    bonds, angles, dihedrals, contacts = map(inside, (go.bonds, go.angles, go.dihedrals, go.contacts))
    return replace(go, bonds=go.bonds[bonds], lengths=go.lengths[bonds], angles=go.angles[angles],
                   thetas=go.thetas[angles], dihedrals=go.dihedrals[dihedrals], phis=go.phis[dihedrals],
                   contacts=go.contacts[contacts], distances=go.distances[contacts])


def shifted_ids(go, first):
    return replace(go, bonds=go.bonds + first, angles=go.angles + first, dihedrals=go.dihedrals + first,
                   contacts=go.contacts + first)


def end_charges(chain, model):
    """(residue index, charge, mass) added by each charged end."""
    ends = chain.charged_ends or model.charged_ends
    return ([(0, 1, model.end_masses[0])] if ends in ("first", "both") else []) \
        + ([(-1, -1, model.end_masses[1])] if ends in ("last", "both") else [])


def condensate_terms(chains, model, box_nm=(0, 0, 0)):
    """CondensateTerms of a list of ChainSpec, in the order of global ids."""
    names, masses, charges, domain = [], [], [], []
    bonds, lengths, bond_k, restraints, restraint_lengths, go = [], [], [], [], [], []
    domains = 0
    for chain in chains:
        first, count = len(names), len(chain.sequence)
        names += chain.sequence
        mass = [model.masses[name] for name in chain.sequence]
        charge = [model.charges.get(name, 0.0) for name in chain.sequence]
        for place, sign, mass_of_end in end_charges(chain, model):
            charge[place] += sign
            mass[place] += mass_of_end
        masses += mass
        charges += charge
        numbers = [-1] * count
        for members in chain.domains:
            for i in members:
                numbers[i] = domains
            domains += 1
        domain += numbers
        found, found_lengths = chain_bonds(chain, model)
        bonds += [(first + i, first + j) for i, j in found]
        lengths += found_lengths
        bond_k += [model.bond_k] * len(found)
        if chain.go is not None:
            go.append(shifted_ids(inside_domains(chain.go, chain.domains), first))
            for i, _ in go[-1].bonds.tolist():
                bond_k[bonds.index((i, i + 1))] = go[-1].bond_k
        else:
            found, found_lengths = chain_restraints(chain, model)
            restraints += [(first + i, first + j) for i, j in found]
            restraint_lengths += found_lengths
    return CondensateTerms(
        model, names, np.array(masses), np.array(charges), np.array(domain),
        np.array(bonds, dtype=int).reshape(-1, 2), np.array(lengths), np.array(bond_k),
        np.array(restraints, dtype=int).reshape(-1, 2), np.array(restraint_lengths), go, tuple(box_nm))

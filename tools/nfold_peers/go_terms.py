# Terms of the C-alpha structure-based model, from coordinates and input keys.
# SPDX-License-Identifier: BSD-3-Clause
"""Clementi, Nymeyer and Onuchic, J. Mol. Biol. 298, 937 (2000), as written by SMOG 2.

This code is independent of nfold, so that tests can compare the two.
"""

from dataclasses import dataclass

import numpy as np

from nfold_report.resolved_input import lookup

DEFAULTS = {
    "epsilon_kj_mol": 1.0, "mass_amu": 1.0, "bond_k_per_nm2": 20000.0, "angle_k_per_rad2": 40.0,
    "dihedral_k1": 1.0, "dihedral_k3": 0.5, "contact_epsilon": 1.0,
    "contacts.cutoff_nm": 0.8, "contacts.min_sequence_separation": 4,
    "repulsion.epsilon": 1.0, "repulsion.sigma_nm": 0.4, "repulsion.cutoff_nm": 1.1,
}


class ModelError(ValueError):
    """The input needs a feature that this code lacks."""


@dataclass
class GoTerms:
    """Terms of the model. Ids are rows of the coordinates; energies in kJ/mol, lengths in nm, angles in radians."""

    residues: int
    mass_amu: float
    bonds: np.ndarray  # (bonds, 2)
    lengths: np.ndarray
    bond_k: float
    angles: np.ndarray  # (angles, 3)
    thetas: np.ndarray
    angle_k: float
    dihedrals: np.ndarray  # (dihedrals, 4)
    phis: np.ndarray
    dihedral_k: tuple  # constants for 1 and 3 minima per turn
    contacts: np.ndarray  # (contacts, 2)
    distances: np.ndarray
    contact_epsilon: float
    repulsion: tuple  # epsilon, sigma, cutoff

    @property
    def exclusions(self):
        """Sorted, unique pairs (i < j) without repulsion: 1-2, 1-3, 1-4 and contacts."""
        ends = [self.bonds, self.angles[:, [0, 2]], self.dihedrals[:, [0, 3]], self.contacts]
        return np.unique(np.concatenate(ends), axis=0)


def runs(bonded_to_next, length):
    """Ids (terms, length) of each unbroken run of `length` residues."""
    starts = [i for i in range(len(bonded_to_next) - length + 1)
              if bonded_to_next[i:i + length - 1].all()]
    return np.array(starts, dtype=int)[:, None] + np.arange(length)


def measure_angles(points, triples):
    a, b, c = (points[triples[:, k]] for k in range(3))
    u, v = a - b, c - b
    return np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v))


def measure_dihedrals(points, quadruples):
    """Dihedral angles in IUPAC's sign: trans is 180 degrees, a right-handed helix about +50."""
    a, b, c, d = (points[quadruples[:, k]] for k in range(4))
    b1, b2, b3 = b - a, c - b, d - c
    n1, n2 = np.cross(b1, b2), np.cross(b2, b3)
    return np.arctan2(np.linalg.norm(b2, axis=1) * np.einsum("ij,ij->i", b1, n2),
                      np.einsum("ij,ij->i", n1, n2))


def calpha_contacts(calphas, cutoff_nm, separation):
    """Pairs (i < j) closer than the cutoff, at least `separation` apart within a chain."""
    x = calphas.positions_nm
    pairs = []
    for i in range(len(x) - 1):
        near = i + 1 + np.nonzero(np.linalg.norm(x[i + 1:] - x[i], axis=1) < cutoff_nm)[0]
        pairs += [(i, j) for j in near
                  if calphas.chain[i] != calphas.chain[j] or j - i >= separation]
    return np.array(pairs, dtype=int).reshape(-1, 2)


def go_terms(calphas, settings):
    """GoTerms of native coordinates and an input (a dict). Raises ModelError."""
    def key(name):
        return lookup(settings, "force_field." + name, DEFAULTS[name])

    if lookup(settings, "force_field.contacts.map", "shadow") != "calpha":
        raise ModelError("force_field.contacts.map: only 'calpha' is read here; expected that map")
    if lookup(settings, "force_field.contact_potential", "12-10") != "12-10":
        raise ModelError("force_field.contact_potential: only '12-10' is read here; expected that one")
    x, unit = calphas.positions_nm, key("epsilon_kj_mol")
    bonds, angles, dihedrals = (runs(calphas.bonded_to_next, length) for length in (2, 3, 4))
    contacts = calpha_contacts(calphas, key("contacts.cutoff_nm"),
                               key("contacts.min_sequence_separation"))
    return GoTerms(
        residues=len(x), mass_amu=key("mass_amu"),
        bonds=bonds, lengths=np.linalg.norm(x[bonds[:, 1]] - x[bonds[:, 0]], axis=1),
        bond_k=unit * key("bond_k_per_nm2"),
        angles=angles, thetas=measure_angles(x, angles), angle_k=unit * key("angle_k_per_rad2"),
        dihedrals=dihedrals, phis=measure_dihedrals(x, dihedrals),
        dihedral_k=(unit * key("dihedral_k1"), unit * key("dihedral_k3")),
        contacts=contacts, distances=np.linalg.norm(x[contacts[:, 1]] - x[contacts[:, 0]], axis=1),
        contact_epsilon=unit * key("contact_epsilon"),
        repulsion=(unit * key("repulsion.epsilon"), key("repulsion.sigma_nm"),
                   key("repulsion.cutoff_nm")))

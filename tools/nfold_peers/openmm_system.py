# C-alpha structure-based model as an OpenMM system, with a choice of forms for each term.
# SPDX-License-Identifier: BSD-3-Clause
"""OpenMM has nfold's units (nm, ps, amu, kJ/mol), so plain numbers go in and come out."""

import math

import numpy as np
import openmm

TERMS = ("bond", "angle", "dihedral", "contact", "short_range")  # order of the force groups
# bonded: OpenMM's own harmonic and periodic forces, or the formulas as custom forces;
# repulsion: by a neighbour list, or over all pairs with a step function, which is fast for small systems.
BONDED_FORMS = ("native", "custom")
REPULSION_FORMS = ("cutoff", "pairs")


def bond_force(terms, form):
    if form == "native":
        force = openmm.HarmonicBondForce()
        for (i, j), length in zip(terms.bonds.tolist(), terms.lengths):
            force.addBond(i, j, length, terms.bond_k)
        return force
    force = openmm.CustomBondForce("0.5*k*(r-r0)^2")
    force.addPerBondParameter("r0")
    force.addPerBondParameter("k")
    for (i, j), length in zip(terms.bonds.tolist(), terms.lengths):
        force.addBond(i, j, [length, terms.bond_k])
    return force


def angle_force(terms, form):
    if form == "native":
        force = openmm.HarmonicAngleForce()
        for ids, theta in zip(terms.angles.tolist(), terms.thetas):
            force.addAngle(*ids, theta, terms.angle_k)
        return force
    force = openmm.CustomAngleForce("0.5*k*(theta-theta0)^2")
    force.addPerAngleParameter("theta0")
    force.addPerAngleParameter("k")
    for ids, theta in zip(terms.angles.tolist(), terms.thetas):
        force.addAngle(*ids, [theta, terms.angle_k])
    return force


def dihedral_force(terms, form):
    if form == "native":
        # K [1 - cos n(phi - phi0)] = K [1 + cos(n phi - phase)] with phase = n phi0 + pi.
        force = openmm.PeriodicTorsionForce()
        for ids, phi in zip(terms.dihedrals.tolist(), terms.phis):
            for n, k in zip((1, 3), terms.dihedral_k):
                force.addTorsion(*ids, n, n * phi + math.pi, k)
        return force
    force = openmm.CustomTorsionForce("k1*(1-cos(theta-phi0))+k3*(1-cos(3*(theta-phi0)))")
    for name in ("phi0", "k1", "k3"):
        force.addPerTorsionParameter(name)
    for ids, phi in zip(terms.dihedrals.tolist(), terms.phis):
        force.addTorsion(*ids, [phi, *terms.dihedral_k])
    return force


def contact_force(terms):
    """Custom force, since OpenMM has no 12-10 potential."""
    force = openmm.CustomBondForce("a/r^12-b/r^10")
    force.addPerBondParameter("a")
    force.addPerBondParameter("b")
    for (i, j), d in zip(terms.contacts.tolist(), terms.distances):
        force.addBond(i, j, [5 * terms.contact_epsilon * d**12, 6 * terms.contact_epsilon * d**10])
    return force


def repulsion_force(terms, form, periodic=False):
    epsilon, sigma, cutoff = terms.repulsion
    strength = epsilon * sigma**12
    if form == "cutoff":
        force = openmm.CustomNonbondedForce(f"{strength!r}/r^12")
        force.setNonbondedMethod(force.CutoffPeriodic if periodic else force.CutoffNonPeriodic)
        force.setCutoffDistance(cutoff)
    else:
        force = openmm.CustomNonbondedForce(f"step({cutoff!r}-r)*{strength!r}/r^12")
        force.setNonbondedMethod(openmm.CustomNonbondedForce.NoCutoff)
    for _ in range(terms.residues):
        force.addParticle([])
    for i, j in terms.exclusions.tolist():
        force.addExclusion(i, j)
    return force


def build_system(terms, bonded="custom", repulsion="cutoff", edge_nm=0):
    """openmm.System with one force group per term, in the order of TERMS, in a periodic cube if edge_nm
    is above 0. Molecules must be whole, since bonded terms use no images."""
    system = openmm.System()
    if edge_nm > 0:
        system.setDefaultPeriodicBoxVectors(*(edge_nm * np.eye(3)).tolist())
    for _ in range(terms.residues):
        system.addParticle(terms.mass_amu)
    forces = (bond_force(terms, bonded), angle_force(terms, bonded), dihedral_force(terms, bonded),
              contact_force(terms), repulsion_force(terms, repulsion, edge_nm > 0))
    for group, force in enumerate(forces):
        force.setForceGroup(group)
        system.addForce(force)
    return system


class Evaluator:
    """Energies and forces of any coordinates, in double precision (the Reference platform)."""

    def __init__(self, terms, bonded="custom", repulsion="cutoff"):
        system = build_system(terms, bonded, repulsion)
        self.context = openmm.Context(system, openmm.VerletIntegrator(0.001),
                                      openmm.Platform.getPlatformByName("Reference"))

    def evaluate(self, positions_nm):
        """{term: (energy in kJ/mol, forces (residues, 3) in kJ/mol/nm)}"""
        self.context.setPositions(np.asarray(positions_nm, dtype=float))
        found = {}
        for group, term in enumerate(TERMS):
            state = self.context.getState(getEnergy=True, getForces=True, groups={group})
            energy = state.getPotentialEnergy()
            forces = state.getForces(asNumpy=True)
            found[term] = (energy.value_in_unit(energy.unit),
                           np.asarray(forces.value_in_unit(forces.unit)))
        return found

# Condensate model as an OpenMM system with one force group per term, from the equations.
# SPDX-License-Identifier: BSD-3-Clause
"""OpenMM has nfold's units (nm, ps, amu, kJ/mol), so plain numbers go in and come out."""

import math

import numpy as np
import openmm

from .openmm_system import angle_force, contact_force, dihedral_force

# order of the force groups
TERMS = ("bond", "restraint", "short_range", "electrostatic", "angle", "dihedral", "contact")
# Margin beyond the molecules and the cutoff: OpenMM needs all axes periodic, even one without a border.
OPEN_MARGIN_NM = 10


def is_periodic(terms):
    return any(length > 0 for length in terms.box_nm)


def bond_force(pairs, lengths, k):
    """Bond force; k is a number, or one value per bond."""
    force = openmm.HarmonicBondForce()
    for (i, j), length, own in zip(pairs.tolist(), lengths, np.broadcast_to(k, len(pairs))):
        force.addBond(i, j, length, own)
    return force


def nonbonded(expression, terms, cutoff, parameters):
    """CustomNonbondedForce with exclusions; `parameters` is {name: value of each residue}."""
    force = openmm.CustomNonbondedForce(expression)
    force.setNonbondedMethod(force.CutoffPeriodic if is_periodic(terms) else force.CutoffNonPeriodic)
    force.setCutoffDistance(cutoff)
    for name in parameters:
        force.addPerParticleParameter(name)
    for values in zip(*parameters.values()):
        force.addParticle(values)
    for i, j in terms.exclusions.tolist():
        force.addExclusion(i, j)
    return force


def ashbaugh_hatch_force(terms):
    model = terms.model
    pair_lambda = "0.5*(l1+l2)"
    if model.domains_only_repel:
        pair_lambda = f"select(delta(d1-d2)*step(d1),0,{pair_lambda})"
    longest, end = model.cutoff_nm, repr(model.cutoff_nm)
    if model.cutoff_over_sigma:
        longest = min(longest, model.cutoff_over_sigma * max(model.sigmas.values()))
        end = f"min({longest!r},{model.cutoff_over_sigma!r}*s)"
    shift = "4*((s/c)^12-(s/c)^6)" if model.shifted else "0"
    expression = (
        f"{model.epsilon!r}*step(c-r)*select(step(r-{2 ** (1 / 6)!r}*s),l*(lj-shift),lj+1-l-l*shift);"
        f"lj=4*((s/r)^12-(s/r)^6); shift={shift}; c={end}; l={pair_lambda}; s=0.5*(s1+s2)")
    parameters = {"s": [model.sigmas[name] for name in terms.names],
                  "l": [model.lambdas[name] for name in terms.names]}
    if model.domains_only_repel:
        parameters["d"] = terms.domain.astype(float)
    return nonbonded(expression, terms, longest, parameters)


def wang_frenkel_force(terms):
    pairs = terms.model.pairs
    types = sorted(set(terms.names))
    tables = np.array([[pairs.get((a, b)) or pairs[b, a] for a in types] for b in types], dtype=float)
    force = nonbonded(
        "step(3*s-r)*e*6.75*(1-1/x)^(-3)*(y-1)*(y-1/x)^2; x=3^(2*mu); y=(s/r)^(2*mu);"
        "e=e_of(t1,t2); s=s_of(t1,t2); mu=mu_of(t1,t2)",
        terms, 3 * tables[:, :, 1].max(), {"t": [types.index(name) for name in terms.names]})
    for name, table in zip(("e_of", "s_of", "mu_of"), np.moveaxis(tables, 2, 0)):
        force.addTabulatedFunction(
            name, openmm.Discrete2DFunction(len(types), len(types), table.flatten().tolist()))
    return force


def electrostatic_force(terms):
    model = terms.model
    end = model.coulomb_cutoff_nm
    shift = math.exp(-model.kappa_per_nm * end) / end if model.coulomb_shifted else 0.0
    return nonbonded(f"{model.coulomb!r}*q1*q2*(exp(-{model.kappa_per_nm!r}*r)/r-{shift!r})",
                     terms, end, {"q": terms.charges})


def box_lengths(terms, positions_nm):
    """OpenMM's box. An axis without a border gets one beyond all interactions."""
    extent = np.ptp(positions_nm, axis=0)
    return [length or extent[axis] + OPEN_MARGIN_NM for axis, length in enumerate(terms.box_nm)]


def build_system(terms, positions_nm):
    """openmm.System with one force group per term, in the order of TERMS."""
    system = openmm.System()
    for mass in terms.masses:
        system.addParticle(mass)
    periodic = is_periodic(terms)
    if periodic:
        lengths = box_lengths(terms, positions_nm)
        system.setDefaultPeriodicBoxVectors(*np.diag(lengths).tolist())
    short_range = {"ashbaugh_hatch": ashbaugh_hatch_force, "wang_frenkel": wang_frenkel_force}
    forces = (bond_force(terms.bonds, terms.lengths, terms.bond_k),
              bond_force(terms.restraints, terms.restraint_lengths, terms.model.restraint_k),
              short_range[terms.model.form](terms), electrostatic_force(terms))
    groups = [[force] for force in forces]
    for make in (lambda go: angle_force(go, "custom"), lambda go: dihedral_force(go, "custom"),
                 contact_force):
        groups.append([make(go) for go in terms.go])
    for group, members in enumerate(groups):
        for force in members:
            force.setForceGroup(group)
            if not isinstance(force, openmm.CustomNonbondedForce):
                force.setUsesPeriodicBoundaryConditions(periodic)
            system.addForce(force)
    return system


def evaluate(terms, positions_nm):
    """{term: (energy in kJ/mol, forces (residues, 3) in kJ/mol/nm)} by the Reference platform."""
    positions = np.asarray(positions_nm, dtype=float)
    context = openmm.Context(build_system(terms, positions), openmm.VerletIntegrator(0.001),
                             openmm.Platform.getPlatformByName("Reference"))
    context.setPositions(positions)
    found = {}
    for group, term in enumerate(TERMS):
        state = context.getState(getEnergy=True, getForces=True, groups={group})
        energy, forces = state.getPotentialEnergy(), state.getForces(asNumpy=True)
        found[term] = (energy.value_in_unit(energy.unit), np.asarray(forces.value_in_unit(forces.unit)))
    return found

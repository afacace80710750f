# Benchmark condensate with lambda 1, which is Lennard-Jones, as LAMMPS input.
# SPDX-License-Identifier: BSD-3-Clause
"""LAMMPS' unit style lj has all constants 1, so nm, ps, amu and kJ/mol are used unchanged, and kT in place of
a temperature. Charges include the square root of the Coulomb factor.
"""

from itertools import combinations_with_replacement

import numpy as np

from .condensate_bench import (BOND_K, BOND_NM, CHARGES, COULOMB, COULOMB_CUTOFF_NM, EPSILON,
                               FRICTION_PER_PS, KAPPA_PER_NM, LETTERS, MASS_AMU, SHORT_RANGE_NM,
                               TEMPERATURE_KELVIN, TIME_STEP_PS)

K_BOLTZMANN = 0.00831446261815324  # kJ/mol/K
# Forms of the two potentials, in which neutral pairs pay nothing for the long cutoff:
# one style whose Coulomb cutoff is zero for neutral pairs; separate styles for each kind of pair;
# both styles overlaid.
PAIR_FORMS = ("one", "split", "overlay")


def write_data(path, condensate, positions_nm):
    """The coordinates wrapped into the box, bonds between neighbours along each chain."""
    charge = {letter: CHARGES.get(letter, 0.0) * COULOMB**0.5 for letter in LETTERS}
    box, count = condensate.box_nm, condensate.residues
    chain = np.repeat(np.arange(len(condensate.sequences)), list(map(len, condensate.sequences)))
    bonds = [i for i in range(count - 1) if chain[i] == chain[i + 1]]
    with open(path, "w", encoding="ascii") as file:
        file.write(f"condensate\n\n{count} atoms\n{len(bonds)} bonds\n{len(LETTERS)} atom types\n"
                   f"1 bond types\n\n")
        file.writelines(f"0 {box!r} {axis}lo {axis}hi\n" for axis in "xyz")
        file.write("\nMasses\n\n")
        file.writelines(f"{t} {MASS_AMU}\n" for t in range(1, len(LETTERS) + 1))
        file.write("\nAtoms # full\n\n")
        images = np.floor(positions_nm / box).astype(int)
        for i, letter in enumerate(condensate.letters):
            x, y, z = positions_nm[i] - images[i] * box
            file.write(f"{i + 1} {chain[i] + 1} {LETTERS.index(letter) + 1} {charge[letter]:.15g} "
                       f"{x:.12g} {y:.12g} {z:.12g} {images[i][0]} {images[i][1]} {images[i][2]}\n")
        file.write("\nBonds\n\n")
        file.writelines(f"{n} 1 {i + 1} {i + 2}\n" for n, i in enumerate(bonds, 1))


def pair_lines(condensate, form):
    both = f"lj/cut/coul/debye {KAPPA_PER_NM} {SHORT_RANGE_NM} {COULOMB_CUTOFF_NM}"
    short, screened = f"lj/cut {SHORT_RANGE_NM}", f"coul/debye {KAPPA_PER_NM} {COULOMB_CUTOFF_NM}"
    styles = {"one": both, "split": f"hybrid {short} {both}",
              "overlay": f"hybrid/overlay {short} {screened}"}
    lines = [f"pair_style {styles[form]}"]
    for a, b in combinations_with_replacement(range(len(LETTERS)), 2):
        first, second = LETTERS[a], LETTERS[b]
        sigma = (condensate.sigmas[first] + condensate.sigmas[second]) / 2
        charged = first in CHARGES and second in CHARGES
        pair = f"pair_coeff {a + 1} {b + 1}"
        if form == "one":
            reach = COULOMB_CUTOFF_NM if charged else 0.0
            lines.append(f"{pair} {EPSILON} {sigma!r} {SHORT_RANGE_NM} {reach}")
        elif form == "split":
            style = "lj/cut/coul/debye" if charged else "lj/cut"
            lines.append(f"{pair} {style} {EPSILON} {sigma!r}")
        else:
            lines.append(f"{pair} lj/cut {EPSILON} {sigma!r}")
            if charged:
                lines.append(f"{pair} coul/debye")
    return lines + ["pair_modify shift yes"] if form == "one" else lines


def script(condensate, data, form, skin_nm, neighbour_style, steps, warm_up=200):
    """Text of a LAMMPS input: `warm_up` steps, then `steps` whose loop time LAMMPS prints."""
    kt = K_BOLTZMANN * TEMPERATURE_KELVIN
    return "\n".join([
        "units lj", "atom_style full", "boundary p p p", "newton on", "bond_style harmonic",
        "special_bonds lj/coul 0 1 1", f"read_data {data}", f"bond_coeff 1 {BOND_K / 2} {BOND_NM}",
        *pair_lines(condensate, form),
        f"neighbor {skin_nm} {neighbour_style}", "neigh_modify every 1 delay 5 check yes one 5000 page 100000",
        f"velocity all create {kt!r} 4711 dist gaussian", "fix move all nve",
        f"fix bath all langevin {kt!r} {kt!r} {1 / FRICTION_PER_PS!r} 4712",
        f"timestep {TIME_STEP_PS}", "thermo 1000000", "thermo_style custom step temp evdwl ecoul ebond",
        f"run {warm_up}", f"run {steps}", ""])

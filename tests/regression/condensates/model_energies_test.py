# Energies of built-in force fields by nfold energy, compared with those of the models' own programs.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: model_energies_test.py NFOLD ROOT [unittest arguments]

The energies stand in the table of input/ENERGIES.md, program beside program; here are the systems that they belong to.
"""

import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from itertools import combinations
from math import cos, dist, exp, pi, sin, sqrt
from pathlib import Path

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GUIDE = ROOT / "input/ENERGIES.md"
DUPLEX = ROOT / "tests/unit/calvados/cases/dsrna-elastic"
TERMS = ["bond", "angle", "restraint", "contact", "short_range", "electrostatic"]  # columns of the table
SEQUENCE = "MGKTRADEYVLQWFSHNPCI"
HELIX = [(0.6 * cos(0.62 * k), 0.6 * sin(0.62 * k), 0.1 * k) for k in range(20)]
HELICES = [*HELIX, *[(x + 1.6, y, z + 0.05) for x, y, z in HELIX]]
MIXTURE = [*HELICES, *[(-1.5, -1.25 + 0.5 * j, 0.9) for j in range(6)]]
WITH_PEG = [*HELICES, *[(-1.5 + 0.04 * (j % 2), -0.9 + 0.34 * j, 0.9) for j in range(6)]]
TWO_BEADS = [point for k in range(6) for point in [
    (0.9 * cos(0.55 * k), 0.9 * sin(0.55 * k), 0.32 * k),
    (0.4 * cos(0.55 * k + 0.15), 0.4 * sin(0.55 * k + 0.15), 0.32 * k + 0.12)]]
WITH_TWO_BEADS = [*HELICES, *[(x - 2.2, y + 0.3, z - 0.4) for x, y, z in TWO_BEADS]]
INPUT = """\
system:
  species:
{species}
force_field: {{{force_field}, ionic_strength_molar: {molar}, ph: 7}}
start: {{coordinates: beads.csv}}
dynamics: {{steps: 0, temperature_kelvin: {kelvin}}}
"""


def pair_of(sequence):
    """Two chains: a sequence, whose modified residues stand in brackets, and its reverse."""
    residues = re.findall(r"\[\w+\]|\w", sequence)
    return "".join(f"    - {{name: {name}, sequence: '{''.join(order)}'}}\n"
                   for name, order in (("first", residues), ("second", residues[::-1])))


PROTEINS = pair_of(SEQUENCE)
RNA = "    - {{name: rna, kind: rna, sequence: {}}}\n"
TWO_PHOSPHATES = pair_of("MGK[TPO]RADE[PTR]VLQWF[SEP]HNPCI")
# The references of COCOMO end at 3 nm without a switch.
COCOMO_CUT = re.sub(r" +(cutoff_form|switch_nm): .*\n", "",
                    (ROOT / "input/force_fields/cocomo.yaml").read_text().replace("cutoff_nm: 3.1", "cutoff_nm: 3.0"))
COCOMO2 = (ROOT / "input/force_fields/cocomo2.yaml").read_text()
# Species, beads and temperature of each row of the table.
SYSTEMS = {
    "calvados2": (PROTEINS, HELICES, 293), "calvados3": (PROTEINS, HELICES, 293),
    "pcalvados2": (TWO_PHOSPHATES, HELICES, 293),
    "calvados2-rna": (RNA.format("AUGCAU"), TWO_BEADS, 293),
    "calvados2-rna with protein": (PROTEINS + RNA.format("AUGCAU"), WITH_TWO_BEADS, 293),
    "calvados2-duplex": (f"    - {{name: duplex, structure: '{DUPLEX / 'input/duplex.pdb'}', kind: dsrna, "
                         "domains: ['A:1-12,B:1-12']}\n", None, 293.15),
    "calvados2-peg": (PROTEINS + "    - {name: peg, kind: peg, sequence: JJJJJJ}\n", WITH_PEG, 293),
    "hps-kr": (PROTEINS, HELICES, 300), "hps-urry": (PROTEINS, HELICES, 300), "hps-t": (PROTEINS, HELICES, 300),
    "hps-cation-pi": (PROTEINS, HELICES, 300),
    "hps-ptm": (pair_of("MG[ALY][TPO]RADE[PTR]VLQWF[SEP]HNPCI"), HELICES, 300),
    "hps-rna": (PROTEINS + RNA.format("UAGCUA"), MIXTURE, 300),
    "mpipi": (PROTEINS, HELICES, 300), "mpipi-rna": (PROTEINS + RNA.format("UAGCUA"), MIXTURE, 300),
    "mpipi-recharged": (PROTEINS + RNA.format("UUUUUU"), MIXTURE, 300),
    "cocomo": (PROTEINS + RNA.format("UAGCUA"), MIXTURE, 298),
    "cocomo, cut at 3 nm": (PROTEINS + RNA.format("UAGCUA"), MIXTURE, 298),
    "cocomo2": (PROTEINS + RNA.format("UAGCUA"), MIXTURE, 298),
    "moff": (PROTEINS, HELICES, 300), "kim-hummer": (PROTEINS, HELICES, 300),
    "aicg2p, disordered": (PROTEINS, HELICES, 300),
}


def read_table():
    """[(system, program, {term: its energy}, {term: nfold's})] of the guide: a row each, nfold's below."""
    rows, name = [], None
    for line in GUIDE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 2 + len(TERMS) or not (cells[0].startswith("`") or cells[1] == "nfold"):
            continue
        energies = {term: float(cell) for term, cell in zip(TERMS, cells[2:]) if cell}
        if cells[1] == "nfold":
            rows.append((name, program, theirs, energies))
        else:
            name, program, theirs = cells[0].replace("`", ""), cells[1], energies
    return rows


class ModelEnergies(unittest.TestCase):
    def energies(self, species, force_field, beads, kelvin, molar=0.15, files=None):
        """Parts of the energy [kJ/mol] of a system with these beads [nm], numbers or texts."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (files or {}).items():
                (Path(folder) / name).write_text(text)
            rows = [",".join(x if isinstance(x, str) else f"{x:.4f}" for x in point) for point in beads]
            (Path(folder) / "beads.csv").write_text("\n".join(["x_nm,y_nm,z_nm", *rows, ""]))
            (Path(folder) / "input.yaml").write_text(
                INPUT.format(species=species, force_field=force_field, kelvin=kelvin, molar=molar))
            done = subprocess.run([NFOLD, "energy", "input.yaml", "--json", "--threads", "1"], cwd=folder,
                                  capture_output=True, text=True, check=False, env={**os.environ, "NFOLD_HISTORY": "off"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            frame, = json.loads(done.stdout)["frames"]
        return {part.removesuffix("_kj_mol"): value for part, value in frame.items()}

    def energies_of_row(self, name):
        """Parts of the energy [kJ/mol] of a row of the table."""
        species, beads, kelvin = SYSTEMS[name]
        model = re.match(r"[\w-]+", name).group()
        if beads is None:
            with (DUPLEX / "moved.csv").open() as rows:
                beads = [[row[axis] for axis in ("x_nm", "y_nm", "z_nm")] for row in csv.DictReader(rows)]
        table = ", table: cut.yaml" if "cut at" in name else ""
        return self.energies(species, f"model: {model}{table}", beads, kelvin,
                             0.2 if model == "calvados2-duplex" else 0.15, {"cut.yaml": COCOMO_CUT})

    def assert_close(self, value, reference):
        self.assertAlmostEqual(value / reference, 1, delta=1e-6)

    def test_table_of_the_guide(self):
        table = read_table()
        self.assertEqual({row[0] for row in table}, set(SYSTEMS))
        for name, program, theirs, own in table:
            found = self.energies_of_row(name)
            self.assertEqual(set(theirs), set(own))
            for term in TERMS:
                with self.subTest(system=name, term=term, program=program):
                    reference = theirs.get(term, 0)
                    self.assertAlmostEqual(found[term], reference, delta=1e-6 * max(abs(reference), 1e-2))
                    self.assertAlmostEqual(found[term], own.get(term, 0), delta=1e-8)

    def test_cocomo2_with_areas(self):
        species = re.sub("(first|second), (.*)}", r"\1, \2, domains: [1-20], areas: \1.areas}", PROTEINS)
        files = {"cocomo.yaml": COCOMO_CUT, "cut.yaml": COCOMO2.replace("extends: cocomo\n", "extends: cocomo.yaml\n"),
                 **{name + ".areas": "".join(f"{0.05 * k}\n" for k in range(first, first + 20))
                    for name, first in [("first", 1), ("second", 21)]}}
        parts = self.energies(species + "    - {name: rna, kind: rna, sequence: UAGCUA}",
                              "model: cocomo2, table: cut.yaml, domains: none", MIXTURE, 298, files=files)
        self.assert_close(parts["short_range"] + parts["electrostatic"], -19.904515576 + 1.8555015354)

    def test_moff_with_native_contacts(self):
        """Charges of native contacts act, those of neighbours up to 1-4 do not."""
        structure = ROOT / "input/structures/1ubq.pdb.gz"
        charge = {"ARG": 1, "LYS": 1, "HIS": 0.25, "ASP": -1, "GLU": -1}
        lines = [line for line in gzip.open(structure, "rt") if re.match("ATOM.{9}CA ", line)]
        beads = [tuple(float(line[k:k + 8]) / 10 for k in (30, 38, 46)) for line in lines]
        charges = [charge.get(line[17:20], 0) for line in lines]
        parts = self.energies(f"    - {{name: a, structure: {structure}, domains: [1-76]}}",
                              "model: moff, domains: go, epsilon_kj_mol: 3", beads, 300)
        charge_c, avogadro, boltzmann, vacuum = 1.602176634e-19, 6.02214076e23, 1.380649e-23, 8.8541878128e-12
        coulomb = charge_c**2 * avogadro / (4 * pi * vacuum) * 1e6  # [kJ nm/mol]
        squared = vacuum * boltzmann * 300 / (2 * avogadro * 150 * charge_c**2) * 1e18  # [nm^2]
        total = 0
        for i, j in combinations(range(76), 2):
            r = dist(beads[i], beads[j])
            if j - i < 4 or r >= 1.5:
                continue
            dielectric = -8.5525 + 86.9525 / (1 + 7.7839 * exp(-0.03627 * 86.9525 * r))
            x = max(0, (r - 1.2) / 0.3)
            switch = 1 - 10 * x**3 + 15 * x**4 - 6 * x**5
            total += charges[i] * charges[j] * coulomb * exp(-r / sqrt(dielectric * squared)) / (dielectric * r) * switch
        self.assert_close(parts["electrostatic"], total)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

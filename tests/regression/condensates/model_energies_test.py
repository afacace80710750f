# Energies of built-in force fields by nfold energy, compared with those of the models' own programs.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: model_energies_test.py NFOLD ROOT [unittest arguments]

The references were computed with the authors' code in OpenMM, for two chains that hold all twenty residues and an RNA of six
nucleotides, and for an RNA of two beads a nucleotide.
"""

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
SEQUENCE = "MGKTRADEYVLQWFSHNPCI"
HELIX = [(0.6 * cos(0.62 * k), 0.6 * sin(0.62 * k), 0.1 * k) for k in range(20)]
MIXTURE = [*HELIX, *[(x + 1.6, y, z + 0.05) for x, y, z in HELIX], *[(-1.5, -1.25 + 0.5 * j, 0.9) for j in range(6)]]
TWO_BEADS = [point for k in range(6) for point in [
    (0.9 * cos(0.55 * k), 0.9 * sin(0.55 * k), 0.32 * k),
    (0.4 * cos(0.55 * k + 0.15), 0.4 * sin(0.55 * k + 0.15), 0.32 * k + 0.12)]]
INPUT = """\
system:
  species:
{species}
force_field: {{{force_field}, ionic_strength_molar: 0.15, ph: 7}}
start: {{coordinates: beads.csv}}
dynamics: {{steps: 0, temperature_kelvin: {kelvin}}}
"""
PROTEINS = f"""\
    - {{name: first, sequence: {SEQUENCE}}}
    - {{name: second, sequence: {SEQUENCE[::-1]}}}
"""
# The references of COCOMO end at 3 nm without a switch.
COCOMO_CUT = re.sub(r" +(cutoff_form|switch_nm): .*\n", "",
                    (ROOT / "input/force_fields/cocomo.yaml").read_text().replace("cutoff_nm: 3.1", "cutoff_nm: 3.0"))
COCOMO2 = (ROOT / "input/force_fields/cocomo2.yaml").read_text()


class ModelEnergies(unittest.TestCase):
    def energies(self, species, force_field, beads, kelvin, files=None):
        """Parts of the energy [kJ/mol] of an input."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (files or {}).items():
                (Path(folder) / name).write_text(text)
            rows = [",".join(f"{coordinate:.4f}" for coordinate in point) for point in beads]
            (Path(folder) / "beads.csv").write_text("\n".join(["x_nm,y_nm,z_nm", *rows, ""]))
            (Path(folder) / "input.yaml").write_text(
                INPUT.format(species=species, force_field=force_field, kelvin=kelvin))
            done = subprocess.run([NFOLD, "energy", "input.yaml", "--json", "--threads", "1"], cwd=folder,
                                  capture_output=True, text=True, check=False, env={**os.environ, "NFOLD_HISTORY": "off"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            frame, = json.loads(done.stdout)["frames"]
        return {name.removesuffix("_kj_mol"): value for name, value in frame.items()}

    def assert_close(self, value, reference):
        self.assertAlmostEqual(value / reference, 1, delta=1e-6)

    def test_mpipi_recharged(self):
        species = PROTEINS + "    - {name: rna, kind: rna, sequence: UUUUUU}"
        parts = self.energies(species, "model: mpipi-recharged", MIXTURE, 300)
        self.assert_close(parts["bond"], 0.35178936537)
        self.assert_close(parts["short_range"] + parts["electrostatic"], -46.681252433 - 1.0286031397)

    def test_cocomo(self):
        species = PROTEINS + "    - {name: rna, kind: rna, sequence: UAGCUA}"
        parts = self.energies(species, "model: cocomo, table: cut.yaml", MIXTURE, 298, {"cut.yaml": COCOMO_CUT})
        self.assert_close(parts["bond"], 0.021396312351)
        self.assert_close(parts["angle"], 26.876367257)
        self.assert_close(parts["short_range"] + parts["electrostatic"], -44.066256862 + 9.3365839936)

    def test_cocomo2_with_areas(self):
        species = re.sub("(first|second), (.*)}", r"\1, \2, domains: [1-20], areas: \1.areas}", PROTEINS)
        files = {"cocomo.yaml": COCOMO_CUT, "cut.yaml": COCOMO2.replace("extends: cocomo\n", "extends: cocomo.yaml\n"),
                 **{name + ".areas": "".join(f"{0.05 * k}\n" for k in range(first, first + 20))
                    for name, first in [("first", 1), ("second", 21)]}}
        parts = self.energies(species + "    - {name: rna, kind: rna, sequence: UAGCUA}",
                              "model: cocomo2, table: cut.yaml, domains: none", MIXTURE, 298, files)
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

    def test_calvados_with_rna(self):
        parts = self.energies("    - {name: rna, kind: rna, sequence: AUGCAU}", "model: calvados2-rna", TWO_BEADS, 293)
        self.assert_close(parts["bond"], 2.2512657404)
        self.assert_close(parts["angle"], 1.7527618628)
        self.assert_close(parts["contact"], 57.430133742)
        self.assert_close(parts["short_range"], 26.596697896)
        self.assert_close(parts["electrostatic"], 0.54249786688)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

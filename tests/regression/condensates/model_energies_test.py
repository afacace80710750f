# Energies of built-in force fields by nfold energy, compared with those of the models' own programs.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: model_energies_test.py NFOLD ROOT [unittest arguments]

The references were computed with the authors' code in OpenMM, for two chains that hold all twenty residues and an RNA of six
nucleotides, and for an RNA of two beads a nucleotide.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from math import cos, sin
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

    def test_calvados_with_rna(self):
        parts = self.energies("    - {name: rna, kind: rna, sequence: AUGCAU}", "model: calvados2-rna", TWO_BEADS, 293)
        self.assert_close(parts["bond"], 2.2512657404)
        self.assert_close(parts["angle"], 1.7527618628)
        self.assert_close(parts["contact"], 57.430133742)
        self.assert_close(parts["short_range"], 26.596697896)
        self.assert_close(parts["electrostatic"], 0.54249786688)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

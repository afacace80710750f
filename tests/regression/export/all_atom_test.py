# nfold export --all-atom with a posed pulchra, and with the real one where it is installed.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: all_atom_test.py NFOLD ROOT [unittest arguments]"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
# Writes N and CA of each residue of chain.pdb, N at (1, 0, 0) Angstrom from CA, and of residue 5 an O at the CA of residue 1.
POSED = """#!/usr/bin/env python3
import sys
lines = [line for line in open(sys.argv[1]) if line.startswith("ATOM")]
with open("chain.rebuilt.pdb", "w") as file:
    file.write("REMARK 999 REBUILT BY PULCHRA\\n")
    for line in lines:
        x, rest = float(line[30:38]), line[38:54]
        head = line[17:22]
        file.write(f"ATOM      1  N   {head}{line[22:30]}{x + 1:8.3f}{rest}\\n")
        file.write(f"ATOM      1  CA  {head}{line[22:30]}{x:8.3f}{rest}\\n")
        if int(line[22:26]) == 5:
            file.write(f"ATOM      1  O   {head}{line[22:30]}{lines[0][30:54]}\\n")
    file.write("END\\n")
"""


class AllAtom(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.folder = Path(self.work.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        subprocess.run([NFOLD, "run", ROOT / "input/ubiquitin.yaml", "--quiet", "--threads", "1", "--output",
                        self.folder / "ubi", "--set", "dynamics.steps=200", "output.trajectory_every_steps=100",
                        "start.from=native"], check=True, capture_output=True)

    def pose(self, text):
        program = self.bin / "pulchra"
        program.write_text(text)
        program.chmod(0o755)

    def export(self, *options, path=None):
        environment = {**os.environ, "PATH": path or f"{self.bin}:{os.environ['PATH']}"}
        return subprocess.run([NFOLD, "export", self.folder / "ubi/ubiquitin.h5md", "--all-atom", *options, "--output",
                               self.folder / "made"], env=environment, capture_output=True, text=True, check=False)

    def models(self):
        """Lines of atoms of each model."""
        models = [[]]
        for line in (self.folder / "made.all-atom.pdb").read_text().splitlines():
            if line.startswith("MODEL") and models[-1]:
                models.append([])
            if line.startswith("ATOM"):
                models[-1].append(line)
        return models

    def test_models_have_all_atoms_and_clashes_are_counted(self):
        self.pose(POSED)
        done = self.export("--frames", "0:3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        models = self.models()
        self.assertEqual([len(model) for model in models], [76 * 2 + 1] * 3)
        # The O lies on CA of residue 1, 1 Angstrom from its N; residues 3 to 5 and more are further away.
        self.assertIn("3 frames of 153 atoms; closer than 0.2 nm: 6 pairs", done.stdout)
        with h5py.File(self.folder / "ubi/ubiquitin.h5md") as file:
            x_nm = file["particles/trajectory/position/value"][:]
            names = [name.decode() for name in file["parameters/residues/name"]]
        for model, x in zip(models, x_nm, strict=True):
            beads = [line for line in model if line[12:16].strip() == "CA"]
            self.assertEqual([line[17:20] for line in beads], names)
            self.assertEqual([int(line[22:26]) for line in beads], list(range(1, 77)))
            found = np.array([[float(line[30 + 8 * d:38 + 8 * d]) for d in range(3)] for line in beads])
            np.testing.assert_allclose(found, 10 * x, atol=6e-4)
        self.assertEqual([int(line[6:11]) for line in models[0]], list(range(1, 154)))
        self.assertEqual(list(Path(tempfile.gettempdir()).glob("nfold-pulchra-*")), [])

    def test_failures_are_one_line(self):
        for program, words in ((None, "cannot start the command pulchra"), ("#!/bin/sh\necho no such rotamer\nexit 3\n", "no such rotamer"),
                               ("#!/bin/sh\necho 'ATOM      1  N   MET A   x      1.0     2.0     3.0                 ' > chain.rebuilt.pdb\n",
                                "expected an ATOM of a PDB")):
            with self.subTest(words):
                if program:
                    self.pose(program)
                done = self.export(path=None if program else str(self.bin))
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual(list(self.folder.glob("made.*")), [])

    @unittest.skipUnless(shutil.which("pulchra"), "pulchra is not installed")
    def test_real_pulchra_rebuilds_the_native_structure(self):
        done = self.export()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(self.models()[0]), 590)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

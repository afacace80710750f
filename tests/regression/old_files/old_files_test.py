# Files that version 0.1.0 wrote: this version reads, converts and continues them.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: old_files_test.py NFOLD ROOT [unittest arguments]

version-0.1.0.tar.gz has the output folders of a run of three chains in a box (100 steps) and of an ensemble of one chain
at two temperatures (200 steps), as the command of that version wrote them, without logs."""

import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

import h5py
import MDAnalysis as mda
import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import report  # noqa: E402  (path set above)
from nfold_report.ensemble_folder import read_ensemble  # noqa: E402
from nfold_report.run_folder import read_run  # noqa: E402

RESIDUES = 30


class OldFiles(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.folder = Path(self.work.name)
        with tarfile.open(Path(__file__).parent / "version-0.1.0.tar.gz") as archive:
            archive.extractall(self.folder)

    def nfold(self, *arguments):
        return subprocess.run([NFOLD, *map(str, arguments)], cwd=self.folder, check=True, capture_output=True, text=True)

    def positions(self):
        with h5py.File(self.folder / "old.out/old.h5md") as file:
            return file["particles/trajectory/position/value"][:]

    def test_trajectory_is_exported(self):
        self.nfold("export", "old.out/old.h5md", "--xtc", "--psf", "--output", "made")
        universe = mda.Universe(str(self.folder / "made.psf"), str(self.folder / "made.xtc"))
        found = np.array([now.positions / 10 for now in universe.trajectory])
        np.testing.assert_allclose(found, self.positions(), atol=6e-4)
        self.assertEqual(len(universe.bonds), RESIDUES - 3)

    def test_energies_of_frames_are_computed(self):
        lines = self.nfold("energy", "old.out/old.input.yaml", "old.out/old.h5md", "--csv", "energies.csv").stdout
        self.assertIn("potential", lines)
        rows = np.genfromtxt(self.folder / "energies.csv", delimiter=",", names=True)
        with h5py.File(self.folder / "old.out/old.h5md") as file:
            expected = file["observables/potential_energy/value"][:]
        np.testing.assert_allclose(rows["potential_kj_mol"], expected, rtol=1e-4, atol=0.02)

    def test_run_continues(self):
        before = self.positions()
        self.nfold("run", "old.out/old.input.yaml", "--set", "dynamics.steps=140", "--quiet", "--threads", "1")
        after = self.positions()
        self.assertEqual(len(after), 8)
        np.testing.assert_array_equal(after[:6], before)
        with h5py.File(self.folder / "old.out/old.observables.h5") as file:
            self.assertEqual((file.attrs["frames"], file.attrs["last_step"]), (8, 140))

    def test_ensemble_continues(self):
        with h5py.File(self.folder / "old-ensemble.out/old-ensemble.ensemble.h5") as file:
            before = file["samples/potential_energy"][:]
        self.nfold("run", "old-ensemble.out/old-ensemble.input.yaml", "--set", "dynamics.steps=300", "--quiet", "--threads", "1")
        with h5py.File(self.folder / "old-ensemble.out/old-ensemble.ensemble.h5") as file:
            after, step, state = (file[f"samples/{name}"][:] for name in ("potential_energy", "step", "state"))
        np.testing.assert_array_equal(after[:len(before)], before)
        np.testing.assert_array_equal(step, np.arange(0, 301, 20))
        for values in (step, state):
            self.assertEqual(values.dtype, np.int64)  # version 0.1.0 stored real numbers

    def test_reports_are_drawn(self):
        for name, read in (("old", read_run), ("old-ensemble", read_ensemble)):
            self.assertEqual(read(self.folder / f"{name}.out").name, name)
            self.assertEqual(report.main([str(self.folder / f"{name}.out")]), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

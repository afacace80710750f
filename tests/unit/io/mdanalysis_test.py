# Files of nfold read by MDAnalysis: complete, while written, and after kills.
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: mdanalysis_test.py MAKE_TRAJECTORY (the test program that writes the files)."""

import random
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path

import h5py
import MDAnalysis as mda
import numpy as np

MAKE = sys.argv.pop()
warnings.simplefilter("ignore")  # MDAnalysis guesses masses and elements of beads
RESIDUES, FRAMES, FRAME_PS = 7, 30, 0.5


def expected_positions(frame):
    """Positions [Angstrom] by the formula of trajectory_fixture.hpp."""
    i = np.arange(RESIDUES)
    at = frame / 8
    return 10 * np.stack([0.375 * i + at, (i % 2) * 0.25 - at, at * i / 16], axis=1)


def make(*arguments):
    done = subprocess.run([MAKE, *map(str, arguments)], capture_output=True, text=True, check=True)
    return done.stdout.split()


class CompleteFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = str(Path(cls.folder.name) / "a")
        cls.radii = [float(text) for text in make("whole", cls.prefix)]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_frames(self, universe, tolerance):
        self.assertEqual(len(universe.trajectory), FRAMES)
        for frame, step in enumerate(universe.trajectory):
            self.assertAlmostEqual(step.time, frame * FRAME_PS, places=4)
            np.testing.assert_allclose(step.positions, expected_positions(frame), atol=tolerance)

    def test_h5md_opens_without_a_topology(self):
        universe = mda.Universe(self.prefix + ".h5md")
        self.check_frames(universe, 1e-5)
        self.assertIsNone(universe.trajectory.ts.dimensions)
        step = universe.trajectory[3]
        self.assertEqual(step.data["step"], 300)
        self.assertEqual(step.data["temperature"], 301.5)
        self.assertEqual(step.data["potential_energy"], -3.75)
        np.testing.assert_allclose(step.velocities, expected_positions(3), atol=1e-5)

    def test_radius_of_gyration_matches(self):
        universe = mda.Universe(self.prefix + ".psf", self.prefix + ".h5md")
        for radius, _ in zip(self.radii, universe.trajectory, strict=True):
            self.assertAlmostEqual(universe.atoms.radius_of_gyration() / 10, radius, places=6)

    def test_psf_holds_topology(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            universe = mda.Universe(self.prefix + ".psf", self.prefix + ".h5md")
        np.testing.assert_array_equal(universe.atoms.masses, np.arange(1, RESIDUES + 1))
        np.testing.assert_array_equal(universe.atoms.charges, [-1, 0, 1, -1, 0, 1, -1])
        np.testing.assert_array_equal(universe.residues.resids, np.arange(10, 10 + RESIDUES))
        self.assertEqual(list(universe.residues.resnames[:4]), ["MET", "ALA", "GLY", "TRP"])
        self.assertEqual(list(universe.segments.segids), ["A", "BB"])
        self.assertEqual([tuple(bond) for bond in universe.bonds.indices],
                         [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6)])

    def test_dcd_holds_frames(self):
        universe = mda.Universe(self.prefix + ".psf", self.prefix + ".dcd")
        self.assertAlmostEqual(universe.trajectory.dt, FRAME_PS, places=5)  # H5MD's reader has none
        self.check_frames(universe, 1e-5)

    def test_pdb_holds_first_frame(self):
        universe = mda.Universe(self.prefix + ".pdb")
        np.testing.assert_allclose(universe.atoms.positions, expected_positions(0), atol=1e-3)
        self.assertEqual(list(universe.residues.resnames[:2]), ["MET", "ALA"])
        self.assertEqual(len(universe.bonds), 5)

    def test_h5md_follows_the_standard(self):
        with h5py.File(self.prefix + ".h5md", "r") as file:
            self.assertEqual(list(file["h5md"].attrs["version"]), [1, 1])
            self.assertEqual(file["h5md/modules/units"].attrs["system"], b"SI")
            self.assertEqual(file["h5md/creator"].attrs["name"], b"nfold")
            particles = file["particles/trajectory"]
            self.assertEqual(list(particles["box"].attrs["boundary"]), [b"none"] * 3)
            self.assertEqual(particles["position/value"].attrs["unit"], "nm")
            self.assertEqual(particles["velocity/value"].attrs["unit"], "nm ps-1")
            self.assertEqual(particles["position/time"].attrs["unit"], "ps")
            self.assertEqual(particles["velocity/step"], particles["position/step"])
            self.assertEqual(file["observables/temperature/step"], particles["position/step"])
            self.assertEqual(list(particles["species"]), [2, 0, 1, 3, 2, 0, 1])
            bonds = file["connectivity/bonds"]
            self.assertEqual(file[bonds.attrs["particles_group"]], particles)
            vmd = file["parameters/vmd_structure"]
            self.assertEqual(list(vmd["bond_from"]), [1, 2, 3, 5, 6])
            self.assertEqual([vmd["resname"][i] for i in vmd["resid"]][3], b"TRP")


class ManyChains(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.prefix = str(Path(self.folder.name) / "a")
        make("chains", self.prefix)

    def test_pdb_keeps_chains_apart(self):
        universe = mda.Universe(self.prefix + ".pdb")
        self.assertEqual(len(universe.segments), 400)
        self.assertEqual(len(set(universe.segments.segids)), 400)
        self.assertEqual({len(segment.atoms) for segment in universe.segments}, {2})
        letters = Path(self.prefix + ".pdb").read_text()
        self.assertEqual(len({line[21] for line in letters.splitlines() if line.startswith("ATOM")}), 62)

    def test_mmcif_keeps_chains_apart(self):
        lines = Path(self.prefix + ".cif").read_text().splitlines()
        names = [line.split(".")[1] for line in lines if line.startswith("_atom_site.")]
        atoms = [dict(zip(names, line.split(), strict=True)) for line in lines if line.startswith("ATOM ")]
        self.assertEqual(len(atoms), 800)
        self.assertEqual(len({atom["label_asym_id"] for atom in atoms}), 400)
        self.assertEqual([atoms[k]["label_asym_id"] for k in (0, 50, 52, 798)], ["A", "Z", "AA", "OJ"])
        self.assertEqual({atom["label_seq_id"] for atom in atoms}, {"1", "2"})
        self.assertAlmostEqual(float(atoms[799]["Cartn_x"]), 79.9, places=3)


class Large(unittest.TestCase):
    def test_pdb_opens_beyond_decimal_serial_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = str(Path(folder) / "a")
            make("large", prefix)
            self.assertEqual(len(mda.Universe(prefix + ".pdb").atoms), 100_000)


class PeriodicBox(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.prefix = str(Path(self.folder.name) / "a")
        make("boxed", self.prefix)

    def test_readers_find_the_box(self):
        for suffix in (".h5md", ".dcd"):
            universe = mda.Universe(self.prefix + ".psf", self.prefix + suffix)
            self.assertEqual(len(universe.trajectory), FRAMES, suffix)
            for frame, step in enumerate(universe.trajectory):
                np.testing.assert_allclose(step.dimensions, [40, 50, 125, 90, 90, 90], err_msg=suffix)
                np.testing.assert_allclose(step.positions, expected_positions(frame), atol=1e-5)
        np.testing.assert_allclose(mda.Universe(self.prefix + ".pdb").dimensions,
                                   [40, 50, 125, 90, 90, 90])

    def test_box_edges_follow_the_standard(self):
        with h5py.File(self.prefix + ".h5md", "r") as file:
            particles = file["particles/trajectory"]
            self.assertEqual(list(particles["box"].attrs["boundary"]), [b"periodic"] * 3)
            edges = particles["box/edges"]
            self.assertEqual(edges["value"].attrs["unit"], "nm")
            np.testing.assert_array_equal(edges["value"], [np.diag([4, 5, 12.5])] * FRAMES)
            self.assertEqual(edges["step"], particles["position/step"])
            self.assertEqual(edges["time"], particles["position/time"])


def growing_frame_count(path):
    """Number of frames. Retries, because opening the file fails during a flush."""
    for attempts_left in reversed(range(20)):
        try:
            with h5py.File(path, "r") as running:
                return len(running["particles/trajectory/position/step"])
        except OSError:  # "truncated file"
            if attempts_left == 0:
                raise
            time.sleep(0.01)
    return 0


class GrowingFiles(unittest.TestCase):
    def test_readable_while_written_and_after_kills(self):
        """MDAnalysis opens the file after each kill, at the latest after the resume."""
        chance = random.Random(3)
        with tempfile.TemporaryDirectory() as folder:
            prefix = str(Path(folder) / "a")
            frames = 0
            for _ in range(6):
                with subprocess.Popen([MAKE, "endless", prefix, str(frames)],
                                      stdout=subprocess.PIPE, text=True) as writer:
                    try:
                        self.assertEqual(writer.stdout.readline(), "ready\n")
                        self.assertGreater(growing_frame_count(prefix + ".h5md"), 0)
                        time.sleep(chance.uniform(0, 0.02))
                    finally:
                        writer.kill()  # it never ends by itself
                before, frames = frames, int(make("resume", prefix)[0])
                self.assertGreater(frames, before)
                universe = mda.Universe(prefix + ".h5md")
                self.assertEqual(len(universe.trajectory), frames)
                for frame in (0, frames // 2, frames - 1):
                    step = universe.trajectory[frame]
                    self.assertEqual(step.data["step"], 100 * frame)
                    np.testing.assert_allclose(step.positions, expected_positions(frame), rtol=1e-6,
                                               atol=1e-4)
                universe.trajectory.close()


if __name__ == "__main__":
    unittest.main()

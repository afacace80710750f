# Files of nfold export compared with the trajectory that they were made of.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: export_test.py NFOLD ROOT [unittest arguments]"""

import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import gsd.hoomd
import h5py
import MDAnalysis as mda
import numpy as np

NFOLD = Path(sys.argv[1]).resolve()
warnings.simplefilter("ignore")  # MDAnalysis guesses masses and elements of beads
INPUT = """\
system:
  species:
    - {name: tail, sequence: GSYGRDEKAQPNTLVGSYGRDEKAQPNTLVGSYGRDEKAQPNTLV, copies: 3}
    - {name: pair, sequence: GS, copies: 40}
  box_nm: BOX
force_field: {model: calvados2}
start: {from: random}
dynamics: {steps: 400, time_step_ps: 0.01, temperature_kelvin: 300}
output: {trajectory_every_steps: 40}
"""
BOX = [9, 10, 12.5]
FRAMES, STEPS, TIME_STEP_PS = 11, 40, 0.01
CHAINS = [45] * 3 + [2] * 40
RESIDUES = sum(CHAINS)
HALF_STEP = 0.5 * 0.01 + 2e-4  # Angstrom; half the grid of an XTC, and rounding of float32


def nfold(*arguments, check=True):
    return subprocess.run([NFOLD, *map(str, arguments)], check=check, capture_output=True, text=True)


def positions_nm(path):
    with h5py.File(path) as file:
        return file["particles/trajectory/position/value"][:].astype(float)


def put(path, name, values):
    """Replaces the values of a dataset."""
    with h5py.File(path, "r+") as file:
        file[name][...] = values


def masses(path):
    with h5py.File(path) as file:
        return file["particles/trajectory/mass"][:]


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.work.name)
        for name, box in (("boxed", BOX), ("open", [])):
            text = INPUT.replace("BOX", str(box)) if box else INPUT.replace("  box_nm: BOX\n", "")
            if not box:
                text = text.replace("copies: 3", "copies: 1").replace("    - {name: pair, sequence: GS, copies: 40}\n", "")
                text = text.replace("start: {from: random}\n", "")
            (cls.folder / f"{name}.yaml").write_text(text)
            nfold("run", cls.folder / f"{name}.yaml", "--output", cls.folder / f"{name}.out")
        cls.boxed, cls.open = (cls.folder / f"{name}.out/{name}.h5md" for name in ("boxed", "open"))

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def export(self, source, *options):
        """Universe of the exported PSF and trajectory."""
        kind = next(option for option in options if option in ("--xtc", "--dcd"))
        nfold("export", source, "--psf", *options, "--overwrite", "--output", self.folder / "made")
        return mda.Universe(str(self.folder / "made.psf"), str(self.folder / f"made.{kind[2:]}"))

    def check(self, universe, expected_nm, frames, box=BOX, tolerance=HALF_STEP):
        self.assertEqual(len(universe.trajectory), len(frames))
        for now, frame, x_nm in zip(universe.trajectory, frames, expected_nm, strict=True):
            self.assertAlmostEqual(now.time, frame * STEPS * TIME_STEP_PS, places=4)
            np.testing.assert_allclose(now.positions, 10 * x_nm, atol=tolerance, rtol=1e-7)
            if box:
                np.testing.assert_allclose(now.dimensions, [10 * x for x in box] + [90] * 3, rtol=1e-6)
            else:
                self.assertIsNone(now.dimensions)

    def test_xtc_holds_positions_box_and_time(self):
        for source, box in ((self.boxed, BOX), (self.open, None)):
            universe = self.export(source, "--xtc")
            self.check(universe, positions_nm(source), range(FRAMES), box)
            self.assertEqual([now.data["step"] for now in universe.trajectory], [STEPS * k for k in range(FRAMES)])

    def test_topology_holds_names_masses_and_bonds(self):
        universe = self.export(self.boxed, "--xtc")
        self.assertEqual("".join(name[0] for name in universe.residues.resnames[:4]), "GSTG")
        np.testing.assert_allclose(universe.atoms.masses, masses(self.boxed), atol=1e-5)
        self.assertEqual(len(universe.bonds), RESIDUES - len(CHAINS))

    def test_xtc_compresses_any_coordinates(self):
        """Far and close neighbours, runs of close ones, equal ones, and ranges beyond 24 bits."""
        random = np.random.default_rng(7)
        shape = (FRAMES, RESIDUES, 3)
        walk = np.cumsum(random.normal(0, 0.2, shape), axis=1)
        threes = np.repeat(random.uniform(-30, 30, (FRAMES, RESIDUES // 3 + 1, 3)), 3, axis=1)[:, :RESIDUES]
        far = random.uniform(-20000, 20000, shape)
        far[:, 5:60] = far[:, 4:5] + np.cumsum(random.normal(0, 0.05, (FRAMES, 55, 3)), axis=1)
        cases = {"uniform": random.uniform(0, 9, shape), "walk": walk, "dense walk": walk * 0.01,
                 "groups of three": threes + random.normal(0, 0.03, shape), "far": far,
                 "widths from 1e-3 to 1e3": np.cumsum(random.normal(0, 1, shape) * 10 ** random.uniform(-3, 3, shape[:2] + (1,)), axis=1),
                 "all equal": np.full(shape, 3.25), "one outlier": np.where(np.arange(RESIDUES)[:, None] == 17, 9e3, walk)}
        path = self.folder / "any.h5md"
        for name, x_nm in cases.items():
            with self.subTest(name):
                path.write_bytes(self.boxed.read_bytes())
                put(path, "particles/trajectory/position/value", x_nm)
                universe = self.export(path, "--xtc")
                tolerance = HALF_STEP + 10 * np.abs(x_nm).max() * 2.0 ** -23
                self.check(universe, positions_nm(path), range(FRAMES), tolerance=tolerance)

    def test_xtc_of_nine_residues_is_not_rounded(self):
        text = INPUT.replace("GSYGRDEKAQPNTLVGSYGRDEKAQPNTLVGSYGRDEKAQPNTLV", "GSYGRDEKA").replace("copies: 3", "copies: 1")
        text = text.replace("    - {name: pair, sequence: GS, copies: 40}\n", "").replace("BOX", str(BOX))
        (self.folder / "nine.yaml").write_text(text)
        nfold("run", self.folder / "nine.yaml", "--output", self.folder / "nine.out")
        source = self.folder / "nine.out/nine.h5md"
        self.check(self.export(source, "--xtc"), positions_nm(source), range(FRAMES), tolerance=1e-5)

    def test_xtc_refuses_what_does_not_fit(self):
        path = self.folder / "wide.h5md"
        for value in (3e6, float("nan")):
            path.write_bytes(self.boxed.read_bytes())
            with h5py.File(path, "r+") as file:
                file["particles/trajectory/position/value"][4, 7, 1] = value
            done = nfold("export", path, "--xtc", "--output", self.folder / "wide", check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("residue 8 at step 160, does not fit an XTC", done.stderr)
            self.assertEqual(list(self.folder.glob("wide.xtc*")), [])

    def test_steps_beyond_31_bits_are_warned_of(self):
        path = self.folder / "late.h5md"
        path.write_bytes(self.boxed.read_bytes())
        put(path, "particles/trajectory/position/step", 2**31 + np.arange(FRAMES) * 40)
        done = nfold("export", path, "--xtc", "--output", self.folder / "late")
        self.assertIn("warning", done.stderr)
        universe = mda.Universe(str(self.folder / "late.xtc"))
        self.assertEqual(universe.trajectory[3].data["step"], 2**31 - 1)
        self.assertAlmostEqual(universe.trajectory[3].time, 3 * STEPS * TIME_STEP_PS, places=5)

    def test_stride_and_frames_choose(self):
        x_nm = positions_nm(self.boxed)
        for options, frames in ((["--stride", 4], [0, 4, 8]), (["--frames", "2:7"], [2, 3, 4, 5, 6]),
                                (["--frames", "-3:", "--stride", 2], [8, 10]), (["--frames", "5"], [5])):
            for kind in ("--xtc", "--dcd"):
                if kind == "--dcd" and frames == [5]:
                    continue  # a DCD of one frame has no interval
                with self.subTest(kind=kind, options=options):
                    self.check(self.export(self.boxed, kind, *options), x_nm[frames], frames)

    def test_pdb_and_mmcif_hold_a_model_for_each_frame(self):
        x_nm = positions_nm(self.boxed)
        nfold("export", self.boxed, "--pdb", "--cif", "--stride", 3, "--overwrite", "--output", self.folder / "models")
        universe = mda.Universe(str(self.folder / "models.pdb"))
        self.assertEqual(len(universe.bonds), RESIDUES - len(CHAINS))
        self.assertEqual(len(universe.trajectory), 4)
        for now, x in zip(universe.trajectory, x_nm[::3], strict=True):
            np.testing.assert_allclose(now.positions, 10 * x, atol=6e-4)
        lines = (self.folder / "models.pdb").read_text().splitlines()
        self.assertEqual(lines[1].split()[:4], ["CRYST1", "90.000", "100.000", "125.000"])
        rows = [line.split() for line in (self.folder / "models.cif").read_text().splitlines() if line.startswith("ATOM ")]
        self.assertEqual([row[-1] for row in rows[::RESIDUES]], ["1", "2", "3", "4"])
        found = np.array([row[9:12] for row in rows], float).reshape(4, RESIDUES, 3)
        np.testing.assert_allclose(found, 10 * x_nm[::3], atol=6e-4)

    def test_frame_chooses_one_beside_a_trajectory(self):
        nfold("export", self.boxed, "--xtc", "--pdb", "--stride", 3, "--frame", -1, "--overwrite", "--output",
              self.folder / "last")
        universe = mda.Universe(str(self.folder / "last.pdb"))
        self.assertEqual(len(universe.trajectory), 1)
        np.testing.assert_allclose(universe.atoms.positions, 10 * positions_nm(self.boxed)[-1], atol=6e-4)

    def centres_nm(self, universe):
        """Centres of mass of the chains in each frame, (frames, chains, 3)."""
        ends = np.cumsum(CHAINS)
        found = []
        for _ in universe.trajectory:
            found.append([universe.atoms[end - size:end].center_of_mass() / 10 for size, end in zip(CHAINS, ends, strict=True)])
        return np.array(found)

    def check_moved_by_edges(self, moved_nm, x_nm, common=0):
        """Chains are whole, and moved by edges of the box and a common vector."""
        first = np.repeat(np.cumsum(CHAINS) - CHAINS, CHAINS)
        moves = moved_nm - x_nm - common
        np.testing.assert_allclose(moves, moves[:, first], atol=2e-3)
        np.testing.assert_allclose(moves / BOX, np.round(moves / BOX), atol=1e-3)

    def test_wrap_moves_whole_chains_into_the_box(self):
        path = self.folder / "spread.h5md"
        path.write_bytes(self.boxed.read_bytes())
        far = np.repeat(np.random.default_rng(3).integers(-4, 5, (FRAMES, len(CHAINS), 3)) * BOX, CHAINS, axis=1)
        put(path, "particles/trajectory/position/value", positions_nm(self.boxed) + far)
        universe = self.export(path, "--xtc", "--wrap")
        moved = np.array([now.positions / 10 for now in universe.trajectory])
        self.check_moved_by_edges(moved, positions_nm(path))
        centres = self.centres_nm(universe)
        self.assertTrue(np.all((centres > -2e-3) & (centres < np.array(BOX) + 2e-3)))

    def test_centre_finds_a_droplet_at_the_border(self):
        """All chains near a corner of the box end up around its middle."""
        path = self.folder / "droplet.h5md"
        path.write_bytes(self.boxed.read_bytes())
        random = np.random.default_rng(5)
        centres = np.repeat(random.normal(0, 0.6, (FRAMES, len(CHAINS), 3)), CHAINS, axis=1)
        edges = np.repeat(random.integers(-1, 2, (FRAMES, len(CHAINS), 3)) * BOX, CHAINS, axis=1)
        x_nm = centres + edges + random.normal(0, 0.3, (FRAMES, RESIDUES, 3)) + np.array([0.3, 9.9, 12.4])
        put(path, "particles/trajectory/position/value", x_nm)
        universe = self.export(path, "--xtc", "--centre")
        moved = np.array([now.positions / 10 for now in universe.trajectory])
        middle = np.array(BOX) / 2
        self.assertLess(np.abs(self.centres_nm(universe) - middle).max(), 3.2)
        common = np.average(moved, axis=1, weights=masses(path))
        np.testing.assert_allclose(common, np.broadcast_to(middle, common.shape), atol=0.1)
        shifts = moved - positions_nm(path)
        of_first = shifts[:, :1]
        self.check_moved_by_edges(moved, positions_nm(path), common=of_first)

    def test_gsd_holds_frames_and_topology(self):
        nfold("export", self.boxed, "--gsd", "--stride", 2, "--overwrite", "--output", self.folder / "hoomd")
        x_nm = positions_nm(self.boxed)[::2]
        with gsd.hoomd.open(self.folder / "hoomd.gsd") as frames, h5py.File(self.boxed) as file:
            self.assertEqual(len(frames), len(x_nm))
            for index, (frame, x) in enumerate(zip(frames, x_nm, strict=True)):
                self.assertEqual(frame.configuration.step, 2 * index * STEPS)
                self.assertAlmostEqual(frame.log["time_ps"][0], 2 * index * STEPS * TIME_STEP_PS)
                np.testing.assert_allclose(frame.configuration.box, BOX + [0, 0, 0])
                inside, half = frame.particles.position, np.array(BOX) / 2
                self.assertTrue(np.all((inside >= -half) & (inside < half)))
                np.testing.assert_allclose(inside + half + frame.particles.image * BOX, x, atol=1e-5)
            first = frames[0]
            names = [name.decode() for name in file["parameters/residues/name"]]
            self.assertEqual([first.particles.types[kind] for kind in first.particles.typeid], names)
            np.testing.assert_allclose(first.particles.mass, masses(self.boxed), rtol=1e-6)
            np.testing.assert_allclose(first.particles.charge, file["particles/trajectory/charge"][:], rtol=1e-6)
            np.testing.assert_array_equal(first.bonds.group, file["connectivity/bonds"][:])
        universe = mda.Universe(str(self.folder / "hoomd.gsd"))
        self.assertEqual((len(universe.trajectory), len(universe.bonds)), (len(x_nm), RESIDUES - len(CHAINS)))

    def test_gsd_without_a_box_is_refused(self):
        done = nfold("export", self.open, "--gsd", "--output", self.folder / "none", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a GSD needs a box of three edges", done.stderr)
        self.assertEqual(list(self.folder.glob("none.gsd*")), [])

    def test_centre_without_a_box_is_the_origin(self):
        universe = self.export(self.open, "--xtc", "--centre")
        for _ in universe.trajectory:
            np.testing.assert_allclose(universe.atoms.center_of_mass(), 0, atol=2e-3)

    def test_wrong_options_are_refused(self):
        for options, words in ((["--frames", "20:"], "there is no frame"), (["--frame", 11], "no frame 11 among 11"),
                               (["--stride", 0], "stride")):
            done = nfold("export", self.boxed, "--pdb", *options, "--output", self.folder / "wrong", check=False)
            self.assertEqual(done.returncode, 1, options)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

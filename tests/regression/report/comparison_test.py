# Comparison of runs, and the view of a structure in three dimensions.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: comparison_test.py NFOLD ROOT [unittest arguments]"""

import base64
import gzip
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import MDAnalysis as mda
import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import report  # noqa: E402  (path set above)
from nfold_report import comparison_page, structure_view  # noqa: E402
from nfold_report.run_folder import Trajectory, read_run  # noqa: E402
from pictures import without_pictures  # noqa: E402


def element(page, name):
    """Content of a packed element of a page."""
    text = re.search(f'<script type="application/gzip" id="{name}">([^<]*)</script>', page).group(1)
    return gzip.decompress(base64.b64decode(text))


def trajectory(positions_nm, chains, box_nm=None):
    frames, residues = positions_nm.shape[:2]
    return Trajectory(np.arange(frames), positions_nm, np.empty((0, 3)), np.empty((0, 2), int), chains,
                      np.arange(1, residues + 1), ["GLY"] * residues, None if box_nm is None else np.tile(box_nm, (frames, 1)))


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        for name, kelvin in (("cold", 60), ("hot", 140)):
            subprocess.run([NFOLD, "run", ROOT / "input/ubiquitin.yaml", "--quiet", "--threads", "1", "--output",
                            cls.folder / name, "--set", "dynamics.steps=6000", f"dynamics.temperature_kelvin={kelvin}",
                            "output.energies_every_steps=50", "output.trajectory_every_steps=200"],
                           check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def page_of(self, *names):
        with without_pictures():
            self.assertEqual(report.main([*(str(self.folder / name) for name in names), "-o", str(self.folder / "page")]), 0)
        return (self.folder / "page/report.html").read_text(encoding="utf-8")

    def test_page_compares_results_inputs_and_figures(self):
        page = self.page_of("cold", "hot")
        self.assertIn("<h1>cold and hot</h1>", page)
        keys = re.findall(r"<code>([a-z_.]+)</code></td>", page)
        self.assertEqual(keys, ["dynamics.temperature_kelvin"])
        for name in ("folding", "rmsd", "radius", "energies", "temperature"):
            self.assertIn(f'id="compared_{name}"', page)
        row = re.search(r"<tr><td[^>]*>temperature \(K\)</td>.*?</tr>", page, re.DOTALL).group()
        cold, hot, more = re.findall(r"<td[^>]*>(?:<strong[^>]*>)?([^<]*)", row)[1:]
        means = [read_run(self.folder / name).energies["temperature_kelvin"][30:].mean() for name in ("cold", "hot")]
        self.assertAlmostEqual(float(cold.split()[0]), means[0], delta=0.6)
        self.assertAlmostEqual(float(hot.split()[0]), means[1], delta=0.6)
        self.assertAlmostEqual(float(more.split()[0]), means[1] - means[0], delta=1.1)
        self.assertIn('<strong class="flag">', row)
        self.assertNotIn("://", page)

    def test_run_compared_with_itself_does_not_differ(self):
        run = read_run(self.folder / "cold")
        self.assertEqual(comparison_page.differing_settings([run, run]), [])
        self.assertTrue(all(row[-1].startswith("0") for row in comparison_page.result_rows([run, run])))

    def test_folder_without_a_run_is_named(self):
        with without_pictures():
            self.assertEqual(report.main([str(self.folder / "cold"), str(self.folder / "none")]), 1)

    def test_page_has_its_structure_and_frames(self):
        page = self.page_of("cold")
        self.assertIn(b"molstar", element(page, "molstar-code")[:200])
        self.assertIn("MIT licence", page)
        self.assertIn("Permission is hereby granted", page)
        rows = [line.split() for line in element(page, "structure-model").decode().splitlines() if line.startswith("ATOM ")]
        with h5py.File(self.folder / "cold/ubiquitin.h5md") as file:
            x_nm = file["particles/trajectory/position/value"][:]
            names = [f"'{name.decode()}'" for name in file["parameters/residues/name"]]
        self.assertEqual([row[4] for row in rows], names)
        path = self.folder / "frames.dcd"
        path.write_bytes(element(page, "structure-frames"))
        frames = mda.coordinates.DCD.DCDReader(str(path))
        self.assertEqual(len(frames), len(x_nm))
        for now, x in zip(frames, x_nm, strict=True):  # distances, since frames are superposed
            np.testing.assert_allclose(np.linalg.norm(now.positions[:-9] - now.positions[9:], axis=1),
                                       10 * np.linalg.norm(x[:-9] - x[9:], axis=1), atol=0.1)
        np.testing.assert_allclose(np.array([row[8:11] for row in rows], float), frames[0].positions, atol=0.03)


class Frames(unittest.TestCase):
    def test_chains_in_a_box_stay_whole_and_centred(self):
        box, rng = np.array([5, 6, 8.0]), np.random.default_rng(1)
        own = rng.normal(0, 0.2, (4, 30, 3))
        start = np.repeat(rng.normal(0, 0.5, (4, 10, 3)) + rng.integers(-2, 3, (4, 10, 3)) * box, 3, axis=1)
        found = structure_view.placed(trajectory(own + start + [4.9, 0.1, 3], [f"c.{i // 3}" for i in range(30)], box), np.arange(4))
        self.assertLess(np.abs(found).max(), 3)
        moves = found - own - start
        np.testing.assert_allclose(moves[:, 0::3], moves[:, 2::3], atol=1e-9)

    def test_number_of_frames_is_limited(self):
        for frames, residues, expected in ((30, 10, 30), (500, 10, 100), (500, 15000, 10), (3, 140000, 1), (3, 200000, 0)):
            posed = trajectory(np.empty((1, 1, 3)), ["A"])
            posed.positions_nm = np.lib.stride_tricks.as_strided(np.zeros(3), (frames, residues, 3), (0, 0, 8))
            chosen = structure_view.chosen_frames(posed)
            self.assertEqual(len(chosen), expected)
            if expected:
                self.assertEqual(chosen[-1], frames - 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

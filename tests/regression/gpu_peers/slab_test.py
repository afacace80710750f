# The comparison of a slab: profiles, phases and verdicts of made-up runs, and two programs in two pieces.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: slab_test.py NFOLD ROOT [unittest arguments]"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_report.slab import interface  # noqa: E402  (the path had to come first)
from nfold_report.slab_series import (SlabSeries, bin_centres, centred_profile, load_series,  # noqa: E402
                                      results_of)

BOX_NM = [10.0, 10.0, 60.0]
FRAME_NS = 0.2


def made_up(program, seed, frames, dense, dilute, memory=0.9, spread=4.0):
    """A slab of 24 nm whose phases fluctuate about their means with a memory from frame to frame."""
    random = np.random.default_rng(seed)
    place, wander, profiles = bin_centres(BOX_NM), np.zeros(2), []
    for _ in range(frames):
        wander = memory * wander + (1 - memory**2) ** 0.5 * spread * random.normal(size=2)
        noise = random.normal(0, 1, len(place))
        profiles.append(interface(place, dense + wander[0], dilute + wander[1], 12.0, 1.5) + noise)
    setup = {"protein": "none", "box_nm": BOX_NM, "seed": seed, "time_step_ps": 0.01,
             "frame_every_steps": 20_000, "temperature_kelvin": 300.0}
    return SlabSeries(setup, program, "1", "", [20_000 * (i + 1) for i in range(frames)], profiles,
                      [300.0] * frames, 10.0, 20_000 * frames)


class Analysis(unittest.TestCase):
    def test_a_slab_across_the_border_is_centred(self):
        z = np.concatenate([np.linspace(-5, 5, 4001) + 58, np.array([28.0])]) + 7 * BOX_NM[2]
        profile = centred_profile(z, np.full(len(z), 100.0), BOX_NM)
        place = bin_centres(BOX_NM)
        self.assertAlmostEqual(profile.sum() * 0.5 * 100 / 1.66053906660, 100 * len(z), delta=1e-6 * len(z))
        self.assertGreater(profile[np.abs(place) < 4.5].min(), 0.9 * profile.max())
        self.assertAlmostEqual(profile[np.abs(place) > 5.6].sum() * 0.5 * 100 / 1.66053906660, 100, delta=1e-6)

    def test_two_runs_of_the_same_slab_agree(self):
        runs = [made_up("nfold", 1, 2000, 400, 20), made_up("nfold", 2, 2000, 400, 20),
                made_up("openmm", 3, 300, 400, 20)]
        _, _, (nfold, other) = results_of(runs, {"nfold": 1.0, "openmm": 1.0})
        self.assertAlmostEqual(nfold.nanoseconds, 2 * (2000 - 5) * FRAME_NS, places=6)
        # The mean of n frames of an AR(1) series: spread sqrt((1 + m) / (1 - m) / n).
        expected = 4.0 * (1.9 / 0.1 / 3990) ** 0.5
        self.assertLess(abs(np.log(nfold.dilute[1] / expected)), np.log(1.6))
        self.assertGreaterEqual(other.dilute[1], 0.999 * nfold.dilute[1] * (3990 / 295) ** 0.5)
        for result in (nfold, other):
            self.assertLess(abs(result.dilute[0] - 20), 3 * result.dilute[1])
            self.assertAlmostEqual(result.dense[0], 400, delta=2)

    def tool(self, folder, *words):
        return subprocess.run([sys.executable, ROOT / "tools/compare_slab.py", "compare", folder, "--drop-ns",
                               "1", "1", *words], capture_output=True, text=True, check=False)

    def test_the_command_tells_whether_they_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            made_up("nfold", 1, 500, 400, 20).save(folder / "nfold-1.npz")
            made_up("openmm", 1, 300, 400, 45).save(folder / "openmm-1.npz")
            done = self.tool(folder, "--picture", folder / "a.png", "--json", folder / "a.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            verdicts = json.loads((folder / "a.json").read_text())["verdicts"]
            self.assertFalse(verdicts["dilute"]["agree"])
            self.assertTrue(verdicts["dense"]["agree"])
            self.assertIn("dilute: difference -2", done.stdout)
            self.assertEqual((folder / "a.png").read_bytes()[:4], b"\x89PNG")
            made_up("openmm", 1, 15, 400, 20).save(folder / "openmm-1.npz")
            done = self.tool(folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("expected at least 16", done.stderr)


class Pieces(unittest.TestCase):
    def run_tool(self, folder, *words):
        return subprocess.run([
            sys.executable, ROOT / "tools/compare_slab.py", "run", folder, "--nfold", NFOLD, "--platform", "CPU",
            "--minutes", "0.034", "--protein", "Hst5", "--copies", "16", "--box-nm", "8.2", "8.2", "24",
            "--frame-every-steps", "20", *words], capture_output=True, text=True, check=False)

    def test_each_piece_goes_on_from_the_one_before(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = {"nfold": [], "openmm": []}
            for _ in range(2):
                done = self.run_tool(folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                for program, found in seen.items():
                    series = load_series(Path(folder) / f"{program}-1.npz")
                    found.append(len(series.steps))
                    self.assertEqual(series.steps, [20 * (i + 1) for i in range(len(series.steps))])
                    self.assertEqual(len(series.profiles), len(series.steps))
                    self.assertTrue(np.isfinite(series.temperatures).all())
                    self.assertGreaterEqual(series.run_steps, series.steps[-1])
            for found in seen.values():
                self.assertGreater(found[0], 0)
                self.assertGreater(found[1], found[0])
            done = self.run_tool(folder, "--temperature-kelvin", "310")
            self.assertEqual(done.returncode, 1)
            self.assertIn("was begun with temperature_kelvin = 320.0, now 310.0", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

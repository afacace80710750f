# Slab comparison: profiles, phases and verdicts of synthetic runs, and two programs run in two pieces.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: slab_test.py NFOLD ROOT [unittest arguments]"""

import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_report.slab import interface  # noqa: E402  (path set above)
from nfold_peers.slab_series import (SlabSeries, bin_centres, centred_profile, load_series,  # noqa: E402
                                      find_results)

BOX_NM = [10.0, 10.0, 60.0]
FRAME_NS = 0.2


def synthetic_slab(program, seed, frames, dense, dilute, memory=0.9, spread=4.0, width=1.5):
    """Synthetic 24 nm slab. Its phases fluctuate about their means, correlated from frame to frame."""
    random = np.random.default_rng(seed)
    place, wander, profiles = bin_centres(BOX_NM), np.zeros(2), []
    for _ in range(frames):
        wander = memory * wander + (1 - memory**2) ** 0.5 * spread * random.normal(size=2)
        noise = random.normal(0, 1, len(place))
        profiles.append(interface(place, dense + wander[0], dilute + wander[1], 12.0, width) + noise)
    setup = {"protein": "none", "copies": 24, "box_nm": BOX_NM, "seed": seed, "time_step_ps": 0.01,
             "frame_every_steps": 20_000, "temperature_kelvin": 300.0}
    return SlabSeries(setup, program, "1", "", [20_000 * (i + 1) for i in range(frames)], profiles,
                      [300.0] * frames, 10.0, 20_000 * frames)


class Analysis(unittest.TestCase):
    def test_slab_across_the_border_is_centred(self):
        z = np.concatenate([np.linspace(-5, 5, 4001) + 58, np.array([28.0])]) + 7 * BOX_NM[2]
        profile = centred_profile(z, np.full(len(z), 100.0), BOX_NM)
        place = bin_centres(BOX_NM)
        self.assertAlmostEqual(profile.sum() * 0.5 * 100 / 1.66053906660, 100 * len(z), delta=1e-6 * len(z))
        self.assertGreater(profile[np.abs(place) < 4.5].min(), 0.9 * profile.max())
        self.assertAlmostEqual(profile[np.abs(place) > 5.6].sum() * 0.5 * 100 / 1.66053906660, 100, delta=1e-6)

    def test_two_runs_of_the_same_slab_agree(self):
        runs = [synthetic_slab("nfold", 1, 2000, 400, 20), synthetic_slab("nfold", 2, 2000, 400, 20),
                synthetic_slab("openmm", 3, 300, 400, 20)]
        regions, (nfold, other) = find_results(runs, {"nfold": 1.0, "openmm": 1.0})
        self.assertAlmostEqual(nfold.nanoseconds, 2 * (2000 - 5) * FRAME_NS, places=6)
        # The error of a mean of n AR(1) frames is spread sqrt((1 + m) / (1 - m) / n).
        expected = 4.0 * (1.9 / 0.1 / 3990) ** 0.5
        self.assertLess(abs(np.log(nfold.dilute[1] / expected)), np.log(1.6))
        self.assertGreaterEqual(other.dilute[1], 0.999 * nfold.dilute[1] * (3990 / 295) ** 0.5)
        for result in (nfold, other):
            self.assertLess(abs(result.dilute[0] - 20), 3 * result.dilute[1])
            self.assertAlmostEqual(result.dense[0], 400, delta=2)
            self.assertLess(abs(result.width[0] - 1.5), 0.05)
            self.assertTrue(0 < result.width[1] < 0.05, result.width)
        self.assertTrue(regions.apart)
        self.assertAlmostEqual(regions.dense_below_nm, 12 - 2 * 1.5, delta=0.2)
        self.assertAlmostEqual(regions.dilute_beyond_nm, 12 + 3.5 * 1.5, delta=0.2)

    def test_wide_interface_leaves_the_outermost_slices(self):
        runs = [synthetic_slab("nfold", 1, 100, 400, 20, width=7.0)]
        regions, (nfold,) = find_results(runs, {"nfold": 1.0})
        self.assertFalse(regions.apart)
        self.assertEqual((regions.dense_below_nm, regions.dilute_beyond_nm), (1.0, 26.0))
        self.assertEqual((regions.dense.sum(), regions.dilute.sum()), (4, 16))
        self.assertGreater(nfold.dense[0], 300)

    def tool(self, folder, *options):
        return subprocess.run([sys.executable, ROOT / "tools/compare_slab.py", "compare", folder, "--drop-ns",
                               "1", "1", *options], capture_output=True, text=True, check=False)

    def test_command_reports_agreement_of_each_quantity(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            synthetic_slab("nfold", 1, 500, 400, 20).save(folder / "nfold-1.npz")
            synthetic_slab("openmm", 1, 300, 400, 45).save(folder / "openmm-1.npz")
            done = self.tool(folder, "--picture", folder / "a.png", "--json", folder / "a.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            verdicts = json.loads((folder / "a.json").read_text())["verdicts"]
            self.assertFalse(verdicts["dilute"]["agree"])
            self.assertTrue(verdicts["dense"]["agree"])
            self.assertIn("dilute: difference -2", done.stdout)
            self.assertEqual((folder / "a.png").read_bytes()[:4], b"\x89PNG")
            self.assertTrue(verdicts["width"]["agree"])
            synthetic_slab("openmm", 1, 15, 400, 20).save(folder / "openmm-1.npz")
            done = self.tool(folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("\nnfold ", done.stdout)
            self.assertIn("expected at least 16", done.stderr)


    def test_dilute_phase_without_chains_is_a_bound(self):
        """One twenty-fourth of 400 mg/ml in 24 of 60 nm, spread over some 24 nm beyond the interfaces."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for program in ("nfold", "openmm"):
                series = synthetic_slab(program, 1, 300, 400, 20)
                outside = np.abs(bin_centres(BOX_NM)) > 14
                for profile in series.profiles:
                    profile[outside] = 0
                series.save(folder / f"{program}-1.npz")
            done = self.tool(folder, "--picture", folder / "a.png", "--json", folder / "a.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"< 1\d ")
            self.assertIn("dilute: not compared", done.stdout)
            report = json.loads((folder / "a.json").read_text())
            self.assertNotIn("dilute", report["verdicts"])
            self.assertTrue(all(one["dilute_is_bound"] for one in report["results"]), report)


class Pieces(unittest.TestCase):
    def command(self, folder, *options):
        return [sys.executable, ROOT / "tools/compare_slab.py", "run", folder, "--nfold", NFOLD, "--platform",
                "CPU", "--protein", "Hst5", "--copies", "16", "--box-nm", "8.2", "8.2", "24",
                "--frame-every-steps", "20", *options]

    def run_tool(self, folder, *options):
        return subprocess.run(self.command(folder, "--minutes", "0.067", *options), capture_output=True, text=True,
                              check=False)

    def test_signal_ends_a_piece_and_all_frames_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            for program in ("nfold", "openmm"):
                frames = 0
                for seconds in (6, 60):  # a slow machine needs the second, longer piece
                    with subprocess.Popen(self.command(folder, "--minutes", "60", "--programs", program),
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as tool:
                        time.sleep(seconds)
                        tool.send_signal(signal.SIGTERM)
                        output, _ = tool.communicate(timeout=300)
                    if seconds == 6 and tool.returncode == -signal.SIGTERM:
                        continue  # the tool had not begun
                    self.assertEqual(tool.returncode, 0, output)
                    before, frames = frames, len(load_series(Path(folder) / f"{program}-1.npz").steps)
                    self.assertIn(f"{program}, seed 1: {frames - before} frames more", output)
                    if frames > 2:
                        break
                self.assertGreater(frames, 2, output)

    def test_each_piece_resumes_the_one_before(self):
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
            done = self.run_tool(folder, "--temperature-kelvin", "320")
            self.assertEqual(done.returncode, 1)
            self.assertIn("was begun with temperature_kelvin = 310.0, now 320.0", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

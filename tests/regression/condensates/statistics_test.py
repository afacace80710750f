# Blocking errors and coexisting phases of density profiles, on synthetic data with known answers.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: statistics_test.py ROOT [unittest arguments]"""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import phase_diagram  # noqa: E402  (path set above)
from nfold_report.blocking import TooShortError, standard_error  # noqa: E402
from nfold_report.slab import SlabError, find_phases, read_profile  # noqa: E402


def write_synthetic_run(folder, temperature, dense, dilute, half=9.0, width=0.8, frames=50, chain_amu=None, error=None):
    """Write an nfold output folder with a 60 nm profile that has 1 % noise."""
    place = 60 * ((np.arange(120) + 0.5) / 120 - 0.5)
    density = (dense + dilute) / 2 - (dense - dilute) / 2 * np.tanh((np.abs(place) - half) / width)
    density *= 1 + 0.01 * np.random.default_rng(3).normal(size=120)
    folder.mkdir()
    with h5py.File(folder / "slab.observables.h5", "w") as file:
        file.attrs["frames"] = frames
        group = file.create_group("density_profile")
        group["position"], group["mass_density_total"] = place, density
        group["mass_density_total_error"] = 0.01 * density if error is None else error + 0 * density
        if chain_amu:
            # Slices of a 10 x 10 x 60 nm box have 50 nm^3; 1 amu/nm^3 is 1.66053907 mg/ml.
            file.attrs["box_nm"] = [10.0, 10.0, 60.0]
            group["mass_density"] = density[None]
            file["species/chains"] = [density.sum() * 50 / 1.66053907 / chain_amu]
    (folder / "slab.input.yaml").write_text(f"dynamics:\n  temperature_kelvin: {temperature}\n",
                                            encoding="utf-8")
    return folder


class Blocking(unittest.TestCase):
    def test_error_of_correlated_series_matches_theory(self):
        # Series x' = a x + noise; the error of a mean of n values is 1 / ((1 - a) sqrt n).
        a, count = 0.95, 40_000
        noise = np.random.default_rng(1).normal(size=count)
        series = np.zeros(count)
        for i in range(1, count):
            series[i] = a * series[i - 1] + noise[i]
        expected = 1 / ((1 - a) * count**0.5)
        self.assertLess(abs(standard_error(series) - expected), 0.3 * expected)
        # The error of independent values is a sixth of it.
        self.assertLess(series.std() / count**0.5, 0.2 * expected)

    def test_short_series_is_refused(self):
        with self.assertRaises(TooShortError):
            standard_error(np.arange(10))


class Slab(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_phases_of_a_profile_are_found(self):
        run = write_synthetic_run(self.folder / "a.out", 280, dense=550, dilute=2)
        phases = find_phases(read_profile(run / "slab.observables.h5"))
        self.assertAlmostEqual(phases.dense_mg_ml, 550, delta=8)  # the tanh is 2 % below its limit
        self.assertAlmostEqual(phases.dilute_mg_ml, 2, delta=0.1)
        self.assertAlmostEqual(phases.half_thickness_nm, 9, delta=0.1)
        self.assertAlmostEqual(phases.width_nm, 0.8, delta=0.1)

    def test_empty_dilute_phase_gives_an_upper_bound(self):
        """One chain of 14,460 amu in 1,700 nm^3: 34 slices, 17 nm on each side beyond 9 + 4.5 * 0.8 nm."""
        run = write_synthetic_run(self.folder / "a.out", 260, dense=550, dilute=0, chain_amu=14460, error=0)
        phases = find_phases(read_profile(run / "slab.observables.h5"))
        expected = 14460 * 1.66053907 / (100 * 2 * 17)
        self.assertTrue(phases.dilute_is_bound)
        self.assertAlmostEqual(phases.dilute_mg_ml, expected, delta=0.05 * expected)
        self.assertAlmostEqual(phases.dilute_micromolar, 1e6 * phases.dilute_mg_ml / 14460, delta=1)
        self.assertAlmostEqual(phases.dense_micromolar, 1e6 * phases.dense_mg_ml / 14460, delta=10)
        self.assertRegex(phases.dilute_text(), r"^< \d")

    def test_rare_chain_gives_a_bound_unless_its_error_is_known(self):
        rare = write_synthetic_run(self.folder / "r.out", 260, dense=550, dilute=0.5, chain_amu=14460, error=np.nan)
        self.assertTrue(find_phases(read_profile(rare / "slab.observables.h5")).dilute_is_bound)
        vague = write_synthetic_run(self.folder / "v.out", 260, dense=550, dilute=0.5, chain_amu=14460, error=0.4)
        self.assertTrue(find_phases(read_profile(vague / "slab.observables.h5")).dilute_is_bound)
        known = write_synthetic_run(self.folder / "k.out", 260, dense=550, dilute=0.5, chain_amu=14460, error=0.05)
        phases = find_phases(read_profile(known / "slab.observables.h5"))
        self.assertFalse(phases.dilute_is_bound)
        self.assertRegex(phases.dilute_text(), r"^0\.50 \+- 0\.05$")
        many = write_synthetic_run(self.folder / "m.out", 260, dense=550, dilute=30, chain_amu=14460, error=np.nan)
        phases = find_phases(read_profile(many / "slab.observables.h5"))
        self.assertEqual((phases.dilute_is_bound, phases.dilute_text()), (False, f"{phases.dilute_mg_ml:.2f}"))

    def test_single_phase_is_refused(self):
        run = write_synthetic_run(self.folder / "b.out", 400, dense=120, dilute=60, half=12, width=9)
        with self.assertRaisesRegex(SlabError, "no place for two phases"):
            find_phases(read_profile(run / "slab.observables.h5"))

    def test_diagram_has_rows_by_temperature(self):
        cold = write_synthetic_run(self.folder / "cold.out", 260, 600, 0, chain_amu=14460, error=0)
        warm = write_synthetic_run(self.folder / "warm.out", 290, 450, 9)
        picture, table = self.folder / "d.png", self.folder / "d.csv"
        self.assertEqual(phase_diagram.main([str(warm), str(cold), "--picture", str(picture),
                                             "--csv", str(table)]), 0)
        rows = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], ["temperature_kelvin", "260.0", "290.0"])
        self.assertEqual([row.split(",")[-1] for row in rows], ["dilute_is_upper_bound", "1", "0"])
        with Image.open(picture) as image:
            self.assertGreater(image.width, 1000)

    def test_empty_or_missing_run_fails(self):
        empty = write_synthetic_run(self.folder / "e.out", 260, 600, 1, frames=0)
        for run, message in (empty, "no frame was averaged"), (self.folder, "expected one"):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(phase_diagram.main([str(run)]), 1)
            self.assertIn(message, errors.getvalue())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

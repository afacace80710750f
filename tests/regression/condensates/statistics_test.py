# Blocking errors and the two phases of a density profile, on made-up numbers whose answer is known.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: statistics_test.py ROOT [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import phase_diagram  # noqa: E402  (the path had to come first)
from nfold_report.blocking import TooShortError, standard_error  # noqa: E402
from nfold_report.slab import SlabError, phases_of, read_profile  # noqa: E402


def made_up_run(folder, temperature, dense, dilute, half=9.0, width=0.8, frames=50, chain_amu=None, error=None):
    """A folder as nfold leaves it, with a profile 60 nm long and noise of 1 % in its dense part."""
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
            # A box of 10 x 10 x 60 nm, of which each slice has 50 nm^3; 1 amu/nm^3 is 1.66053907 mg/ml.
            file.attrs["box_nm"] = [10.0, 10.0, 60.0]
            group["mass_density"] = density[None]
            file["species/chains"] = [density.sum() * 50 / 1.66053907 / chain_amu]
    (folder / "slab.input.yaml").write_text(f"dynamics:\n  temperature_kelvin: {temperature}\n",
                                            encoding="utf-8")
    return folder


class Blocking(unittest.TestCase):
    def test_correlated_numbers(self):
        # x' = a x + noise: the error of the mean of n is 1 / ((1 - a) sqrt n).
        a, count = 0.95, 40_000
        noise = np.random.default_rng(1).normal(size=count)
        series = np.zeros(count)
        for i in range(1, count):
            series[i] = a * series[i - 1] + noise[i]
        expected = 1 / ((1 - a) * count**0.5)
        self.assertLess(abs(standard_error(series) - expected), 0.3 * expected)
        # Taken as independent they would claim a sixth of that.
        self.assertLess(series.std() / count**0.5, 0.2 * expected)

    def test_few_numbers(self):
        with self.assertRaises(TooShortError):
            standard_error(np.arange(10))


class Slab(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def test_phases(self):
        run = made_up_run(self.folder / "a.out", 280, dense=550, dilute=2)
        phases = phases_of(read_profile(run / "slab.observables.h5"))
        self.assertAlmostEqual(phases.dense_mg_ml, 550, delta=8)  # the tanh is 2 % short of its end
        self.assertAlmostEqual(phases.dilute_mg_ml, 2, delta=0.1)
        self.assertAlmostEqual(phases.half_thickness_nm, 9, delta=0.1)
        self.assertAlmostEqual(phases.width_nm, 0.8, delta=0.1)

    def test_a_dilute_phase_that_no_chain_entered_is_a_bound(self):
        """A chain of 14,460 amu in 1,700 nm^3: the 34 slices beyond 9 + 4.5 * 0.8 nm are 17 nm on each side."""
        run = made_up_run(self.folder / "a.out", 260, dense=550, dilute=0, chain_amu=14460, error=0)
        phases = phases_of(read_profile(run / "slab.observables.h5"))
        expected = 14460 * 1.66053907 / (100 * 2 * 17)
        self.assertTrue(phases.dilute_is_bound)
        self.assertAlmostEqual(phases.dilute_mg_ml, expected, delta=0.05 * expected)
        self.assertAlmostEqual(phases.dilute_micromolar, 1e6 * phases.dilute_mg_ml / 14460, delta=1)
        self.assertAlmostEqual(phases.dense_micromolar, 1e6 * phases.dense_mg_ml / 14460, delta=10)
        self.assertRegex(phases.dilute_text(), r"^< \d")

    def test_a_rare_chain_is_a_bound_unless_its_error_is_known(self):
        rare = made_up_run(self.folder / "r.out", 260, dense=550, dilute=0.5, chain_amu=14460, error=np.nan)
        self.assertTrue(phases_of(read_profile(rare / "slab.observables.h5")).dilute_is_bound)
        vague = made_up_run(self.folder / "v.out", 260, dense=550, dilute=0.5, chain_amu=14460, error=0.4)
        self.assertTrue(phases_of(read_profile(vague / "slab.observables.h5")).dilute_is_bound)
        known = made_up_run(self.folder / "k.out", 260, dense=550, dilute=0.5, chain_amu=14460, error=0.05)
        phases = phases_of(read_profile(known / "slab.observables.h5"))
        self.assertFalse(phases.dilute_is_bound)
        self.assertRegex(phases.dilute_text(), r"^0\.50 \+- 0\.05$")
        many = made_up_run(self.folder / "m.out", 260, dense=550, dilute=30, chain_amu=14460, error=np.nan)
        phases = phases_of(read_profile(many / "slab.observables.h5"))
        self.assertEqual((phases.dilute_is_bound, phases.dilute_text()), (False, f"{phases.dilute_mg_ml:.2f}"))

    def test_one_phase(self):
        run = made_up_run(self.folder / "b.out", 400, dense=120, dilute=60, half=12, width=9)
        with self.assertRaisesRegex(SlabError, "no place for two phases"):
            phases_of(read_profile(run / "slab.observables.h5"))

    def test_diagram(self):
        cold = made_up_run(self.folder / "cold.out", 260, 600, 0, chain_amu=14460, error=0)
        warm = made_up_run(self.folder / "warm.out", 290, 450, 9)
        picture, table = self.folder / "d.png", self.folder / "d.csv"
        self.assertEqual(phase_diagram.main([str(warm), str(cold), "--picture", str(picture),
                                             "--csv", str(table)]), 0)
        rows = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], ["temperature_kelvin", "260.0", "290.0"])
        self.assertEqual([row.split(",")[-1] for row in rows], ["dilute_is_upper_bound", "1", "0"])
        with Image.open(picture) as image:
            self.assertGreater(image.width, 1000)

    def test_what_is_wrong(self):
        empty = made_up_run(self.folder / "e.out", 260, 600, 1, frames=0)
        self.assertEqual(phase_diagram.main([str(empty)]), 1)
        self.assertEqual(phase_diagram.main([str(self.folder)]), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

# Umbrella windows on a radius of gyration compared with an unbiased run and Boltzmann weights.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: umbrellas_of_size_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import KB, Example, ratio_slope_with_error

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
UMBRELLAS = Example(NFOLD, INPUT / "ubiquitin-umbrellas.yaml")
KELVIN, K = 90, 60
LADDERS = 12
CENTRES = [0.8, 1.0, 1.2]

# First hairpin of ubiquitin, open and closed.
HAIRPIN = ["system.chains=[A:1-17]", f"ensemble.temperatures_kelvin=[{KELVIN}]",
           "ensemble.umbrella_variable=radius-of-gyration", "ensemble.umbrella_residues=[A]",
           "dynamics.steps=60000", "ensemble.equilibration_steps=20000", "ensemble.sample_every_steps=100"]
WINDOWS = [*HAIRPIN, f"ensemble.umbrella_centres_nm={CENTRES}", f"ensemble.umbrella_k_kj_mol_nm2={K}",
           f"ensemble.ladders={LADDERS}", "ensemble.exchange_every_steps=200"]


class UmbrellasOfSize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.held, cls.free = (Path(cls.work.name) / name for name in ("held", "free"))
        UMBRELLAS.run(cls.held, *WINDOWS)
        # This run uses the resident kernels, since it has no umbrellas.
        UMBRELLAS.run(cls.free, *HAIRPIN, "ensemble.umbrella_variable=distance", "ensemble.umbrella_residues=[]",
                      "ensemble.umbrella_centres_nm=[]", f"ensemble.ladders={8 * LADDERS}")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def test_variable_is_the_radius_of_the_chain(self):
        variable, radius, _ = UMBRELLAS.samples(self.held, 0, "umbrella_radius_of_gyration", "radius_of_gyration")
        np.testing.assert_allclose(variable, radius, atol=2e-6)

    def test_neighbours_have_boltzmann_ratios(self):
        """ln p_1(s) - ln p_0(s) has slope k (c_1 - c_0)/kT for any model energy."""
        variable, state = UMBRELLAS.samples(self.held, 20000, "umbrella_radius_of_gyration")
        for low in range(len(CENTRES) - 1):
            expected = K * (CENTRES[low + 1] - CENTRES[low]) / (KB * KELVIN)
            slope, error = ratio_slope_with_error(variable, state, low, len(CENTRES), LADDERS, expected)
            self.assertLess(abs(slope - expected) / error, 4, (slope, expected, error))
            self.assertLess(error, 0.2 * expected)

    def test_profile_equals_that_without_umbrellas(self):
        free, _ = UMBRELLAS.samples(self.free, 20000, "radius_of_gyration")
        with h5py.File(UMBRELLAS.path(self.held, "ensemble.h5")) as file:
            centre, profile = file["umbrella/radius_of_gyration"][:], file["umbrella/free_energy"][:]
            error = file["umbrella/free_energy_error"][:]
        edges = np.append(centre, 2 * centre[-1] - centre[-2]) - 0.5 * (centre[1] - centre[0])
        counts = np.array([np.histogram(one, edges)[0] for one in free.T])  # by replica
        seen = (counts.sum(axis=0) > 200) & np.isfinite(profile)
        self.assertGreater(seen.sum(), 10)
        plain = -KB * KELVIN * np.log(counts.sum(axis=0)[seen])
        spread = np.std([-KB * KELVIN * np.log(np.delete(counts, part, 0).sum(axis=0)[seen])
                         for part in np.array_split(np.arange(8 * LADDERS), 16)], axis=0) * np.sqrt(15)
        difference = profile[seen] - plain
        weight = 1 / (error[seen] ** 2 + spread ** 2)
        difference -= np.average(difference, weights=weight)
        self.assertLess(np.abs(difference * np.sqrt(weight)).max(), 5, (centre[seen], difference))

    def test_ranks_and_stops_do_not_matter(self):
        short = [*WINDOWS, "dynamics.steps=4000", "ensemble.ladders=1", "ensemble.equilibration_steps=1000"]
        with tempfile.TemporaryDirectory() as work:
            whole, stopped = (Path(work) / name for name in ("whole", "stopped"))
            UMBRELLAS.run(whole, *short)
            UMBRELLAS.run(stopped, *short, "dynamics.steps=2000", ranks=2)
            UMBRELLAS.run(stopped, *short)
            for end in ("samples", "ensemble.h5"):
                self.assertEqual(UMBRELLAS.path(whole, end).read_bytes(),
                                 UMBRELLAS.path(stopped, end).read_bytes(), end)

    def test_impossible_settings_are_refused(self):
        cases = [(["ensemble.umbrella_residues=[]"], "umbrellas on no residues"),
                 (["ensemble.umbrella_residues=[A:5]"], "1 residues for a radius-of-gyration"),
                 (["ensemble.umbrella_residues=[A:1-9, A:9-12]"], "stands there twice"),
                 (["bias.residues=[A]", "bias.variable=radius-of-gyration"], "a bias beside an ensemble")]
        with tempfile.TemporaryDirectory() as work:
            for settings, message in cases:
                done = UMBRELLAS.run(Path(work) / "no", *WINDOWS, *settings, check=False)
                self.assertEqual(done.returncode, 1, (settings, done.stderr))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

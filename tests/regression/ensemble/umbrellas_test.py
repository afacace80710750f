# Umbrella windows compared with plain runs, Boltzmann weights and pymbar.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: umbrellas_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import KB, LENGTH, AgainstPlainRuns, Example, ratio_slope_with_error

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
UMBRELLAS = Example(NFOLD, INPUT / "ubiquitin-umbrellas.yaml")
KELVIN, K = 90, 12
LADDERS = 32
CENTRES = [0.4, 0.8, 1.2, 1.6, 2.0, 2.4]

# First hairpin of ubiquitin; its ends meet, and it opens and closes in some thousand steps.
HAIRPIN = ["system.chains=[A:1-17]", f"ensemble.temperatures_kelvin=[{KELVIN}]", f"ensemble.ladders={LADDERS}",
           f"ensemble.umbrella_centres_nm={CENTRES}", "ensemble.umbrella_residues=[A:1, A:17]",
           f"ensemble.umbrella_k_kj_mol_nm2={K}", f"dynamics.steps={20000 + 40000 * LENGTH}",
           "ensemble.equilibration_steps=20000", "ensemble.sample_every_steps=200"]


def read_samples(folder):
    """Energy [kJ/mol], distance [nm], Q and state of all samples after equilibration."""
    return UMBRELLAS.samples(folder, 20000, "potential_energy", "umbrella_distance", "native_fraction")


def umbrella(distance, centre):
    return 0.5 * K * (distance - centre) ** 2


class Umbrellas(AgainstPlainRuns):
    example, settings, exchange_every_steps = UMBRELLAS, HAIRPIN, 200
    states, ladders = 6, LADDERS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.free = cls.folder / "free"
        # One window with a negligible spring constant.
        UMBRELLAS.run(cls.free, *HAIRPIN, "ensemble.umbrella_centres_nm=[1]", f"ensemble.ladders={6 * LADDERS}",
                      "ensemble.umbrella_k_kj_mol_nm2=1e-9")

    def test_means_equal_those_of_plain_windows(self):
        traded, plain = read_samples(self.traded), read_samples(self.plain)
        for column in (0, 1, 2):
            self.assert_same_means(traded[column], plain[column], traded[3], plain[3])

    def test_neighbours_have_boltzmann_ratios(self):
        """ln p_1(d) - ln p_0(d) has slope k (c_1 - c_0)/kT for any model energy."""
        for folder in (self.traded, self.plain):
            _, distance, _, state = read_samples(folder)
            for low in range(5):
                expected = K * (CENTRES[low + 1] - CENTRES[low]) / (KB * KELVIN)
                slope, error = ratio_slope_with_error(distance, state, low, 6, LADDERS, expected)
                self.assertLess(abs(slope - expected) / error, 4, (slope, expected, error))
                self.assertLess(error, 0.1 * expected)

    def test_free_energies_equal_those_of_pymbar(self):
        from pymbar import MBAR
        for folder in (self.traded, self.plain):
            energy, distance, _, state = read_samples(folder)
            rest = energy - umbrella(distance, np.array(CENTRES)[state])
            order = np.argsort(state.ravel(), kind="stable")
            d = distance.ravel()[order]
            reduced = (rest.ravel()[order] + umbrella(d, np.array(CENTRES)[:, None])) / (KB * KELVIN)
            theirs = MBAR(reduced, np.bincount(state.ravel())).compute_free_energy_differences()
            with h5py.File(UMBRELLAS.path(folder, "ensemble.h5")) as file:
                ours = file["umbrella/reduced_free_energy"][:]
            # nfold uses a subset of more than 60,000 samples.
            np.testing.assert_allclose(ours, theirs["Delta_f"][0], atol=5 * theirs["dDelta_f"].max())

    def test_profile_equals_that_without_umbrellas(self):
        _, free, free_q, _ = read_samples(self.free)
        for folder in (self.traded, self.plain):
            with h5py.File(UMBRELLAS.path(folder, "ensemble.h5")) as file:
                centre, profile = file["umbrella/distance"][:], file["umbrella/free_energy"][:]
                error, q = file["umbrella/free_energy_error"][:], file["umbrella/native_fraction"][:]
            edges = np.append(centre, 2 * centre[-1] - centre[-2]) - 0.5 * (centre[1] - centre[0])
            counts = np.array([np.histogram(one, edges)[0] for one in free.T])  # by replica
            seen = (counts.sum(axis=0) > 200) & np.isfinite(profile)
            self.assertGreater(seen.sum(), 12)
            plain = -KB * KELVIN * np.log(counts.sum(axis=0)[seen])
            spread = np.std([-KB * KELVIN * np.log(np.delete(counts, part, 0).sum(axis=0)[seen])
                             for part in np.array_split(np.arange(6 * LADDERS), 16)], axis=0) * np.sqrt(15)
            difference = profile[seen] - plain
            weight = 1 / (error[seen] ** 2 + spread ** 2)
            difference -= np.average(difference, weights=weight)
            self.assertLess(np.abs(difference * np.sqrt(weight)).max(), 5, (centre[seen], difference))
            bin_index = np.digitize(free.ravel(), edges) - 1
            for bin_ in np.flatnonzero(seen)[::4]:
                self.assertAlmostEqual(q[bin_], free_q.ravel()[bin_index == bin_].mean(), delta=0.12)

    def test_ranks_and_stops_do_not_matter(self):
        short = [*HAIRPIN, "dynamics.steps=5000", "ensemble.ladders=2", "ensemble.equilibration_steps=4000",
                 "ensemble.exchange_every_steps=100", "ensemble.tuning_steps=4000"]
        with tempfile.TemporaryDirectory() as work:
            whole, three, stopped = (Path(work) / name for name in ("whole", "three", "stopped"))
            UMBRELLAS.run(whole, *short)
            UMBRELLAS.run(three, *short, ranks=3)
            UMBRELLAS.run(stopped, *short, "dynamics.steps=2500", ranks=2)
            UMBRELLAS.run(stopped, *short)
            for other in (three, stopped):
                for end in ("samples", "ensemble.h5"):
                    self.assertEqual(UMBRELLAS.path(whole, end).read_bytes(),
                                     UMBRELLAS.path(other, end).read_bytes(), (other.name, end))
            with h5py.File(UMBRELLAS.path(whole, "ensemble.h5")) as file:
                tuned = file["exchange/umbrella_centre"][:]
                self.assertEqual((tuned[0], tuned[-1]), (CENTRES[0], CENTRES[-1]))
                self.assertTrue((np.diff(tuned) > 0).all())
                self.assertFalse(np.array_equal(tuned, CENTRES))

    def test_impossible_settings_are_refused(self):
        cases = [(["ensemble.umbrella_centres_nm=[1, 2, 1.5]"], "neither rise nor fall"),
                 (["ensemble.umbrella_residues=[A:1]"], "1 residues for a distance"),
                 (["ensemble.umbrella_residues=[A:1, A:77]"], "chain A has no residue 77"),
                 (["ensemble.umbrella_residues=[A:1, \"1\"]"], "are the same"),
                 (["ensemble.temperatures_kelvin=[60, 70]"], "several temperatures"),
                 (["ensemble.umbrella_k_kj_mol_nm2=0"], "umbrella_k_kj_mol_nm2")]
        with tempfile.TemporaryDirectory() as work:
            for settings, message in cases:
                done = UMBRELLAS.run(Path(work) / "no", *HAIRPIN, *settings, check=False)
                self.assertEqual(done.returncode, 1, (settings, done.stderr))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

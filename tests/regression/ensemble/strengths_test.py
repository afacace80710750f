# Replica exchange of contact strengths compared with plain runs, Boltzmann weights and pymbar.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: strengths_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import KB, AgainstPlainRuns, Example, ratio_slope_with_error

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
STRENGTHS = Example(NFOLD, INPUT / "ubiquitin-strengths.yaml")
KELVIN = 66
LADDER = [1, 0.92, 0.84, 0.76]

# First hairpin of ubiquitin, which folds and unfolds in some thousand steps.
HAIRPIN = ["system.chains=[A:1-17]", f"ensemble.temperatures_kelvin=[{KELVIN}]", "ensemble.ladders=16",
           f"ensemble.contact_strengths={LADDER}", "dynamics.steps=240000", "ensemble.starts=same",
           "ensemble.equilibration_steps=40000", "ensemble.sample_every_steps=400"]


def read_samples(folder):
    """Energy, contact energy at strength 1 [kJ/mol], Q and state of all samples after equilibration."""
    return STRENGTHS.samples(folder, 40000, "potential_energy", "contact_energy", "native_fraction")


class Strengths(AgainstPlainRuns):
    example, settings, exchange_every_steps = STRENGTHS, HAIRPIN, 400
    states, ladders = 4, 16

    def test_means_equal_those_of_plain_runs(self):
        traded, plain = read_samples(self.traded), read_samples(self.plain)
        for column in (0, 1, 2):
            self.assert_same_means(traded[column], plain[column], traded[3], plain[3])

    def test_neighbours_have_boltzmann_ratios(self):
        """ln p_1(E) - ln p_0(E) of the contact energy E has slope (s_0 - s_1)/kT."""
        for folder in (self.traded, self.plain):
            _, contacts, _, state = read_samples(folder)
            for low in range(3):
                expected = (LADDER[low] - LADDER[low + 1]) / (KB * KELVIN)
                slope, error = ratio_slope_with_error(contacts, state, low, 4, 16, expected)
                self.assertLess(abs(slope - expected) / error, 4, (slope, expected, error))
                self.assertLess(error, 0.15 * expected)

    def test_free_energies_equal_those_of_pymbar(self):
        from pymbar import MBAR
        strength = np.array(LADDER)[:, None]
        for folder in (self.traded, self.plain):
            energy, contacts, _, state = read_samples(folder)
            rest = energy - np.array(LADDER)[state] * contacts
            order = np.argsort(state.ravel(), kind="stable")
            reduced = (rest.ravel()[order] + strength * contacts.ravel()[order]) / (KB * KELVIN)
            theirs = MBAR(reduced, np.bincount(state.ravel())).compute_free_energy_differences()
            with h5py.File(STRENGTHS.path(folder, "ensemble.h5")) as file:
                ours = file["thermodynamics/reduced_free_energy"][:]
            np.testing.assert_allclose(ours, theirs["Delta_f"][0], atol=1e-5)

    def test_files_and_log_have_the_strengths(self):
        with h5py.File(STRENGTHS.path(self.traded, "ensemble.h5")) as file:
            np.testing.assert_array_equal(file["exchange/contact_strength"][:], LADDER)
            np.testing.assert_array_equal(file["exchange/temperature"][:], KELVIN)
            np.testing.assert_array_equal(file["exchange/ladder_contact_strengths"][:], [LADDER])
            along = file["thermodynamics/contact_strength"][:]
            np.testing.assert_allclose(along, np.linspace(min(LADDER), 1, len(along)))
            q = file["thermodynamics/native_fraction"][:]
            self.assertTrue((np.diff(q) > 0).all())
            acceptance = file["exchange/acceptance"][:]
            self.assertTrue(((acceptance > 0.2) & (acceptance < 0.97)).all(), acceptance)
            self.assertGreater(file["exchange/round_trips"][:].sum(), 50)
        log = STRENGTHS.path(self.plain, "log").read_text(encoding="utf-8")
        self.assertIn("at contact strength 0.92 from step 40000 on mean energy", log)
        self.assertIn(f"4 contact strengths from 1 to 0.76 at {KELVIN} K", log)

    def test_ranks_and_stops_do_not_matter(self):
        short = [*HAIRPIN, "dynamics.steps=6000", "ensemble.ladders=2", "ensemble.equilibration_steps=4000",
                 "ensemble.exchange_every_steps=100", "ensemble.tuning_steps=4000",
                 "ensemble.trajectory_replicas=[1]", "output.trajectory_every_steps=200"]
        with tempfile.TemporaryDirectory() as work:
            whole, three, stopped = (Path(work) / name for name in ("whole", "three", "stopped"))
            STRENGTHS.run(whole, *short)
            STRENGTHS.run(three, *short, ranks=3)
            STRENGTHS.run(stopped, *short, "dynamics.steps=2500", ranks=2)
            STRENGTHS.run(stopped, *short)
            for other in (three, stopped):
                for end in ("samples", "ensemble.h5", "replica-1.csv"):
                    self.assertEqual(STRENGTHS.path(whole, end).read_bytes(),
                                     STRENGTHS.path(other, end).read_bytes(), (other.name, end))
            with h5py.File(STRENGTHS.path(whole, "ensemble.h5")) as file:
                tuned = file["exchange/contact_strength"][:]
                self.assertEqual((tuned[0], tuned[-1]), (LADDER[0], LADDER[-1]))
                self.assertTrue((np.diff(tuned) < 0).all())
                self.assertFalse(np.array_equal(tuned, LADDER))
                np.testing.assert_array_equal(file["exchange/temperature"][:], KELVIN)

    def test_impossible_settings_are_refused(self):
        cases = [(["ensemble.contact_strengths=[1, 0.5, 0.7, 0.6]"], "neither rise nor fall"),
                 (["ensemble.contact_strengths=[1, 0]"], "above 0"),
                 (["ensemble.temperatures_kelvin=[60, 70]", "ensemble.contact_strengths=[1, 0.9, 0.8]"],
                  "3 contact strengths beside 2 temperatures")]
        with tempfile.TemporaryDirectory() as work:
            for settings, message in cases:
                done = STRENGTHS.run(Path(work) / "no", *HAIRPIN, *settings, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(message, done.stderr)
            folder = Path(work) / "one"
            short = [*HAIRPIN, "dynamics.steps=800", "ensemble.equilibration_steps=0"]
            STRENGTHS.run(folder, *short)
            other = STRENGTHS.run(folder, *short, "ensemble.contact_strengths=[1, 0.9, 0.8, 0.7]", check=False)
            self.assertEqual(other.returncode, 1)
            self.assertIn("ensemble.contact_strengths", other.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

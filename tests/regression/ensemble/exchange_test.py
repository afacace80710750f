# Temperature replica exchange compared with plain runs, Boltzmann weights and pymbar.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: exchange_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import signal
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import KB, LENGTH, AgainstPlainRuns, Example, by_state, interrupt, ratio_slope_with_error

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
EXCHANGE = Example(NFOLD, INPUT / "ubiquitin-exchange.yaml")

# First hairpin of ubiquitin, which folds and unfolds in some thousand steps.
HAIRPIN = ["system.chains=[A:1-17]", "ensemble.temperatures=4", "ensemble.ladders=16",
           "ensemble.lowest_kelvin=60", "ensemble.highest_kelvin=84", f"dynamics.steps={40000 + 100000 * LENGTH}",
           "ensemble.equilibration_steps=40000", "ensemble.sample_every_steps=400"]


def read_samples(folder):
    """Energy [kJ/mol], Q and state of all samples after equilibration, and the ladder [K]."""
    with h5py.File(EXCHANGE.path(folder, "ensemble.h5")) as file:
        kelvin = file["exchange/temperature"][:]
    return (*EXCHANGE.samples(folder, 40000, "potential_energy", "native_fraction"), kelvin)


class Exchange(AgainstPlainRuns):
    example, settings, exchange_every_steps = EXCHANGE, HAIRPIN, 400
    states, ladders = 4, 16

    def test_means_equal_those_of_plain_runs(self):
        traded, plain = read_samples(self.traded), read_samples(self.plain)
        for column in (0, 1):
            self.assert_same_means(traded[column], plain[column], traded[2], plain[2])

    def test_neighbours_have_boltzmann_ratios(self):
        """ln p_1(E) - ln p_0(E) falls by 1/kT_1 - 1/kT_0 (Shirts, J. Chem. Theory Comput. 9, 909)."""
        for folder in (self.traded, self.plain):
            energy, _, state, kelvin = read_samples(folder)
            for low in range(3):
                expected = 1 / (KB * kelvin[low]) - 1 / (KB * kelvin[low + 1])
                slope, error = ratio_slope_with_error(energy, state, low, 4, 16, expected)
                self.assertLess(abs(slope - expected) / error, 4, (slope, expected, error))
                self.assertLess(error, 0.1 * np.sqrt(2 / LENGTH) * expected)

    def test_free_energies_equal_those_of_pymbar(self):
        from pymbar import MBAR
        for folder in (self.traded, self.plain):
            energy, _, state, kelvin = read_samples(folder)
            order = np.argsort(state.ravel(), kind="stable")
            reduced = energy.ravel()[order][None, :] / (KB * kelvin[:, None])
            solver = MBAR(reduced, np.bincount(state.ravel()))
            theirs = solver.compute_free_energy_differences()
            with h5py.File(folder / "ubiquitin-exchange.ensemble.h5") as file:
                ours = file["thermodynamics/reduced_free_energy"][:]
            np.testing.assert_allclose(ours, theirs["Delta_f"][0], atol=1e-5)
            self.assertLess(np.abs(ours - theirs["Delta_f"][0]).max(), theirs["dDelta_f"][0].max())

    def test_means_of_each_temperature_are_in_the_file(self):
        for folder in (self.traded, self.plain):
            energy, q, state, _ = read_samples(folder)
            with h5py.File(folder / "ubiquitin-exchange.ensemble.h5") as file:
                for values, name in ((energy, "potential_energy"), (q, "native_fraction")):
                    table, means = file["scan"][name][:], by_state(values, state, 4, 16)
                    self.assertEqual(table.shape, (4, 3))
                    np.testing.assert_allclose(table[:, 0], means.mean(axis=1), rtol=1e-9)
                    np.testing.assert_allclose(table[:, 1], means.std(axis=1, ddof=1) / 4, rtol=1e-6)
                    self.assertTrue(((table[:, 2] > 16) & (table[:, 2] <= 16 * 501)).all(), table)
        log = (self.plain / "ubiquitin-exchange.log").read_text(encoding="utf-8")
        self.assertIn("at 60.0 K from step 40000 on mean energy", log)

    def test_exchange_and_plain_runs_agree_on_free_energies(self):
        f = []
        for folder in (self.traded, self.plain):
            with h5py.File(folder / "ubiquitin-exchange.ensemble.h5") as file:
                f.append(file["thermodynamics/reduced_free_energy"][:])
        self.assertLess(np.abs(f[0] - f[1]).max(), 0.5, f)

    def test_results_are_plausible(self):
        with h5py.File(self.traded / "ubiquitin-exchange.ensemble.h5") as file:
            acceptance = file["exchange/acceptance"][:]
            self.assertEqual(acceptance.shape, (3,))
            self.assertTrue(((acceptance > 0.2) & (acceptance < 0.95)).all(), acceptance)
            self.assertGreater(file["exchange/round_trips"][:].sum(), 50)
            q = file["thermodynamics/native_fraction"][:]
            self.assertTrue((np.diff(q) < 0).all())
            capacity = file["thermodynamics/heat_capacity"][:]
            self.assertGreater(capacity.min(), 1.5 * 17 * KB)
            profile = file["free_energy/of_native_fraction"][:]
            self.assertEqual(profile.shape, (4, 50))
            np.testing.assert_array_equal(profile.min(axis=1), 0)


class Sessions(unittest.TestCase):
    SHORT = ["ensemble.temperatures=3", "ensemble.ladders=2", "ensemble.exchange_every_steps=100",
             "ensemble.sample_every_steps=100", "ensemble.equilibration_steps=0"]

    def test_killed_and_stopped_runs_resume_identically(self):
        with tempfile.TemporaryDirectory() as work:
            whole, killed = Path(work) / "whole", Path(work) / "killed"
            steps = "dynamics.steps=60000"
            followed = ["ensemble.trajectory_replicas=[0, 4]", "output.trajectory_every_steps=150"]
            EXCHANGE.run(whole, *self.SHORT, *followed, steps)
            command = EXCHANGE.command(killed, *self.SHORT, *followed, steps,
                                       "output.checkpoint_every_steps=500")
            codes = []
            for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
                code = interrupt(command, how, EXCHANGE.path(killed, "status"), 0.3)
                self.assertIn(code, {signal.SIGKILL: (-9, 0), signal.SIGTERM: (75, 0)}[how])
                codes.append(code)
            self.assertTrue(any(codes), "each signal came when all was done")
            if "done" not in (killed / "ubiquitin-exchange.status").read_text(encoding="utf-8"):
                EXCHANGE.run(killed, *self.SHORT, *followed, steps)
            for end in ("samples", "ensemble.h5", "replica-0.h5md", "replica-4.h5md",
                        "replica-0.csv", "replica-4.csv"):
                name = f"ubiquitin-exchange.{end}"
                self.assertEqual((whole / name).read_bytes(), (killed / name).read_bytes(), name)

    def test_impossible_settings_are_refused(self):
        cases = [(["ensemble.lowest_kelvin=200"], "ensemble.lowest_kelvin"),
                 (["dynamics.integrator=velocity-verlet"], "thermostat"),
                 (["observables.every_steps=10"], "ensemble.h5"),
                 (["start.from=lattice", "system.box_nm=[20]"], "native")]
        with tempfile.TemporaryDirectory() as work:
            for settings, message in cases:
                done = EXCHANGE.run(Path(work) / "no", *self.SHORT, "dynamics.steps=100", *settings,
                           check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(message, done.stderr)
            folder = Path(work) / "one"
            EXCHANGE.run(folder, *self.SHORT, "dynamics.steps=100")
            other = EXCHANGE.run(folder, *self.SHORT, "dynamics.steps=200", "ensemble.ladders=3", check=False)
            self.assertEqual(other.returncode, 1)
            self.assertIn("ensemble.ladders", other.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

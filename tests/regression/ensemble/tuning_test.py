# Given and tuned ladders: tuning evens out acceptance, and results do not depend on ranks or stops.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: tuning_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import interrupt

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
NAME = "ubiquitin-exchange"
INTERVAL = 100

LADDER = "60, 62, 64, 66, 78, 84"  # uneven on purpose
TEXT = f"""\
system:
  structure: {INPUT}/structures/1ubq.pdb.gz
  chains: ["A:1-17"]
force_field:
  mass_amu: 100
  contacts: {{map: calpha, cutoff_nm: 0.857}}
  repulsion: {{cutoff_nm: 0.8}}
dynamics: {{steps: 60000, time_step_ps: 0.01, friction_per_ps: 0.2}}
ensemble:
  temperatures_kelvin: [{LADDER}]
  ladders: 4
  exchange_every_steps: {INTERVAL}
  sample_every_steps: 150
  tuning_steps: 24050
"""


class Tuning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.work.name)
        cls.input = cls.folder / f"{NAME}.yaml"
        cls.input.write_text(TEXT, encoding="utf-8")
        cls.run_in("tuned")
        cls.run_in("given", "ensemble.tuning_steps=0", "ensemble.equilibration_steps=24050")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    @classmethod
    def command(cls, name, *settings, ranks=1):
        launch = [] if ranks == 1 else [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to",
                                        "none", "-np", str(ranks)]
        command = [*launch, NFOLD, "run", cls.input, "--quiet", "--output", cls.folder / name]
        for setting in settings:
            command += ["--set", setting]
        return command

    @classmethod
    def run_in(cls, name, *settings, ranks=1, check=True):
        return subprocess.run(cls.command(name, *settings, ranks=ranks), check=check,
                              capture_output=True, text=True)

    def results(self, name):
        with h5py.File(self.folder / name / f"{NAME}.ensemble.h5") as file:
            return ({key: data[()] for key, data in file["exchange"].items()},
                    file["samples/step"][:], file["samples/state"][:],
                    file["samples/potential_energy"][:],
                    file["thermodynamics/reduced_free_energy"][:])

    def assert_same_as_tuned(self, name):
        for suffix in ("samples", "ensemble.h5"):
            self.assertEqual((self.folder / "tuned" / f"{NAME}.{suffix}").read_bytes(),
                             (self.folder / name / f"{NAME}.{suffix}").read_bytes(), suffix)

    def test_tuning_evens_out_acceptance(self):
        given, tuned = self.results("given")[0], self.results("tuned")[0]
        np.testing.assert_array_equal(given["temperature"], [60, 62, 64, 66, 78, 84])
        self.assertEqual(given["ladders"].shape, (1, 6))
        np.testing.assert_array_equal(tuned["ladder_since_step"], [0, 6000, 12000, 24000])
        np.testing.assert_array_equal(tuned["ladders"][0], given["temperature"])
        np.testing.assert_array_equal(tuned["ladders"][3], tuned["temperature"])
        np.testing.assert_array_equal(tuned["ladders"][:, [0, 5]], [[60, 84]] * 4)
        self.assertTrue((np.diff(tuned["ladders"], axis=1) > 0).all())
        before, after = np.ptp(given["acceptance"]), np.ptp(tuned["acceptance"])
        self.assertGreater(before, 0.2, given["acceptance"])
        self.assertLess(after, before / 2, tuned["acceptance"])
        np.testing.assert_array_equal(tuned["flow"][[0, 5]], [1, 0])
        trips = tuned["round_trips"].sum()
        self.assertAlmostEqual(tuned["round_trip_time"] * trips, 24 * 36000 * 0.01, places=6)
        log = (self.folder / "tuned" / f"{NAME}.log").read_text(encoding="utf-8")
        self.assertEqual(log.count("ladder tuned at step"), 3)

    def test_averages_use_the_last_ladder_only(self):
        from pymbar import MBAR
        tables, step, state, energy, ours = self.results("tuned")
        beta = 1 / (0.00831446261815324 * tables["temperature"])
        kept = step >= 24050
        order = np.argsort(state[kept].astype(int).ravel(), kind="stable")
        solver = MBAR(energy[kept].ravel()[order] * beta[:, None],
                      np.bincount(state[kept].astype(int).ravel()))
        np.testing.assert_allclose(ours, solver.compute_free_energy_differences()["Delta_f"][0],
                                   atol=1e-5)

    def test_bytes_do_not_depend_on_ranks(self):
        self.run_in("two", ranks=2)
        self.assert_same_as_tuned("two")

    def test_bytes_do_not_depend_on_stops_or_kills(self):
        self.run_in("stopped", "dynamics.steps=6000", ranks=2)  # after the first change of the ladder
        self.run_in("stopped", "dynamics.steps=13000")
        self.run_in("stopped", ranks=2)
        self.assert_same_as_tuned("stopped")
        often = ["output.checkpoint_every_steps=500"]
        status = self.folder / "killed" / f"{NAME}.status"
        codes = [interrupt(self.command("killed", *often), signal.SIGKILL, status, 0.3) for _ in range(3)]
        self.assertTrue(any(codes), "each kill came when all was done")
        if "done" not in status.read_text(encoding="utf-8"):
            self.run_in("killed")
        self.assert_same_as_tuned("killed")

    def test_impossible_settings_are_refused(self):
        for settings, message in (
                (["ensemble.temperatures=4"], "ensemble.temperatures = 4"),
                (["ensemble.highest_kelvin=90"], "ensemble.highest_kelvin = 90"),
                (["ensemble.temperatures_kelvin=[60, 70, 65]"], "70 before 65"),
                (["ensemble.temperatures_kelvin=[0, 70, 75]"], "above 0"),
                (["ensemble.temperatures_kelvin=[70, 75]"], "ensemble.tuning_steps"),
                (["ensemble.exchange_every_steps=0"], "ensemble.tuning_steps"),
                (["ensemble.tuning_steps=3999"], "at least 4000"),
                (["ensemble.equilibration_steps=9000"], "ensemble.equilibration_steps = 9000")):
            done = self.run_in("no", *settings, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

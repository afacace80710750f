# First-passage times of independent replicas, compared with values computed from their samples.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: kinetics_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from scipy.stats import chi2

from ensemble_run import Example

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
NAME = "ubiquitin-exchange"
EXCHANGE = Example(NFOLD, INPUT / f"{NAME}.yaml")

# First hairpin of ubiquitin, which folds within some thousand steps; some replicas unfold.
HAIRPIN = ["system.chains=[A:1-17]", "ensemble.temperatures=2", "ensemble.ladders=40",
           "ensemble.lowest_kelvin=70", "ensemble.highest_kelvin=100", "dynamics.steps=12000",
           "ensemble.sample_every_steps=100", "ensemble.equilibration_steps=2000",
           "ensemble.exchange_every_steps=0", "ensemble.unfolded_native_fraction=0.4"]


class Kinetics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.one = Path(cls.work.name) / "one"
        EXCHANGE.run(cls.one, *HAIRPIN)
        with h5py.File(cls.one / f"{NAME}.ensemble.h5") as file:
            cls.q = file["samples/native_fraction"][:]
            cls.time = file["samples/step"][:] * file.attrs["time_step_ps"]
            cls.table = {name: data[:] for name, data in file["kinetics"].items()}

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def passages(self, side, state):
        """Replica numbers, times of the first sample beyond the threshold (else of the last), passed flags."""
        replicas = [r for r in range(80) if r % 2 == state and r // 2 % 2 == (side == "folding")]
        there = self.q[:, replicas] >= 0.8 if side == "folding" else self.q[:, replicas] <= 0.4
        passed = there.any(axis=0)
        return replicas, np.where(passed, self.time[there.argmax(axis=0)], self.time[-1]), passed

    def test_times_survival_and_fit_match_the_samples(self):
        some = 0
        for side in ("folding", "unfolding"):
            for state in range(2):
                replicas, time, passed = self.passages(side, state)
                events, table = passed.sum(), {name.split("_", 1)[1]: values
                                               for name, values in self.table.items()
                                               if name.startswith(side)}
                some += 0 < events < 20
                np.testing.assert_array_equal(table["time"][replicas],
                                              np.where(passed, time, np.nan))
                np.testing.assert_array_equal(table["replicas"][state], [20, events])
                # All replicas are censored at one time, so survival is a fraction.
                share = np.array([1 - (time[passed] <= t).mean() * events / 20 if events else 1
                                  for t in self.time])
                np.testing.assert_allclose(table["survival"][state], share, atol=1e-12)
                np.testing.assert_allclose(table["survival_error"][state],
                                           np.sqrt(share * (1 - share) / 20), atol=1e-12)
                half = self.time[share <= 0.5 + 1e-9]
                np.testing.assert_array_equal(table["median_time"][state],
                                              half[0] if len(half) else np.nan)
                at_risk = (time - 0.5 * passed).sum()  # samples are 1 ps apart
                if events == 0:
                    self.assertTrue(np.isinf(table["mean_time"][state, [0, 2]]).all())
                    continue
                more = 0 if events == 20 else 2
                np.testing.assert_allclose(
                    table["mean_time"][state],
                    [at_risk / events, 2 * at_risk / chi2.ppf(0.975, 2 * events + more),
                     2 * at_risk / chi2.ppf(0.025, 2 * events)], rtol=1e-9)
                lag = time[passed].min() - 0.5
                late = (np.where(passed, time - 0.5, time) - lag).sum()
                if events > 1:
                    np.testing.assert_allclose(table["lagged_time"][state, :2],
                                               [lag, late / (events - 1)], rtol=1e-9)
                fitted = np.exp(-self.time * events / at_risk)
                at = np.concatenate([time[passed], self.time[-1:]])
                index = np.rint(at).astype(int)
                far = max(np.abs(share - fitted)[index].max(),
                          np.abs(share - fitted)[np.maximum(index[:-1] - 1, 0)].max())
                self.assertAlmostEqual(table["fit_distance"][state, 0], far, places=9)
        self.assertGreater(some, 0, "no temperature with some passed and some not")

    def test_log_has_the_passage_times(self):
        log = (self.one / f"{NAME}.log").read_text(encoding="utf-8")
        self.assertIn("at 70.0 K", log)
        self.assertIn("of 20 replicas folded; mean first-passage time", log)

    def test_bytes_do_not_depend_on_ranks_or_stops(self):
        for name, parts in (("two", [(2, 12000)]), ("stopped", [(2, 5000), (1, 12000)])):
            folder = Path(self.work.name) / name
            for ranks, steps in parts:
                EXCHANGE.run(folder, *HAIRPIN, f"dynamics.steps={steps}", ranks=ranks)
            self.assertEqual((folder / f"{NAME}.ensemble.h5").read_bytes(),
                             (self.one / f"{NAME}.ensemble.h5").read_bytes())

    def test_exchange_has_no_kinetics_and_one_temperature_has(self):
        one, traded = Path(self.work.name) / "temperature", Path(self.work.name) / "traded"
        short = [*HAIRPIN, "dynamics.steps=1000"]
        EXCHANGE.run(one, *short, "ensemble.temperatures=1", "ensemble.highest_kelvin=70",
            "ensemble.starts=same", "start.from=unfolded")
        EXCHANGE.run(traded, *short, "ensemble.exchange_every_steps=100")
        with h5py.File(one / f"{NAME}.ensemble.h5") as file:
            self.assertEqual(file["kinetics/folding_replicas"].shape, (1, 2))
            self.assertEqual(file["kinetics/folding_replicas"][0, 0], 40)
            self.assertNotIn("kinetics/unfolding_replicas", file)
        with h5py.File(traded / f"{NAME}.ensemble.h5") as file:
            self.assertNotIn("kinetics", file)

    def test_impossible_settings_are_refused(self):
        for settings, message in (
                (["ensemble.unfolded_native_fraction=0.9"], "ensemble.unfolded_native_fraction"),
                (["ensemble.temperatures=1"], "ensemble.highest_kelvin")):
            done = EXCHANGE.run(Path(self.work.name) / "no", *HAIRPIN, *settings, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

# Trajectories of chosen replicas: files, contents and readability by other programs.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: trajectories_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import h5py
import MDAnalysis as mda
import numpy as np

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
NAME = "ubiquitin-exchange"
warnings.simplefilter("ignore")  # MDAnalysis guesses masses and elements of beads

# First hairpin of ubiquitin, hot enough to move.
HAIRPIN = ["system.chains=[A:1-17]", "ensemble.temperatures=4", "ensemble.ladders=2",
           "ensemble.lowest_kelvin=60", "ensemble.highest_kelvin=84", "dynamics.steps=4000",
           "ensemble.equilibration_steps=0", "ensemble.sample_every_steps=100",
           "ensemble.starts=same", "output.trajectory_every_steps=50"]
TRADING, APART = "ensemble.exchange_every_steps=100", "ensemble.exchange_every_steps=0"
CHOSEN = (1, 6)


def nfold(command, folder, *settings, check=True):
    """Run or check the exchange example with settings and return the finished process."""
    line = [NFOLD, command, INPUT / f"{NAME}.yaml", "--output", folder]
    for setting in settings:
        line += ["--set", setting]
    return subprocess.run(line, check=check, capture_output=True, text=True)


def positions(path):
    with h5py.File(path) as file:
        return file["particles/trajectory/position/value"][:]


def observable(path, name):
    with h5py.File(path) as file:
        return file[f"observables/{name}/value"][:]


class Trajectories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.work.name) / "traded"
        nfold("run", cls.folder, *HAIRPIN, TRADING, f"ensemble.trajectory_replicas={list(CHOSEN)}")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def path(self, replica, end="h5md"):
        return self.folder / f"{NAME}.replica-{replica}.{end}"

    def test_only_chosen_replicas_have_trajectories(self):
        ends = {path.name.removeprefix(f"{NAME}.replica-") for path in self.folder.iterdir()
                if ".replica-" in path.name}
        self.assertEqual(ends, {f"{r}.{end}" for r in CHOSEN for end in ("h5md", "csv")})
        self.assertFalse((self.folder / f"{NAME}.h5md").exists())

    def test_numbers_equal_those_of_the_samples(self):
        with h5py.File(self.folder / f"{NAME}.ensemble.h5") as file:
            steps, state = file["samples/step"][:], file["samples/state"][:].astype(int)
            ladder = file["exchange/temperature"][:]
            energy, q = file["samples/potential_energy"][:], file["samples/native_fraction"][:]
        for replica in CHOSEN:
            table = np.genfromtxt(self.path(replica, "csv"), delimiter=",", names=True)
            np.testing.assert_array_equal(table["step"], np.arange(0, 4001, 50))
            np.testing.assert_allclose(table["time_ps"], 0.01 * table["step"])
            at = np.searchsorted(table["step"], steps)
            kelvin = ladder[state[:, replica]]
            self.assertGreater(len(set(kelvin)), 1)
            for column, name, expected in (
                    ("potential_kj_mol", "potential_energy", energy[:, replica]),
                    ("native_fraction", "native_fraction", q[:, replica]),
                    ("bath_temperature_kelvin", "bath_temperature", kelvin)):
                np.testing.assert_allclose(table[column][at], expected, rtol=1e-6, err_msg=column)
                np.testing.assert_array_equal(table[column], observable(self.path(replica), name))

    def test_trajectory_is_continuous_in_time(self):
        """Beads move less in 50 steps than replicas differ, also across exchanges."""
        apart = np.abs(positions(self.path(1))[-20:] - positions(self.path(6))[-20:]).mean()
        for replica in CHOSEN:
            moved = np.abs(np.diff(positions(self.path(replica)), axis=0)).mean(axis=(1, 2))
            self.assertLess(moved.max(), apart)
            with h5py.File(self.path(replica)) as file:
                description = file["parameters"].attrs["description"]
            description = description.decode() if isinstance(description, bytes) else description
            self.assertIn(f"replica {replica} of an ensemble, continuous in time", description)

    def test_mdanalysis_and_export_read_the_trajectory(self):
        nfold_export = [NFOLD, "export", self.path(6), "--output", self.folder / "six"]
        subprocess.run(nfold_export, check=True, capture_output=True)
        expected = 10 * positions(self.path(6))
        for file in (self.path(6), self.folder / "six.dcd"):
            universe = mda.Universe(self.folder / "six.psf", file)
            self.assertEqual(len(universe.trajectory), 81)
            for frame, step in enumerate(universe.trajectory):
                np.testing.assert_allclose(step.positions, expected[frame], atol=1e-4)
        step = mda.Universe(self.path(6)).trajectory[3]
        self.assertEqual(step.data["step"], 150)
        self.assertIn(step.data["bath_temperature"], observable(self.path(6), "bath_temperature"))

    def test_replica_without_exchange_equals_a_single_run(self):
        with tempfile.TemporaryDirectory() as work:
            many, alone = Path(work) / "many", Path(work) / "alone"
            nfold("run", many, *HAIRPIN, APART, "ensemble.trajectory_replicas=7")
            with h5py.File(many / f"{NAME}.ensemble.h5") as file:
                kelvin = file["exchange/temperature"][:][3]
            nfold("run", alone, *HAIRPIN, "ensemble.temperatures=0", "dynamics.replica=7",
                  f"dynamics.temperature_kelvin={kelvin!r}".replace("np.float64(", "").rstrip(")"))
            np.testing.assert_array_equal(positions(many / f"{NAME}.replica-7.h5md"),
                                          positions(alone / f"{NAME}.h5md"))

    def test_check_reports_the_size_and_refuses_a_wrong_replica(self):
        folder = Path(self.work.name) / "new"
        report = nfold("check", folder, *HAIRPIN, f"ensemble.trajectory_replicas={list(CHOSEN)}")
        self.assertIn("trajectories of 2 replicas: 81 frames each, about", report.stdout)
        self.assertNotIn("trajector", nfold("check", folder, *HAIRPIN).stdout)
        wrong = nfold("check", folder, *HAIRPIN, "ensemble.trajectory_replicas=[8]", check=False)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("numbered from 0 to 7", wrong.stderr)


class Resumed(unittest.TestCase):
    def test_replicas_may_join_later_but_not_after_a_gap(self):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)

            def resume(steps, replicas, check=True):
                return nfold("run", folder, *HAIRPIN, TRADING, f"dynamics.steps={steps}",
                             f"ensemble.trajectory_replicas={replicas}", check=check)

            def frame_steps(replica):
                with h5py.File(folder / f"{NAME}.replica-{replica}.h5md") as file:
                    return list(file["particles/trajectory/position/step"])

            resume(500, [1])
            resume(1000, [1, 2])
            self.assertEqual(frame_steps(1), list(range(0, 1001, 50)))
            self.assertEqual(frame_steps(2), list(range(550, 1001, 50)))
            resume(1500, [2])
            gap = resume(2000, [1, 2], check=False)
            self.assertEqual(gap.returncode, 3, gap.stderr)
            self.assertIn("replica-1.h5md", gap.stderr)
            self.assertIn("move the file away", gap.stderr)
            resume(2000, [2])
            self.assertEqual(frame_steps(2), list(range(550, 2001, 50)))
            subprocess.run([NFOLD, "run", INPUT / f"{NAME}.yaml", "--output", folder, "--overwrite",
                            *(part for s in [*HAIRPIN, "dynamics.steps=100"] for part in ("--set", s))],
                           check=True, capture_output=True)
            self.assertFalse(list(folder.glob("*.replica-*")))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

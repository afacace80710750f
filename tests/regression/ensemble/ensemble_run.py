# Runs of an ensemble example with changed settings, and statistics shared by several tests.
# SPDX-License-Identifier: BSD-3-Clause
"""Module imported by the tests beside it."""

import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

KB = 0.00831446261815324  # kJ/mol/K
# Factor on the number of compared samples; 2 in the long form.
LENGTH = 2 if os.environ.get("NFOLD_LONG") else 1


def interrupt(command, how, status_file, later_seconds):
    """Start a command, send a signal `later_seconds` after its status file appears, return the exit code."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    own = f"process: {process.pid}\n"
    while process.poll() is None and not (status_file.exists() and own in status_file.read_text(encoding="utf-8")):
        time.sleep(0.01)
    time.sleep(later_seconds)
    process.send_signal(how)
    return process.wait(300)


class Example:
    """One input file, run with changed settings."""

    def __init__(self, nfold, input_file):
        self.nfold, self.input_file = nfold, input_file

    def command(self, folder, *settings):
        """Arguments of the program, without mpirun."""
        command = [self.nfold, "run", self.input_file, "--quiet", "--output", folder]
        for setting in settings:
            command += ["--set", setting]
        return command

    def run(self, folder, *settings, ranks=1, check=True):
        """Run the program and return the finished process."""
        launch = [] if ranks == 1 else [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none",
                                        "-np", str(ranks)]
        return subprocess.run([*launch, *self.command(folder, *settings)], check=check, capture_output=True,
                              text=True)

    def samples(self, folder, first_step, *names):
        """Sample tables from `first_step` on, then the states as integers."""
        with h5py.File(self.path(folder, "ensemble.h5")) as file:
            kept = file["samples/step"][:] >= first_step
            return (*(file[f"samples/{name}"][:][kept] for name in names),
                    file["samples/state"][:][kept].astype(int))

    def path(self, folder, end):
        """Path of an output file of the run."""
        return folder / f"{self.input_file.stem}.{end}"


class AgainstPlainRuns(unittest.TestCase):
    """Base of tests that run an example once with exchange (`traded`) and once without (`plain`)."""

    example, settings, exchange_every_steps = None, [], 0
    states, ladders = 0, 0

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.work.name)
        cls.traded, cls.plain = cls.folder / "traded", cls.folder / "plain"
        cls.example.run(cls.traded, *cls.settings, f"ensemble.exchange_every_steps={cls.exchange_every_steps}")
        cls.example.run(cls.plain, *cls.settings, "ensemble.exchange_every_steps=0")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def assert_same_means(self, traded, plain, traded_state, plain_state):
        """Compare the means of a column of samples, in units of the error between ladders."""
        found = [by_state(values, state, self.states, self.ladders)
                 for values, state in ((traded, traded_state), (plain, plain_state))]
        difference = found[0].mean(axis=1) - found[1].mean(axis=1)
        error = np.sqrt(sum(f.var(axis=1, ddof=1) / self.ladders for f in found))
        self.assertLess(np.abs(difference / error).max(), 4.2, (difference, error))


def by_state(values, state, states, ladders):
    """Means (states, ladders) of each state's samples per ladder. Ladders are independent."""
    means = np.empty((states, ladders))
    for ladder in range(ladders):
        own = slice(ladder * states, (ladder + 1) * states)
        for k in range(states):
            means[k, ladder] = values[:, own][state[:, own] == k].mean()
    return means


def ratio_slope(cold, warm, guess):
    """Most likely a in p_warm/p_cold = c exp(a E): logistic regression by Newton's method."""
    x = np.concatenate([cold, warm])
    shift, is_warm = x.mean(), np.repeat([0.0, 1.0], [len(cold), len(warm)])
    design = np.stack([np.ones_like(x), x - shift], axis=1)
    parameters = np.array([np.log(len(warm) / len(cold)), guess])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ parameters))
        gradient = design.T @ (is_warm - p)
        hessian = (design * (p * (1 - p))[:, None]).T @ design
        step = np.linalg.solve(hessian, gradient)
        parameters += step
        if np.abs(step).max() < 1e-10:
            break
    return parameters[1]


def ratio_slope_with_error(values, state, low, states, ladders, guess):
    """Slope of states low and low + 1, and its jackknife error over ladders."""
    slopes = []
    for left_out in range(-1, ladders):  # -1 keeps all ladders
        kept = np.arange(states * ladders) // states != left_out
        cold = values[:, kept][state[:, kept] == low]
        warm = values[:, kept][state[:, kept] == low + 1]
        slopes.append(ratio_slope(cold, warm, guess))
    spread = np.array(slopes[1:]) - np.mean(slopes[1:])
    return slopes[0], np.sqrt((ladders - 1) / ladders * np.sum(spread ** 2))

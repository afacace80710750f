# Small systems and comparisons for tests of the Python package.
# SPDX-License-Identifier: BSD-3-Clause

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

PROGRAM, ROOT = (Path(word).resolve() for word in sys.argv[1:3]) if len(sys.argv) > 2 else (None, None)
NOT_OF_THE_STATE = ("provenance",)  # clocks, host and layout
UBIQUITIN = {"dynamics.steps": 600, "output.trajectory_every_steps": 100, "output.energies_every_steps": 50,
             "partition.method": "residue-ranges"}


def checkpoint_datasets(path):
    """{name: values} of everything in a checkpoint that bits decide."""
    found = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith(NOT_OF_THE_STATE):
            found[name] = item[()]

    with h5py.File(path) as file:
        file.visititems(add)
    return found


class InFolder(unittest.TestCase):
    """Each test has an empty current folder."""

    def setUp(self):
        self.before = os.getcwd()
        self.temporary = tempfile.TemporaryDirectory()
        os.chdir(self.temporary.name)

    def tearDown(self):
        os.chdir(self.before)
        self.temporary.cleanup()

    def assert_same_state(self, one, other):
        one, other = checkpoint_datasets(one), checkpoint_datasets(other)
        self.assertEqual(one.keys(), other.keys())
        self.assertTrue(any("position" in name for name in one), one.keys())
        for name, values in one.items():
            np.testing.assert_array_equal(values, other[name], name)

    def run_command(self, *words, expect=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def run_python(self, text, *before, expect=0):
        """Run a program in a Python of its own, behind the words of a launcher."""
        done = subprocess.run([*before, sys.executable, "-c", text], capture_output=True, text=True, check=False,
                              timeout=120)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done


def main():
    unittest.main(argv=sys.argv[:1])

# Checkpoints of nfold read by tools/read_checkpoint.py, and detection of damage.
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: read_checkpoint_test.py READ_CHECKPOINT MAKE_CHECKPOINT."""

import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

MAKE, TOOL = sys.argv.pop(), sys.argv.pop()


def tool_module():
    spec = importlib.util.spec_from_file_location("read_checkpoint", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ReadCheckpoint(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "a.ckpt.h5"
        subprocess.run([MAKE, str(self.path)], check=True)

    def tearDown(self):
        self.folder.cleanup()

    def test_reads_contents(self):
        checkpoint = tool_module().read_checkpoint(self.path)
        self.assertEqual(checkpoint.step, 42)
        self.assertEqual(checkpoint.seed, 0xFEDCBA9876543210)
        self.assertEqual(checkpoint.topology_hash, 0x123456789ABCDEF0)
        self.assertIn("steps: 1000", checkpoint.resolved_input)
        np.testing.assert_allclose(checkpoint.positions_nm[:, 0], 0.38 * np.arange(11), atol=1e-9)
        # The other axes are counts of 2^-44 box lengths, of 25 and 8192 nm.
        np.testing.assert_array_equal(checkpoint.box_nm, [0, 25, 8192])
        np.testing.assert_allclose(checkpoint.positions_nm[:, 1], 42 * 25 / 2.0**44, rtol=1e-15)
        np.testing.assert_allclose(checkpoint.positions_nm[:, 2], -np.arange(11) / 2.0**31, rtol=1e-15)
        np.testing.assert_array_equal(checkpoint.velocities_nm_ps[:, 0], 1 / np.arange(1, 12))
        np.testing.assert_array_equal(checkpoint.accumulators["sums"], [1, -2, 3])
        self.assertEqual(checkpoint.provenance, {"host": "here"})

    def test_command_line_prints_the_step(self):
        done = subprocess.run([sys.executable, TOOL, str(self.path)], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("step: 42", done.stdout)

    def test_reports_damage(self):
        whole = self.path.read_bytes()
        for offset in (3, 20, 700, len(whole) // 2, len(whole) - 1):
            flipped = bytearray(whole)
            flipped[offset] ^= 4
            self.path.write_bytes(flipped)
            done = subprocess.run([sys.executable, TOOL, str(self.path)], capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"a\.ckpt\.h5: (damaged|not a checkpoint|torn)")
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

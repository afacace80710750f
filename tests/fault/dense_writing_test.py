# Kills while every step writes a frame: after the resume MDAnalysis reads each frame once.
# SPDX-License-Identifier: BSD-3-Clause
import signal
import time
import unittest
import warnings

import h5py
import MDAnalysis

from nfold_process import NfoldTest, is_long

DENSE = ["--quiet", "--set", "output.trajectory_every_steps=1", "--set",
         "output.energies_every_steps=1", "--set", "output.checkpoint_every_steps=100"]


class DenseWriting(NfoldTest):
    def assert_each_frame_once(self, steps):
        """Checks all steps by h5py; MDAnalysis takes 4 ms a frame, so it reads both ends and 20 frames."""
        file = str(self.folder / "ubq.out" / "ubq.h5md")
        with h5py.File(file) as h5md:
            self.assertEqual(h5md["particles/trajectory/position/step"][:].tolist(),
                             list(range(steps + 1)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            universe = MDAnalysis.Universe(file)
            self.assertEqual(len(universe.trajectory), steps + 1)
            for frame in {0, steps, *(self.random.randrange(steps + 1) for _ in range(20))}:
                self.assertEqual(universe.trajectory[frame].data["step"], frame)
            universe.trajectory.close()  # otherwise HDF5 shows the next round its old view of the file

    def test_each_frame_appears_once_after_kills(self):
        checkpointed = -1
        for _ in range(50 if is_long() else 5):
            process = self.start(["run", self.input, *DENSE, "--set", "dynamics.steps=1000000"])
            self.wait_for_step(process, checkpointed + 1)
            time.sleep(self.random.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            self.finish(process)
            checkpointed = int(self.status()["step"])
            # Zero further steps: the resume only repairs and truncates. A kill between the rename
            # of a checkpoint and its status leaves one interval more than the status has.
            steps = self.resume_to(checkpointed)
            self.assert_each_frame_once(steps)
            checkpointed = steps

    def resume_to(self, step):
        for last in (step, step + 100):
            code, out, err = self.run_nfold("run", self.input, *DENSE, "--set",
                                            f"dynamics.steps={last}")
            if code == 0:
                return last
        self.fail(out + err)


if __name__ == "__main__":
    unittest.main()

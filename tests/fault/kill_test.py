# kill -9 of a random rank at a random moment: the resume ends in the bits of the unbroken run.
# SPDX-License-Identifier: BSD-3-Clause
import shutil
import time
import unittest

from nfold_process import NfoldTest, is_long


class Kill(NfoldTest):
    def test_resume_ends_in_the_bits_of_the_unbroken_run(self):
        self.run_well("run", self.input, "--output", "whole", "--quiet")
        for _ in range(20 if is_long() else 2):
            shutil.rmtree(self.folder / "ubq.out", ignore_errors=True)
            self.kill_once_and_resume()
            self.assert_same_output("whole", "ubq.out")

    def kill_once_and_resume(self):
        ranks = self.random.choice([2, 3])
        process = self.start(["run", self.input], ranks)
        self.wait_for_step(process, self.random.randrange(-1, 2000))
        time.sleep(self.random.uniform(0, 0.05))
        self.kill_one_rank(process, ranks)
        code, _, err = self.finish(process)
        if code == 0:  # it was done before the kill
            return
        self.assertNotEqual(self.status().get("state"), "done", err)
        resumed_on = self.random.choice([1, 2, 3])
        self.run_well("run", self.input, ranks=resumed_on)
        self.assertEqual(self.status()["state"], "done")


if __name__ == "__main__":
    unittest.main()

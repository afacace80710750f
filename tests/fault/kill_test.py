# kill -9 of a random rank at a random moment: the resumed run equals the uninterrupted one.
# SPDX-License-Identifier: BSD-3-Clause
import shutil
import time
import unittest

from nfold_process import NfoldTest, is_long


class Kill(NfoldTest):
    STEPS = 12000
    OPTIONS = ["--set", f"dynamics.steps={STEPS}", "--set", "observables.every_steps=100"]

    def test_resume_matches_the_uninterrupted_run(self):
        self.run_well("run", self.input, "--output", "whole", "--quiet", *self.OPTIONS)
        rounds = 20 if is_long() else 2
        interrupted = 0
        for _ in range(rounds):
            shutil.rmtree(self.folder / "ubq.out", ignore_errors=True)
            interrupted += self.kill_once_and_resume()
            self.assert_same_output("whole", "ubq.out")
            whole, resumed = (self.folder / name / "ubq.observables.h5" for name in ("whole", "ubq.out"))
            self.assertEqual(whole.read_bytes(), resumed.read_bytes())
        self.assertGreaterEqual(interrupted, rounds // 2, "most kills came when all was done")

    def kill_once_and_resume(self):
        """True if the kill came before the run was done."""
        ranks = self.random.choice([2, 3])
        process = self.start(["run", self.input, *self.OPTIONS], ranks)
        self.wait_for_step(process, self.random.randrange(-1, 3 * self.STEPS // 4))
        time.sleep(self.random.uniform(0, 0.05))
        self.kill_one_rank(process, ranks)
        code, _, err = self.finish(process)
        if code == 0 or self.status().get("state") == "done":
            return False  # all files were written; the kill hit at most an exiting rank
        resumed_on = self.random.choice([1, 2, 3])
        self.run_well("run", self.input, *self.OPTIONS, ranks=resumed_on)
        self.assertEqual(self.status()["state"], "done", err)
        return True


if __name__ == "__main__":
    unittest.main()

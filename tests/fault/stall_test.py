# A rank that stands still: the others wait for as long as they may, say so, and the job ends.
# SPDX-License-Identifier: BSD-3-Clause
import os
import signal
import time
import unittest

from nfold_process import NfoldTest

ENDLESS = "dynamics.steps=1000000000"
LIMIT_SECONDS = 3  # a loaded machine may hold up one rank at the start


class Stall(NfoldTest):
    def start_two(self):
        """Two ranks that run; their process ids."""
        process = self.start(["run", self.input, "--set", ENDLESS, "--quiet", "--overwrite", "--set",
                              f"partition.wait_limit_seconds={LIMIT_SECONDS}"], 2)
        self.wait_for_step(process, 200)
        ranks = self.ranks_of(process)
        self.assertEqual(len(ranks), 2, "ranks of mpirun")
        for rank in ranks:  # whatever becomes of the test, none stays behind stopped
            self.addCleanup(self.signal_if_there, rank, signal.SIGKILL)
        return process, ranks

    @staticmethod
    def signal_if_there(rank, number):
        try:
            os.kill(rank, number)
        except ProcessLookupError:
            pass

    @staticmethod
    def number_of(rank):
        with open(f"/proc/{rank}/environ", encoding="utf-8") as file:
            variables = dict(entry.partition("=")[::2] for entry in file.read().split("\0"))
        return int(variables["OMPI_COMM_WORLD_RANK"])

    def test_a_stopped_rank_ends_the_job_with_a_message(self):
        process, ranks = self.start_two()
        rank_of = {self.number_of(process_id): process_id for process_id in ranks}
        victim = self.random.randrange(2)
        os.kill(rank_of[victim], signal.SIGSTOP)
        code, _, err = self.finish(process)
        self.assertEqual(code, 3, err)
        errors = self.nfold_errors(err)
        self.assertEqual(len(errors), 1, err)
        self.assertRegex(errors[0], f"rank {1 - victim} waited {LIMIT_SECONDS} s for other ranks in "
                         r"an? \w.*, after step \d+: .*partition.wait_limit_seconds")
        status = self.status()
        self.assertEqual(status["state"], "failed", status)
        self.assertEqual(status["exit_code"], "3", status)
        self.assertIn("waited", status["reason"])

    def test_a_job_that_is_suspended_as_a_whole_goes_on(self):
        process, ranks = self.start_two()
        for rank in ranks:
            os.kill(rank, signal.SIGSTOP)
        time.sleep(1.5 * LIMIT_SECONDS)
        for rank in ranks:
            os.kill(rank, signal.SIGCONT)
        step = int(self.status()["step"])
        self.wait_for_step(process, step + 1000)
        process.send_signal(signal.SIGUSR1)
        code, _, err = self.finish(process)
        self.assertEqual(code, 75, err)


if __name__ == "__main__":
    unittest.main()

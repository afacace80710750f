# Signals and the time limit: a checkpoint, exit code 75, the reason in the status, the bits kept.
# SPDX-License-Identifier: BSD-3-Clause
import signal
import unittest

from nfold_process import NfoldTest

ENDLESS = "dynamics.steps=1000000000"


class Signals(NfoldTest):
    def stopped_by(self, signal_number, ranks=1, **options):
        process = self.start(["run", self.input, "--set", ENDLESS, "--quiet"], ranks, **options)
        self.wait_for_step(process, 200)
        process.send_signal(signal_number)
        return self.finish(process)

    def assert_stopped(self, reason):
        status = self.status()
        self.assertEqual(status["state"], "stopped", status)
        self.assertEqual(status["exit_code"], "75")
        self.assertIn(reason, status["reason"])
        self.assertTrue((self.folder / "ubq.out" / "ubq.ckpt.h5").exists())
        return int(status["step"])

    def test_one_process_stops_on_each_signal_and_goes_on_with_the_same_bits(self):
        last = 0
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(signal=number.name):
                code, _, err = self.stopped_by(number)
                self.assertEqual(code, 75, err)
                self.assertGreaterEqual(self.assert_stopped(number.name), last)
                last = int(self.status()["step"])
        steps = f"dynamics.steps={last + 100}"
        self.run_well("run", self.input, "--set", steps, "--quiet")
        self.run_well("run", self.input, "--set", steps, "--quiet", "--output", "whole")
        self.assert_same_output("whole", "ubq.out")

    def test_mpirun_forwards_usr1_and_returns_75(self):
        code, _, err = self.stopped_by(signal.SIGUSR1, ranks=3)
        self.assertEqual(code, 75, err)
        self.assert_stopped("SIGUSR1")

    def test_mpirun_that_is_ended_leaves_a_checkpoint(self):
        # mpirun's own code is not nfold's; a longer timeout, which it always waits for, leaves room
        # for the checkpoint.
        self.stopped_by(signal.SIGTERM, ranks=2,
                        mpirun_options=("--mca", "odls_base_sigkill_timeout", "5"))
        self.assert_stopped("SIGTERM")

    def test_time_limit(self):
        code, _, err = self.run_nfold("run", self.input, "--set", ENDLESS, "--time-limit", "2s",
                                      ranks=2)
        self.assertEqual(code, 75, err)
        self.assert_stopped("time limit of 2s")


if __name__ == "__main__":
    unittest.main()

# Signals and the time limit: a checkpoint, exit code 75, the reason in the status, the bits kept.
# SPDX-License-Identifier: BSD-3-Clause
import signal
import unittest

from nfold_process import NfoldTest

ENDLESS = "dynamics.steps=1000000000"


class Signals(NfoldTest):
    def stop_by(self, signal_number, ranks=1, **options):
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

    def test_each_signal_stops_and_the_resume_keeps_bits(self):
        last = 0
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGXCPU):
            with self.subTest(signal=number.name):
                code, _, err = self.stop_by(number)
                self.assertEqual(code, 75, err)
                self.assertGreaterEqual(self.assert_stopped(number.name), last)
                last = int(self.status()["step"])
        steps = f"dynamics.steps={last + 100}"
        self.run_well("run", self.input, "--set", steps, "--quiet")
        self.run_well("run", self.input, "--set", steps, "--quiet", "--output", "whole")
        self.assert_same_output("whole", "ubq.out")

    def test_mpirun_forwards_usr1_and_usr2_and_returns_75(self):
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            with self.subTest(signal=number.name):
                code, _, err = self.stop_by(number, ranks=3)
                self.assertEqual(code, 75, err)
                self.assert_stopped(number.name)

    def test_nohup_ignores_a_hangup(self):
        process = self.start(["run", self.input, "--set", ENDLESS, "--quiet"],
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_step(process, 200)
        process.send_signal(signal.SIGHUP)
        self.wait_for_step(process, int(self.status()["step"]) + 200)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process)[0], 75)
        self.assert_stopped("SIGTERM")

    def test_terminated_mpirun_leaves_a_checkpoint(self):
        # mpirun's exit code is not nfold's. A longer timeout, which mpirun always waits for, leaves
        # time for the checkpoint.
        self.stop_by(signal.SIGTERM, ranks=2,
                        mpirun_options=("--mca", "odls_base_sigkill_timeout", "5"))
        self.assert_stopped("SIGTERM")

    def test_time_limit_stops_the_run(self):
        code, _, err = self.run_nfold("run", self.input, "--set", ENDLESS, "--time-limit", "2s",
                                      ranks=2)
        self.assertEqual(code, 75, err)
        self.assert_stopped("time limit of 2s")

    def test_run_survives_a_closed_display(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                output = f"out{ranks}"
                process = self.start(["run", self.input, "--output", output], ranks)
                process.stdout.close()
                process.stdout = None
                self.assertEqual(self.finish(process)[0], 0)
                self.assertEqual(self.status(output)["state"], "done")

    def test_closed_streams_are_not_reused(self):
        """A file opened on the descriptor of standard output would receive the display."""
        self.run_well("run", self.input, "--output", "whole")
        command = " ".join(map(str, self.command(["run", self.input])))
        process = self.start_command(["sh", "-c", f"exec {command} >&- 2>&-"])
        self.assertEqual(self.finish(process)[0], 0)
        self.assert_same_output("whole", "ubq.out")


if __name__ == "__main__":
    unittest.main()

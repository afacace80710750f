# nfold launch: failures that must not be retried, signals to launch, and its end.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import signal
import time
import unittest

from launch_test import RANKS, STEPS, LaunchTest


class NotRetried(LaunchTest):
    def attempts(self, messages):
        return messages.count("on this node: nfold")

    def test_wrong_input_is_reported_once(self):
        process = self.launch(command=["run", "nothing.yaml"])
        code, messages = self.finish_launch(process)
        self.assertEqual((code, self.attempts(messages)), (1, 1), messages)
        self.assertNotIn("nfold: outcome", messages)  # a line for launch alone

    def test_repeated_explosion_is_blamed_on_the_input(self):
        hot = ["dynamics.time_step_ps=0.0705", "dynamics.temperature_kelvin=10000"]
        process = self.launch(command=["run", self.input, "--quiet", "--set", hot[0], "--set", hot[1]])
        code, messages = self.finish_launch(process)
        self.assertEqual((code, self.attempts(messages)), (3, 2), messages)
        self.assertIn("the input, not the machine", messages)

    def test_permanent_lack_of_memory_is_reported(self):
        process = self.launch(command=["run", self.input, "--quiet", "--device-memory", "20kB"])
        code, messages = self.finish_launch(process)
        self.assertEqual((code, self.attempts(messages)), (3, 2), messages)
        self.assertIn("take more GPUs", messages)

    def test_launcher_without_a_run_is_reported(self):
        """A status that another job writes meanwhile is not this one's."""
        self.run_well("run", self.input, "--quiet")
        status = self.folder / "ubq.out" / "ubq.status"
        other = self.script("other", f'sed "s/^written: .*/written: now/" "{status}" > s && mv s "{status}"\n')
        for launcher in "true", other, "/nosuch/mpirun":
            with self.subTest(launcher=str(launcher)):
                code, messages = self.finish_launch(self.launch("--launcher", launcher))
                self.assertEqual((code, self.attempts(messages)), (3, 1), messages)
                self.assertIn("no rank could be started", messages)

    def test_two_damaged_checkpoints_are_reported(self):
        self.run_well("run", self.input, "--quiet")
        for file in (self.folder / "ubq.out").glob("ubq.ckpt*.h5"):
            file.write_bytes(file.read_bytes()[:100])
        process = self.launch(command=["run", self.input, "--quiet", "--set", "dynamics.steps=2200"])
        code, messages = self.finish_launch(process)
        self.assertEqual((code, self.attempts(messages)), (3, 1), messages)
        self.assertIn("no attempt can read a checkpoint", messages)

    def test_folder_of_another_run_is_kept(self):
        self.run_well("run", self.input, "--quiet")
        before = (self.folder / "ubq.out" / "ubq.ckpt.h5").read_bytes()
        process = self.launch(command=["run", self.input, "--quiet", "--set", "dynamics.seed=7"])
        code, messages = self.finish_launch(process)
        self.assertEqual((code, self.attempts(messages)), (1, 1), messages)
        self.assertEqual((self.folder / "ubq.out" / "ubq.ckpt.h5").read_bytes(), before)

    def test_overwrite_applies_to_the_first_attempt_only(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        self.run_well("run", self.input, "--quiet", "--set", "dynamics.seed=7")
        process = self.launch(command=["run", self.input, *self.OPTIONS, "--overwrite"])
        self.wait_for_any_step(process, STEPS // 4)
        self.signal_all(self.ranks_below(process)[:1], signal.SIGKILL)
        code, messages = self.finish_launch(process)
        self.assertEqual((code, messages.count("--overwrite")), (0, 1), messages)
        self.assertGreater(self.incidents()[0]["resumed_at_step"], 0, messages)
        self.assert_same_output("whole", "ubq.out")

    def test_signal_ends_launch_with_a_checkpoint(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(signal=number.name):
                process = self.launch(command=["run", self.input, "--quiet", "--set",
                                               "dynamics.steps=1000000000"])
                self.wait_for_any_step(process, int(self.status().get("step", 0)) + 200)
                ranks = self.ranks_below(process)
                process.send_signal(number)
                code, messages = self.finish_launch(process)
                self.assertEqual((code, self.attempts(messages)), (75, 1), messages)
                self.assertEqual(self.status()["state"], "stopped")
                for rank in ranks:
                    self.assertFalse(pathlib.Path(f"/proc/{rank}").exists())

    def test_ranks_do_not_outlive_launch(self):
        process = self.launch(command=["run", self.input, "--quiet", "--set",
                                       "dynamics.steps=1000000000"])
        self.wait_for_any_step(process, 200)
        ranks = self.ranks_below(process)
        self.assertEqual(len(ranks), RANKS, self.messages.read_text())
        process.kill()
        process.wait()
        until = time.monotonic() + 60
        while any(pathlib.Path(f"/proc/{rank}/exe").exists() for rank in ranks):
            self.assertLess(time.monotonic(), until, "ranks go on")
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()

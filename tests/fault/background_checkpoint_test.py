# Background checkpoints: the files of a run with blocking writes, and a disk that fills up meanwhile.
# SPDX-License-Identifier: BSD-3-Clause
import re
import resource
import time
import unittest

from nfold_process import SMALL_ENSEMBLE, NfoldTest

WAITING = ["--set", "output.checkpoint_in_background=false"]
CHECKPOINTS = ("ubq.ckpt.h5", "ubq.ckpt.prev.h5")


class BackgroundCheckpoint(NfoldTest):
    def log(self, output):
        return (self.folder / output / "ubq.log").read_text()

    def assert_same_checkpoints(self, a, b):
        for name in CHECKPOINTS:
            self.run_well("compare", self.folder / a / name, self.folder / b / name)

    def test_files_equal_those_of_blocking_writes(self):
        # The last step ends while the checkpoint of step 2000 is being written.
        run = ["run", self.input, "--quiet", "--set", "dynamics.steps=2001",
               "--set", "observables.every_steps=100"]
        self.run_well(*run, *WAITING, "--output", "waiting")
        self.assertNotIn("for that of step", self.log("waiting"))
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                # Residues change ranks at every verified block.
                self.run_well(*run, "--output", "beside", "--overwrite", "--set",
                              "reliability.verify_every_steps=100", ranks=ranks)
                self.assert_same_checkpoints("waiting", "beside")
                self.assert_same_output("waiting", "beside")
                self.assertEqual((self.folder / "waiting/ubq.observables.h5").read_bytes(),
                                 (self.folder / "beside/ubq.observables.h5").read_bytes())
                # Ranks synchronise every 50 steps, and a checkpoint takes five synchronisations: the one
                # of each 200 steps is still being written when the next is due.
                log = self.log("beside")
                waits = re.findall(r"the checkpoint of step (\d+) waited \S+ s for that of step (\d+)", log)
                self.assertEqual(waits, [(str(k + 200), str(k)) for k in range(200, 2000, 200)], log)
                written = re.findall(r"checkpoint at step (\d+) written in \S+ s, steps waited \S+ s", log)
                self.assertEqual(written, [str(k) for k in [*range(0, 2001, 200), 2001]], log)

    def test_key_may_change_at_a_resume(self):
        self.run_well("run", self.input, "--quiet", "--output", "whole", "--set", "dynamics.steps=2200")
        self.run_well("run", self.input, "--quiet")
        self.run_well("run", self.input, "--quiet", *WAITING, "--set", "dynamics.steps=2200", ranks=2)
        self.assert_same_checkpoints("whole", "ubq.out")

    def test_files_of_an_ensemble_equal_those_of_blocking_writes(self):
        with open(self.input, "a", encoding="utf-8") as file:
            file.write(SMALL_ENSEMBLE + "  trajectory_replicas: [1]\n")
        run = ["run", self.input, "--quiet", "--set"]
        whole, part = "dynamics.steps=2001", "dynamics.steps=900"
        self.run_well(*run, whole, *WAITING, "--output", "waiting")
        self.run_well(*run, whole, "--output", "beside", ranks=3)
        self.run_well(*run, part, "--output", "resumed", ranks=2)
        self.run_well(*run, whole, "--output", "resumed")
        for output in "waiting", "beside":
            written = re.findall(r"checkpoint at step (\d+) written in \S+ s, steps waited \S+ s", self.log(output))
            self.assertEqual(written, [str(k) for k in [*range(0, 2001, 200), 2001]])
        for output in "beside", "resumed":
            self.assert_same_checkpoints("waiting", output)
            for name in "ubq.ensemble.h5", "ubq.replica-1.h5md":
                self.run_well("compare", self.folder / "waiting" / name, self.folder / output / name)
            for name in "ubq.samples", "ubq.replica-1.csv":
                self.assertEqual((self.folder / "waiting" / name).read_bytes(),
                                 (self.folder / output / name).read_bytes(), name)

    def last_checkpoint(self):
        """Step of the last checkpoint in the log; 0 before the first."""
        return int((re.findall(r"checkpoint at step (\d+) written", self.log("ubq.out")) or [0])[-1])

    def test_full_disk_during_a_background_write(self):
        often = ["--quiet", "--set", "output.trajectory_every_steps=0",
                 "--set", "output.energies_every_steps=0", "--set", "output.checkpoint_every_steps=50000"]
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.start(["run", self.input, *often, "--overwrite",
                                      "--set", "dynamics.steps=1000000000"], ranks)
                self.wait_for_step(process, 100000)
                # On busy cores steps outrun the writer thread; waits until a checkpoint is written.
                deadline = time.monotonic() + 60
                while self.last_checkpoint() == 0 and time.monotonic() < deadline:
                    time.sleep(0.05)
                checkpoint = self.folder / "ubq.out" / "ubq.ckpt.h5"
                limit = checkpoint.stat().st_size - 1
                for rank in [process.pid] if ranks == 1 else self.ranks_of(process):
                    resource.prlimit(rank, resource.RLIMIT_FSIZE, (limit, limit))
                code, out, err = self.finish(process)
                self.assertEqual(code, 3, out + err)
                errors = self.nfold_errors(err)
                self.assertEqual(len(errors), 1, err)
                # The limit may hit any stage of a write.
                self.assertRegex(errors[0], r"ubq\.ckpt\.h5\.tmp: cannot (reserve \d+ bytes|write)")
                self.assertIn("ulimit -f", errors[0])
                self.assertEqual(self.status()["state"], "failed")
                self.assertFalse((self.folder / "ubq.out" / "ubq.ckpt.h5.tmp").exists())
                # The run resumes from the last complete checkpoint.
                step = self.last_checkpoint()
                self.assertGreater(step, 0)
                out = self.run_well("run", self.input, *often[1:], "--set", f"dynamics.steps={step + 10}")
                self.assertIn(f"going on from step {step}", out)


if __name__ == "__main__":
    unittest.main()

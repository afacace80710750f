# A kill, or a full disk, at each change of a file: the resumed run equals the uninterrupted one.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment of nfold_process.py, and NFOLD_FAILING_FILES, the library in which the n-th change fails (tests/support).
The short form tests a few changes from a random one on, the long form all."""
import os
import pathlib
import shutil
import signal
import unittest

from nfold_process import NfoldTest, is_long

LADDER = """\
ensemble:
  temperatures: 2
  lowest_kelvin: 80
  highest_kelvin: 120
  exchange_every_steps: 20
  sample_every_steps: 20
  trajectory_replicas: [0]
"""
STRUCTURE = pathlib.Path(os.environ["NFOLD_INPUT"]).resolve() / "structures" / "1ubq.pdb.gz"
RUN = ["run", "--quiet", "--set", "dynamics.steps=60", "--set", "output.trajectory_every_steps=20", "--set",
       "output.energies_every_steps=10", "--set", "output.checkpoint_every_steps=20"]
TARGET = """\
- name: {name}
  structure: %s
  protocol: run
  input:
    force_field: {{mass_amu: 100}}
    dynamics: {{steps: 60, time_step_ps: 0.01, seed: {seed}}}
    output: {{checkpoint_every_steps: 20}}
""" % STRUCTURE
KILLED, DISK_FULL = "NFOLD_KILLED_AT", "NFOLD_DISK_FULL_AT"
TRANSIENT = (".log", ".status", ".performance.json", ".prediction.json", ".prev.h5", "running.csv", "times.csv",
             "run.yaml",  # its first comment changes while the target runs
             ".tmp")  # left by such a file if the kill came after the last write


class EachChangeOfFiles(NfoldTest):
    def fails_at(self, change, how, arguments, ranks):
        """Runs until the change fails and checks how the run ends. False if the run has fewer changes."""
        own = {"LD_PRELOAD": os.environ["NFOLD_FAILING_FILES"], "NFOLD_FAILS_IN": str(self.folder.resolve() / "out"),
               how: str(change)}
        code, out, err = self.run_nfold(*arguments, ranks=ranks, env={**os.environ, **own})
        if code == 0:
            return False
        if how == KILLED:
            self.assertEqual(code, -signal.SIGKILL if ranks == 1 else 128 + signal.SIGKILL, out + err)
        else:
            self.assertEqual(code, 3, out + err)
            self.assertRegex(err, "No space left on device .free space there")
            self.assertEqual(err.count("nfold: error"), 1, err)
        return True

    def contents(self, name):
        """Dictionary of the files of a run and their bytes, without transient files."""
        folder = self.folder / name
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file() and not path.name.endswith(TRANSIENT)}

    def assert_same(self, when):
        whole, resumed = self.contents("whole"), self.contents("out")
        self.assertEqual(set(whole), set(resumed), when)
        for name, content in whole.items():
            if name.endswith(".ckpt.h5"):
                code, out, err = self.run_nfold("compare", self.folder / "whole" / name, self.folder / "out" / name)
                self.assertEqual(code, 0, f"{when}: {out}{err}")
            elif name.endswith(".h5md"):
                self.assertEqual(self.frames("whole", name), self.frames("out", name), f"{when}: {name}")
            else:
                self.assertEqual(content, resumed[name], f"{when}: {name}")

    def frames(self, folder, name):
        """Frames of a trajectory as DCD. Unused bytes of the trajectory file itself may differ."""
        frames = self.folder / "frames"
        self.run_well("export", self.folder / folder / name, "--dcd", "--overwrite", "--output", frames)
        return frames.with_suffix(".dcd").read_bytes()

    def assert_each_failure_is_survived(self, arguments, prepare=lambda: None, ranks=1, every=80):
        """prepare() fills the output folder beforehand. ranks: number of ranks of the failing run."""
        self.run_well(*arguments, "--output", "whole")
        for how in (KILLED, DISK_FULL):
            stride = ranks if is_long() else every
            change = first = self.random.randrange(1, stride + 1)
            while self.is_survived(change, how, arguments, prepare, ranks):
                change += stride
            self.assertGreater((change - first) // stride, 50 if is_long() else 0)

    def is_survived(self, change, how, arguments, prepare, ranks):
        """Fails a run at the change, resumes it and compares. False if there is no such change."""
        arguments = [*arguments, "--output", "out"]
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        prepare()
        if not self.fails_at(change, how, arguments, ranks):
            return False
        code, out, err = self.run_nfold(*arguments)
        if "holds a finished run" not in err:  # the failure came after the last write
            self.assertEqual(code, 0, f"after {how}={change}: {out}{err}")
        self.assert_same(f"{how}={change}")
        return True

    def test_failing_sync_of_the_first_file_is_reported(self):
        (self.folder / "list.yaml").write_text("targets:\n" + TARGET.format(name="one", seed=1))
        own = {"LD_PRELOAD": os.environ["NFOLD_FAILING_FILES"], "NFOLD_SYNC_FAILS_AT": "1"}
        for number, command in enumerate(([*RUN, self.input], ["batch", "list.yaml", "--quiet"])):
            for launch in ([], ["launch", "-n", "1", "--retries", "0"]):
                output = f"out{number}{len(launch)}"
                own["NFOLD_FAILS_IN"] = str(self.folder.resolve() / output)
                code, out, err = self.run_nfold(*launch, *command, "--output", output, env={**os.environ, **own})
                self.assertEqual(code, 3, out + err)
                self.assertIn("Input/output error", err)
                self.run_well(*command, "--output", output)

    def test_run_survives(self):
        self.assert_each_failure_is_survived([*RUN, self.input])

    def test_overwriting_run_survives(self):
        self.run_well(*RUN, self.input, "--set", "dynamics.seed=7", "--output", "other")
        prepare = lambda: shutil.copytree(self.folder / "other", self.folder / "out")
        self.assert_each_failure_is_survived([*RUN, self.input, "--overwrite"], prepare)

    def test_run_of_two_ranks_survives(self):
        self.assert_each_failure_is_survived([*RUN, self.input], ranks=2, every=90)

    def test_ensemble_survives(self):
        self.input.write_text(self.input.read_text() + LADDER)
        self.assert_each_failure_is_survived([*RUN, self.input])

    def test_batch_survives(self):
        (self.folder / "list.yaml").write_text("targets:\n" + "".join(TARGET.format(name=name, seed=seed)
                                                                       for seed, name in enumerate(("one", "two"))))
        self.assert_each_failure_is_survived(["batch", "list.yaml", "--quiet"], every=160)


if __name__ == "__main__":
    unittest.main()

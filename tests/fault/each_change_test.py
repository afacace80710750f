# A kill at each change of a file, one after another: the next start ends in the bits of the unbroken run.
# SPDX-License-Identifier: BSD-3-Clause
"""As nfold_process.py; NFOLD_DIES is the library that kills at the n-th change (tests/support). The short form
takes every few changes from a random one on, the long form all."""
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
STEPS = ["--set", "dynamics.steps=60", "--set", "output.trajectory_every_steps=20", "--set",
         "output.energies_every_steps=10", "--set", "output.checkpoint_every_steps=20"]
OF_A_MOMENT = (".log", ".status", ".performance.json", ".prediction.json", ".prev.h5", "running.csv", "times.csv",
               "run.yaml",  # whose first comment tells whether the target goes on
               ".tmp")  # of such a file, where the kill came when all was written


class EachChange(NfoldTest):
    def is_killed_at(self, change, arguments, ranks):
        """False if it ended before it came to that change."""
        own = {"LD_PRELOAD": os.environ["NFOLD_DIES"], "NFOLD_DIES_IN": str(self.folder.resolve() / "out"),
               "NFOLD_DIES_AT": str(change)}
        code, out, err = self.run_nfold(*arguments, ranks=ranks, env={**os.environ, **own})
        self.assertIn(code, (0, -signal.SIGKILL if ranks == 1 else 128 + signal.SIGKILL), out + err)
        return code != 0

    def contents(self, name):
        """What a run leaves, but for what tells of the moment."""
        folder = self.folder / name
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
                if path.is_file() and not path.name.endswith(OF_A_MOMENT)}

    def assert_same(self, change):
        whole, resumed = self.contents("whole"), self.contents("out")
        self.assertEqual(set(whole), set(resumed), f"change {change}")
        for name, content in whole.items():
            if name.endswith(".ckpt.h5"):
                code, out, err = self.run_nfold("compare", self.folder / "whole" / name, self.folder / "out" / name)
                self.assertEqual(code, 0, f"change {change}: {out}{err}")
            elif name.endswith(".h5md"):
                self.assertEqual(self.frames("whole", name), self.frames("out", name), f"change {change}: {name}")
            else:
                self.assertEqual(content, resumed[name], f"change {change}: {name}")

    def frames(self, folder, name):
        """Of a trajectory, whose bytes may differ where nothing is written."""
        frames = self.folder / "frames"
        self.run_well("export", self.folder / folder / name, "--dcd", "--overwrite", "--output", frames)
        return frames.with_suffix(".dcd").read_bytes()

    def assert_each_change_is_survived(self, arguments, prepare=lambda: None, ranks=1, every=40):
        """prepare(): what stands in the folder before. ranks: of those that are killed."""
        to = lambda name: [*arguments, "--output", name]
        self.run_well(*to("whole"))
        stride = ranks if is_long() else every
        change = self.random.randrange(1, stride + 1)
        kills = 0
        while True:
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            prepare()
            if not self.is_killed_at(change, to("out"), ranks):
                break
            code, out, err = self.run_nfold(*to("out"))
            if "holds a finished run" not in err:  # killed when all was written
                self.assertEqual(code, 0, f"after a kill at change {change}: {out}{err}")
            self.assert_same(change)
            kills += 1
            change += stride
        self.assertGreater(kills, 100 if is_long() else 2)

    def test_of_a_run(self):
        self.assert_each_change_is_survived(["run", self.input, "--quiet", *STEPS])

    def test_of_a_run_in_place_of_another(self):
        self.run_well("run", self.input, "--quiet", *STEPS, "--set", "dynamics.seed=7", "--output", "other")
        prepare = lambda: shutil.copytree(self.folder / "other", self.folder / "out")
        self.assert_each_change_is_survived(["run", self.input, "--quiet", "--overwrite", *STEPS], prepare)

    def test_of_an_ensemble(self):
        self.input.write_text(self.input.read_text() + LADDER)
        self.assert_each_change_is_survived(["run", self.input, "--quiet", *STEPS])

    def test_of_a_run_of_two_ranks(self):
        self.assert_each_change_is_survived(["run", self.input, "--quiet", *STEPS], ranks=2, every=100)

    def test_of_a_batch(self):
        (self.folder / "list.yaml").write_text("targets:\n" + "".join(
            f"- {{name: {name}, structure: {STRUCTURE}, protocol: run, input: {{force_field: {{mass_amu: 100}}, dynamics: "
            f"{{steps: 60, time_step_ps: 0.01, seed: {seed}}}, output: {{checkpoint_every_steps: 20}}}}}}\n"
            for seed, name in enumerate(("one", "two"), 1)))
        self.assert_each_change_is_survived(["batch", "list.yaml", "--quiet"])


if __name__ == "__main__":
    unittest.main()

"""nfold plan as a person calls it: tables, JSON, job scripts, wrong words, and no trace left behind.
SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py

# One short chain, whose size is another one after a few picoseconds.
PEPTIDE = """system:
  species: [{name: peptide, fasta: peptide.fasta, record: peptide}]
force_field: {model: calvados2}
start: {from: unfolded}
dynamics: {steps: 44000, temperature_kelvin: 300, friction_per_ps: 0.1}
output: {trajectory_every_steps: 0}
observables: {every_steps: 100, equilibration_steps: 4000}
"""

NFOLD, ROOT, NFOLD_SLOWED = sys.argv[1], Path(sys.argv[2]), sys.argv[3]


class PlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plan(self, *words, env=None):
        done = subprocess.run([NFOLD, "plan", *map(str, words)], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, **(env or {})}, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def told(self, *words, env=None):
        code, out, err = self.plan(*words, "--json", env=env)
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def test_a_plan_leaves_nothing_behind(self):
        code, out, err = self.plan(ROOT / "input/calvados2-slab.yaml", "--machine", "h200")
        self.assertEqual(code, 0, err)
        self.assertIn("plan: 1 GPU", out)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_deadline_takes_more_gpus_and_a_budget_fewer(self):
        large = [ROOT / "input/go-ubq.yaml", "--machine", "h200", "--set", "system.copies=20000",
                 "--set", "system.box_nm=[400]", "--set", "start.from=random", "--set", "dynamics.steps=1e8"]
        cheap = self.told(*large, "--objective", "cost")
        best = cheap["layouts"][cheap["best"]]
        self.assertEqual(best["layout"], "1 GPU")
        hurried = self.told(*large, "--deadline", f"{best['seconds'] / 3:.0f}s")
        taken = hurried["layouts"][hurried["best"]]
        self.assertGreater(taken["nodes"] * taken["ranks_per_node"], 2)
        self.assertGreaterEqual(taken["chance_in_time"], 0.95)
        for other in hurried["layouts"]:
            if other["possible"] and other["chance_in_time"] >= 0.95:
                self.assertGreaterEqual(other["cost"], taken["cost"])
        poor = self.told(*large, "--budget", best["cost"] * 1.01)
        self.assertEqual(poor["layouts"][poor["best"]]["layout"], "1 GPU")

    def test_it_is_near_what_is_planned_for_memory(self):
        told = self.told(ROOT / "input/calvados2-slab.yaml", "--machine", "cpu-node")
        one = told["layouts"][0]
        done = subprocess.run([NFOLD, "check", "--memory", str(ROOT / "input/calvados2-slab.yaml")], text=True,
                              capture_output=True, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(one["host_bytes_of_node"], 1e6)

    def test_a_script_of_each_scheduler(self):
        for scheduler, directive in (("slurm", "#SBATCH --nodes=1"), ("pbs", "#PBS"), ("lsf", "#BSUB")):
            code, out, err = self.plan(ROOT / "input/ubiquitin.yaml", "--machine", "h100", "--write", "job.sh",
                                       "--scheduler", scheduler, "--queue", "gpu", "--overwrite")
            self.assertEqual(code, 0, err)
            text = (self.folder / "job.sh").read_text()
            self.assertIn(directive, text)
            self.assertIn("gpu", text)
            self.assertIn(str(ROOT / "input/ubiquitin.yaml"), text)
            self.assertEqual(subprocess.run(["bash", "-n", "job.sh"], cwd=self.folder).returncode, 0)

    def test_nothing_is_replaced_unasked(self):
        given = self.folder / "own.yaml"
        given.write_text((ROOT / "input/ubiquitin.yaml").read_text().replace("structures/", f"{ROOT}/input/structures/"))
        before = given.read_text()
        for words in (("--write", "own.yaml", "--overwrite"), ("--csv", "own.yaml", "--overwrite"), ("--write", "own.yaml")):
            code, _, err = self.plan("own.yaml", "--machine", "h100", *words)
            self.assertEqual(code, 1, err)
            self.assertIn("own.yaml: ", err)
            self.assertEqual(given.read_text(), before)

    def test_targets_of_a_list_share_a_gpu(self):
        """Six ladders of few replicas: one after another, or on one GPU at once."""
        targets = "".join(f"- {{structure: {ROOT}/input/structures/1ubq.pdb.gz, name: n{k}}}\n" for k in range(6))
        (self.folder / "list.yaml").write_text(f"batch: {{budget_gpu_seconds: 1}}\ntargets:\n{targets}")
        words = ["list.yaml", "--machine", "h200", "--objective", "cost", "--write", "job.sh", "--overwrite"]
        taken = {}
        for most in (None, 1):
            code, out, err = self.plan(*words, *(["--side-by-side", most] if most else []))
            self.assertEqual(code, 0, err)
            self.assertEqual("one after another they take" in out, most is None, out)
            self.assertEqual("--side-by-side 1" in (self.folder / "job.sh").read_text(), most == 1)
            taken[most] = self.told(*words, *(["--side-by-side", most] if most else []))["layouts"][0]
        self.assertLess(taken[None]["seconds_of_steps"], 0.5 * taken[1]["seconds_of_steps"])

    def test_a_machine_of_ones_own_by_variable_and_file(self):
        mine = self.folder / "mine.yaml"
        mine.write_text((ROOT / "input/machines/laptop.yaml").read_text().replace("cores: 8", "cores: 4"))
        for told in (self.told(ROOT / "input/ubiquitin.yaml", "--machine", "mine.yaml"),
                     self.told(ROOT / "input/ubiquitin.yaml", env={"NFOLD_MACHINE": "mine.yaml"})):
            self.assertEqual(told["machine"]["name"], "mine")
            self.assertEqual([one["ranks_per_node"] for one in told["layouts"]], [1, 2, 3, 4])
        here = self.told(ROOT / "input/ubiquitin.yaml", env={"NFOLD_MACHINE": ""})
        self.assertEqual(here["machine"]["name"], "here")

    def test_a_wrong_prediction_is_corrected_within_three_runs(self):
        """A step takes what nfold_slowed counts, some milliseconds, whatever this machine's speed is."""
        text = (ROOT / "input/machines/laptop.yaml").read_text().replace("clock_mhz: 3400", "clock_mhz: 68000")
        (self.folder / "wrong.yaml").write_text(text.replace("memory_gb_per_s: 6", "memory_gb_per_s: 120"))
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite"), "NFOLD_MACHINE": "wrong.yaml",
               "OMP_NUM_THREADS": "1", "SLOWNESS": "1e-4"}
        words = [ROOT / "input/go-ubq.yaml", "--set", "system.copies=27", "--set", "system.box_nm=[14.2]",
                 "--set", "start.from=random", "--set", "dynamics.steps=1000"]
        before = self.told(*words, env=env)["layouts"][0]["step_seconds"]
        for k in range(3):
            done = subprocess.run([NFOLD_SLOWED, "run", *map(str, words), "--quiet", "--threads", "1",
                                   "--output", f"{k}.out"], cwd=self.folder, text=True, capture_output=True,
                                  env={**os.environ, **env}, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
        logs = [(self.folder / f"{k}.out/go-ubq.log").read_text() for k in range(3)]
        self.assertIn("were predicted by wrong (", logs[0])
        self.assertIn("were predicted by wrong and 2 earlier runs (", logs[2])
        told = self.told(*words, env=env)["layouts"][0]
        self.assertEqual(told["correction_runs"], 3)
        self.assertGreater(told["step_seconds"], 5 * before)
        measured = [float(log.split("a step took ")[1].split(" us")[0]) * 1e-6 for log in logs]
        mean = (measured[0] * measured[1] * measured[2]) ** (1 / 3)
        self.assertAlmostEqual(told["step_seconds"] / mean, 1, delta=0.02)
        code, out, err = self.plan(*words, env=env)
        self.assertIn("as 3 earlier runs told", out)

    def test_an_ensemble_corrects_plans_of_ensembles(self):
        """The same machine, and replicas."""
        text = (ROOT / "input/machines/laptop.yaml").read_text().replace("clock_mhz: 3400", "clock_mhz: 68000")
        (self.folder / "wrong.yaml").write_text(text)
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite"), "NFOLD_MACHINE": "wrong.yaml",
               "OMP_NUM_THREADS": "1"}
        words = [ROOT / "input/ubiquitin-exchange.yaml", "--set", "dynamics.steps=20000",
                 "--set", "ensemble.ladders=1", "--set", "ensemble.equilibration_steps=1000"]
        before = self.told(*words, env=env)["layouts"][0]
        self.assertEqual(before["correction_runs"], 0)
        for k in range(3):
            done = subprocess.run([NFOLD, "run", *map(str, words), "--quiet", "--threads", "1", "--output", f"{k}.out"],
                                  cwd=self.folder, text=True, capture_output=True, env={**os.environ, **env},
                                  timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
        logs = [(self.folder / f"{k}.out/ubiquitin-exchange.log").read_text() for k in range(3)]
        self.assertIn("were predicted by wrong (", logs[0])
        self.assertIn("were predicted by wrong and 1 earlier run (", logs[1])
        self.assertIn("were predicted by wrong and 2 earlier runs (", logs[2])
        performance = json.loads((self.folder / "2.out/ubiquitin-exchange.performance.json").read_text())
        self.assertEqual(performance["prediction"]["by"], "wrong and 2 earlier runs")
        measured = [float(log.split("a step of 16 replicas took ")[1].split(" us")[0]) * 1e-6 for log in logs]
        self.assertAlmostEqual(performance["prediction"]["compared_step_seconds"] / measured[2], 1, delta=1e-3)
        told = self.told(*words, env=env)["layouts"][0]
        self.assertEqual(told["correction_runs"], 3)
        self.assertGreater(told["seconds_of_steps"], 2.5 * before["seconds_of_steps"])
        whole = [float(log.split("the ensemble took ")[1].split(" s")[0]) for log in logs]
        start = 0.3 + 76 * 3.5e-6  # of the program, which no ensemble measures
        # The machine may be busy with other work during any of the runs.
        self.assertGreater(told["seconds"] - start, 0.9 * min(whole))
        self.assertLess(told["seconds"] - start, 1.1 * max(whole))

    def test_the_error_of_a_longer_run_is_told_by_a_shorter_one(self):
        """Of a chain's radius of gyration, whose error falls as the square root of the time."""
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite")}
        (self.folder / "peptide.fasta").write_text(">peptide\n" + 6 * "GSQ" + "\n")
        (self.folder / "peptide.yaml").write_text(PEPTIDE)
        words = ["peptide.yaml"]

        def run(steps):
            done = subprocess.run([NFOLD, "run", *map(str, words), "--set", f"dynamics.steps={steps}", "--quiet",
                                   "--threads", "1", "--output", f"{steps}.out"], cwd=self.folder, text=True,
                                  capture_output=True, env={**os.environ, **env}, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(self.folder / f"{steps}.out/peptide.observables.h5") as file:
                sizes = file["chain_sizes"]
                return float(sizes["radius_of_gyration"][0]), float(sizes["radius_of_gyration_error"][0])

        self.assertEqual(self.told(*words, env=env)["expected_errors"], [])
        mean, error = run(44000)
        expected, = self.told(*words, "--set", "dynamics.steps=164000", env=env)["expected_errors"]
        self.assertEqual(expected["observable"], "radius of gyration [nm]")
        for setting, like in (("dynamics.seed=77", 1), ("dynamics.temperature_kelvin=350", 0), ("dynamics.steps=804000", 0)):
            of_other = self.told(*words, "--set", "dynamics.steps=164000", "--set", setting, env=env)["expected_errors"]
            self.assertEqual(len(of_other), like, setting)
        self.assertAlmostEqual(expected["mean"], mean, places=9)
        self.assertAlmostEqual(expected["standard_error"], error / 2, delta=0.01 * error)
        _, known = run(164000)
        self.assertLess(known / expected["standard_error"], 3)
        self.assertGreater(known / expected["standard_error"], 1 / 3)
        code, out, err = self.plan(*words, env=env)
        self.assertIn("as 2 earlier runs told", out)

    def test_a_broken_history_harms_no_run(self):
        (self.folder / "history.sqlite").write_text("no database, whatever its name says: some words, and more\n" * 9)
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite")}
        done = subprocess.run([NFOLD, "run", str(ROOT / "input/go-ubq.yaml"), "--set", "dynamics.steps=200", "--quiet",
                               "--threads", "1"], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, **env}, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no prediction: ", (self.folder / "go-ubq.out/go-ubq.log").read_text())

    def test_wrong_words_are_named(self):
        for words, told in (((ROOT / "input/ubiquitin.yaml", "--machine", "h20"), "did you mean 'h200'"),
                            ((ROOT / "input/ubiquitin.yaml", "--deadline", "soon"), "--deadline"),
                            ((ROOT / "input/ubiquitin.yaml", "--budget", "-1"), "--budget"),
                            ((), "no input"),
                            (("nothing.yaml",), "nothing.yaml"),
                            ((ROOT / "input/ubiquitin.yaml", "--set", "dynamics.step=1"), "dynamics.steps")):
            code, out, err = self.plan(*words)
            self.assertEqual(code, 1, out + err)
            self.assertIn(told, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

# nfold plan as a user calls it: tables, JSON, job scripts, wrong options, no files left behind.
# SPDX-License-Identifier: BSD-3-Clause
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py

# One short chain, whose radius of gyration decorrelates within a few picoseconds.
PEPTIDE = """system:
  species: [{name: peptide, fasta: peptide.fasta, record: peptide}]
force_field: {model: calvados2}
start: {from: unfolded}
dynamics: {steps: 44000, temperature_kelvin: 300, friction_per_ps: 0.1}
output: {trajectory_every_steps: 0}
observables: {every_steps: 100, equilibration_steps: 4000}
"""

NFOLD, ROOT, NFOLD_SLOWED = sys.argv[1], Path(sys.argv[2]), sys.argv[3]


def table_total(text):
    """Bytes in both columns of the last row of `nfold check --memory`."""
    total, = re.findall(r"^ +total +([\d.]+) (\w+) +([\d.]+) (\w+)$", text, re.MULTILINE)
    power = {"B": 0, "KiB": 1, "MiB": 2, "GiB": 3}
    return [float(number) * 1024 ** power[unit] for number, unit in (total[:2], total[2:])]


class PlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def plan(self, *arguments, env=None):
        done = subprocess.run([NFOLD, "plan", *map(str, arguments)], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config"), **(env or {})}, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def plan_json(self, *arguments, env=None):
        code, out, err = self.plan(*arguments, "--json", env=env)
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def test_plan_writes_no_files(self):
        code, out, err = self.plan(ROOT / "input/calvados2-slab.yaml", "--machine", "h200")
        self.assertEqual(code, 0, err)
        self.assertIn("plan: ", out)
        self.assertEqual(list(self.folder.iterdir()), [])

    def write_machine(self, path, name, **changes):
        """Built-in entry with changed lines, as a file."""
        lines = (ROOT / f"input/machines/{name}.yaml").read_text().splitlines()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(next((f"{key}: {new}" for key, new in changes.items() if line.startswith(f"{key}:")), line)
                                  for line in lines) + "\n")

    def test_machines_are_compared_in_one_question(self):
        self.write_machine(self.folder / "config/nfold/machines/a3-h100.yaml", "h100",
                           limits="{nodes: 2, hours: 24}", price="{gpu_hour: 3, core_hour: 0.04, currency: USD}")
        arguments = [ROOT / "input/calvados2-slab.yaml", "--machine", "here,rtx4060,a3-h100", "--deadline", "2d"]
        plan = self.plan_json(*arguments)
        self.assertEqual([one["name"] for one in plan["machines"]], ["here", "rtx4060", "a3-h100"])
        possible = [one for one in plan["layouts"] if one["possible"]]
        self.assertEqual({one["machine"] for one in possible}, {"here", "rtx4060", "a3-h100"})
        self.assertEqual({one["cost"] for one in possible if one["machine"] == "here"}, {0})
        self.assertEqual({(one["machine"], one["parts_seconds"]["transfer"]) for one in possible},
                         {("here", 0), ("rtx4060", 0), ("a3-h100", 300)}, "the wait for a job's start")
        self.assertTrue(all(one["kilowatt_hours"] > 0 for one in possible))
        self.assertEqual(max(one["nodes"] for one in possible), 2)
        best = plan["layouts"][plan["best"]]
        self.assertEqual(plan["machine"]["name"], best["machine"])
        in_time = [one for one in possible if one["chance_in_time"] >= 0.95]
        self.assertEqual(best["cost"], min(one["cost"] for one in in_time))
        others = [plan["layouts"][one["index"]] for one in plan["alternatives"]]
        self.assertGreaterEqual({one["machine"] for one in others} | {best["machine"]}, {"here", "rtx4060", "a3-h100"})
        self.assertGreaterEqual(plan["confidence"], 0.5)
        code, out, err = self.plan(*arguments, "--csv", "plan.csv")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"  machine +layout +time \(90 %\) +cost +memory +kWh +in time")
        self.assertIn(f"plan: {best['layout']} of {best['machine']}", out)
        self.assertIn("confidence: ", out)
        with open(self.folder / "plan.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["machine"], float(row["cost"])) for row in rows],
                         [(one["machine"], one["cost"]) for one in possible])

    def test_machines_of_the_site_are_listed_and_named(self):
        self.write_machine(self.folder / "config/nfold/machines/ours.yaml", "h100", node="{gpus: 4, cores: 64, memory_gb: 500}")
        code, out, err = self.plan("--machines")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"h200 +built in +up to 64 nodes of 8 GPUs and 192 cores")
        self.assertRegex(out, r"ours +\S*/nfold/machines/ours.yaml +up to 64 nodes of 4 GPUs and 64 cores")
        for machine in ("ours", self.folder / "config/nfold/machines"):
            plan = self.plan_json(ROOT / "input/ubiquitin.yaml", "--machine", machine)
            self.assertEqual(plan["machine"]["name"], "ours")

    def test_cores_of_a_machine_with_gpus_are_offered(self):
        plan = self.plan_json(ROOT / "input/ubiquitin.yaml", "--machine", "rtx4060")
        first = {one["on_gpu"]: one for one in reversed(plan["layouts"]) if one["ranks_per_node"] == 1}
        self.assertLess(first[False]["seconds"], first[True]["seconds"])
        self.assertEqual(plan["layouts"][plan["best"]], first[False])
        self.assertEqual(first[False]["device_bytes"] > 0, True)

    def test_layouts_are_those_asked(self):
        large = [ROOT / "input/go-ubq.yaml", "--machine", "h200", "--set", "system.copies=2000", "--set", "system.box_nm=[200]",
                 "--set", "start.from=random"]
        for options, layouts in ((("--nodes", 2, "--gpus-per-node", 4), {"2 nodes of 4 GPUs"}),
                                 (("--ranks", 6, "--nodes", 1), {"6 GPUs", "6 cores"}),
                                 (("--cores-per-node", 100, "--nodes", 3), {"3 nodes of 100 cores"})):
            plan = self.plan_json(*large, *options)
            self.assertEqual({one["layout"] for one in plan["layouts"]}, layouts)
        code, _, err = self.plan(*large, "--nodes", 2, "--gpus-per-node", 9)
        self.assertEqual(code, 1)
        self.assertIn("no layout has these --nodes, --gpus-per-node", err)
        self.assertIn("h200 has up to 64 nodes of 8 GPUs and 192 cores", err)

    def test_costs_of_two_currencies_are_not_compared(self):
        self.write_machine(self.folder / "euro.yaml", "rtx4060", price="{gpu_hour: 0.06, core_hour: 0.007, currency: EUR}")
        arguments = [ROOT / "input/ubiquitin.yaml", "--machine", "euro.yaml,h100"]
        for goal in (("--budget", 5), ("--objective", "cost"), ("--deadline", "1h")):
            code, _, err = self.plan(*arguments, *goal)
            self.assertEqual(code, 1)
            self.assertIn("euro costs EUR, and h100 costs USD", err)
        self.plan_json(*arguments, "--objective", "time")
        self.plan_json(*arguments)

    def test_deadline_takes_more_gpus_and_budget_fewer(self):
        large = [ROOT / "input/go-ubq.yaml", "--machine", "h200", "--set", "system.copies=20000",
                 "--set", "system.box_nm=[400]", "--set", "start.from=random", "--set", "dynamics.steps=1e8"]
        cheap = self.plan_json(*large, "--objective", "cost")
        best = cheap["layouts"][cheap["best"]]
        self.assertEqual(best["layout"], "1 GPU")
        hurried = self.plan_json(*large, "--deadline", f"{best['seconds'] / 3:.0f}s")
        taken = hurried["layouts"][hurried["best"]]
        self.assertGreater(taken["nodes"] * taken["ranks_per_node"], 2)
        self.assertGreaterEqual(taken["chance_in_time"], 0.95)
        for other in hurried["layouts"]:
            if other["possible"] and other["chance_in_time"] >= 0.95:
                self.assertGreaterEqual(other["cost"], taken["cost"])
        poor = self.plan_json(*large, "--budget", best["cost"] * 1.01)
        self.assertEqual(poor["layouts"][poor["best"]]["layout"], "1 GPU")

    def test_memory_estimate_is_above_a_megabyte(self):
        done = subprocess.run([NFOLD, "check", "--memory", str(ROOT / "input/calvados2-slab.yaml")], text=True,
                              capture_output=True, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("memory of each of 1 rank\n", done.stdout)
        engine, beside = table_total(done.stdout)
        is_gpu_build = re.search(r"arrays +on the GPU", done.stdout) is not None
        planned = self.plan_json(ROOT / "input/calvados2-slab.yaml", "--machine", "h200" if is_gpu_build else "cpu-node")
        one = planned["layouts"][0]
        self.assertEqual((one["nodes"], one["ranks_per_node"]), (1, 1))
        self.assertGreater(one["host_bytes_of_node"], 1e6)
        # The plan counts a part of 6,000 residues; the check counts all 6,850.
        expected = beside if is_gpu_build else engine + beside
        self.assertAlmostEqual(one["host_bytes_of_node"] / expected, 1, delta=0.1)

    def test_steps_agree_with_partitions(self):
        """Prime numbers of ranks too, of a complex that is built completely and of a slab that is counted by a part."""
        for name in ("protease-dimer", "hps-urry-slab"):
            path, env = ROOT / f"input/{name}.yaml", {**os.environ, "NFOLD_MACHINE": "cpu-node"}
            layouts = {one["ranks_per_node"]: one for one in self.plan_json(path, env=env)["layouts"] if one["nodes"] == 1}
            done = subprocess.run([NFOLD, "check", path, "--output", name, "--partitions", "2,7,13,41"], cwd=self.folder,
                                  text=True, capture_output=True, env=env, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.folder / name / "partitions.csv", encoding="utf-8") as table:
                taken = [row for row in csv.DictReader(table) if row["is_auto"] in ("1", "true")]
            self.assertEqual([row["ranks"] for row in taken], ["2", "7", "13", "41"])
            for row in taken:
                planned = layouts[int(row["ranks"])]
                counted = 1e-6 * float(row["step_microseconds"])
                low, high = (planned[end] / planned["seconds"] for end in ("low_seconds", "high_seconds"))
                self.assertGreater(counted, low * planned["step_seconds"], (name, row))
                self.assertLess(counted, high * planned["step_seconds"], (name, row))

    def test_script_of_each_scheduler_is_valid(self):
        for scheduler, directive in (("slurm", "#SBATCH --nodes=1"), ("pbs", "#PBS"), ("lsf", "#BSUB")):
            code, out, err = self.plan(ROOT / "input/ubiquitin.yaml", "--machine", "h100", "--write", "job.sh",
                                       "--scheduler", scheduler, "--queue", "gpu", "--overwrite")
            self.assertEqual(code, 0, err)
            text = (self.folder / "job.sh").read_text()
            self.assertIn(directive, text)
            self.assertIn("gpu", text)
            self.assertIn(str(ROOT / "input/ubiquitin.yaml"), text)
            self.assertEqual(subprocess.run(["bash", "-n", "job.sh"], cwd=self.folder).returncode, 0)

    def test_input_is_never_replaced(self):
        given = self.folder / "own.yaml"
        given.write_text((ROOT / "input/ubiquitin.yaml").read_text().replace("structures/", f"{ROOT}/input/structures/"))
        before = given.read_text()
        for arguments in (("--write", "own.yaml", "--overwrite"), ("--csv", "own.yaml", "--overwrite"), ("--write", "own.yaml")):
            code, _, err = self.plan("own.yaml", "--machine", "h100", *arguments)
            self.assertEqual(code, 1, err)
            self.assertIn("own.yaml: ", err)
            self.assertEqual(given.read_text(), before)

    def test_targets_of_a_list_share_a_gpu(self):
        """Six ensembles of few replicas run one after another, or at once on one GPU."""
        targets = "".join(f"- {{structure: {ROOT}/input/structures/1ubq.pdb.gz, name: n{k}}}\n" for k in range(6))
        (self.folder / "list.yaml").write_text(f"batch: {{budget_gpu_seconds: 1}}\ntargets:\n{targets}")
        arguments = ["list.yaml", "--machine", "h200", "--objective", "cost", "--write", "job.sh", "--overwrite"]
        taken = {}
        for most in (None, 1):
            code, out, err = self.plan(*arguments, *(["--side-by-side", most] if most else []))
            self.assertEqual(code, 0, err)
            self.assertEqual("one after another they take" in out, most is None, out)
            self.assertEqual("--side-by-side 1" in (self.folder / "job.sh").read_text(), most == 1)
            taken[most] = self.plan_json(*arguments, *(["--side-by-side", most] if most else []))["layouts"][0]
        self.assertLess(taken[None]["seconds"], 0.7 * taken[1]["seconds"])

    def test_own_machine_is_set_by_variable_and_file(self):
        mine = self.folder / "mine.yaml"
        mine.write_text((ROOT / "input/machines/laptop.yaml").read_text().replace("cores: 8", "cores: 4"))
        for planned in (self.plan_json(ROOT / "input/ubiquitin.yaml", "--machine", "mine.yaml"),
                        self.plan_json(ROOT / "input/ubiquitin.yaml", env={"NFOLD_MACHINE": "mine.yaml"})):
            self.assertEqual(planned["machine"]["name"], "mine")
            self.assertEqual([one["ranks_per_node"] for one in planned["layouts"]], [1, 2, 3, 4])
        here = self.plan_json(ROOT / "input/ubiquitin.yaml", env={"NFOLD_MACHINE": ""})
        self.assertEqual(here["machine"]["name"], "here")

    def test_wrong_estimate_is_corrected_within_three_runs(self):
        """A step takes the milliseconds that nfold_slowed counts, on any machine."""
        text = (ROOT / "input/machines/laptop.yaml").read_text().replace("clock_mhz: 3400", "clock_mhz: 68000")
        (self.folder / "wrong.yaml").write_text(text.replace("memory_gb_per_s: 6", "memory_gb_per_s: 120"))
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite"), "NFOLD_MACHINE": "wrong.yaml",
               "OMP_NUM_THREADS": "1", "SLOWNESS": "1e-4"}
        arguments = [ROOT / "input/go-ubq.yaml", "--set", "system.copies=27", "--set", "system.box_nm=[14.2]",
                     "--set", "start.from=random", "--set", "dynamics.steps=1000"]
        before = self.plan_json(*arguments, env=env)["layouts"][0]["step_seconds"]
        for k in range(3):
            done = subprocess.run([NFOLD_SLOWED, "run", *map(str, arguments), "--quiet", "--threads", "1",
                                   "--output", f"{k}.out"], cwd=self.folder, text=True, capture_output=True,
                                  env={**os.environ, **env}, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
        logs = [(self.folder / f"{k}.out/go-ubq.log").read_text() for k in range(3)]
        self.assertIn("were predicted by wrong (", logs[0])
        self.assertIn("were predicted by wrong and 2 earlier runs (", logs[2])
        planned = self.plan_json(*arguments, env=env)["layouts"][0]
        self.assertEqual(planned["correction_runs"], 3)
        self.assertGreater(planned["step_seconds"], 5 * before)
        measured = [float(log.split("a step took ")[1].split(" us")[0]) * 1e-6 for log in logs]
        mean = (measured[0] * measured[1] * measured[2]) ** (1 / 3)
        self.assertAlmostEqual(planned["step_seconds"] / mean, 1, delta=0.02)
        code, out, err = self.plan(*arguments, env=env)
        self.assertIn("as 3 earlier runs told", out)

    def test_ensemble_corrects_plans_of_ensembles(self):
        """The history of ensembles corrects plans for replicas."""
        text = (ROOT / "input/machines/laptop.yaml").read_text().replace("clock_mhz: 3400", "clock_mhz: 68000")
        (self.folder / "wrong.yaml").write_text(text)
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite"), "NFOLD_MACHINE": "wrong.yaml",
               "OMP_NUM_THREADS": "1"}
        arguments = [ROOT / "input/ubiquitin-exchange.yaml", "--set", "dynamics.steps=20000",
                     "--set", "ensemble.ladders=1", "--set", "ensemble.equilibration_steps=1000"]
        before = self.plan_json(*arguments, env=env)["layouts"][0]
        self.assertEqual(before["correction_runs"], 0)
        for k in range(3):
            done = subprocess.run([NFOLD, "run", *map(str, arguments), "--quiet", "--threads", "1", "--output", f"{k}.out"],
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
        planned = self.plan_json(*arguments, env=env)["layouts"][0]
        self.assertEqual(planned["correction_runs"], 3)
        self.assertGreater(planned["seconds_of_steps"], 2.5 * before["seconds_of_steps"])
        whole = [float(log.split("the job took ")[1].split(" s")[0]) for log in logs]
        # Other work may slow the machine during any of the runs.
        self.assertGreater(planned["seconds"], 0.9 * min(whole))
        self.assertLess(planned["seconds"], 1.1 * max(whole))
        parts, estimated = performance["parts_seconds"], performance["prediction"]["parts_seconds"]
        self.assertEqual(parts.keys(), planned["parts_seconds"].keys())
        self.assertEqual(parts.keys(), estimated.keys())
        self.assertAlmostEqual(sum(parts.values()), performance["wall_seconds"], delta=0.5)
        self.assertGreater(parts["analysis"], 0)

    def test_longer_run_is_given_the_error_scaled_from_a_shorter(self):
        """The error of a chain's radius of gyration falls as the square root of the time."""
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite")}
        (self.folder / "peptide.fasta").write_text(">peptide\n" + 6 * "GSQ" + "\n")
        (self.folder / "peptide.yaml").write_text(PEPTIDE)
        arguments = ["peptide.yaml"]

        def run(steps):
            done = subprocess.run([NFOLD, "run", *map(str, arguments), "--set", f"dynamics.steps={steps}", "--quiet",
                                   "--threads", "1", "--output", f"{steps}.out"], cwd=self.folder, text=True,
                                  capture_output=True, env={**os.environ, **env}, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(self.folder / f"{steps}.out/peptide.observables.h5") as file:
                sizes = file["chain_sizes"]
                return float(sizes["radius_of_gyration"][0]), float(sizes["radius_of_gyration_error"][0])

        self.assertEqual(self.plan_json(*arguments, env=env)["expected_errors"], [])
        mean, error = run(44000)
        expected, = self.plan_json(*arguments, "--set", "dynamics.steps=164000", env=env)["expected_errors"]
        self.assertEqual(expected["observable"], "radius of gyration [nm]")
        for setting, like in (("dynamics.seed=77", 1), ("dynamics.temperature_kelvin=350", 0), ("dynamics.steps=804000", 0)):
            other_errors = self.plan_json(*arguments, "--set", "dynamics.steps=164000", "--set", setting, env=env)["expected_errors"]
            self.assertEqual(len(other_errors), like, setting)
        self.assertAlmostEqual(expected["mean"], mean, places=9)
        self.assertAlmostEqual(expected["standard_error"], error / 2, delta=0.01 * error)
        _, known = run(164000)
        self.assertLess(known / expected["standard_error"], 3)
        self.assertGreater(known / expected["standard_error"], 1 / 3)
        code, out, err = self.plan(*arguments, env=env)
        self.assertIn("as 2 earlier runs told", out)

    def test_broken_history_harms_no_run(self):
        (self.folder / "history.sqlite").write_text("no database, whatever its name says: some words, and more\n" * 9)
        env = {"NFOLD_HISTORY": str(self.folder / "history.sqlite")}
        done = subprocess.run([NFOLD, "run", str(ROOT / "input/go-ubq.yaml"), "--set", "dynamics.steps=200", "--quiet",
                               "--threads", "1"], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, **env}, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no prediction: ", (self.folder / "go-ubq.out/go-ubq.log").read_text())

    def test_wrong_options_are_named(self):
        for arguments, message in (((ROOT / "input/ubiquitin.yaml", "--machine", "h20"), "did you mean 'h200'"),
                                   ((ROOT / "input/ubiquitin.yaml", "--deadline", "soon"), "--deadline"),
                                   ((ROOT / "input/ubiquitin.yaml", "--budget", "-1"), "--budget"),
                                   ((), "no input"),
                                   (("nothing.yaml",), "nothing.yaml"),
                                   ((ROOT / "input/ubiquitin.yaml", "--set", "dynamics.step=1"), "dynamics.steps")):
            code, out, err = self.plan(*arguments)
            self.assertEqual(code, 1, out + err)
            self.assertIn(message, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

# Division of a job and migration of a run: plans, and scripts whose other machine is another folder.
# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NFOLD, ROOT = sys.argv[1], Path(sys.argv[2])
CONDENSATE = ["--set", "system.copies=20000", "system.box_nm=[400]", "start.from=random", "dynamics.steps=1e5",
              "start.minimise_steps=2000", "output.trajectory_every_steps=1000"]


class SiteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nfold site ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        self.env = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "NFOLD_HISTORY": "off",
                    "NFOLD_REPORT": "draw", "SLURM_JOB_ID": "7"}
        self.program("nfold", f'echo "$1" >> "{self.folder}/calls"; exec "{NFOLD}" "$@"')
        self.program("sbatch", f'echo sbatch >> "{self.folder}/calls"; echo "job 7"; bash "$1" > job.log 2>&1')
        self.program("draw", f'echo report >> "{self.folder}/calls"; mkdir -p "$1/report"; touch "$1/report/report.html"')

    def program(self, name, text):
        """Write a program that is first on PATH."""
        file = self.folder / "bin" / name
        file.write_text(f"#!/bin/bash\n{text}\n")
        file.chmod(0o755)

    def machine(self, name, transfer, **replaced):
        """Write the entry of a machine of one core."""
        text = (ROOT / "input/machines/laptop.yaml").read_text().replace("cores: 8", "cores: 1")
        text = text.replace("transfer: {gb_per_s: 0.1, wait_minutes: 0}", f"transfer: {transfer}")
        for before, after in replaced.values():
            self.assertIn(before, text)
            text = text.replace(before, after)
        (self.folder / name).write_text(text)
        return name

    def slow_machine(self):
        """Set this computer's entry to one of slow cores that cost nothing."""
        self.env["NFOLD_MACHINE"] = self.machine("slow.yaml", "{}", clock=("3400", "34"), memory=("_s: 6", "_s: 0.06"),
                                                 price=("core_hour: 0.002", "core_hour: 0"))

    def there(self, **keys):
        keys = {"gb_per_s": 1, "wait_minutes": 0, **keys}
        return self.machine("there.yaml", "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}")

    def nfold(self, *arguments, code=0):
        done = subprocess.run([NFOLD, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True,
                              env=self.env, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def plan(self, *arguments):
        return json.loads(self.nfold("plan", *arguments, "--json"))

    def script(self, folder="scripts", code=0):
        done = subprocess.run(["bash", f"{folder}/here.sh"], cwd=self.folder, text=True, capture_output=True,
                              env=self.env, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().split() if file.exists() else []

    def assert_same_bits(self, folder, *settings):
        self.nfold("run", ROOT / "input/ubiquitin.yaml", "--set", *settings, "--output", "unbroken", "--quiet")
        for suffix in ("h5md", "energies.csv"):
            self.nfold("compare", f"unbroken/ubiquitin.{suffix}", f"{folder}/ubiquitin.{suffix}")


class HybridTest(SiteTest):
    SETTINGS = ("dynamics.steps=20000", "start.minimise_steps=100", "output.energies_every_steps=100")

    def write(self, machine, *settings):
        return self.plan(ROOT / "input/ubiquitin.yaml", "--machine", machine, "--hybrid", "--set",
                         *(settings or self.SETTINGS), "--write", "scripts", "--overwrite")

    def output(self):
        folder, = (self.folder / "scripts").glob("ubiquitin-*.out")
        return folder

    def test_small_job_stays_here(self):
        planned = self.plan(ROOT / "input/ubiquitin.yaml", "--machine", "h200", "--hybrid")
        self.assertEqual(planned["best"], "here alone")

    def test_large_job_is_divided(self):
        planned = self.plan(ROOT / "input/go-ubq.yaml", "--machine", "h200", "--hybrid", *CONDENSATE)
        here, alone, hybrid = planned["options"]
        self.assertEqual(planned["best"], "hybrid")
        self.assertLess(hybrid["cost"], alone["cost"])
        self.assertLess(hybrid["high_seconds"], here["low_seconds"])
        sites = {stage["name"]: stage["site"] for stage in hybrid["stages"]}
        # The first state takes about as long on both; if it is made here, it is loaded there.
        first = {"first state": "here", "load": "there"} if planned["first_state_here"] else {"first state": "there"}
        self.assertEqual(sites, {"send": "between", "wait for the job": "between", "steps and files": "there",
                                 "fetch": "between", "report": "here"} | first)
        for option in planned["options"]:
            self.assertAlmostEqual(option["seconds"] / sum(stage["seconds"] for stage in option["stages"]), 1, places=9)
        residues = 20000 * 76
        frames = 10**5 // 1000 + 1
        self.assertAlmostEqual(planned["bytes_back"] / (frames * residues * 12), 1, delta=0.2)
        text = self.nfold("plan", ROOT / "input/go-ubq.yaml", "--machine", "h200", "--hybrid", *CONDENSATE)
        self.assertRegex(text, r"plan: hybrid, .* USD\n")

    def test_sizes_are_those_of_a_run(self):
        """Without frames little moves; the estimate of a finished run holds its files."""
        settings = ("dynamics.steps=4000", "output.trajectory_every_steps=10")
        planned = self.plan(ROOT / "input/ubiquitin.yaml", "--machine", "h200", "--hybrid", "--set", *settings)
        self.nfold("run", ROOT / "input/ubiquitin.yaml", "--set", *settings, "--output", "r", "--quiet")
        real = sum(file.stat().st_size for file in (self.folder / "r").iterdir())
        self.assertLess(real, planned["bytes_back"])
        self.assertGreater(real, planned["bytes_back"] - 2**20)

    def test_scripts_compute_each_stage_once(self):
        self.slow_machine()
        planned = self.write(self.there(folder=f'"{self.folder}/other machine"'))
        self.assertEqual(planned["best"], "hybrid")
        self.assertIn("submitted: job 7", self.script(code=75))
        self.assertEqual(self.calls(), ["check", "run", "sbatch", "launch"])
        there, = (self.folder / "other machine").iterdir()
        self.assertEqual(there.name + ".out", self.output().name)
        self.assertIn("step: 0\n", (self.output() / "ubiquitin.status").read_text())
        self.assertIn("fetch: ", self.script())
        self.assertEqual(self.calls()[4:], ["report"])
        self.script()
        self.assertEqual(len(self.calls()), 5)
        self.assert_same_bits(self.output(), *self.SETTINGS)
        # More steps have the same digest, and go on from the last one.
        self.write("there.yaml", *self.SETTINGS, "dynamics.steps=30000")
        self.script(code=75)
        self.script()
        self.assertEqual(self.calls()[5:], ["sbatch", "launch", "report"])
        self.assertIn("step: 30000\n", (self.output() / "ubiquitin.status").read_text())
        # Another seed has another.
        self.write("there.yaml", *self.SETTINGS, "dynamics.seed=2")
        self.script(code=75)
        self.assertEqual(self.calls()[8:], ["check", "run", "sbatch", "launch"])

    def test_files_move_by_ssh(self):
        self.slow_machine()
        home = self.folder / "home"
        home.mkdir()
        self.program("ssh", f'[ "$1" = me@login ] || exit 9; cd "{home}" && bash -c "$2"')
        self.program("scp", 'words=(); for word in "${@:2}"; do words+=("${word/#me@login:/' + str(home) +
                     '/}"); done; cp -a "${words[@]}"')
        self.program("rsync", 'scp -rpq "${@:3}"')
        self.write(self.there(host="me@login"))
        self.script(code=75)
        self.script()
        self.assertEqual(len(list(home.glob("ubiquitin-*/ubiquitin-*.out"))), 1)
        self.assertIn("step: 20000\n", (self.output() / "ubiquitin.status").read_text())

    def test_failed_job_is_not_submitted_again(self):
        self.slow_machine()
        self.program("sbatch", f'echo sbatch >> "{self.folder}/calls"; echo "job 7"')
        self.write(self.there(folder=f'"{self.folder}/there"'))
        self.script(code=75)
        self.assertIn("to submit it again", self.script(code=75))
        self.assertEqual(self.calls(), ["check", "run", "sbatch"])

    def test_files_to_move_by_hand_are_printed(self):
        self.slow_machine()
        self.write(self.there())
        text = self.script(code=75)
        self.assertIn("copy these to a folder on there: ubiquitin.yaml ubiquitin.file-1-1ubq.pdb.gz there.sh", text)
        self.assertIn("sbatch there.sh", text)

    def test_job_of_this_computer_runs_here(self):
        self.write("h200", "dynamics.steps=500")
        self.assertFalse((self.folder / "scripts/there.sh").exists())
        self.script()
        self.script()
        self.assertEqual(self.calls(), ["check", "launch", "report"])

    def test_wrong_options_are_named(self):
        targets = ROOT / "input/targets.yaml"
        for arguments, message in ((("--hybrid", ROOT / "input/ubiquitin.yaml"), "--machine"),
                                   (("--hybrid", "--machine", "here,h200,h100", ROOT / "input/ubiquitin.yaml"), "2 machines"),
                                   (("--hybrid", "--machine", "h200", targets), "a list of targets"),
                                   (("--resume", ".", "--machine", "h200"), "holds no run"),
                                   (("--resume", ".", ROOT / "input/ubiquitin.yaml"), "leave it out")):
            self.assertIn(message, self.nfold("plan", *arguments, code=1))


class MigrationTest(SiteTest):
    def start(self):
        """Start a run of ubiquitin without end, and wait for its steps."""
        run = subprocess.Popen([NFOLD, "run", ROOT / "input/ubiquitin.yaml", "--quiet", "--set", "dynamics.steps=1e9",
                                "output.energies_every_steps=100"], cwd=self.folder, env=self.env)
        self.addCleanup(run.wait, 60)
        self.addCleanup(run.kill)
        energies = self.folder / "ubiquitin.out/ubiquitin.energies.csv"
        deadline = time.monotonic() + 60
        while not (energies.exists() and energies.read_text().count("\n") > 40):
            self.assertIsNone(run.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return run

    def stop(self, run):
        run.send_signal(signal.SIGUSR1)
        self.assertEqual(run.wait(60), 75)

    def test_long_rest_moves_and_short_rest_stays(self):
        run = self.start()
        running = self.plan("--resume", "ubiquitin.out", "--machine", "h200")
        self.assertTrue(running["running"])
        self.stop(run)
        long = self.plan("--resume", "ubiquitin.out", "--machine", "h200")
        self.assertFalse(long["running"])
        self.assertGreater(long["step"], 0)
        self.assertEqual(long["best"], "move")
        self.assertGreater(long["chance_sooner"], 0.8)
        self.assertFalse(long["same_bits"])
        stay, move = long["options"]
        self.assertAlmostEqual(stay["stages"][-1]["seconds"] / ((10**9 - long["step"]) * long["step_seconds"]), 1)
        self.assertGreater(move["cost"], stay["cost"])
        short = self.plan("--resume", "ubiquitin.out", "--machine", "h200", "--set", f"dynamics.steps={long['step'] + 5000}")
        self.assertEqual(short["best"], "stay")
        self.assertLess(short["chance_sooner"], 0.1)
        # At the break-even both end at the same time.
        steps = long["step"] + long["break_even_steps"]
        even = self.plan("--resume", "ubiquitin.out", "--machine", "h200", "--set", f"dynamics.steps={steps}")
        stay, move = even["options"]
        self.assertAlmostEqual(stay["seconds"] / move["seconds"], 1, delta=0.15)

    def test_moved_run_has_the_bits_of_an_unmoved_one(self):
        self.env["NFOLD_MACHINE"] = self.machine("dear.yaml", "{}", price=("core_hour: 0.002", "core_hour: 1000"))
        run = self.start()
        there = self.there(folder=f'"{self.folder}/other machine"')
        question = ("--resume", "ubiquitin.out/", "--machine", there, "--objective", "cost", "--write", "scripts", "--overwrite")
        self.plan(*question)
        self.assertIn("stop it by: kill -USR1", self.script(code=1))
        self.stop(run)
        step = self.plan("--resume", "ubiquitin.out", "--machine", there)["step"]
        settings = (f"dynamics.steps={step + 500}", "output.energies_every_steps=100")
        planned = self.plan(*question, "--set", *settings)
        self.assertEqual((planned["best"], planned["same_bits"]), ("move", True))
        self.script(code=75)
        self.script()
        self.script()
        self.assertEqual(self.calls(), ["sbatch", "launch", "report"])
        self.assert_same_bits("ubiquitin.out", *settings)

    def test_finished_run_is_refused(self):
        self.nfold("run", ROOT / "input/ubiquitin.yaml", "--set", "dynamics.steps=100", "--quiet")
        self.assertIn("holds a finished run", self.nfold("plan", "--resume", "ubiquitin.out", "--machine", "h200", code=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

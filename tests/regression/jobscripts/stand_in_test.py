# Job scripts with stand-in schedulers: all of PBS and LSF, and the cases that the Slurm test lacks.
# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in starts the script with the scheduler's variables, signals it, and records its requests."""
import csv
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NFOLD, SCRIPTS, POSED = (os.environ[name] for name in ("NFOLD", "JOB_SCRIPTS", "NFOLD_POSED"))
INPUT = Path(os.environ["NFOLD_INPUT"])
MPIRUN = "mpirun --bind-to none"


class StandInTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nfold job ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        self.env = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def program(self, name, text):
        """Write a program that is first on PATH."""
        file = self.folder / "bin" / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def nfold(self, steps):
        """Write a program nfold that makes this many steps."""
        return self.program("nfold", f'exec "{NFOLD}" "$@" --threads 1 --set dynamics.steps={steps}')

    def script(self, **fields):
        arguments = [f"{name}={value}" for name, value in fields.items()]
        done = subprocess.run([SCRIPTS, *arguments], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.folder / "the script.sh"
        file.write_text(done.stdout)
        return file

    def start(self, script, **variables):
        job = subprocess.Popen(["bash", script], cwd=self.folder, env={**self.env, **variables},
                               start_new_session=True)
        self.addCleanup(self.end, job)
        return job

    @staticmethod
    def end(job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGTERM)
            job.wait(60)

    def run_script(self, script, **variables):
        return self.start(script, **variables).wait(180)

    def status(self):
        file = self.folder / "go-ubq.out/go-ubq.status"
        lines = file.read_text().splitlines() if file.exists() else []
        return dict(line.split(": ", 1) for line in lines if ": " in line)

    def wait_for_steps(self, job):
        """Wait for the energies file, which is written after the signal handlers are installed."""
        energies = self.folder / "go-ubq.out/go-ubq.energies.csv"
        deadline = time.monotonic() + 120
        while not (energies.exists() and energies.read_text().count("\n") > 3):
            self.assertIsNone(job.poll(), "the job has ended")
            self.assertLess(time.monotonic(), deadline, "the job makes no steps")
            time.sleep(0.05)

    def requests(self):
        file = self.folder / "asked"
        return file.read_text() if file.exists() else ""

    def assert_bits(self, steps):
        """Check that the run has the bits of an uninterrupted run of this many steps."""
        self.assertEqual((self.status()["step"], self.status()["exit_code"]), (str(steps), "0"))
        subprocess.run([NFOLD, "run", INPUT / "go-ubq.yaml", "--set", f"dynamics.steps={steps}", "--quiet",
                        "--threads", "1", "--output", "unbroken"], cwd=self.folder, check=True)
        done = subprocess.run([NFOLD, "compare", "unbroken/go-ubq.ckpt.h5", "go-ubq.out/go-ubq.ckpt.h5"],
                              cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pbs_job_resubmits_itself(self):
        """nfold keeps the time limit itself, and the script submits itself again."""
        self.program("qsub", f'echo "$@" >> "{self.folder}/asked"; cat > "{self.folder}/again.sh"')
        nodes = self.folder / "nodes"
        nodes.write_text(f"{socket.gethostname()}\n" * 2)
        variables = {"PBS_NODEFILE": str(nodes), "PBS_O_WORKDIR": str(self.folder), "PBS_JOBID": "17.server"}
        self.nfold(10**9)
        script = self.script(scheduler="pbs", input=INPUT / "go-ubq.yaml", time_limit_seconds=60, warning_seconds=56,
                             ranks_per_node=2, launcher=MPIRUN)
        self.assertEqual(self.run_script(script, **variables), 0)
        self.assertEqual(self.requests(), "-v NFOLD_JOB=17,NFOLD_PART=\n")
        self.assertEqual((self.folder / "again.sh").read_text(), script.read_text())
        self.assertEqual(self.status()["exit_code"], "75")
        steps = int(self.status()["step"]) + 500
        self.nfold(steps)
        self.assertEqual(self.run_script(self.folder / "again.sh", NFOLD_JOB="17", NFOLD_PART="",
                                         **{**variables, "PBS_JOBID": "18.server"}), 0)
        self.assertEqual(self.requests().count("\n"), 1)
        self.assert_bits(steps)

    def test_pbs_array_part_resubmits_itself_only(self):
        """Only this part is submitted again."""
        self.program("qsub", f'echo "$@" >> "{self.folder}/asked"; cat > "{self.folder}/again.sh"')
        self.program("nfold", f'echo "$@" >> "{self.folder}/started"; exit 75')
        script = self.script(scheduler="pbs", command="batch", input="list.yaml", array_parts=3)
        variables = {"PBS_O_WORKDIR": str(self.folder), "PBS_JOBID": "17[2].server", "PBS_ARRAY_INDEX": "2"}
        self.assertEqual(self.run_script(script, **variables), 0)
        self.assertEqual(self.requests(), "-v NFOLD_JOB=17[2],NFOLD_PART=2\n")
        self.assertIn("#PBS -J 1-3", script.read_text())
        self.assertNotIn("#PBS -J 1", (self.folder / "again.sh").read_text())
        del variables["PBS_ARRAY_INDEX"]
        self.run_script(self.folder / "again.sh", NFOLD_PART="2", NFOLD_JOB="17[2]", **variables)
        started = "launch batch list.yaml --resume auto --quiet --part 2/3 --time-limit 3480s\n"
        self.assertEqual((self.folder / "started").read_text(), 2 * started)

    def test_lsf_job_resumes_after_a_signal(self):
        """LSF signals all processes of the job and requeues it because of its exit code."""
        self.nfold(10**9)
        script = self.script(scheduler="lsf", input=INPUT / "go-ubq.yaml", ranks_per_node=2, launcher=MPIRUN)
        variables = {"LSB_JOBID": "21", "LSB_JOBINDEX": "0", "LSB_MCPU_HOSTS": f"{socket.gethostname()} 2"}
        job = self.start(script, **variables)
        self.wait_for_steps(job)
        os.killpg(job.pid, signal.SIGUSR1)
        self.assertEqual(job.wait(120), 75)
        steps = int(self.status()["step"]) + 500
        self.nfold(steps)
        self.assertEqual(self.run_script(script, **variables), 0)
        self.assert_bits(steps)

    def slurm_script(self, **fields):
        self.program("scontrol", f'echo "$@" >> "{self.folder}/asked"')
        return self.script(input=INPUT / "go-ubq.yaml", **fields)

    def test_slurm_excludes_sick_nodes(self):
        """nfold launch writes the names of the nodes."""
        self.program("nfold", 'while [ "$1" != --sick-nodes ]; do shift; done; printf "n2\\nn5\\n" > "$2"; exit 75')
        script = self.slurm_script()
        self.assertEqual(self.run_script(script, SLURM_JOB_ID="19"), 0)
        self.assertEqual(self.requests(), "requeue 19\nupdate JobId=19 ExcNodeList=n2,n5\n")

    def test_slurm_requeues_a_failed_job_once(self):
        self.program("nfold", "exit 3")
        script = self.slurm_script()
        self.assertEqual(self.run_script(script, SLURM_JOB_ID="19"), 0)
        self.assertEqual(self.run_script(script, SLURM_JOB_ID="19"), 3)
        self.assertEqual(self.requests(), "requeue 19\n")

    def test_slurm_does_not_requeue_wrong_input(self):
        self.program("nfold", "exit 1")
        self.assertEqual(self.run_script(self.slurm_script(), SLURM_JOB_ID="19"), 1)
        self.assertEqual(self.requests(), "")

    def test_slurm_does_not_requeue_a_cancelled_job(self):
        self.nfold(10**9)
        job = self.start(self.slurm_script(launcher=MPIRUN), SLURM_JOB_ID="19", SLURM_NTASKS="1")
        self.wait_for_steps(job)
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(120), 128 + signal.SIGTERM)
        self.assertEqual(self.status()["exit_code"], "75")
        self.assertEqual(self.requests(), "")

    def test_slurm_reports_a_failed_requeue(self):
        self.program("nfold", "exit 75")
        script = self.slurm_script()
        self.program("scontrol", "exit 1")
        self.assertEqual(self.run_script(script, SLURM_JOB_ID="19"), 75)

    def test_setup_lines_run_before_nfold(self):
        self.program("nfold", f'echo "$WHICH" > "{self.folder}/which"')
        script = self.slurm_script(setup="export WHICH=\"a module's\"")
        self.assertEqual(self.run_script(script, SLURM_JOB_ID="19"), 0)
        self.assertEqual((self.folder / "which").read_text(), "a module's\n")

    def test_script_runs_gpu_and_cpu_builds(self):
        """A batch on a posed GPU rank and a CPU rank."""
        for space in ("gpu", "cpu"):
            self.program(f"nfold {space}", f'POSED_SPACE={space} exec "{POSED}" "$@" --threads 1')
        peptide = INPUT / "structures/3al1.pdb.gz"
        (self.folder / "list.yaml").write_text("".join(
            ["targets:\n"] + [f"- {{name: {space}, structure: {peptide}, chains: [A], protocol: run, "
                              f"execution: {space}, input: {{dynamics: {{steps: 500}}}}}}\n"
                              for space in ("gpu", "cpu")]))
        script = self.script(command="batch", input="list.yaml", nfold=self.folder / "bin/nfold gpu",
                             nfold_cpu=self.folder / "bin/nfold cpu", cpu_ranks_per_node=1, ranks_per_node=1,
                             launcher=MPIRUN + " -np 2")
        self.assertEqual(self.run_script(script, SLURM_JOB_ID="18"), 0)
        with open(self.folder / "list.out/results.csv", encoding="utf-8", newline="") as file:
            self.assertEqual([row["space"] for row in csv.DictReader(file)], ["gpu", "cpu"])

    def plan_script(self, targets, scheduler):
        """Plan a list of short runs of a peptide on a node of a GPU and two cores, and write its script."""
        machine = (INPUT / "machines/rtx4060.yaml").read_text()
        (self.folder / "node.yaml").write_text(re.sub(r"(node: .*cores: )\d+", r"\g<1>2", machine))
        peptide = INPUT / "structures/3al1.pdb.gz"
        (self.folder / "list.yaml").write_text("".join(
            ["targets:\n"] + [f"- {{name: {name}, structure: {peptide}, chains: [A], protocol: run, "
                              f"execution: {space}, input: {{dynamics: {{steps: 500}}}}}}\n"
                              for name, space in targets.items()]))
        script = self.folder / f"{scheduler}.sh"
        done = subprocess.run([NFOLD, "plan", "list.yaml", "--machine", "node.yaml", "--write", script, "--scheduler",
                               scheduler, "--json", "--overwrite"], cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        plan = json.loads(done.stdout)
        return plan["layouts"][plan["best"]], script

    def test_planned_scripts_run_targets_where_they_are_fixed(self):
        """Cores alone for a list of CPU targets, and GPUs with cores beside them if there are both."""
        self.program("nfold", f'POSED_SPACE=gpu exec "{POSED}" "$@" --threads 1')
        self.program("nfold-cpu", f'POSED_SPACE=cpu exec "{POSED}" "$@" --threads 1')
        for targets, layout in (({"a": "cpu", "b": "cpu"}, "2 cores"), ({"a": "gpu", "b": "cpu"}, "1 GPU and 1 core")):
            for scheduler, job in (("slurm", {"SLURM_JOB_ID": "18"}), ("pbs", {"PBS_JOBID": "18.server"}),
                                   ("lsf", {"LSB_JOBID": "18"})):
                with self.subTest(layout=layout, scheduler=scheduler):
                    best, script = self.plan_script(targets, scheduler)
                    self.assertEqual(best["layout"], layout)
                    if scheduler == "pbs":
                        self.program("qsub", "exit 1")
                        job["PBS_O_WORKDIR"] = str(self.folder)
                    shutil.rmtree(self.folder / "list.out", ignore_errors=True)
                    self.assertEqual(self.run_script(script, **job), 0)
                    with open(self.folder / "list.out/results.csv", encoding="utf-8", newline="") as file:
                        self.assertEqual({row["target"]: row["space"] for row in csv.DictReader(file)}, targets)

    def test_missing_build_is_named(self):
        self.program("nfold", "exit 0")
        script = self.script(command="batch", input="list.yaml", nfold_cpu="no-such-nfold", cpu_ranks_per_node=1)
        done = subprocess.run(["bash", script], cwd=self.folder, env={**self.env, "SLURM_JOB_ID": "18"}, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no-such-nfold is not on PATH", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)

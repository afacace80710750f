# Job scripts in a real Slurm: time limit, preemption, lost node. Each job ends with the bits of an unbroken run.
# SPDX-License-Identifier: BSD-3-Clause
import csv
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import slurm_cluster
from slurm_cluster import Cluster

NFOLD, SCRIPTS = os.environ["NFOLD"], os.environ["JOB_SCRIPTS"]
INPUT = Path(os.environ["NFOLD_INPUT"])
IS_LONG = "NFOLD_LONG" in os.environ
ENDLESS = 10**9
PARTITIONS = ("PartitionName=main Default=YES PriorityTier=1", "PartitionName=urgent PriorityTier=10")
ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY")


def command(*arguments, folder):
    done = subprocess.run(list(map(str, arguments)), cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def write_script(folder, **fields):
    """Write a job script of these fields with nfold. Its path contains a space."""
    arguments = [f"{name}={value}" for name, value in fields.items()]
    script = folder / "job script.sh"
    script.write_text(command(SCRIPTS, *arguments, folder=folder))
    return script


def read_targets(table):
    with open(table, encoding="utf-8", newline="") as file:
        return [row["target"] for row in csv.DictReader(file)]


class Job:
    """Job that runs ubiquitin. The number of steps is set once the job is requeued, and it waits for it."""

    def __init__(self, cluster, folder, nodes, **fields):
        self.cluster, self.folder = cluster, folder
        self.output = folder / "the output"
        self.steps = folder / "steps"
        self.steps.write_text(str(ENDLESS))
        program = folder / "nfold with steps"
        program.write_text(f"""#!/bin/sh
until [ -s "{self.steps}" ]; do sleep 0.1; done
steps=$(cat "{self.steps}")
[ "$steps" != {ENDLESS} ] || rm "{self.steps}"
exec "{NFOLD}" "$@" --threads 1 --set dynamics.steps=$steps
""")
        program.chmod(0o755)
        # Slurm's own launcher starts the tasks if it supports PMIx.
        script = write_script(folder, nfold=program, input=INPUT / "go-ubq.yaml", output=self.output,
                              nodes=nodes, **fields)
        # Nodes share this host: ranks must not be bound to the same cores, and idle ranks must yield.
        self.number = cluster.submit("-o", folder / "job.log", script, folder=folder,
                                     env={"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"})
        cluster.wait_for(self.has_steps, 60, f"the first steps\n{self.log()}")

    def log(self):
        log = self.folder / "job.log"
        return log.read_text() if log.exists() else "no log"

    def status(self):
        file = self.output / "go-ubq.status"
        lines = file.read_text().splitlines() if file.exists() else []
        return dict(line.split(": ", 1) for line in lines if ": " in line)

    def has_steps(self):
        energies = self.output / "go-ubq.energies.csv"
        return energies.exists() and energies.read_text().count("\n") > 3

    def state(self):
        return self.cluster.job(self.number)["JobState"]

    def resume(self, more=500):
        """Wait until the job is requeued, set its steps and return the step at which it stopped."""
        self.cluster.wait_for(self.is_queued_again, 60, f"the job to be queued again\n{self.log()}")
        step = int(self.status()["step"])
        written = self.folder / "steps to come"
        written.write_text(str(step + more))
        written.rename(self.steps)
        return step

    def restarts(self):
        return int(self.cluster.job(self.number)["Restarts"])

    def is_queued_again(self):
        return self.restarts() > 0 and self.state() in ("PENDING", "RUNNING")

    def end(self):
        self.cluster.wait_for(lambda: self.state() in ENDED, 90, f"the job's end\n{self.log()}")
        return self.state()

    def compare_with_unbroken(self):
        """Difference from an uninterrupted run, empty if the bits are the same."""
        steps = self.steps.read_text()
        command(NFOLD, "run", INPUT / "go-ubq.yaml", "--set", f"dynamics.steps={steps}", "--output", "unbroken",
                "--quiet", "--threads", "1", folder=self.folder)
        for suffix in (".ckpt.h5", ".h5md"):
            one, other = (folder / f"go-ubq{suffix}" for folder in (self.output, self.folder / "unbroken"))
            done = subprocess.run([NFOLD, "compare", one, other], text=True, capture_output=True, check=False)
            if done.returncode != 0:
                return f"{suffix}: {done.stdout}{done.stderr}"
        return ""


@unittest.skipIf(slurm_cluster.missing(), "no Slurm here: tools/bootstrap --tests installs Debian's slurm-wlm; missing: "
                 + " ".join(slurm_cluster.missing()))
class SlurmTest(unittest.TestCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(nodes=3, partitions=PARTITIONS)
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)
        cls.cluster.__enter__()

    def setUp(self):
        # Users' paths may contain spaces.
        folder = tempfile.TemporaryDirectory(prefix="nfold job ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_resumed(self, job):
        self.assertEqual(job.end(), "COMPLETED", job.log())
        self.assertGreater(job.restarts(), 0, job.log())
        self.assertEqual(job.status()["step"], job.steps.read_text())
        self.assertEqual(job.compare_with_unbroken(), "")
        self.assertEqual(list(self.folder.glob("nfold-*")), [], "files of the script are left")

    def test_array_parts_cover_the_list(self):
        """Parts of a batch run at once, then the whole list writes the tables."""
        peptide = INPUT / "structures/3al1.pdb.gz"
        names = [f"t{k}" for k in range(4)]
        (self.folder / "the list.yaml").write_text("".join(
            ["targets:\n"] + [f"- {{name: {name}, structure: {peptide}, chains: [A], protocol: run, "
                              f"input: {{dynamics: {{steps: 2000}}}}}}\n" for name in names]))
        script = write_script(self.folder, command="batch", nfold=NFOLD, input="the list.yaml", array_parts=3)
        array = self.cluster.submit("-o", self.folder / "%a.log", script, folder=self.folder)
        self.cluster.wait_for(lambda: not self.cluster.query("squeue", "-h", "-j", array, check=False), 60, "all parts")
        logs = "".join(log.read_text() for log in self.folder.glob("*.log"))
        folder = self.folder / "the list.out"
        parts = [read_targets(folder / f"results.part-{k}-of-3.csv") for k in (1, 2, 3)]
        self.assertEqual(sorted(sum(parts, [])), names, logs)
        self.assertTrue(all(parts), parts)
        command(NFOLD, "batch", "the list.yaml", "--quiet", folder=self.folder)
        self.assertEqual(read_targets(folder / "results.csv"), names)

    def test_job_resumes_after_the_time_limit(self):
        """Slurm warns 55 s before the limit of one minute."""
        job = Job(self.cluster, self.folder, nodes=2, time_limit_seconds=60, warning_seconds=55)
        stopped_at = job.resume()
        self.assertGreater(stopped_at, 0)
        self.assertIn("queueing job", job.log())
        self.assert_resumed(job)

    @unittest.skipUnless(IS_LONG, "the long form has it")
    def test_job_resumes_after_preemption(self):
        """A job of the urgent partition takes all nodes."""
        job = Job(self.cluster, self.folder, nodes=2, queue="main")
        urgent = self.cluster.submit("-p", "urgent", "-N3", "--exclusive", "-t1", "-o", self.folder / "urgent.log",
                                     "--wrap", "sleep 1")
        job.resume()
        self.assertNotIn("queueing job", job.log())  # Slurm requeued it
        self.assert_resumed(job)
        self.assertEqual(self.cluster.job(urgent)["JobState"], "COMPLETED")

    @unittest.skipUnless(IS_LONG, "the long form has it")
    def test_repeatedly_failing_node_is_excluded(self):
        """Ranks die on one node repeatedly. nfold launch names the node, and the script excludes it."""
        job = Job(self.cluster, self.folder, nodes=2)
        sick = self.job_nodes(job)[-1]
        for failure in range(2):
            rank = self.cluster.wait_for(lambda: self.find_rank(sick) if job.has_steps() else None, 60, "a rank")
            os.kill(rank, signal.SIGKILL)
            self.cluster.wait_for(lambda: job.log().count("launch: incident") == failure + 1, 60, "an incident")
        job.resume()
        self.assertIn(f"job {job.number} leaves out: {sick}", job.log())
        self.cluster.wait_for(lambda: self.cluster.job(job.number)["ExcNodeList"] == sick, 30, "the node excluded")
        self.assert_resumed(job)
        self.assertNotIn(sick, self.job_nodes(job))

    def find_rank(self, node):
        """Process id of the rank on this node, None if there is none."""
        for process in slurm_cluster.find_processes(self.cluster.folder, f"SLURMD_NODENAME={node}"):
            try:
                if os.readlink(f"/proc/{process}/exe") == os.path.realpath(NFOLD):
                    return process
            except OSError:
                continue
        return None

    @unittest.skipUnless(IS_LONG, "the long form has it")
    def test_job_resumes_after_a_lost_node(self):
        """Slurm requeues the job for the first and for the last node."""
        for index in (-1, 0):
            with self.subTest(index=index):
                folder = self.folder / f"node {index}"
                folder.mkdir()
                job = Job(self.cluster, folder, nodes=2)
                lost = self.lose(job, index)
                job.resume()
                self.assert_resumed(job)
                self.assertNotIn(lost, self.job_nodes(job))
                self.cluster.start_node(lost)
                self.cluster.wait_for(lambda: self.cluster.states()[lost] == "idle", 30, "the node is back")

    def job_nodes(self, job):
        return self.cluster.query("scontrol", "show", "hostnames", self.cluster.job(job.number)["NodeList"]).split()

    def lose(self, job, index):
        """Simulate a power cut of one of the job's nodes."""
        node = self.job_nodes(job)[index]
        self.cluster.kill_node(node)
        self.cluster.query("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=lost")
        return node


if __name__ == "__main__":
    unittest.main(verbosity=2)

"""Slurm's template: USR1 stops the job with a checkpoint and a requeue, and the second start finishes it.
SPDX-License-Identifier: BSD-3-Clause

A batch has ranks of both kinds on each node, and a sick node is left out of the next allotment.

A stand-in plays Slurm: it starts the script, signals it as `--signal=B:USR1` does, and records requeues.
"""
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def status(folder):
    """The `key: value` lines of the run's status file, empty before there is one."""
    name = folder / "go-ubq.out/go-ubq.status"
    if not name.exists():
        return {}
    return dict(line.split(": ", 1) for line in name.read_text().splitlines() if ": " in line)


def start(source, nfold, folder, steps):
    """The template as a job on two ranks; the log shows what it did."""
    wrapper = folder / "nfold_with_steps"
    wrapper.write_text(f'#!/bin/sh\nexec "{nfold}" "$@" --set dynamics.steps={steps}\n')
    scontrol = folder / "scontrol"
    scontrol.write_text(f'#!/bin/sh\necho "$@" >> "{folder}/requeued"\n')
    for program in (wrapper, scontrol):
        program.chmod(0o755)
    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", SLURM_JOB_ID="17",
               NFOLD=str(wrapper), NFOLD_INPUT=str(source / "input/go-ubq.yaml"),
               NFOLD_MPIRUN="mpirun --bind-to none", SLURM_NTASKS="2", SLURM_CPUS_PER_TASK="1")
    return subprocess.Popen(["bash", str(source / "jobscripts/slurm.sh")], cwd=folder, env=env,
                            start_new_session=True)


def finish(job, seconds=120):
    """The job's exit code; a job that hangs is ended with all it started."""
    try:
        return job.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGTERM)
        return f"none after {seconds} s"


def wait_for_progress(job, folder):
    """Until the run has written energies, which is after its signal handlers stand."""
    energies = folder / "go-ubq.out/go-ubq.energies.csv"
    deadline = time.monotonic() + 120
    while job.poll() is None and time.monotonic() < deadline:
        if energies.exists() and energies.read_text().count("\n") > 2:
            return True
        time.sleep(0.05)
    return False


def both_kinds(source, posed):
    """A batch by the template on a GPU rank, which is posed, and a CPU rank; a reason if it fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for space in ("gpu", "cpu"):
            program = folder / f"nfold-{space}"
            program.write_text(f'#!/bin/sh\nPOSED_SPACE={space} exec "{posed}" "$@" --threads 1\n')
            program.chmod(0o755)
        peptide = source / "input/structures/3al1.pdb.gz"
        (folder / "list.yaml").write_text("".join(
            ["targets:\n"] + [f"- {{name: {space}, structure: {peptide}, chains: [A], protocol: run, "
                              f"execution: {space}, input: {{dynamics: {{steps: 500}}}}}}\n"
                              for space in ("gpu", "cpu")]))
        env = dict(os.environ, SLURM_JOB_ID="18", NFOLD=str(folder / "nfold-gpu"),
                   NFOLD_CPU=str(folder / "nfold-cpu"), NFOLD_GPUS_PER_NODE="1", NFOLD_INPUT="list.yaml",
                   NFOLD_MPIRUN="mpirun --bind-to none -np 2", SLURM_CPUS_PER_TASK="1")
        job = subprocess.Popen(["bash", str(source / "jobscripts/slurm.sh")], cwd=folder, env=env,
                               start_new_session=True)
        code = finish(job)
        if code != 0:
            return f"a batch on both kinds of ranks ended with code {code}"
        with open(folder / "list.out/results.csv", encoding="utf-8", newline="") as file:
            spaces = [row["space"] for row in csv.DictReader(file)]
        return None if spaces == ["gpu", "cpu"] else f"the targets were computed on {spaces}"


def leaves_out_a_sick_node(source):
    """By a program in place of nfold that finds the node n2 sick; a reason if it fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program, text in (("nfold", 'while [ "$1" != --sick-nodes ]; do shift; done; echo n2 > "$2"; '
                                        'echo n5 >> "$2"; exit 75'),
                              ("scontrol", f'echo "$@" >> "{folder}/asked"')):
            (folder / program).write_text(f"#!/bin/sh\n{text}\n")
            (folder / program).chmod(0o755)
        env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", SLURM_JOB_ID="19",
                   NFOLD=str(folder / "nfold"))
        job = subprocess.Popen(["bash", str(source / "jobscripts/slurm.sh")], cwd=folder, env=env,
                               start_new_session=True)
        code = finish(job)
        asked = (folder / "asked").read_text() if (folder / "asked").exists() else ""
        if code != 0 or asked != "update JobId=19 ExcNodeList=n2,n5\nrequeue 19\n":
            return f"a job with sick nodes ended with code {code} and asked Slurm: {asked!r}"
    return None


def main(source, nfold, posed):
    return stop_and_go_on(source, nfold) or both_kinds(source, posed) or leaves_out_a_sick_node(source)


def stop_and_go_on(source, nfold):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        job = start(source, nfold, folder, 10**9)
        if not wait_for_progress(job, folder):
            return f"the first job wrote no energies; code: {finish(job, 0)}"
        job.send_signal(signal.SIGUSR1)
        code = finish(job)
        if code != 0:
            return f"a stopped and requeued job should end with code 0, not {code}"
        requeued = (folder / "requeued").read_text() if (folder / "requeued").exists() else ""
        if requeued != "requeue 17\n":
            return f"expected one 'requeue 17', found {requeued!r}"
        if status(folder).get("exit_code") != "75":
            return f"the status of the stopped run is {status(folder)}"
        stopped_at = int(status(folder)["step"])
        job = start(source, nfold, folder, stopped_at + 500)
        code = finish(job)
        if code != 0:
            return f"the second job ended with code {code}"
        if int(status(folder)["step"]) != stopped_at + 500 or status(folder)["exit_code"] != "0":
            return f"the second job did not go on to step {stopped_at + 500}: {status(folder)}"
        if (folder / "requeued").read_text() != requeued:
            return "a finished job was queued again"
    return None


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:4])))

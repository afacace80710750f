#!/usr/bin/env python3
# Accuracy of nfold plan for whole jobs: planned, then run, on this machine.
# SPDX-License-Identifier: BSD-3-Clause
"""How well nfold plan predicts whole jobs of this machine: each job is planned, run and compared.

usage: tools/job_accuracy.py --nfold PROGRAM --machine FILE [--csv FILE] [--only NAME...] [--seconds S]

FILE of --machine is what `nfold bench --calibrate FILE` wrote. Each job is planned twice: by the machine's entry alone, and
with the history of the jobs that ran before it. A job lasts about as long as its entry in the list says, or S seconds. Its
time is that of the command; of one thread on a core, its processor time if that is less, which other programs do not
lengthen. With an entry that has GPUs, jobs are planned and run on them.
"""
import argparse
import csv
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOX = ("system.box_nm=[30]", "start.from=random")


@dataclass
class Job:
    """Input file with the settings that make it a job of about `seconds` on `ranks` ranks."""

    name: str
    input: str
    seconds: float
    ranks: int = 1
    settings: tuple = ()
    steps: int = 20000  # steps of the plan whose time tells how many the job gets
    targets: tuple = field(default=())  # structures of a list, whose budget is `steps` in 1e-6 GPU seconds


def every(energies=1000, frames=1000, samples=0, checkpoints=0):
    """Settings of the intervals of a run's output [steps]."""
    return (f"output.energies_every_steps={energies}", f"output.trajectory_every_steps={frames}",
            f"observables.every_steps={samples}", f"output.checkpoint_every_steps={checkpoints}",
            "observables.equilibration_steps=0")


def ensemble(ladders, exchange, sample):
    """Settings of an ensemble's replicas and intervals."""
    return (f"ensemble.ladders={ladders}", f"ensemble.exchange_every_steps={exchange}",
            f"ensemble.sample_every_steps={sample}", "ensemble.equilibration_steps=100")


JOBS = [
    Job("go-ubq", "go-ubq.yaml", 8, settings=every(1000, 1000)),
    Job("ubiquitin, frames", "ubiquitin.yaml", 10, settings=every(200, 50)),
    Job("ubiquitin, checkpoints", "ubiquitin.yaml", 8, settings=every(1000, 1000, 0, 20000)),
    Job("calvados2 chain", "calvados2-chain.yaml", 8, settings=every(100, 1000, 100)),
    Job("calvados2 slab", "calvados2-slab.yaml", 20, settings=every(200, 500, 200), steps=500),
    Job("calvados2 slab, 2 ranks", "calvados2-slab.yaml", 20, 2, every(200, 500, 200), 500),
    Job("calvados2 slab, observables", "calvados2-slab.yaml", 20, settings=every(500, 500, 10), steps=500),
    Job("calvados2 slab, observables, 2 ranks", "calvados2-slab.yaml", 20, 2, every(500, 500, 10), 500),
    Job("hps-urry slab", "hps-urry-slab.yaml", 20, settings=every(1000, 1000, 100), steps=500),
    Job("hps-urry slab, frames", "hps-urry-slab.yaml", 15, settings=every(1000, 10), steps=500),
    Job("hps-urry slab, 2 ranks", "hps-urry-slab.yaml", 15, 2, every(100, 100, 50), 500),
    Job("mpipi droplet", "mpipi-droplet.yaml", 15, settings=every(500, 500, 100), steps=500),
    Job("mpipi droplet, 2 ranks", "mpipi-droplet.yaml", 15, 2, every(500, 500, 100), 500),
    Job("hps-kr box", "hps-kr-box.yaml", 20, settings=every(500, 500, 100), steps=500),
    Job("hps-urry mixture", "hps-urry-mixture.yaml", 15, settings=every(500, 500, 100, 2000), steps=500),
    Job("calvados3 domains", "calvados3-domains.yaml", 12, settings=every(100, 100, 100), steps=500),
    Job("protease dimer", "protease-dimer.yaml", 10, settings=every(100, 100)),
    Job("residue energies", "hps-urry-slab.yaml", 15,
        settings=(*every(500, 500, 50), "observables.residue_energies=true"), steps=500),
    Job("ubiquitins in a box", "go-ubq.yaml", 20, settings=(*every(100, 100, 100), "system.copies=60", *BOX), steps=500),
    Job("ubiquitins in a box, 2 ranks", "go-ubq.yaml", 20, 2, (*every(100, 100, 100), "system.copies=60", *BOX), 500),
    Job("ubiquitin ladder", "ubiquitin-exchange.yaml", 15, settings=ensemble(1, 1000, 1000)),
    Job("ubiquitin ladder, exchanges", "ubiquitin-exchange.yaml", 10, settings=ensemble(1, 50, 50)),
    Job("ubiquitin ladders, 2 ranks", "ubiquitin-exchange.yaml", 10, 2, ensemble(2, 500, 500)),
    Job("ubiquitin umbrellas", "ubiquitin-umbrellas.yaml", 12, settings=ensemble(1, 500, 500)),
    Job("ubiquitin strengths", "ubiquitin-strengths.yaml", 10, settings=ensemble(1, 500, 500)),
    Job("ubiquitin kinetics", "ubiquitin-kinetics.yaml", 10, settings=("ensemble.ladders=16",)),
    Job("calvados2 salt", "calvados2-salt.yaml", 15, settings=ensemble(1, 1000, 1000), steps=2000),
    Job("two targets", "", 15, targets=("1ubq", "1a8o"), steps=20000),
    Job("four targets", "", 20, targets=("1ubq", "1a8o", "1d3z", "2sdf"), steps=20000),
    Job("four targets, 2 ranks", "", 15, 2, targets=("1ubq", "1a8o", "1d3z", "2sdf"), steps=20000),
]


class Machine:
    """Program and machine entry on which jobs are planned and run, each in a folder of its own."""

    def __init__(self, nfold, entry, folder):
        self.nfold, self.entry, self.folder = Path(nfold).resolve(), Path(entry).resolve(), Path(folder)
        self.history = self.folder / "history.sqlite"

    def call(self, *arguments, ranks=1, history="off"):
        """Output of a call, its wall time and the processor time of its processes [s]."""
        command = [str(self.nfold), *map(str, arguments)]
        if ranks > 1:
            command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-np", str(ranks), *command]
        env = {**os.environ, "NFOLD_HISTORY": str(history), "NFOLD_MACHINE": str(self.entry), "OMP_NUM_THREADS": "1"}
        used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, cwd=self.folder, env=env, text=True, capture_output=True)
        wall, now = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout, wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime

    def source(self, job, steps):
        """Arguments that name the job's input with so many steps."""
        if not job.targets:
            settings = (f"dynamics.steps={steps}", *job.settings)
            return [ROOT / "input" / job.input, *(word for one in settings for word in ("--set", one))]
        targets = "".join(f"- {{structure: {ROOT}/input/structures/{name}.pdb.gz}}\n" for name in job.targets)
        path = self.folder / "list.yaml"
        path.write_text(f"batch: {{budget_gpu_seconds: {1e-6 * steps:.6f}}}\ntargets:\n{targets}")
        return [path]

    def plan(self, job, steps, history="off"):
        """The plan's layout with the ranks of the job."""
        planned = json.loads(self.call("plan", *self.source(job, steps), "--json", history=history)[0])
        return next(one for one in planned["layouts"] if one["nodes"] == 1 and one["ranks_per_node"] == job.ranks)

    def run(self, job, steps, number, on_gpu):
        """(seconds that the job took, its measured parts)."""
        output = self.folder / f"{number}.out"
        command = ["batch"] if job.targets else ["run", "--quiet", "--threads", "1"]
        _, wall, processor = self.call(*command, *self.source(job, steps), "--output", output, ranks=job.ranks,
                                       history=self.history)
        parts = {}
        for path in output.glob("*.performance.json"):
            parts = json.loads(path.read_text()).get("parts_seconds", {})
        return (wall if job.ranks > 1 or on_gpu else min(wall, processor)), parts


def choose_steps(machine, job, seconds):
    """Steps with which the job is planned to take so long, rounded down to thousands where there are many."""
    steps = job.steps
    for _ in range(2):
        planned = machine.plan(job, steps)
        beside = planned["parts_seconds"]["start"] + planned["parts_seconds"]["minimising"]
        scale = max(0.05, (seconds - beside) / max(1e-9, planned["seconds"] - beside))
        steps = max(100, int(steps * scale))
    return steps // 1000 * 1000 if steps >= 2000 else steps // 100 * 100


def measure(machine, job, number, seconds):
    """Row of the table: planned and measured times."""
    steps = choose_steps(machine, job, seconds or job.seconds)
    entry, learned = machine.plan(job, steps), machine.plan(job, steps, machine.history)
    measured, parts = machine.run(job, steps, number, entry["on_gpu"])
    row = {"job": job.name, "ranks": job.ranks, "steps": steps, "measured": measured}
    for name, plan in (("entry", entry), ("history", learned)):
        row |= {name: plan["seconds"], f"{name}_low": plan["low_seconds"], f"{name}_high": plan["high_seconds"]}
        row |= {f"{name}_{part}": value for part, value in plan["parts_seconds"].items()}
    return row | {f"measured_{part}": value for part, value in parts.items()}


def describe(row):
    """Line of the printed table."""
    deviations = (f"{row[name]:9.2f}{100 * (row[name] / row['measured'] - 1):6.0f} %{'' if holds(row, name) else ' !':2}"
                  for name in ("entry", "history"))
    return f"{row['job']:38}{row['ranks']:3}{row['measured']:9.2f}{''.join(deviations)}"


def holds(row, name):
    """True if the interval of the plan has the measured time."""
    return row[f"{name}_low"] <= row["measured"] <= row[f"{name}_high"]


def summary(rows, name):
    """Line with median and largest error, and how many intervals held."""
    errors = [abs(row[name] / row["measured"] - 1) for row in rows]
    held = sum(holds(row, name) for row in rows)
    return (f"{name}: median error {100 * statistics.median(errors):.1f} %, largest {100 * max(errors):.0f} %, "
            f"intervals held {held} of {len(rows)}")


def main():
    """Plan and run the jobs, print a table, write the CSV."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nfold", default=ROOT / "build/cpu-release/bin/nfold", help="program")
    parser.add_argument("--machine", required=True, help="entry that nfold bench --calibrate wrote")
    parser.add_argument("--csv", help="file of all rows")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="jobs to run")
    parser.add_argument("--seconds", type=float, help="planned time of each job")
    options = parser.parse_args()
    jobs = [job for job in JOBS if not options.only or job.name in options.only]
    unknown = set(options.only or ()) - {job.name for job in jobs}
    if unknown:
        parser.error(f"no job is called {', '.join(sorted(unknown))}; jobs are: {', '.join(job.name for job in JOBS)}")
    print(f"{'job':38}{'ranks':>3}{'took, s':>9}{'entry':>9}{'':10}{'history':>9}", flush=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="nfold-jobs-") as folder:
        machine = Machine(options.nfold, options.machine, folder)
        for number, job in enumerate(jobs):
            rows.append(measure(machine, job, number, options.seconds))
            print(describe(rows[-1]), flush=True)
    for name in ("entry", "history"):
        print(summary(rows, name))
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()

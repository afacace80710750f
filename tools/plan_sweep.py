#!/usr/bin/env python3
# Choices of nfold plan against a sweep over every layout of every machine.
# SPDX-License-Identifier: BSD-3-Clause
"""How far the choices of nfold plan are from the best of all layouts, by the same estimates.

usage: tools/plan_sweep.py [--nfold PROGRAM] [--machines A,B,...] [--only NAME,...] [--tolerance 0.05] [--csv FILE]

Each job is asked for the soonest end, the least cost, the least cost within a deadline, and the soonest end within a
budget. Deadline and budget are three times the soonest end and the least cost. The sweep has every number of GPUs and of
cores of a node, and every number of whole nodes (`nfold plan --every-layout`); the best of it is found here, not by nfold.
Exit code 1 if a choice is beyond the tolerance.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINES = "h200,a100,rtx4060,cpu-node"
LIMIT = 3  # deadline and budget over the soonest end and the least cost
IN_TIME = 0.95
GOALS = ("time", "cost", "deadline", "budget")


def copies(number, box_nm, steps):
    """Overrides of go-ubq.yaml for many copies of ubiquitin."""
    return [f"system.copies={number}", f"system.box_nm=[{box_nm}]", "start.from=random", f"dynamics.steps={steps}"]


JOBS = {"ubiquitin": ("ubiquitin.yaml", []),
        "go-2k": ("go-ubq.yaml", copies(27, 20, "1e7")),
        "slab": ("calvados2-slab.yaml", []),
        "go-152k": ("go-ubq.yaml", copies(2000, 200, "1e7")),
        "go-1.5m": ("go-ubq.yaml", copies(20_000, 400, "1e7")),
        "go-15m": ("go-ubq.yaml", copies(200_000, 900, "1e7")),
        "go-50m": ("go-ubq.yaml", copies(658_000, 1300, "1e6")),
        "exchange": ("ubiquitin-exchange.yaml", []),
        "targets": ("targets.yaml", []),
        "structures": ("structures", [])}


class Planner:
    """Calls of nfold plan on the machines, with the wall time of the last one."""

    def __init__(self, program, machines):
        self.command = [program, "plan", "--machine", machines, "--json"]
        self.milliseconds = 0

    def plan(self, job, *options):
        """Plan of a job."""
        name, overrides = JOBS[job]
        sets = [word for value in overrides for word in ("--set", value)]
        start = time.perf_counter()
        done = subprocess.run([*self.command, str(ROOT / "input" / name), *sets, *map(str, options)], text=True,
                              capture_output=True, env={**os.environ, "NFOLD_HISTORY": "off"})
        self.milliseconds = 1e3 * (time.perf_counter() - start)
        if done.returncode != 0:
            sys.exit(f"plan_sweep.py: error: nfold plan of {job} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def best_of(layouts, goal, budget):
    """Least cost or time of the layouts that meet the goal; none if none does."""
    key = "cost" if goal in ("cost", "deadline") else "seconds"
    fit = [one[key] for one in layouts if one["possible"]
           and (goal != "deadline" or one["chance_in_time"] >= IN_TIME)
           and (goal != "budget" or one["cost"] <= budget)]
    return key, min(fit, default=None)


def ask(planner, job):
    """Rows of a job: one for each goal."""
    every = planner.plan(job, "--every-layout")["layouts"]
    possible = [one for one in every if one["possible"]]
    deadline = LIMIT * min(one["seconds"] for one in possible)
    budget = LIMIT * min((one["cost"] for one in possible if one["cost"] > 0), default=1)
    options = {"time": ["--objective", "time"], "cost": ["--objective", "cost"],
               "deadline": ["--deadline", f"{deadline:.6f}s"], "budget": ["--budget", budget]}
    for goal in GOALS:
        chosen = planner.plan(job, *options[goal])
        milliseconds = planner.milliseconds
        if goal == "deadline":
            every = planner.plan(job, "--every-layout", *options[goal])["layouts"]
        key, best = best_of(every, goal, budget)
        taken = chosen["layouts"][chosen["best"]]
        meets = chosen["meets_deadline"] and chosen["meets_budget"]
        if best is None:
            excess = 0 if not meets else float("inf")
        else:
            excess = (taken[key] / best - 1 if best > 0 else taken[key]) if meets else float("inf")
        yield {"job": job, "goal": goal, "machine": taken["machine"], "layout": taken["layout"], "seconds": taken["seconds"],
               "cost": taken["cost"], "by": key, "best": best, "excess": excess, "swept": len(every),
               "compared": len(chosen["layouts"]), "milliseconds": milliseconds}


def main():
    """Print the table of questions."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--nfold", default=str(ROOT / "build/cpu-release/bin/nfold"), metavar="PROGRAM")
    parser.add_argument("--machines", default=MACHINES)
    parser.add_argument("--only", metavar="NAME,...", help=f"of {', '.join(JOBS)}")
    parser.add_argument("--tolerance", type=float, default=0.05, metavar="SHARE")
    parser.add_argument("--csv", metavar="FILE")
    options = parser.parse_args()
    jobs = options.only.split(",") if options.only else list(JOBS)
    if unknown := [job for job in jobs if job not in JOBS]:
        parser.error(f"--only: no job {unknown[0]}; there are {', '.join(JOBS)}")
    planner = Planner(options.nfold, options.machines)
    print(f"{'job':12}{'goal':10}{'machine':10}{'layout':24}{'time, s':>12}{'cost':>12}{'excess':>9}{'layouts':>13}{'ms':>7}")
    rows = []
    for job in jobs:
        for row in ask(planner, job):
            rows.append(row)
            print(f"{job:12}{row['goal']:10}{row['machine']:10}{row['layout']:24}{row['seconds']:12.4g}{row['cost']:12.4g}"
                  f"{100 * row['excess']:7.1f} %{row['compared']:6} /{row['swept']:5}{row['milliseconds']:7.0f}", flush=True)
    worst = max(row["excess"] for row in rows)
    beyond = sum(row["excess"] > options.tolerance for row in rows)
    print(f"{len(rows)} questions, {len({row['machine'] for row in rows})} machines taken: largest excess {100 * worst:.1f} %, "
          f"{beyond} beyond {100 * options.tolerance:g} %")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    sys.exit(1 if beyond else 0)


if __name__ == "__main__":
    main()

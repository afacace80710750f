#!/usr/bin/env python3
# Speed of OpenMM on a GPU, and of nfold beside it, on the benchmark's condensates and go models.
# SPDX-License-Identifier: BSD-3-Clause
"""    PYTHONPATH=.peers tools/bench_gpu_peers.py --nfold build/gpu-release/bin/nfold --csv peers.csv

Cases: condensate-N (2 residues/nm3 in chains of 150; N as 10k, 100k, 1m), go-ubq (ubiquitin's go model),
go-10k (132 copies of it in a periodic cube of 24 nm), go-ubq-1056 and go-ubq-4224 (replicas of it, which OpenMM
has as so many copies in one context; steps/s are of each), named as the suite of `nfold bench` names them. OpenMM
gets each system in all the forms that it can be given in; the table shows all, and the fastest counts. Each
measurement is a process of its own with a time limit: one that fails is named in the table and the others go
on. A row is written as soon as it is known.

With --nfold both programs measure the same inputs: nfold makes the condensates' start (chains at random
places, minimised, 2000 steps) and leaves it in --start as CASE.ckpt.h5. Without nfold and without such a file
OpenMM starts from straight chains that do not overlap. tests/gpu/bundle_peers makes .peers.
"""

import argparse
import csv
import datetime
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "yaml", "openmm")

from nfold_peers.bench_programs import BenchError
from nfold_peers.gpu_peers import Measurement, openmm_forms, library_folders, measure, case_residues

CASES = ("condensate-10k", "condensate-100k", "go-ubq", "go-10k", "go-ubq-1056", "go-ubq-4224",
         "condensate-1m")
COLUMNS = ("date", "host", "gpu", "program", "version", "platform", "device", "case", "residues", "form",
           "precision", "start", "steps_per_second", "lowest", "highest", "failure")


def graphics_card():
    """Name and driver version of the graphics card; empty without one."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                              capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout.strip().splitlines() or [""])[0]


def in_own_process(job, limit_seconds):
    """Row of measure(), or a row with the reason of the failure."""
    none = {"program": "OpenMM" if job.program == "OpenMM" else "nfold", "platform": job.platform,
            "case": job.case, "residues": case_residues(job.case), "form": job.form, "precision": job.precision}
    if limit_seconds <= 0:
        return {**none, "failure": "not begun: --minutes are over"}
    folders = [*library_folders(), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = dict(os.environ)
    if job.program == "OpenMM" and folders:
        environment["LD_LIBRARY_PATH"] = ":".join(folders)
    child = subprocess.Popen([sys.executable, __file__, "--measure", json.dumps(asdict(job))], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                             start_new_session=True)
    try:
        out, errors = child.communicate(timeout=limit_seconds)
        lines = out.strip().splitlines()
        if child.returncode == 0 and lines:
            return json.loads(lines[-1])
        failure = (errors.strip().splitlines() or [f"ended with code {child.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # with all its child processes
        child.communicate()
        failure = f"not done after {limit_seconds:.3g} s"
    except ValueError as wrong:
        failure = f"no row of JSON: {wrong}"
    return {**none, "failure": failure[-300:]}


def make_jobs(options):
    common = {"seconds": options.seconds, "repeats": options.repeats, "threads": options.threads,
              "warm_up_steps": options.warm_up_steps, "precision": options.precision,
              "start": str(options.start)}
    for case in options.cases:
        if options.nfold:
            yield Measurement(case, str(options.nfold), **common)
        if not options.no_openmm:
            for form in openmm_forms(case):
                yield Measurement(case, "OpenMM", form, options.platform, **common)


def print_row(row):
    columns = (f"{row['steps_per_second']:11,.1f} {row['lowest']:11,.1f} {row['highest']:11,.1f}  {row['start']}"
               if "steps_per_second" in row else f"  {row['failure']}")
    print(f"{row['case']:<16} {row['program']:<7} {row['form']:<15} {columns}", flush=True)


def print_fastest(rows):
    """Print the fastest form of each program and their ratio."""
    print(f"\n{'case':<16} {'nfold':>11} {'OpenMM':>11} {'ratio':>7}   steps/s")
    for case in dict.fromkeys(row["case"] for row in rows):
        best = {name: max((row["steps_per_second"] for row in rows if row["case"] == case and
                           row["program"] == name and "steps_per_second" in row), default=0)
                for name in ("nfold", "OpenMM")}
        ratio = f"{best['nfold'] / best['OpenMM']:.2f}" if all(best.values()) else ""
        columns = [f"{value:,.1f}" if value else "" for value in best.values()]
        print(f"{case:<16} {columns[0]:>11} {columns[1]:>11} {ratio:>7}")


def write_files(rows, options):
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def measure_all(options):
    """Measure all jobs and return the rows, written to disk after each. Jobs left after --minutes get a named row."""
    end = time.monotonic() + 60 * options.minutes
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    rows, machine = [], {"date": date, "host": platform.node(), "gpu": graphics_card()}
    print(f"{'case':<16} {'program':<7} {'form':<15} {'steps/s':>11} {'lowest':>11} {'highest':>11}  start")
    for job in make_jobs(options):
        row = {**machine, **in_own_process(job, min(options.limit, end - time.monotonic()))}
        print_row(row)
        rows.append(row)
        write_files(rows, options)
    print_fastest(rows)
    return rows


def run_as_child(text):
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(json.dumps(measure(Measurement(**json.loads(text)), Path(folder))))
        except Exception as failure:  # any exception of OpenMM; the parent shows its last line
            print(f"{type(failure).__name__}: {' '.join(str(failure).split())}", file=sys.stderr)
            return 1
    return 0


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=list(CASES), help=f"[{' '.join(CASES)}]")
    parser.add_argument("--platform", default="CUDA", help="OpenMM's: CUDA, CPU or Reference [CUDA]")
    parser.add_argument("--precision", choices=("single", "mixed", "double"), default="mixed",
                        help="of CUDA, and of nfold, which has no single [mixed]")
    parser.add_argument("--nfold", type=Path, help="measure this program too")
    parser.add_argument("--no-openmm", action="store_true", help="nfold alone")
    parser.add_argument("--start", type=Path, help="folder of CASE.ckpt.h5, the condensates' starts")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement [5]")
    parser.add_argument("--repeats", type=int, default=3, help="of which the median counts [3]")
    parser.add_argument("--warm-up-steps", type=int, default=3000, help="of OpenMM [3000]")
    parser.add_argument("--threads", type=int, default=1, help="of nfold and of OpenMM's CPU platform [1]")
    parser.add_argument("--limit", type=float, default=150, help="seconds for a measurement's process [150]")
    parser.add_argument("--minutes", type=float, default=9, help="for everything [9]")
    parser.add_argument("--csv", type=Path, help="write the table to this file")
    parser.add_argument("--json", type=Path, help="write the table to this file")
    parser.add_argument("--measure", metavar="JSON", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if min(options.seconds, options.limit, options.minutes) <= 0 or min(options.repeats, options.threads) < 1:
        parser.error("--seconds, --limit, --minutes, --repeats and --threads must be above 0")
    if options.nfold and options.precision == "single":
        parser.error("--precision single: nfold has mixed and double; leave --nfold out")
    return options


def main(arguments=None):
    options = parsed(arguments)
    if options.measure:
        return run_as_child(options.measure)
    try:
        with tempfile.TemporaryDirectory() as folder:
            options.start = options.start or Path(folder)
            options.nfold = options.nfold and options.nfold.resolve()
            rows = measure_all(options)
    except (BenchError, OSError) as failure:
        print(f"bench_gpu_peers: error: {failure}", file=sys.stderr)
        return 1
    return 0 if any("steps_per_second" in row for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

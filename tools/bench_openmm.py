#!/usr/bin/env python3
# Speed of nfold against OpenMM on the same Hamiltonian, side by side on the same cores.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/bench_openmm.py --nfold build/cpu-release/bin/nfold --csv speed.csv

Two systems: go-ubq (input/go-ubq.yaml, 76 residues) on one thread, and 27 copies of it (2,052
residues) on two. OpenMM runs its LangevinMiddleIntegrator, one force evaluation a step as nfold's
BAOAB. Each platform first tries all forms in which the terms can be given to it (its own bonded
forces or custom ones; the repulsion by neighbour list or over all pairs; the 12-10 contacts are a
CustomBondForce, for OpenMM has none of its own) and goes on with the fastest. Then nfold and the
platforms take turns, so that a slow moment of the machine meets all; medians and ratios are
printed. The Reference platform computes in double precision, on one thread always; the CPU
platform in single. nfold's speed is what `nfold bench` says of itself.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import openmm

from nfold_report.calpha_structure import StructureError, read_calphas, replicate
from nfold_report.go_terms import ModelError, go_terms
from nfold_report.openmm_system import BONDED_FORMS, REPULSION_FORMS, build_system
from nfold_report.resolved_input import InputTextError, lookup, parse_input

ROOT = Path(__file__).resolve().parent.parent
INPUT = ROOT / "input/go-ubq.yaml"
WARM_UP_STEPS = 200


class BenchError(Exception):
    """A participant cannot run; the message says which and why."""


@dataclass(frozen=True)
class Case:
    system: str
    copies: int
    threads: int


CASES = (Case("go-ubq", 1, 1), Case("go-ubq-copies", 27, 2))


class OpenMMRunner:
    """One platform and one form of the terms, from the native state."""

    def __init__(self, platform, threads, calphas, terms, settings, bonded, repulsion):
        integrator = openmm.LangevinMiddleIntegrator(
            lookup(settings, "dynamics.temperature_kelvin"), lookup(settings, "dynamics.friction_per_ps"),
            lookup(settings, "dynamics.time_step_ps"))
        integrator.setRandomNumberSeed(1)
        properties = {"Threads": str(threads)} if platform == "CPU" else {}
        self.context = openmm.Context(build_system(terms, bonded, repulsion), integrator,
                                      openmm.Platform.getPlatformByName(platform), properties)
        self.context.setPositions(calphas.positions_nm)
        self.context.setVelocitiesToTemperature(lookup(settings, "dynamics.temperature_kelvin"), 1)
        self.name = f"OpenMM {platform} ({bonded} bonded, repulsion by {repulsion})"
        self.take(WARM_UP_STEPS)

    def take(self, steps):
        integrator = self.context.getIntegrator()
        began = time.perf_counter()
        integrator.step(steps)
        self.context.getState(getEnergy=False, getVelocities=True)  # waits for the last step
        return time.perf_counter() - began

    def steps_per_second(self, seconds):
        """Over at least `seconds`, in blocks that double."""
        steps, taken, done = 64, 0.0, 0
        while taken < seconds:
            taken += self.take(steps)
            done += steps
            steps *= 2 if taken < seconds / 2 else 1
        return done / taken


@dataclass
class NfoldRunner:
    program: Path
    case: Case
    precision: str

    @property
    def name(self):
        return f"nfold {self.precision}"

    def steps_per_second(self, seconds):
        command = [str(self.program), "bench", str(INPUT), "--seconds", str(seconds), "--repeats", "1",
                   "--threads", str(self.case.threads), "--set", f"system.copies={self.case.copies}",
                   "--set", f"dynamics.precision={self.precision}"]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.case.threads)}
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        except OSError as failure:
            raise BenchError(f"{self.program}: cannot be started ({failure.strerror}); "
                             "give the program by --nfold") from failure
        if done.returncode != 0:
            raise BenchError(f"'{' '.join(command)}': exit code {done.returncode}: {done.stderr.strip()}")
        try:
            result = json.loads(done.stdout.strip().splitlines()[-1])
            if result["precision"] != self.precision:
                raise BenchError(f"'{' '.join(command)}': measured {result['precision']} precision")
            return float(result["steps_per_second"])
        except (ValueError, KeyError, IndexError) as failure:
            raise BenchError(f"'{' '.join(command)}': expected a line of JSON with steps_per_second, "
                             f"found {done.stdout.strip()[:200]!r}") from failure


def fastest_form(platform, case, calphas, terms, settings, seconds):
    """The OpenMMRunner of the platform's fastest form; prints the best of two turns of each."""
    # All pairs grow with the square: beyond a small protein it is hopeless, and slow to find out.
    repulsions = REPULSION_FORMS if terms.residues <= 500 else ("cutoff",)
    runners = [OpenMMRunner(platform, case.threads, calphas, terms, settings, bonded, repulsion)
               for bonded in BONDED_FORMS for repulsion in repulsions]
    turns = [[runner.steps_per_second(seconds) for runner in runners] for _ in range(2)]
    best = [max(speeds) for speeds in zip(*turns)]
    for speed, runner in zip(best, runners):
        print(f"  form: {runner.name}: {speed:,.0f} steps/s", flush=True)
    return runners[best.index(max(best))]


def measure(case, options):
    """{name: [steps per second of each repeat]}"""
    settings = parse_input(INPUT.read_text())
    calphas = replicate(read_calphas(INPUT.parent / lookup(settings, "system.structure")), case.copies)
    terms = go_terms(calphas, settings)
    threads = f"{case.threads} thread{'s' if case.threads > 1 else ''}"
    print(f"{case.system}: {terms.residues} residues, {len(terms.contacts)} contacts, {threads}")
    runners = [NfoldRunner(options.nfold, case, precision) for precision in ("mixed", "double")]
    runners += [fastest_form(platform, case, calphas, terms, settings, options.seconds / 4)
                for platform in ("Reference", "CPU")]
    speeds = {runner.name: [] for runner in runners}
    for repeat in range(options.repeats):
        # Each repeat begins with another one, so that none always follows the same.
        shift = repeat % len(runners)
        for runner in runners[shift:] + runners[:shift]:
            speeds[runner.name].append(runner.steps_per_second(options.seconds))
    return speeds


def print_table(speeds):
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    best = max(value for name, value in medians.items() if name.startswith("OpenMM"))
    print(f"  {'':<58} {'median':>10} {'lowest':>10} {'highest':>10}  over OpenMM's best")
    for name, values in speeds.items():
        print(f"  {name:<58} {medians[name]:10,.0f} {min(values):10,.0f} {max(values):10,.0f}"
              f"  {medians[name] / best:.2f}x")
    print(flush=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nfold", type=Path, default=ROOT / "build/cpu-release/bin/nfold")
    parser.add_argument("--systems", nargs="+", choices=[case.system for case in CASES],
                        default=[case.system for case in CASES])
    parser.add_argument("--seconds", type=float, default=4, help="of each measurement [4]")
    parser.add_argument("--repeats", type=int, default=5, help="[5]")
    parser.add_argument("--csv", type=Path, help="write each measurement to this file")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.repeats < 1:
        parser.error("--seconds must be above 0 and --repeats at least 1")
    rows = []
    try:
        for case in CASES:
            if case.system in options.systems:
                speeds = measure(case, options)
                print_table(speeds)
                rows += [(case.system, case.threads, name, repeat, value)
                         for name, values in speeds.items() for repeat, value in enumerate(values)]
        if options.csv:
            with open(options.csv, "w", newline="", encoding="utf-8") as file:
                table = csv.writer(file, lineterminator="\n")
                table.writerow(("system", "threads", "program", "repeat", "steps_per_second"))
                table.writerows(rows)
    except (BenchError, StructureError, ModelError, InputTextError, OSError) as failure:
        print(f"bench_openmm: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

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
import sys
from dataclasses import dataclass
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "yaml", "openmm")

from nfold_peers.bench_programs import (BenchError, NfoldRunner, OpenMMRunner, in_turns, print_table)
from nfold_peers.calpha_structure import StructureError, read_calphas, replicate
from nfold_peers.go_terms import ModelError, go_terms
from nfold_peers.openmm_system import BONDED_FORMS, REPULSION_FORMS, build_system
from nfold_report.resolved_input import InputTextError, lookup, parse_input

ROOT = Path(__file__).resolve().parent.parent
INPUT = ROOT / "input/go-ubq.yaml"
WARM_UP_STEPS = 200


@dataclass(frozen=True)
class Case:
    system: str
    copies: int
    threads: int


CASES = (Case("go-ubq", 1, 1), Case("go-ubq-copies", 27, 2))


def openmm_runner(platform, threads, calphas, terms, settings, bonded, repulsion):
    """Runner of one platform and one form of the terms, from the native state."""
    dynamics = tuple(lookup(settings, f"dynamics.{key}") for key in
                     ("temperature_kelvin", "friction_per_ps", "time_step_ps"))
    return OpenMMRunner(f"OpenMM {platform} ({bonded} bonded, repulsion by {repulsion})", platform,
                        build_system(terms, bonded, repulsion), calphas.positions_nm, dynamics, threads,
                        WARM_UP_STEPS)


def fastest_form(platform, case, calphas, terms, settings, seconds):
    """OpenMMRunner of the platform's fastest form. Prints the best of two turns of each."""
    # The cost over all pairs is quadratic: beyond a small protein it is too slow even to try.
    repulsions = REPULSION_FORMS if terms.residues <= 500 else ("cutoff",)
    runners = [openmm_runner(platform, case.threads, calphas, terms, settings, bonded, repulsion)
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
    copies = (f"system.copies={case.copies}",)
    runners = [NfoldRunner(options.nfold, INPUT, 1, case.threads, precision, copies)
               for precision in ("mixed", "double")]
    runners += [fastest_form(platform, case, calphas, terms, settings, options.seconds / 4)
                for platform in ("Reference", "CPU")]
    return in_turns(runners, options.seconds, options.repeats)


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
                print_table(speeds, "OpenMM")
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

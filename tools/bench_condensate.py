#!/usr/bin/env python3
# Speed of nfold against OpenMM and LAMMPS on a condensate of 20,000 residues, on the same cores.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/bench_condensate.py --nfold build/cpu-release/bin/nfold --csv speed.csv

2 residues/nm3 in chains of 150, Ashbaugh-Hatch to 2 nm between all and Debye-Hueckel to 4 nm between
the charged quarter; Langevin dynamics, 300 K, 0.01 ps, friction 0.01 /ps. Two cases:

  condensate  lambda between 0 and 1 by type: nfold and OpenMM's CPU platform
  lj          lambda 1, which is Lennard-Jones: nfold and LAMMPS (Debian's package lammps)

nfold makes the start (chains at random places, minimised, some steps), from which all go on. LAMMPS
first tries the forms in which the potentials can be given to it, with a cutoff of 2 nm for pairs with a
neutral residue in each, and several skins, and goes on with the fastest. nfold and OpenMM choose for
themselves. Then all take turns, so that a slow moment of the machine meets each; medians are printed.
A program that is missing is named and left out.
"""

import argparse
import csv
import sys
import tempfile
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "openmm")

from nfold_peers import condensate_bench as bench
from nfold_peers import lammps_condensate as lammps
from nfold_peers.bench_programs import (BenchError, LammpsRunner, NfoldRunner, OpenMMRunner, in_turns,
                                         print_table, run_program)
from nfold_peers.condensate_system import build_system
from read_checkpoint import CheckpointError, read_checkpoint

ROOT = Path(__file__).resolve().parent.parent
LAMBDA = {"condensate": None, "lj": 1.0}  # all types alike, or by type (None)
REFERENCE = {"condensate": "OpenMM", "lj": "LAMMPS"}
SKINS_NM = (0.2, 0.3, 0.4)
START_STEPS = 2000


def made_start(condensate, options, folder):
    """(input that resumes from the start, its coordinates)"""
    path = bench.write_input(condensate, folder, START_STEPS)
    run_program([options.nfold, "run", path, "--quiet", "--threads", options.cores, "--output",
                 folder / "start.out"], threads=options.cores)
    checkpoint = folder / "start.out" / f"{path.stem}.ckpt.h5"
    return path, checkpoint, read_checkpoint(checkpoint).positions_nm


def nfold_runners(options, path, checkpoint):
    overrides = ("start.from=checkpoint", f"start.checkpoint={checkpoint}", "start.minimise_steps=0")
    shapes = {(options.cores, 1), (1, options.cores), (1, 1)}
    return [NfoldRunner(options.nfold, path, ranks, threads, "mixed", overrides)
            for ranks, threads in sorted(shapes)]


def fastest_lammps(condensate, positions_nm, options, folder):
    """LammpsRunner of the fastest form and skin. Prints the best of two turns of each."""
    data = folder / "condensate.data"
    lammps.write_data(data, condensate, positions_nm)
    runners = []
    for form in lammps.PAIR_FORMS:
        for skin in SKINS_NM:
            for suffix in (False, True):
                def text(steps, form=form, skin=skin):
                    return lammps.script(condensate, data, form, skin, "bin", steps)
                runners.append(LammpsRunner(f"{form}, skin {skin} nm", text, folder, options.cores, suffix))
    turns = [[runner.run(100) for runner in runners] for _ in range(2)]
    best = [max(speeds) for speeds in zip(*turns)]
    for speed, runner in zip(best, runners):
        print(f"  form: {runner.name}: {speed:.1f} steps/s", flush=True)
    return runners[best.index(max(best))]


def measure(case, options, folder):
    """{name: [steps per second of each repeat]}"""
    condensate = bench.make_condensate(options.residues, LAMBDA[case])
    print(f"{case}: {condensate.residues} residues, {len(condensate.sequences)} chains, "
          f"{condensate.box_nm:.2f} nm, {options.cores} cores")
    path, checkpoint, positions_nm = made_start(condensate, options, folder)
    runners = nfold_runners(options, path, checkpoint)
    dynamics = (bench.TEMPERATURE_KELVIN, bench.FRICTION_PER_PS, bench.TIME_STEP_PS)
    if case == "lj":
        try:
            runners.append(fastest_lammps(condensate, positions_nm, options, folder))
        except BenchError as failure:
            print(f"  left out: {failure}", flush=True)
    else:
        system = build_system(bench.bench_terms(condensate), positions_nm)
        runners.append(OpenMMRunner(f"OpenMM CPU, {options.cores} threads", "CPU", system, positions_nm,
                                    dynamics, options.cores))
    return in_turns(runners, options.seconds, options.repeats)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nfold", type=Path, default=ROOT / "build/cpu-release/bin/nfold")
    parser.add_argument("--cases", nargs="+", choices=list(LAMBDA), default=list(LAMBDA))
    parser.add_argument("--residues", type=int, default=20_000, help="[20000]")
    parser.add_argument("--cores", type=int, default=2, help="ranks or threads of each program [2]")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement [5]")
    parser.add_argument("--repeats", type=int, default=5, help="[5]")
    parser.add_argument("--csv", type=Path, help="write each measurement to this file")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.repeats < 1 or options.residues < 1:
        parser.error("--seconds, --repeats and --residues must be above 0")
    options.nfold = options.nfold.resolve()
    rows = []
    try:
        for case in options.cases:
            with tempfile.TemporaryDirectory() as folder:
                speeds = measure(case, options, Path(folder))
            print_table(speeds, REFERENCE[case])
            rows += [(case, name, repeat, value)
                     for name, values in speeds.items() for repeat, value in enumerate(values)]
        if options.csv:
            with open(options.csv, "w", newline="", encoding="utf-8") as file:
                table = csv.writer(file, lineterminator="\n")
                table.writerow(("case", "program", "repeat", "steps_per_second"))
                table.writerows(rows)
    except (BenchError, CheckpointError, OSError) as failure:
        print(f"bench_condensate: error: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

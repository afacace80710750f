#!/usr/bin/env python3
# The two phases of the same slab by nfold and by OpenMM: concentrations, errors, whether they agree.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/compare_slab.py run slab --nfold build/gpu-release/bin/nfold --minutes 4
    tools/compare_slab.py compare slab --picture slab.png --json slab.json

`run` lets nfold and then OpenMM (CUDA, mixed precision) go on for as many minutes each. All that a later
call needs stands in slab/nfold-SEED.npz and slab/openmm-SEED.npz, about 2 MB each: on a machine that keeps
nothing, carry the folder there and back between calls. SIGTERM (`timeout`) ends a run early with all frames
so far kept. --seed N adds independent runs. `compare` takes what there is, of one program too.

nfold begins with a dense slab in a vacuum, which it has to fill with chains first, and evaporation cools it;
the first 15 ns of it are left out. OpenMM begins where nfold with the same seed has come to (let that be
beyond 15 ns), with its own noise: it would need its whole time to fill the vacuum as well. Of it the first
3 ns are left out.

The protein, A1-12Y (-12F+12Y of the low-complexity domain of hnRNP A1), saturates at 60 uM, 0.8 mg/ml, at
293 K (Bremer et al., Nat. Chem. 14, 196 (2022)), and CALVADOS 2 was made to come near that: one chain in
28,000 nm3, far too few to count in minutes. At 320 K 30 ns of nfold and 11 ns of OpenMM (150 chains,
20 x 20 x 75 nm) had 10 to 20 mg/ml outside, but interfaces 5 to 6 nm wide, which left no dense phase. 310 K
lies between. Of 180 chains (24,660 residues) some five are then outside the slab.
Friction does not change concentrations, but how fast chains cross the dilute phase: at 0.001 /ps, a tenth of
CALVADOS' own, they fly 14 nm before they have forgotten their velocity, and its half of 27 nm takes some
3 ns rather than 19. The kinetic temperature is printed, for that friction holds it loosely.

Errors are those of blocking (the interface's width: of leaving out an eighth in turn); the shorter run's is
at least the longer one's times the root of the ratio of their lengths, for a run of a few correlation times
cannot know its own error.
"""

import argparse
import dataclasses
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "matplotlib", "openmm")

import openmm

from nfold_peers.bench_programs import BenchError
from nfold_report.failures import one_line
from nfold_peers.gpu_peers import library_folders
from nfold_report.slab import SlabError
from nfold_peers.slab_runs import (SlabSetup, StopSignal, begun_series, run_nfold, run_openmm, series_path,
                                    openmm_start)
from nfold_peers.slab_series import QUANTITIES, agreement, kept, load_series, find_results
from nfold_report.style import BLUE, VERMILION, WIDTH_INCH, plt, save
from read_checkpoint import CheckpointError

COLOURS = {"nfold": BLUE, "openmm": VERMILION}
UNITS = {"dense": "mg/ml", "dilute": "mg/ml", "width": "nm"}


def print_progress(series, before):
    frames = len(series.steps) - before
    warmth = sum(series.temperatures[before:]) / max(frames, 1)
    print(f"{series.program}, seed {series.setup['seed']}: {frames} frames more, {len(series.steps)} in all, "
          f"{series.time_ns[-1] if series.steps else 0:.1f} ns, {warmth:.1f} K, "
          f"{series.run_steps / series.run_seconds:,.0f} steps/s", flush=True)


def run(options):
    setup = SlabSetup(**{field.name: getattr(options, field.name) for field in dataclasses.fields(SlabSetup)})
    options.folder.mkdir(parents=True, exist_ok=True)
    stop = StopSignal()
    for program in options.programs:
        if stop.came:
            break
        series = begun_series(options.folder, program, setup)
        before, path = len(series.steps), series_path(options.folder, program, setup.seed)
        with tempfile.TemporaryDirectory() as work:
            if program == "nfold":
                run_nfold(series, setup, shlex.split(options.nfold), options.minutes, Path(work), stop)
            else:
                series.state = series.state or openmm_start(options.folder, setup, Path(work))
                run_openmm(series, setup, options.platform, options.minutes, options.threads,
                           lambda: series.save(path), stop)
        series.save(path)
        print_progress(series, before)


def draw(regions, results, setup, path):
    figure, (whole, dilute) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4))
    for axes in (whole, dilute):
        for result in results:
            label = f"{result.program.replace('openmm', 'OpenMM')}, {result.nanoseconds:.0f} ns"
            axes.fill_between(regions.place, result.profile - result.profile_error,
                              result.profile + result.profile_error, color=COLOURS[result.program],
                              alpha=0.25, linewidth=0)
            axes.plot(regions.place, result.profile, color=COLOURS[result.program], linewidth=1.4, label=label)
        axes.set_xlabel("distance from the slab's centre (nm)")
        axes.set_ylabel("concentration (mg/ml)")
    whole.set_ylim(bottom=0)
    whole.set_title(f"{setup['protein']}, CALVADOS 2, {setup['temperature_kelvin']:g} K")
    whole.legend()
    dilute.set_title("Dilute phase, beyond the dotted lines")
    for border in (-regions.dilute_beyond_nm, regions.dilute_beyond_nm):
        dilute.axvline(border, color="0.5", linewidth=0.8, linestyle=":")
    for result in results:
        if result.dilute_is_bound:
            dilute.axhline(result.one_chain, color=COLOURS[result.program], linewidth=0.8, linestyle="--",
                           label=f"< {result.one_chain:.2g} mg/ml: one chain for the whole time")
            dilute.legend()
    highest = max(max(result.profile[regions.dilute].max(), result.one_chain) for result in results)
    dilute.set_yscale("log")
    dilute.set_ylim(1e-3 * highest, 3 * highest)
    save(figure, path)


def print_results(regions, results):
    print(f"dense: within {regions.dense_below_nm:.1f} nm of the slab's centre; dilute: beyond "
          f"{regions.dilute_beyond_nm:.1f} nm")
    if not regions.apart:
        print("warning: the interface is so wide that one of these has part of it: what the programs share can "
              "be compared, but it is not that of a phase; take a lower temperature or more chains")
    print(f"{'':<8} {'ns':>7} {'frames':>7} {'dense [mg/ml]':>17} {'dilute [mg/ml]':>17} {'its halves':>15} "
          f"{'interface [nm]':>16} {'T [K]':>7} {'steps/s':>9}")
    for result in results:
        concentrations = f"{result.dense[0]:9.2f} +- {result.dense[1]:4.2f} "
        concentrations += (f"{f'< {result.one_chain:.2g}':>17}" if result.dilute_is_bound
                           else f"{result.dilute[0]:9.2f} +- {result.dilute[1]:4.2f}")
        print(f"{result.program:<8} {result.nanoseconds:7.1f} {result.frames:7d} {concentrations} "
              f"{result.halves[0]:7.2f} {result.halves[1]:7.2f} {result.width[0]:8.2f} +- {result.width[1]:4.2f} "
              f"{result.temperature_kelvin:7.1f} {result.steps_per_second:9,.0f}")


def verdicts(results):
    """{quantity: {difference, its error, difference in errors, agreement within two errors}}"""
    found = {}
    for name in QUANTITIES:
        if name == "dilute" and any(result.dilute_is_bound for result in results):
            print("dilute: not compared, for too few chains came there: < is an upper bound, of one chain in the dilute "
                  "volume for the whole time")
            continue
        difference, error = agreement(*results, name)
        found[name] = {"unit": UNITS[name], "difference": difference, "error": error,
                       "errors": difference / error, "agree": bool(abs(difference) <= 2 * error)}
        print(f"{name}: difference {difference:.2f} +- {error:.2f} {UNITS[name]}, that is "
              f"{difference / error:+.1f} combined errors, within two: {'yes' if found[name]['agree'] else 'NO'}")
    return found


def long_enough(all_series, drop_ns):
    """(usable series, reasons why the others are unusable)"""
    usable, refused = [], []
    for series in all_series:
        try:
            kept(series, drop_ns)
            usable.append(series)
        except SlabError as failure:
            refused.append(str(failure))
    return usable, refused


def compare(options):
    paths = sorted(options.folder.glob("*-*.npz"))
    if not paths:
        raise SlabError(f"{options.folder}: has no PROGRAM-SEED.npz; expected what 'run' leaves there")
    all_series = [load_series(path) for path in paths]
    setups = [{key: value for key, value in series.setup.items() if key != "seed"} for series in all_series]
    for path, setup in zip(paths, setups):
        if setup != setups[0]:
            raise SlabError(f"{path}: is of another slab than {paths[0].name}; expected seeds of the same one")
    drop_ns = dict(zip(COLOURS, options.drop_ns))
    all_series, refused = long_enough(all_series, drop_ns)
    if all_series:
        show(options, all_series, setups[0], drop_ns)
    if refused:
        raise SlabError("; ".join(refused))


def show(options, all_series, setup, drop_ns):
    regions, results = find_results(all_series, drop_ns)
    print_results(regions, results)
    found = verdicts(results) if len(results) == 2 else {}
    if options.picture:
        draw(regions, results, setup, options.picture)
    if options.json:
        rows = [{key: value for key, value in vars(result).items() if not key.startswith("profile")}
                | {"dilute_is_bound": result.dilute_is_bound}
                for result in results]
        versions = {series.program: [series.version, series.device] for series in all_series}
        phases = {"dense_below_nm": regions.dense_below_nm, "dilute_beyond_nm": regions.dilute_beyond_nm,
                  "apart": regions.apart}
        options.json.write_text(json.dumps({"setup": setup, "drop_ns": drop_ns, "versions": versions,
                                            "phases": phases, "results": rows, "verdicts": found},
                                           indent=1) + "\n")


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run", help="let the programs go on")
    runs.add_argument("folder", type=Path)
    runs.add_argument("--nfold", default="build/gpu-release/bin/nfold",
                      help="program, with words before it if need be")
    runs.add_argument("--programs", nargs="+", choices=tuple(COLOURS), default=list(COLOURS))
    runs.add_argument("--minutes", type=float, default=4, help="for each program [4]")
    runs.add_argument("--platform", default="CUDA", help="of OpenMM [CUDA]")
    runs.add_argument("--threads", type=int, default=1, help="of OpenMM's CPU platform [1]")
    for field in dataclasses.fields(SlabSetup):
        kind = {"type": float, "nargs": 3} if field.name == "box_nm" else {"type": type(field.default)}
        runs.add_argument(f"--{field.name.replace('_', '-')}", default=field.default,
                          help=f"[{field.default}]", **kind)
    shows = verbs.add_parser("compare", help="concentrations of what there is")
    shows.add_argument("folder", type=Path)
    shows.add_argument("--drop-ns", type=float, nargs=2, default=(15, 3), metavar=("NFOLD", "OPENMM"),
                       help="left out at each run's begin [15 3]")
    shows.add_argument("--picture", type=Path, help="PNG with the profiles")
    shows.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if options.verb == "run":
        options.box_nm = tuple(options.box_nm)
        if options.minutes <= 0 or options.frame_every_steps < 1:
            parser.error("--minutes and --frame-every-steps must be above 0")
    return options


def with_cuda_libraries():
    """Restart this program with CUDA's folders if the loader lacks them: it reads them only at the start."""
    known = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    missing = [folder for folder in library_folders() if folder not in known]
    if missing:
        os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, [*known, *missing]))
        os.execv(sys.executable, [sys.executable, *sys.argv])


def main():
    options = parsed(None)
    try:
        if options.verb == "compare":
            compare(options)
        else:
            if options.platform == "CUDA":
                with_cuda_libraries()
            run(options)
    except (BenchError, SlabError, CheckpointError, openmm.OpenMMException, OSError) as failure:
        print(f"compare_slab: error: {one_line(failure)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

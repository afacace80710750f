# Command line of tools/scaling_study, with its defaults on this machine.
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import shutil
import subprocess
from pathlib import Path

from .cases import MODES
from .program import StudyError
from .systems import ROOT, parse_size

PRESETS = {  # by form and kind of nfold build (GPU or CPU)
    ("quick", False): {"systems": ["condensate-10k"], "residues_per_rank": 5000, "precisions": ["mixed"], "repeats": 3,
                       "seconds": 0.5, "warm_up": 300, "start_steps": 300, "run_steps": 1000},
    ("full", False): {"systems": ["condensate-10k", "condensate-20k", "go-10k"], "residues_per_rank": 10_000,
                      "precisions": ["mixed", "double"], "repeats": 5, "seconds": 5.0, "warm_up": None,
                      "start_steps": 2000, "run_steps": 2000},
    ("quick", True): {"systems": ["condensate-100k"], "residues_per_rank": 100_000, "precisions": ["mixed"], "repeats": 3,
                      "seconds": 0.5, "warm_up": None, "start_steps": 2000, "run_steps": 2000},
    ("full", True): {"systems": ["condensate-100k", "condensate-1m", "condensate-4m", "droplets-300k"],
                     "residues_per_rank": 1_000_000, "precisions": ["mixed", "double"], "repeats": 5, "seconds": 2.0,
                     "warm_up": None, "start_steps": 2000, "run_steps": 5000},
}
ASKED = ("modes", "scaling", "systems", "growing", "sizes", "ranks", "residues_per_rank", "precisions", "repeats", "measurements",
         "seconds", "warm_up", "start_steps", "run_steps", "threads", "profile", "machine", "model", "settings", "seed",
         "limit_seconds")
MAY_GROW = ("repeats", "limit_seconds")  # keys that may change on a resume


def rank_list(text):
    try:
        ranks = sorted({int(word) for word in text.replace(",", " ").split()})
    except ValueError:
        ranks = []
    if not ranks or ranks[0] < 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected counts as 1,2,4")
    return ranks


def size(text):
    try:
        return parse_size(text)
    except StudyError as failure:
        raise argparse.ArgumentTypeError(str(failure)) from failure


def above(kind, least):
    def read(text):
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text}: expected at least {least}")
        return value
    read.__name__ = kind.__name__
    return read


def parser(description):
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    what = made.add_argument_group("what is measured")
    form = what.add_mutually_exclusive_group()
    form.add_argument("--quick", dest="form", action="store_const", const="quick", help="a few minutes [this]")
    form.add_argument("--full", dest="form", action="store_const", const="full",
                      help="more systems, both precisions, five repeats of longer measurements")
    what.add_argument("--mode", dest="modes", nargs="+", choices=MODES, help="[speed]")
    what.add_argument("--ranks", "--gpus", type=rank_list, metavar="1,2,4",
                      help="ranks, one a GPU where nfold is a GPU build [powers of two up to what is here]")
    what.add_argument("--scaling", nargs="+", choices=("strong", "weak"),
                      help="strong: one system on more ranks; weak: as many residues a rank, of condensates, or\n"
                           "with --systems as many replicas a rank, of ensembles and of go-ubq-N\n"
                           "[both; strong alone with --systems or --sizes, weak alone with --residues-per-rank]")
    what.add_argument("--systems", nargs="+", metavar="NAME", help="of 'nfold bench --list', or input files (.yaml)")
    what.add_argument("--sizes", nargs="+", type=size, metavar="N", help="condensates of so many residues: 20000, 20k, 1m")
    what.add_argument("--residues-per-rank", type=size, metavar="N", help="of weak scaling, in condensates")
    what.add_argument("--precision", dest="precisions", nargs="+", choices=("mixed", "double"))
    what.add_argument("--set", dest="settings", nargs="+", action="extend", metavar="KEY=VALUE",
                      help="keys of the input, for all runs")
    timing = made.add_argument_group("how")
    timing.add_argument("--repeats", type=above(int, 1), metavar="N", help="starts of each case, in random order")
    timing.add_argument("--measurements", type=above(int, 1), metavar="N",
                        help="in each start, of which the median counts [3]")
    timing.add_argument("--seconds", type=above(float, 0.01), metavar="S", help="of a measurement")
    timing.add_argument("--warm-up", type=above(int, 0), metavar="STEPS", help="before a measurement of the suite's systems")
    timing.add_argument("--start-steps", type=above(int, 1), metavar="STEPS", help="of making the start of a written condensate")
    timing.add_argument("--run-steps", type=above(int, 1), metavar="STEPS",
                        help="of a run of --mode balance, memory, synchronisation and --profile")
    timing.add_argument("--threads", type=above(int, 1), metavar="N", help="of each rank [1; of GPU ranks what nfold takes]")
    timing.add_argument("--seed", type=int, metavar="N", help="of the order [1]")
    timing.add_argument("--limit", dest="limit_seconds", type=above(float, 1), metavar="SECONDS",
                        help="for one start; what takes longer is a failure [1800]")
    timing.add_argument("--profile", action="store_true", default=None,
                        help="a run of each case by 'nfold run --profile': phases of a step on each rank count;\n"
                             "its files are kept in runs/")
    model = made.add_argument_group("model against measurement")
    model.add_argument("--machine", metavar="NAME|FILE", help="of nfold plan [this computer]")
    model.add_argument("--no-model", dest="model", action="store_false", default=None, help="do not ask nfold plan")
    where = made.add_argument_group("program and folder")
    where.add_argument("--nfold", type=Path, metavar="PATH", help="[of this checkout, else on PATH]")
    where.add_argument("--mpirun", metavar="CMD", help="starts ranks, with its words: 'mpirun --map-by numa'")
    where.add_argument("--srun", metavar="CMD", help="the same: 'srun --mpi=pmix'\n"
                                                     "[in a Slurm job what can start two ranks of srun and mpirun, else mpirun]")
    where.add_argument("--output-dir", type=Path, metavar="DIR", help="[scaling-study.out]")
    where.add_argument("--resume", action="store_true", help="go on in DIR with what is missing or has failed")
    where.add_argument("--overwrite", action="store_true", help="replace the study in DIR")
    where.add_argument("--validate-setup", action="store_true", help="only say what works here, and what to do")
    return made


def default_ranks(units):
    """1, 2, 4, ... up to all."""
    return sorted({1 << k for k in range(units.bit_length()) if 1 << k <= units} | {max(1, units)})


def resolve_options(options, on_gpu, units):
    """Values of ASKED: the user's, else those of --quick or --full."""
    preset = PRESETS[options.form or "quick", on_gpu]
    asked = {"modes": ["speed"], "sizes": [], "ranks": default_ranks(units), "measurements": 3, "threads": 0 if on_gpu else 1,
             "profile": False, "machine": "", "model": True, "settings": [], "seed": 1, "limit_seconds": 1800.0, **preset}
    given = given_options(options)
    chose = {name for name in ("systems", "sizes", "residues_per_rank") if name in given}
    asked["scaling"] = ["strong", "weak"]
    if chose:
        asked["scaling"] = [name for name, ways in (("strong", {"systems", "sizes"}), ("weak", {"residues_per_rank"}))
                            if ways & chose]
    asked["growing"] = given.get("systems", []) if "weak" in given.get("scaling", []) else []
    if "sizes" in given and "systems" not in given:
        asked["systems"] = []
    asked.update(given)
    for names in ("systems", "growing"):
        asked[names] = [str(Path(name).resolve()) if name.endswith((".yaml", ".yml")) else name for name in asked[names]]
    if Path(asked["machine"]).suffix in (".yaml", ".yml"):
        asked["machine"] = str(Path(asked["machine"]).resolve())
    return {name: asked[name] for name in ASKED}


def given_options(options):
    return {name: value for name, value in vars(options).items() if name in ASKED and value is not None}


def starts(program):
    """True if the program starts. A GPU build does not start without a driver."""
    return subprocess.run([program, "--version"], capture_output=True).returncode == 0


def find_nfold(options):
    """Path of --nfold, else the checkout's GPU or CPU build that starts here, else nfold on PATH."""
    if options.nfold:
        return options.nfold
    for build in ("gpu-release", "cpu-release"):
        path = ROOT / "build" / build / "bin/nfold"
        if path.is_file() and starts(path):
            return path
    on_path = shutil.which("nfold")
    if not on_path:
        raise StudyError("there is no nfold in build/ and none on PATH; build it (tools/bootstrap --build cpu-release), or "
                         "give --nfold PATH")
    return Path(on_path)

# Measurements of bench_gpu_peers.py: systems, OpenMM's forms of them, one measurement.
# SPDX-License-Identifier: BSD-3-Clause

import dataclasses
import json
import math
import statistics
import sys
from pathlib import Path

import numpy as np
import openmm

from . import condensate_bench
from .bench_programs import BenchError, NfoldRunner, OpenMMRunner, run_program
from .calpha_structure import read_calphas, replicate
from .condensate_system import TERMS, build_system
from .go_terms import go_terms
from .openmm_system import build_system as build_go_system
from nfold_report.resolved_input import lookup, parse_input

ROOT = Path(__file__).resolve().parents[2]
GO_INPUT = ROOT / "input/go-ubq.yaml"
# Copies of 76 residues and edge of their periodic cube [nm] (0 for open), as in the suite of `nfold bench`.
GO_SYSTEMS = {"go-ubq": (1, 0), "go-10k": (132, 24), "go-ubq-1056": (1056, 60), "go-ubq-4224": (4224, 95)}
CROWDS = ("go-ubq-1056", "go-ubq-4224")  # copies in one context of OpenMM, replicas of nfold
CONDENSATE = "condensate-"  # prefix, followed by the residues: 10k, 100k, 1m
# Sizes beyond which a form costs more memory or setup time than it could win.
MOST_GROUPED, MOST_PAIRED = 200_000, 500
NFOLD_START_STEPS = 2000


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One program and one form of one system. `start` is a folder of checkpoints CASE.ckpt.h5, or empty."""

    case: str
    program: str  # "OpenMM", or the path of nfold
    form: str = ""
    platform: str = ""
    precision: str = "mixed"
    seconds: float = 5
    repeats: int = 3
    warm_up_steps: int = 3000
    threads: int = 1
    start: str = ""


def condensate_residues(case):
    """Number of residues, 20000 of 'condensate-20k'; None if the case is no condensate."""
    if not case.startswith(CONDENSATE):
        return None
    text = case.removeprefix(CONDENSATE)
    digits = text.rstrip("km")
    if not digits.isdigit() or len(text) - len(digits) > 1:
        raise BenchError(f"case '{case}': expected condensate-N with N as 20000, 20k or 1m")
    return int(digits) * {"k": 1000, "m": 1_000_000}.get(text[-1], 1)


def case_residues(case):
    """Number of residues of a case. Raises BenchError for an unknown case."""
    residues = condensate_residues(case)
    if residues is None and case not in GO_SYSTEMS:
        raise BenchError(f"case '{case}': expected {CONDENSATE}N or one of {', '.join(GO_SYSTEMS)}")
    return residues or 76 * GO_SYSTEMS[case][0]


def openmm_forms(case):
    """OpenMM's forms of a case. Condensates: both potentials over one list, as CALVADOS has them, or the electrostatic one
    between charged residues only. Go models: OpenMM's own bonded forces or custom ones, repulsion by list or not."""
    residues = case_residues(case)
    if condensate_residues(case):
        return ["all"] + ["charged"] * (residues <= MOST_GROUPED)
    repulsions = ["cutoff"] + ["pairs"] * (residues <= MOST_PAIRED)
    return [f"{bonded}, {repulsion}" for bonded in ("native", "custom") for repulsion in repulsions]


def find_start(case, folder, condensate):
    """(coordinates, description of their origin)"""
    path = Path(folder) / f"{case}.ckpt.h5"
    if not folder or not path.exists():
        return condensate_bench.straight_start(condensate), "straight chains"
    from read_checkpoint import read_checkpoint  # needs h5py, which not every machine has
    found = read_checkpoint(path)
    if found.positions_nm.shape != (condensate.residues, 3) or not np.allclose(
            found.box_nm, condensate.box_nm, atol=1e-5):
        raise BenchError(f"{path}: {len(found.positions_nm)} residues in a box of {found.box_nm} nm; expected "
                         f"{condensate.residues} in a cube of {condensate.box_nm} nm")
    return found.positions_nm, "checkpoint"


def condensate_openmm(job):
    """(system, coordinates, dynamics, start)"""
    condensate = condensate_bench.make_condensate(condensate_residues(job.case))
    positions_nm, start = find_start(job.case, job.start, condensate)
    terms = condensate_bench.bench_terms(condensate)
    system = build_system(terms, positions_nm)
    if job.form == "charged":
        charged = np.nonzero(terms.charges)[0].tolist()
        for force in system.getForces():
            if force.getForceGroup() == TERMS.index("electrostatic"):
                force.addInteractionGroup(charged, charged)
    dynamics = (condensate_bench.TEMPERATURE_KELVIN, condensate_bench.FRICTION_PER_PS,
                condensate_bench.TIME_STEP_PS)
    return system, positions_nm, dynamics, start


def spread(calphas, copies, edge_nm):
    """Copies spread evenly in a periodic cube, 6 x 6 x 4 sites for 132."""
    found = replicate(calphas, copies)
    side = math.ceil(copies ** (1 / 3))
    place = np.arange(copies)
    grid = np.stack([place % side, place // side % side, place // side**2], axis=1)
    corners = grid * edge_nm / [side, side, math.ceil(copies / side**2)]
    found.positions_nm = (calphas.positions_nm[None] + corners[:, None]).reshape(-1, 3)
    return found


def go_openmm(job):
    copies, edge_nm = GO_SYSTEMS[job.case]
    settings = parse_input(GO_INPUT.read_text(encoding="utf-8"))
    calphas = spread(read_calphas(GO_INPUT.parent / lookup(settings, "system.structure")), copies, edge_nm)
    system = build_go_system(go_terms(calphas, settings), *job.form.split(", "), edge_nm)
    dynamics = tuple(lookup(settings, f"dynamics.{key}") for key in
                     ("temperature_kelvin", "friction_per_ps", "time_step_ps"))
    return system, calphas.positions_nm, dynamics, "folded"


def device_name(context, platform):
    if platform == "CUDA":
        return context.getPlatform().getPropertyValue(context, "DeviceName")
    return platform


def measure_openmm(job):
    make = condensate_openmm if condensate_residues(job.case) else go_openmm
    system, positions_nm, dynamics, start = make(job)
    runner = OpenMMRunner(job.form, job.platform, system, positions_nm, dynamics, job.threads,
                          job.warm_up_steps, job.precision)
    speeds = [runner.steps_per_second(job.seconds) for _ in range(job.repeats)]
    state = runner.context.getState(getEnergy=True)
    energy = state.getPotentialEnergy()
    if not np.isfinite(energy.value_in_unit(energy.unit)):
        raise BenchError(f"{job.case}, {job.form}: the energy is {energy}: the run exploded")
    return speeds, openmm.Platform.getOpenMMVersion(), device_name(runner.context, job.platform), start


def nfold_input(job, folder):
    """(input file, overrides) of the system and its start."""
    residues = condensate_residues(job.case)
    if not residues:
        copies, edge_nm = GO_SYSTEMS[job.case]
        return GO_INPUT, (f"system.copies={copies}", *([f"system.box_nm=[{edge_nm}]"] if edge_nm else []))
    condensate = condensate_bench.make_condensate(residues)
    path = condensate_bench.write_input(condensate, folder, NFOLD_START_STEPS)
    checkpoint = Path(job.start).resolve() / f"{job.case}.ckpt.h5"
    if not checkpoint.exists():
        run_program([job.program, "run", path, "--quiet", "--threads", job.threads, "--output",
                     folder / "start.out"], threads=job.threads)
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        (folder / f"start.out/{path.stem}.ckpt.h5").replace(checkpoint)
    return path, ("start.from=checkpoint", f"start.checkpoint={checkpoint}", "start.minimise_steps=0")


def measure_crowd(job, folder):
    """Row of the suite's system of this name: steps/s of each replica."""
    table = folder / "crowd.json"
    run_program([job.program, "bench", "--only", job.case, "--seconds", job.seconds, "--repeats", job.repeats,
                 "--threads", job.threads, "--set", f"dynamics.precision={job.precision}", "--json", table],
                threads=job.threads)
    rows = json.loads(table.read_text(encoding="utf-8"))["measurements"]
    return [row["steps_per_second"] for row in rows]


def measure_nfold(job, folder):
    """Make the start and leave it in job.start for the following measurements."""
    version = run_program([job.program, "--version"]).split()[1]
    if job.case in CROWDS:
        return measure_crowd(job, folder), version, "", "folded"
    path, overrides = nfold_input(job, folder)
    runner = NfoldRunner(Path(job.program), path, 1, job.threads, job.precision, overrides)
    start = "checkpoint" if condensate_residues(job.case) else "folded"
    return runner.speeds(job.seconds, job.repeats), version, "", start


def measure(job, folder):
    """Row of the table, as a dict. Raises BenchError or OpenMM's exceptions."""
    nfold = job.program != "OpenMM"
    speeds, version, device, start = measure_nfold(job, folder) if nfold else measure_openmm(job)
    return {"program": "nfold" if nfold else "OpenMM", "version": version, "platform": job.platform,
            "device": device, "case": job.case, "residues": case_residues(job.case), "form": job.form,
            "precision": job.precision, "start": start, "steps_per_second": statistics.median(speeds),
            "lowest": min(speeds), "highest": max(speeds)}


def library_folders():
    """Possible folders of CUDA 13's libraries: PyTorch's packages, the toolkit."""
    packages = [Path(place) / "nvidia/cu13/lib" for place in sys.path if place]
    return [str(place) for place in (*packages, Path("/usr/local/cuda/lib64")) if place.is_dir()]

# Slab run by nfold or OpenMM in pieces of some minutes, each resumed from the one before.
# SPDX-License-Identifier: BSD-3-Clause

import csv
import dataclasses
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import openmm
import yaml

from nfold_report.energies_table import table_lines

from .bench_programs import BenchError, run_program
from .condensate_input import input_terms
from .condensate_system import build_system
from .fasta import read_fasta
from .gpu_peers import device_name
from .slab_series import SlabSeries, centred_profile, load_series

ROOT = Path(__file__).resolve().parents[2]
K_BOLTZMANN = 0.00831446261815324  # kJ/mol/K
STOPPED = 75  # exit code of nfold: a checkpoint is written, restart to continue
SAVE_SECONDS = 60
FRAMES_AT_ONCE = 64


class StopSignal:
    """Handler that lets SIGTERM end a piece early instead of this program, so that its frames are kept."""

    def __init__(self):
        self.came = False
        self.child = None  # signalled as well, since the signal may have been sent to this process only
        signal.signal(signal.SIGTERM, self.take)

    def take(self, *_):
        self.came = True
        if self.child is not None:
            self.child.terminate()


@dataclasses.dataclass(frozen=True)
class SlabSetup:
    """Setup of the slab; compare_slab.py has the reasons."""

    protein: str = "A1-12Y"
    copies: int = 180
    box_nm: tuple = (20.0, 20.0, 75.0)
    temperature_kelvin: float = 310.0
    seed: int = 1
    friction_per_ps: float = 0.001
    time_step_ps: float = 0.01
    frame_every_steps: int = 20_000
    ionic_strength_molar: float = 0.15
    ph: float = 7.0

    @property
    def input(self):
        """nfold's settings with endless steps; the time limit ends a run."""
        sequence = read_fasta(ROOT / "input/sequences.fasta")[self.protein]
        return {
            "system": {"species": [{"name": self.protein, "sequence": sequence, "copies": self.copies}],
                       "box_nm": list(self.box_nm)},
            "force_field": {"model": "calvados2", "ionic_strength_molar": self.ionic_strength_molar,
                            "ph": self.ph},
            "start": {"from": "slab"},
            "dynamics": {"steps": 10**12, "time_step_ps": self.time_step_ps, "seed": self.seed,
                         "temperature_kelvin": self.temperature_kelvin,
                         "friction_per_ps": self.friction_per_ps},
            "output": {"trajectory_every_steps": self.frame_every_steps,
                       "energies_every_steps": self.frame_every_steps}}

    @property
    def terms(self):
        return input_terms(self.input, ROOT / "input")


def series_path(folder, program, seed):
    return Path(folder) / f"{program}-{seed}.npz"


def begun_series(folder, program, setup):
    """Existing series, or an empty one. Raises BenchError if the folder has another setup's series."""
    path = series_path(folder, program, setup.seed)
    settings = dataclasses.asdict(setup) | {"box_nm": list(setup.box_nm)}
    if not path.exists():
        return SlabSeries(settings, program)
    series = load_series(path)
    changed = [f"{key} = {series.setup[key]}, now {settings[key]}" for key in settings if series.setup[key] != settings[key]]
    if changed:
        raise BenchError(f"{path}: was begun with {'; '.join(changed)}: give the same, or another folder")
    return series


def add_nfold_frames(series, folder, masses):
    """Add profiles of the frames that the series lacks."""
    with open(folder / "slab.energies.csv", newline="", encoding="ascii") as file:
        warmth = {int(row["step"]): float(row["temperature_kelvin"]) for row in csv.DictReader(table_lines(file.read()))}
    with h5py.File(folder / "slab.h5md", "r") as file:
        frames = file["particles/trajectory/position"]
        steps = frames["step"][()]
        first = np.searchsorted(steps, series.steps[-1] if series.steps else 0, side="right")
        for start in range(first, len(steps), FRAMES_AT_ONCE):
            block = frames["value"][start:start + FRAMES_AT_ONCE, :, 2].astype(float)
            for step, z_nm in zip(steps[start:start + FRAMES_AT_ONCE].tolist(), block):
                series.steps.append(step)
                series.profiles.append(centred_profile(z_nm, masses, series.setup["box_nm"]))
                series.temperatures.append(warmth.get(step, float("nan")))


def checkpoint_step(path):
    from read_checkpoint import read_checkpoint  # beside the tools, not in this folder
    return read_checkpoint(path).step


def run_nfold(series, setup, program, minutes, work, stop):
    """Run a piece of nfold with a time limit and --resume. A StopSignal may end it earlier."""
    (work / "slab.yaml").write_text(yaml.safe_dump(setup.input, sort_keys=False), encoding="utf-8")
    command = [*program, "run", work / "slab.yaml", "--quiet", "--output", work / "out", "--time-limit",
               f"{round(minutes * 60)}s"]
    before = 0
    if "checkpoint" in series.state:
        (work / "begun.ckpt.h5").write_bytes(series.state["checkpoint"].tobytes())
        before = checkpoint_step(work / "begun.ckpt.h5")
        command += ["--resume", work / "begun.ckpt.h5"]
    began = time.perf_counter()
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as stop.child:
        if stop.came:
            stop.child.terminate()
        output, _ = stop.child.communicate()
    if stop.child.returncode not in (0, STOPPED):
        raise BenchError(f"nfold: exit code {stop.child.returncode}: {output[-600:].strip()}")
    stop.child = None
    series.run_seconds += time.perf_counter() - began
    series.version = run_program([*program, "--version"]).split()[1]
    checkpoint = work / "out/slab.ckpt.h5"
    series.run_steps += checkpoint_step(checkpoint) - before
    series.state = {"checkpoint": np.frombuffer(checkpoint.read_bytes(), dtype=np.uint8)}
    add_nfold_frames(series, work / "out", setup.terms.masses)


def openmm_start(folder, setup, work):
    """Positions and velocities of the latest nfold state with the same seed."""
    from read_checkpoint import read_checkpoint  # beside the tools, not in this folder
    path = series_path(folder, "nfold", setup.seed)
    if not path.exists():
        raise BenchError(f"{path}: is not there; OpenMM starts where nfold has come to: run nfold first")
    checkpoint = work / "nfold.ckpt.h5"
    checkpoint.write_bytes(begun_series(folder, "nfold", setup).state["checkpoint"].tobytes())
    found = read_checkpoint(checkpoint)
    return {"positions": found.positions_nm, "velocities": found.velocities_nm_ps, "step": np.array(0)}


def made_context(series, setup, platform, threads):
    terms, state = setup.terms, series.state
    system = build_system(terms, state["positions"])
    integrator = openmm.LangevinMiddleIntegrator(setup.temperature_kelvin, setup.friction_per_ps,
                                                 setup.time_step_ps)
    piece = int(state["step"]) // setup.frame_every_steps  # each piece has its own noise
    integrator.setRandomNumberSeed(1 + (setup.seed * 1_000_003 + piece) % 2_000_000_000)
    properties = {"CUDA": {"Precision": "mixed"}, "CPU": {"Threads": str(threads)}}.get(platform, {})
    context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(state["positions"])
    context.setVelocities(state["velocities"])
    return context, terms.masses


def add_openmm_frame(series, context, masses):
    state = context.getState(getPositions=True, getVelocities=True)
    positions, velocities = (np.asarray(found._value, dtype=float) for found in
                             (state.getPositions(asNumpy=True), state.getVelocities(asNumpy=True)))
    if not np.isfinite(positions).all():
        raise BenchError(f"OpenMM: coordinates that are no numbers after step {series.steps[-1:]}")
    step = int(series.state["step"]) + series.setup["frame_every_steps"]
    series.state = {"positions": positions, "velocities": velocities, "step": np.array(step)}
    series.steps.append(step)
    series.profiles.append(centred_profile(positions[:, 2], masses, series.setup["box_nm"]))
    series.temperatures.append(np.sum(masses[:, None] * velocities**2) / (3 * len(masses) * K_BOLTZMANN))


def run_openmm(series, setup, platform, minutes, threads, save, stop):
    """Run a piece of OpenMM in whole frames until the minutes are over or a StopSignal comes; calls save()
    now and then."""
    began = saved = time.perf_counter()
    context, masses = made_context(series, setup, platform, threads)
    series.version, series.device = openmm.Platform.getOpenMMVersion(), device_name(context, platform)
    earlier, frame_seconds, ready = series.run_seconds, 0.0, time.perf_counter()
    while frame_seconds == 0 or (not stop.came and
                                 time.perf_counter() - began + frame_seconds < minutes * 60):
        context.getIntegrator().step(setup.frame_every_steps)
        add_openmm_frame(series, context, masses)
        series.run_steps += setup.frame_every_steps
        now = time.perf_counter()
        frame_seconds, ready = now - ready, now
        series.run_seconds = earlier + now - began
        if now - saved > SAVE_SECONDS:
            save()
            saved = now

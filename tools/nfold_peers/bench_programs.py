# Programs of a speed comparison, which measure themselves in turn.
# SPDX-License-Identifier: BSD-3-Clause
"""A runner has a name and steps_per_second(seconds)."""

import json
import os
import re
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import openmm

LOOP_TIME = re.compile(r"Loop time of ([\d.eE+-]+) on \d+ procs for (\d+) steps")


class BenchError(Exception):
    """A participant cannot run; the message names it and the reason."""


def run_program(command, cwd=None, threads=1):
    """Run a command and return its standard output. BenchError names the command."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              check=False, cwd=cwd, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    except OSError as failure:
        raise BenchError(f"{command[0]}: cannot be started ({failure.strerror})") from failure
    if done.returncode != 0:
        text = " ".join(str(word) for word in command)
        raise BenchError(f"'{text}': exit code {done.returncode}: {(done.stderr or done.stdout)[-600:].strip()}")
    return done.stdout


def on_ranks(ranks):
    """Launcher arguments for this many ranks, which may share cores."""
    if ranks == 1:
        return []
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "--bind-to", "none", "-np", ranks]


@dataclass
class NfoldRunner:
    """`nfold bench` of an input, measured in one process."""

    program: Path
    input: Path
    ranks: int
    threads: int
    precision: str
    overrides: tuple = ()

    @property
    def name(self):
        return f"nfold {self.precision}, {self.ranks} rank{'s' * (self.ranks > 1)} x {self.threads}"

    def steps_per_second(self, seconds):
        return self.speeds(seconds, 1)[0]

    def speeds(self, seconds, repeats):
        """(median, slowest, fastest) speed of one process."""
        command = [*on_ranks(self.ranks), self.program, "bench", self.input, "--seconds", seconds,
                   "--repeats", repeats, "--threads", self.threads]
        for override in (f"dynamics.precision={self.precision}", *self.overrides):
            command += ["--set", override]
        line = run_program(command, threads=self.threads).strip().splitlines()[-1]
        try:
            found = json.loads(line)
            return tuple(float(found[f"{which}steps_per_second"]) for which in ("", "slowest_", "fastest_"))
        except (ValueError, KeyError) as failure:
            raise BenchError(f"nfold bench: expected a line of JSON, found {line[:200]!r}") from failure


class OpenMMRunner:
    """OpenMM platform with one of our systems. LangevinMiddle needs one force evaluation per step, as nfold's BAOAB.
    `precision` is the precision of a GPU's platform: single, mixed or double."""

    def __init__(self, name, platform, system, positions_nm, dynamics, threads, warm_up_steps=10,
                 precision="mixed"):
        temperature, friction, step = dynamics
        integrator = openmm.LangevinMiddleIntegrator(temperature, friction, step)
        integrator.setRandomNumberSeed(1)
        properties = {"CPU": {"Threads": str(threads)}, "CUDA": {"Precision": precision}}.get(platform, {})
        self.context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName(platform),
                                      properties)
        self.context.setPositions(positions_nm)
        self.context.setVelocitiesToTemperature(temperature, 1)
        self.name = name
        self.take(warm_up_steps)

    def take(self, steps):
        began = time.perf_counter()
        self.context.getIntegrator().step(steps)
        self.context.getState(getVelocities=True)  # waits for the last step
        return time.perf_counter() - began

    def steps_per_second(self, seconds):
        """Steps per second of one block of about `seconds`. Shorter blocks that find its length are not counted."""
        steps, taken = 4, self.take(4)
        while taken < seconds / 8:
            steps *= 2
            taken = self.take(steps)
        steps = max(1, round(steps * seconds / taken))
        return steps / self.take(steps)


class LammpsRunner:
    """Debian's lmp. `text(steps)` is the input for this many steps."""

    def __init__(self, name, text, folder, ranks, suffix):
        if shutil.which("lmp") is None:
            raise BenchError("lmp is not there; install the Debian package lammps, or leave LAMMPS out")
        self.text, self.folder, self.ranks, self.suffix = text, folder, ranks, suffix
        self.name = f"LAMMPS ({name}{', opt' if suffix else ''}), {ranks} ranks"
        self.speed = None

    def run(self, steps):
        path = self.folder / "in.lammps"
        path.write_text(self.text(steps), encoding="ascii")
        command = [*on_ranks(self.ranks), "lmp", "-log", "none", "-in", path]
        out = run_program(command + (["-suffix", "opt"] if self.suffix else []), cwd=self.folder)
        found = LOOP_TIME.findall(out)
        if not found:
            raise BenchError(f"lmp: expected a loop time, found {out[-300:]!r}")
        seconds, done = found[-1]
        self.speed = int(done) / float(seconds)
        return self.speed

    def steps_per_second(self, seconds):
        return self.run(max(50, int(seconds * (self.speed or self.run(50)))))


def in_turns(runners, seconds, repeats):
    """{name: [steps per second of each repeat]}. Each repeat begins with another runner."""
    speeds = {runner.name: [] for runner in runners}
    for repeat in range(repeats):
        shift = repeat % len(runners)
        for runner in runners[shift:] + runners[:shift]:
            speeds[runner.name].append(runner.steps_per_second(seconds))
    return speeds


def print_table(speeds, reference):
    """Print medians and their ratio to the fastest runner whose name begins with `reference`."""
    medians = {name: statistics.median(values) for name, values in speeds.items()}
    theirs = [value for name, value in medians.items() if name.startswith(reference)]
    title = f"over {reference}" if theirs else ""
    print(f"  {'':<58} {'median':>8} {'lowest':>8} {'highest':>8}  {title}")
    for name, values in speeds.items():
        ratio = f"{medians[name] / max(theirs):.2f}" if theirs else ""
        print(f"  {name:<58} {medians[name]:8.1f} {min(values):8.1f} {max(values):8.1f}  {ratio}")
    print(flush=True)

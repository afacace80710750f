#!/usr/bin/env python3
# Radii of gyration of single disordered chains, nfold against OpenMM, with blocking errors.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/compare_rg.py --steps 4000000 --csv rg.csv

CALVADOS 2 at the conditions of input/SEQUENCES.md; both programs run Langevin dynamics of the same
Hamiltonian from their own start, with a step of 0.01 ps and a friction of 0.01 /ps. The radius is that
about the centre of mass, and its mean is over frames after a tenth of the run. Two means agree when
they differ by at most two combined standard errors; below 3 % an error is small enough to say so.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "openmm")

import h5py
import numpy as np
import openmm
import yaml

from nfold_report.blocking import TooShortError, standard_error
from nfold_peers.condensate_input import input_terms
from nfold_peers.condensate_system import build_system
from nfold_peers.go_terms import ModelError
from nfold_peers.published import FASTA, published_proteins

ROOT = Path(__file__).resolve().parent.parent
COMPARED = ("A1", "aSyn", "ACTR", "Hst5", "p15PAF")
ENOUGH = 0.03  # largest error, relative to the mean


class ComparisonError(Exception):
    """A program did not run; the message names it and the reason."""


@dataclass
class Radius:
    mean_nm: float
    error_nm: float


def chain_settings(protein, steps, every, seed):
    """Input of one chain, as a dict."""
    return {
        "system": {"species": [{"name": protein.name, "fasta": str(FASTA), "record": protein.name}]},
        "force_field": {"model": "calvados2", "ph": protein.ph,
                        "ionic_strength_molar": protein.ionic_strength_molar},
        "start": {"from": "unfolded"},
        "dynamics": {"steps": steps, "time_step_ps": 0.01, "friction_per_ps": 0.01, "seed": seed,
                     "temperature_kelvin": protein.temperature_kelvin},
        "output": {"trajectory_every_steps": every, "energies_every_steps": steps}}


def radii_of_gyration(frames_nm, masses):
    """Radius of gyration about the centre of mass (frames)."""
    weights = masses / masses.sum()
    centre = np.einsum("tnk,n->tk", frames_nm, weights)
    return np.sqrt(np.einsum("tnk,n->t", (frames_nm - centre[:, None]) ** 2, weights))


def mean_radius(series):
    """Mean radius after the first tenth."""
    kept = series[len(series) // 10:]
    return Radius(kept.mean(), standard_error(kept))


def nfold_series(program, settings, masses):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.yaml"
        path.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
        command = [str(program), "run", str(path), "--quiet", "--threads", "1"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder,
                                  env={**os.environ, "OMP_NUM_THREADS": "1"})
        except OSError as failure:
            raise ComparisonError(f"{program}: cannot be started ({failure.strerror})") from failure
        if done.returncode != 0:
            raise ComparisonError(f"'{' '.join(command)}': exit code {done.returncode}: {done.stderr.strip()}")
        with h5py.File(path.with_suffix(".out") / "chain.h5md", "r") as file:
            return radii_of_gyration(file["particles/trajectory/position/value"][()].astype(float), masses)


def coil(residues, length_nm, seed):
    """Random walk whose bonds turn by at most 60 degrees, so that residues do not overlap."""
    random = np.random.default_rng(seed)
    steps = [np.array([1.0, 0, 0])]
    for _ in range(residues - 2):
        turned = steps[-1] + 0.5 * random.normal(size=3)
        steps.append(turned / np.linalg.norm(turned))
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0) * length_nm])


def openmm_series(settings, terms):
    dynamics, every = settings["dynamics"], settings["output"]["trajectory_every_steps"]
    integrator = openmm.LangevinMiddleIntegrator(
        dynamics["temperature_kelvin"], dynamics["friction_per_ps"], dynamics["time_step_ps"])
    integrator.setRandomNumberSeed(dynamics["seed"])
    positions = coil(len(terms.names), terms.model.bond_length_nm, dynamics["seed"])
    context = openmm.Context(build_system(terms, positions), integrator,
                             openmm.Platform.getPlatformByName("CPU"), {"Threads": "1"})
    context.setPositions(positions)
    openmm.LocalEnergyMinimizer.minimize(context, 10.0, 500)
    context.setVelocitiesToTemperature(dynamics["temperature_kelvin"], dynamics["seed"])
    series = []
    for _ in range(dynamics["steps"] // every):
        integrator.step(every)
        frame = context.getState(getPositions=True).getPositions(asNumpy=True)._value
        series.append(radii_of_gyration(frame[None], terms.masses)[0])
    return np.array(series)


def compare(protein, options):
    """{program: Radius} of the chosen programs."""
    settings = chain_settings(protein, options.steps, options.every, options.seed)
    terms = input_terms(settings, ROOT / "input")
    radii = {}
    if "nfold" in options.programs:
        radii["nfold"] = mean_radius(nfold_series(options.nfold, settings, terms.masses))
    if "OpenMM" in options.programs:
        radii["OpenMM"] = mean_radius(openmm_series(settings, terms))
    return radii


def verdict(radii):
    """Agreement of two radii, as text; None if there is only one."""
    if len(radii) < 2:
        return None
    one, other = radii.values()
    combined = (one.error_nm**2 + other.error_nm**2) ** 0.5
    apart = abs(one.mean_nm - other.mean_nm) / combined
    wide = any(radius.error_nm > ENOUGH * radius.mean_nm for radius in radii.values())
    return f"{apart:.1f} combined errors apart: " + (
        "they differ" if apart > 2 else "errors too wide to say more" if wide else "equal")


def print_row(protein, radii):
    measured = "{:.2f} +- {:.2f}".format(*protein.measured_rg_nm) if protein.measured_rg_nm else "-"
    found = "  ".join(f"{name} {radius.mean_nm:.3f} +- {radius.error_nm:.3f} nm"
                      for name, radius in radii.items())
    print(f"{protein.name:<8} {found}  measured {measured}  {verdict(radii) or ''}", flush=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nfold", type=Path, default=ROOT / "build/cpu-release/bin/nfold")
    parser.add_argument("--proteins", nargs="+", choices=sorted(published_proteins()), default=COMPARED)
    parser.add_argument("--programs", nargs="+", choices=("nfold", "OpenMM"), default=("nfold", "OpenMM"))
    parser.add_argument("--steps", type=int, default=4_000_000, help="of each run [4000000]")
    parser.add_argument("--every", type=int, default=1000, help="steps between frames [1000]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=Path, help="append each radius to this file")
    options = parser.parse_args(arguments)
    differing = []
    try:
        for name in options.proteins:
            protein = published_proteins()[name]
            radii = compare(protein, options)
            print_row(protein, radii)
            if "differ" in (verdict(radii) or ""):
                differing.append(name)
            if options.csv:
                with open(options.csv, "a", newline="", encoding="utf-8") as file:
                    csv.writer(file, lineterminator="\n").writerows(
                        (name, program, options.steps, options.seed, radius.mean_nm, radius.error_nm)
                        for program, radius in radii.items())
    except (ComparisonError, ModelError, TooShortError, OSError) as failure:
        print(f"compare_rg: error: {failure}", file=sys.stderr)
        return 1
    if differing:
        print(f"compare_rg: {', '.join(differing)}: nfold and OpenMM differ", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())

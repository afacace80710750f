#!/usr/bin/env python3
# Folding transition of a go model: a run at each temperature, a table and a picture.
# SPDX-License-Identifier: BSD-3-Clause
"""Folding transition of a go model: mean Q, mean energy and heat capacity against temperature.

Runs `nfold run INPUT` once for each temperature, from the native state, discards the first fifth of
each run and writes transition.csv and transition.png. The heat capacity is the configurational
(<U^2> - <U>^2) / (kB T^2) (physics.md, D.3), its error bar comes from halves of the run.
"""

import argparse
import concurrent.futures
import csv
import pathlib
import subprocess
import sys

from nfold_report import own_python

own_python.require("numpy", "matplotlib")

import numpy as np

from nfold_report.energies_table import table_lines
from nfold_report.failures import one_line

K_BOLTZMANN = 0.00831446261815324  # kJ/mol/kelvin
FEWEST_SAMPLES = 20


class TransitionError(Exception):
    """A run lacks the needed output; the message has the reason."""


def run(nfold, source, temperature, steps, folder):
    """Run at one temperature and return (potential energy [kJ/mol], Q) of its samples."""
    output = folder / f"{temperature:g}K"
    command = [nfold, "run", str(source), "--output", str(output), "--overwrite", "--quiet",
               "--threads", "1",
               "--set", f"dynamics.temperature_kelvin={temperature}",
               "--set", f"dynamics.steps={steps}",
               "--set", "start.from=native",
               "--set", "output.energies_every_steps=100",
               "--set", "output.trajectory_every_steps=0"]
    try:
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as failure:
        raise TransitionError(f"{nfold}: cannot be started ({failure.strerror}); --nfold names the program") from failure
    if finished.returncode != 0:
        raise TransitionError(f"{' '.join(command)} returned {finished.returncode}: {finished.stderr.strip()}")
    table = output / f"{source.stem}.energies.csv"
    with open(table, newline="") as file:
        rows = list(csv.DictReader(table_lines(file.read())))
    energy = np.array([float(row["potential_kj_mol"]) for row in rows])
    native = np.array([float(row["native_fraction"]) for row in rows])
    start = len(rows) // 5
    if len(rows) - start < FEWEST_SAMPLES:
        raise TransitionError(f"{table}: {len(rows)} samples; give --steps of at least {125 * FEWEST_SAMPLES}, since one "
                              "in 100 steps is a sample and the first fifth is left out")
    return energy[start:], native[start:]


def statistics(temperature, energy, native):
    """Row of the table: means, and the heat capacity with the spread of its halves."""
    def heat_capacity(part):
        return np.var(part) / (K_BOLTZMANN * temperature**2)
    half = len(energy) // 2
    spread = abs(heat_capacity(energy[:half]) - heat_capacity(energy[half:])) / 2
    return {"temperature_kelvin": temperature,
            "mean_native_fraction": native.mean(),
            "mean_potential_kj_mol": energy.mean(),
            "heat_capacity_kj_mol_kelvin": heat_capacity(energy),
            "heat_capacity_error_kj_mol_kelvin": spread,
            "samples": len(energy)}


def draw(rows, path, title):
    """Draw Q and heat capacity above each other, on one temperature axis."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    kelvin = [row["temperature_kelvin"] for row in rows]
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(6, 6), constrained_layout=True)
    above.plot(kelvin, [row["mean_native_fraction"] for row in rows], "o-", color="#0072b2")
    above.set_ylabel("mean native fraction Q")
    above.set_ylim(0, 1)
    above.set_title(title)
    below.errorbar(kelvin, [row["heat_capacity_kj_mol_kelvin"] for row in rows],
                   [row["heat_capacity_error_kj_mol_kelvin"] for row in rows],
                   fmt="o-", color="#d55e00", capsize=3)
    below.set_ylabel("heat capacity (kJ/mol/K)")
    below.set_xlabel("temperature of the model (K)")
    for axes in (above, below):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("input", type=pathlib.Path, help="input file of a go model")
    parser.add_argument("--nfold", default="build/cpu-release/bin/nfold")
    parser.add_argument("--temperatures", type=float, nargs="+", required=True, metavar="KELVIN")
    parser.add_argument("--steps", type=int, default=1_000_000, help="of each run")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("transition"))
    options = parser.parse_args()
    try:
        find_transition(options)
    except (TransitionError, OSError) as failure:
        print(f"folding_transition: error: {one_line(failure)}", file=sys.stderr)
        return 1
    return 0


def find_transition(options):
    """Run all temperatures, write the table and the picture."""
    if not options.input.is_file():
        raise TransitionError(f"{options.input}: there is no such input file")
    options.output.mkdir(parents=True, exist_ok=True)
    temperatures = sorted(options.temperatures)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        series = list(pool.map(lambda t: run(options.nfold, options.input, t, options.steps,
                                             options.output), temperatures))
    rows = [statistics(t, *one) for t, one in zip(temperatures, series)]
    table = options.output / "transition.csv"
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, options.output / "transition.png",
         f"{options.input.stem}: {options.steps:,} steps at each temperature")
    for row in rows:
        print(f"{row['temperature_kelvin']:7.2f} K  Q {row['mean_native_fraction']:.3f}  "
              f"U {row['mean_potential_kj_mol']:8.2f} kJ/mol  "
              f"C {row['heat_capacity_kj_mol_kelvin']:.3f} kJ/mol/K")
    print(f"table and picture: {table}, {table.with_suffix('.png')}")


if __name__ == "__main__":
    sys.exit(main())

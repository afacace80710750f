#!/usr/bin/env python3
# Picture of pair potentials against distance, as nfold computes them for an input's force field.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/pair_curve.py input/own-force-field.yaml input/hps-kr-box.yaml --pairs TYR-TYR ARG-TYR --picture pair.png

Two beads are moved apart, and `nfold energy` computes their energy at each distance: pair terms and charges, without
charged ends. A panel each pair, a line each input.
"""

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "yaml", "matplotlib")

import numpy as np
import yaml

from nfold_report import style
from nfold_report.failures import one_line

DISTANCES_NM = np.linspace(0.4, 2.2, 361)
LINES = [(style.BLUE, "-"), (style.VERMILION, "--"), (style.GREEN, "-."), (style.ORANGE, ":")]


def pair_input(source, beads):
    """Input of two chains of one bead each with the force field and the temperature of another input."""
    given = yaml.safe_load(source.read_text(encoding="utf-8"))
    force_field = {**given["force_field"], "charged_ends": False}
    if "table" in force_field:
        force_field["table"] = str((source.parent / force_field["table"]).resolve())
    return {"system": {"species": [{"name": f"bead{k}", "sequence": f"[{bead}]"} for k, bead in enumerate(beads)]},
            "force_field": force_field, "start": {"from": "random"},
            "dynamics": {"steps": 1, "temperature_kelvin": given.get("dynamics", {}).get("temperature_kelvin", 300)}}


def gro_frames(beads):
    rows = []
    for distance in DISTANCES_NM:
        rows += ["two beads", "2", *[f"{k + 1:5d}{bead[:5]:<5s}   CA{k + 1:5d}{distance * k:10.5f}{0:10.5f}{0:10.5f}"
                                     for k, bead in enumerate(beads)], "0 0 0"]
    return "\n".join([*rows, ""])


def energies(nfold, source, beads):
    """Energy [kJ/mol] at each distance."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pair.yaml").write_text(yaml.safe_dump(pair_input(source, beads), sort_keys=False))
        (folder / "pair.gro").write_text(gro_frames(beads))
        done = subprocess.run([nfold, "energy", "pair.yaml", "pair.gro", "--csv", "pair.csv", "--threads", "1"],
                              cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"pair_curve: error: {source}: {one_line(done.stderr)}")
        with (folder / "pair.csv").open() as table:
            return np.array([float(row["potential_kj_mol"])
                             for row in csv.DictReader(line for line in table if not line.startswith("#"))])


def draw(curves):
    """Figure of {pair: {label: energies}}."""
    figure, panels = style.plt.subplots(1, len(curves), figsize=(style.WIDTH_INCH, 3.4), squeeze=False)
    for axes, (pair, of_inputs) in zip(panels[0], curves.items()):
        axes.axhline(0, color=style.MUTED, linewidth=0.8)
        for (label, energy), (colour, dashes) in zip(of_inputs.items(), LINES):
            axes.plot(DISTANCES_NM, energy, color=colour, linestyle=dashes, label=label)
        lowest = min(energy.min() for energy in of_inputs.values())
        axes.set_ylim(1.3 * min(lowest, -0.1), 2 * max(-lowest, 0.5))
        axes.set_xlabel("distance (nm)")
        axes.set_title(pair)
    panels[0][0].set_ylabel("energy (kJ/mol)")
    panels[0][0].legend()
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("input", type=Path, nargs="+", help="up to four inputs with a force field")
    parser.add_argument("--pairs", nargs="+", required=True, metavar="BEAD-BEAD", help="names of two beads: ARG-TYR")
    parser.add_argument("--picture", type=Path, required=True, help="file to write: .png, .svg or .pdf")
    parser.add_argument("--nfold", default="nfold", help="the program [nfold]")
    options = parser.parse_args(arguments)
    nfold = shutil.which(options.nfold)
    if nfold is None:
        sys.exit(f"pair_curve: error: no program {options.nfold}: put its folder into PATH, or give --nfold")
    nfold = str(Path(nfold).resolve())
    style.save(draw({pair: {source.stem: energies(nfold, source.resolve(), pair.split("-"))
                            for source in options.input[:len(LINES)]} for pair in options.pairs}), options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())

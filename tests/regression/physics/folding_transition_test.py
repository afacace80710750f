# Folding transition: peak of the heat capacity between the native and the unfolded state.
# SPDX-License-Identifier: BSD-3-Clause
"""Test of the folding transition: a peak of the heat capacity between a native and an unfolded state.

Usage: folding_transition_test.py NFOLD TOOLS_FOLDER INPUT.yaml WORK_FOLDER
"""

import csv
import pathlib
import subprocess
import sys


def main():
    nfold, tools, source, work = sys.argv[1:]
    kelvin = [100, 115, 130, 136, 140, 145, 160, 175]
    subprocess.run([sys.executable, f"{tools}/folding_transition.py", source, "--nfold", nfold,
                    "--steps", "150000", "--output", work,
                    "--temperatures", *map(str, kelvin)], check=True)
    with open(pathlib.Path(work) / "transition.csv", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    native = [row["mean_native_fraction"] for row in rows]
    energy = [row["mean_potential_kj_mol"] for row in rows]
    heat = [row["heat_capacity_kj_mol_kelvin"] for row in rows]
    peak = heat.index(max(heat))

    def require(holds, what):
        if not holds:
            sys.exit(f"folding_transition_test: {what}: Q {native}, C {heat}")

    require(native[0] > 0.85, "not native at 100 K")
    require(native[-1] < 0.3, "not unfolded at 175 K")
    # Short runs near the transition have few foldings, so neighbouring temperatures may swap their order.
    require(all(energy[i] < energy[j] for i in range(len(kelvin)) for j in range(len(kelvin))
                if kelvin[j] - kelvin[i] >= 15), "mean energy does not rise with temperature")
    require(0 < peak < len(heat) - 1, "the heat capacity has no peak inside the range")
    require(heat[peak] > 3 * max(heat[0], heat[-1]), "the peak is not three times its surroundings")
    require((pathlib.Path(work) / "transition.png").stat().st_size > 10000, "no picture")


if __name__ == "__main__":
    main()

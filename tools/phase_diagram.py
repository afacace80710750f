#!/usr/bin/env python3
# Coexisting phases of slab runs: concentrations, density profiles, and a phase diagram.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/phase_diagram.py sequences.phase --picture binodal.png
    tools/phase_diagram.py slab.out --picture slab.png
    tools/phase_diagram.py cold.out warm.out hot.out --picture binodal.png

The folder of nfold phase has all numbers in results.csv and binodal.csv; this draws them. Any other folder
is that of a run with a density profile (observables.every_steps above 0). A tanh fitted to
the profile says where the phases end; the concentrations are means of the slices well inside each, with
blocking errors, in mg/ml and in uM of chains. A dilute phase that too few chains entered has an upper
bound: that of one chain in it for the whole time. A table goes to the terminal, and with --csv to a file.
"""

import argparse
import csv
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "matplotlib")

import numpy as np

from nfold_report.batch_folder import is_batch
from nfold_report.failures import one_line
from nfold_report.phase_figures import diagram
from nfold_report.phase_folder import read_profiles, read_proteins
from nfold_report.resolved_input import lookup
from nfold_report.run_folder import RunFolderError, read_settings
from nfold_report.slab import SlabError, interface, find_phases, read_profile
from nfold_report.style import BLUE, INK, MUTED, VERMILION, WIDTH_INCH, plt, save

SUFFIX = ".observables.h5"


def run_stem(folder):
    """Path of a run's files without their suffix."""
    if not folder.is_dir():
        raise RunFolderError(f"{folder}: {'is a file' if folder.exists() else 'there is no such folder'}; give the output "
                             "folder of a run")
    found = sorted(folder.glob("*" + SUFFIX))
    if len(found) != 1:
        raise RunFolderError(f"{folder}: {len(found)} files *{SUFFIX}; expected one: give the output "
                             "folder of a run with observables.every_steps above 0")
    return folder / found[0].name[:-len(SUFFIX)]


def read_point(folder):
    """(temperature, Profile, Phases) of a run."""
    stem = run_stem(folder)
    profile = read_profile(Path(f"{stem}{SUFFIX}"))
    temperature = lookup(read_settings(Path(f"{stem}.input.yaml")), "dynamics.temperature_kelvin")
    try:
        return float(temperature), profile, find_phases(profile)
    except SlabError as failure:
        raise SlabError(f"{folder}: {failure}") from failure


def draw_profiles(axes, points):
    shades = plt.cm.plasma(np.linspace(0, 0.85, len(points)))
    for shade, (temperature, profile, phases) in zip(shades, points):
        axes.fill_between(profile.position_nm, profile.density_mg_ml - profile.error_mg_ml,
                          profile.density_mg_ml + profile.error_mg_ml, color=shade, alpha=0.25, linewidth=0)
        axes.plot(profile.position_nm, profile.density_mg_ml, color=shade, linewidth=1.4,
                  label=f"{temperature:g} K")
        if len(points) == 1:
            fitted = interface(profile.position_nm, phases.dense_mg_ml, phases.dilute_mg_ml,
                               phases.half_thickness_nm, phases.width_nm)
            axes.plot(profile.position_nm, fitted, color=INK, linewidth=1, linestyle="--", label="fit")
    axes.set_xlabel("distance from the slab's centre (nm)")
    axes.set_ylabel("concentration (mg/ml)")
    axes.set_title("Density profile")
    axes.set_ylim(0)
    axes.legend()


def micromolar_per_mg_ml(points):
    """Micromolar per mg/ml if all runs have chains of one mass, else None."""
    ratios = [phases.dense_micromolar / phases.dense_mg_ml for _, _, phases in points]
    one_species = all(profile.species_mg_ml is not None and len(profile.chains) == 1 for _, profile, _ in points)
    return ratios[0] if one_species and np.allclose(ratios, ratios[0], rtol=1e-3) else None


def draw_diagram(axes, points):
    temperatures = [temperature for temperature, _, _ in points]
    for name, colour in (("dilute", BLUE), ("dense", VERMILION)):
        values = np.array([getattr(phases, f"{name}_mg_ml") for _, _, phases in points])
        errors = np.array([getattr(phases, f"{name}_error") for _, _, phases in points])
        bound = np.array([name == "dilute" and phases.dilute_is_bound for _, _, phases in points])
        errors = np.where(bound, 0.4 * values, np.clip(np.nan_to_num(errors), 0, 0.999 * values))
        axes.errorbar(values, temperatures, xerr=errors, xuplims=bound, color=colour, marker="o", markersize=5,
                      linestyle="-" if len(points) > 1 else "none", linewidth=1, capsize=3,
                      label=f"{name} (arrow: upper bound)" if bound.any() else name)
    axes.set_xscale("log")
    axes.set_xlabel("concentration (mg/ml)")
    per_mg_ml = micromolar_per_mg_ml(points)
    if per_mg_ml is not None:
        molar = axes.secondary_xaxis("top", functions=(lambda x: x * per_mg_ml, lambda x: x / per_mg_ml))
        molar.set_xlabel("concentration of chains (uM)")
    axes.set_ylabel("temperature (K)")
    axes.set_title("Phase diagram")
    if len(points) == 1:
        axes.set_ylim(temperatures[0] - 30, temperatures[0] + 30)
        axes.axhline(temperatures[0], color=MUTED, linewidth=0.6, linestyle=":")
    axes.legend()


def draw(points, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4), width_ratios=(3, 2))
    draw_profiles(left, points)
    draw_diagram(right, points)
    save(figure, path)


def print_table(points):
    print(f"{'T [K]':>7} {'dense [mg/ml]':>18} {'dilute [mg/ml]':>18} {'dense [uM]':>11} {'dilute [uM]':>11} "
          f"{'thickness [nm]':>15} {'frames':>7}")
    for temperature, profile, phases in points:
        dense = f"{phases.dense_mg_ml:.1f}" + (f" +- {phases.dense_error:5.1f}" if np.isfinite(phases.dense_error) else "")
        print(f"{temperature:7g} {dense:>18} {phases.dilute_text():>18} {phases.dense_micromolar:11.4g} "
              f"{phases.dilute_text('micromolar', 3):>11} {2 * phases.half_thickness_nm:15.1f} {profile.frames:7d}")
    if any(phases.dilute_is_bound for _, _, phases in points):
        print("<: an upper bound, of one chain in the dilute volume for the whole time; too few chains came there")


def write_csv(points, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("temperature_kelvin", "dense_mg_ml", "dense_error_mg_ml", "dilute_mg_ml",
                        "dilute_error_mg_ml", "half_thickness_nm", "interface_width_nm",
                        "dense_micromolar", "dilute_micromolar", "dilute_is_upper_bound"))
        table.writerows((temperature, *(int(one) if isinstance(one, bool) else one for one in vars(phases).values())) for temperature, _, phases in points)


def draw_batch(folder, path):
    """Draws the tables of nfold phase."""
    proteins = read_proteins(folder)
    for protein in proteins:
        kelvin, reason = (protein.binodal.get(name) for name in ("critical_temperature_kelvin", "reason"))
        error = protein.binodal.get("critical_temperature_error_kelvin")
        print(f"{protein.name}: {len(protein.rows)} slabs" +
              (f", critical temperature {kelvin} +- {error} K" if kelvin else f", {reason}" if reason else ""))
    if path:
        save(diagram(proteins, read_profiles(folder)), path)
        print(f"phase_diagram: wrote {path}", file=sys.stderr)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="output folder of nfold phase, or folders of nfold run")
    parser.add_argument("--picture", type=Path, help="PNG with the profiles and the diagram")
    parser.add_argument("--csv", type=Path, help="write the table to this file")
    options = parser.parse_args(arguments)
    is_phase = len(options.folders) == 1 and is_batch(options.folders[0])
    if is_phase and options.csv:
        parser.error(f"--csv: {options.folders[0]} has results.csv and binodal.csv")
    try:
        if is_phase:
            draw_batch(options.folders[0], options.picture)
            return 0
        points = sorted((read_point(folder) for folder in options.folders), key=lambda point: point[0])
        print_table(points)
        if options.picture:
            draw(points, options.picture)
        if options.csv:
            write_csv(points, options.csv)
        for path in filter(None, (options.picture, options.csv)):
            print(f"phase_diagram: wrote {path}", file=sys.stderr)
    except (SlabError, RunFolderError, OSError) as failure:
        print(f"phase_diagram: error: {one_line(failure)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

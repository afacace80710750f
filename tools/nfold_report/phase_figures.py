# Profiles and binodals of the slabs of nfold phase.
# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
from matplotlib.figure import Figure

from .phase_folder import number
from .style import BLUE, GREEN, ORANGE, SKY, VERMILION, WIDTH_INCH

BETA = 0.325  # exponent of the order parameter, as in src/analysis/binodal.hpp
MOST_PROFILES = 12
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, SKY)


def draw_profiles(axes, proteins, profiles):
    """Profiles of the first protein."""
    rows = [row for row in proteins[0].rows if row["target"] in profiles]
    rows = rows[::max(1, math.ceil(len(rows) / MOST_PROFILES))]
    for k, row in enumerate(rows):
        position, density, error = profiles[row["target"]]
        shade = (0.1 + 0.75 * k / max(len(rows) - 1, 1), 0.25, 0.75 - 0.6 * k / max(len(rows) - 1, 1))
        axes.fill_between(position, density - error, density + error, color=shade, alpha=0.25, linewidth=0)
        axes.plot(position, density, color=shade, linewidth=1.3, label=f"{number(row, 'temperature_kelvin'):g} K")
    axes.set_xlabel("distance from the slab's centre (nm)")
    axes.set_ylabel("concentration (mg/ml)")
    axes.set_title(f"Density profiles, {proteins[0].name}")
    axes.set_ylim(0)
    if rows:
        axes.legend()


def draw_law(axes, protein, colour):
    """Both branches of the fitted laws, and the critical point."""
    critical, amplitude, slope, middle = (number(protein.binodal, name) for name in (
        "critical_temperature_kelvin", "amplitude_mg_ml", "diameter_slope_mg_ml_kelvin", "critical_concentration_mg_ml"))
    if not math.isfinite(critical):
        return
    below = (critical - protein.column("temperature_kelvin").min()) * np.linspace(0, 1, 200)**2
    half = 0.5 * amplitude * (below / critical)**BETA
    mean = middle + slope * below
    for branch in (mean - half, mean + half):
        shown = branch > 0
        axes.plot(branch[shown], critical - below[shown], color=colour, linewidth=1, linestyle="--")
    axes.errorbar([middle], [critical], xerr=[min(number(protein.binodal, "critical_concentration_error_mg_ml"), 0.9 * middle)],
                  yerr=[number(protein.binodal, "critical_temperature_error_kelvin")], color=colour, marker="*",
                  markersize=9, capsize=3)


def draw_binodals(axes, proteins):
    has_bound = False
    for protein, colour in zip(proteins, COLOURS):
        kelvin, bound = protein.column("temperature_kelvin"), protein.column("dilute_upper_bound_mg_ml")
        is_bound = np.isfinite(bound)
        has_bound = has_bound or is_bound.any()
        for phase in ("dilute", "dense"):
            value, error = protein.column(f"{phase}_mg_ml"), protein.column(f"{phase}_error_mg_ml")
            known = np.isfinite(value) & np.isfinite(error)
            axes.errorbar(value[known], kelvin[known], xerr=np.minimum(error[known], 0.999 * value[known]), color=colour,
                          marker="o", markersize=4.5, linestyle="none", capsize=3,
                          label=protein.name if phase == "dense" else None)
        axes.errorbar(bound[is_bound], kelvin[is_bound], xerr=0.4 * bound[is_bound], xuplims=True, color=colour,
                      marker="o", markersize=4.5, markerfacecolor="none", linestyle="none")
        draw_law(axes, protein, colour)
    axes.set_xscale("log")
    axes.set_xlabel("concentration (mg/ml)" + ("\narrow: upper bound" if has_bound else ""))
    axes.set_ylabel("temperature (K)")
    axes.set_title("Phase diagram")
    axes.margins(y=0.12)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()


def diagram(proteins, profiles):
    """Profiles of the first protein, and binodals of the first few."""
    figure = Figure(figsize=(WIDTH_INCH, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    draw_profiles(left, proteins, profiles)
    draw_binodals(right, proteins[:len(COLOURS)])
    return figure

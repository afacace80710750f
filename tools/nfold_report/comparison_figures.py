# Figures of several runs in the same axes, one function each; None if fewer than two runs have the values.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from matplotlib.ticker import PercentFormatter

from .condensate_figures import COLOURS, band
from .figures import trace
from .style import WIDTH_INCH, plt

DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))  # one for each species of a run


def unit_of_time(runs):
    """(unit, factor from ps) common to the runs."""
    return ("ns", 1e-3) if max(run.length_ps for run in runs) >= 100 else ("ps", 1)


def series(column, label):
    """Function that draws a column of the energies over time."""
    def draw(runs, names):
        shown = [(run, name, colour) for run, name, colour in zip(runs, names, COLOURS) if run.has(column)]
        if len(shown) < 2:
            return None
        unit, factor = unit_of_time(runs)
        figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3.2))
        for run, name, colour in shown:
            trace(axes, run.energies["time_ps"] * factor, run.energies[column], colour, name)
        if column == "native_fraction":
            axes.set_ylim(0, 1.02)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_ylabel(label)
        axes.set_xlabel(f"time of the model ({unit})")
        axes.legend()
        return figure
    return draw


def radius(runs, names):
    """Draw the radius of gyration of each species over time."""
    unit, factor = unit_of_time(runs)
    shown = [(run, name, colour) for run, name, colour in zip(runs, names, COLOURS) if run.radii]
    if len(shown) < 2:
        return None
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3.2))
    for run, name, colour in shown:
        for species, column in run.radii.items():
            if run.has(column):
                trace(axes, run.energies["time_ps"] * factor, run.energies[column], colour, f"{name}, {species}" if species else name)
    axes.set_ylabel("radius of gyration (nm)")
    axes.set_xlabel(f"time of the model ({unit})")
    axes.legend()
    return figure


def with_table(runs, names, path):
    """[(averages, name, colour)] of runs that have a table."""
    return [(run.averages, name, colour) for run, name, colour in zip(runs, names, COLOURS)
            if run.averages is not None and run.averages.has(path)]


def profiles(runs, names):
    """Draw the total mass density across the slab."""
    shown = with_table(runs, names, "density_profile/mass_density")
    if len(shown) < 2:
        return None
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3.6))
    for found, name, colour in shown:
        kind = "mass_density_total" if found.has("density_profile/mass_density_total") else "mass_density"
        mean, error = (np.atleast_2d(found.table(f"density_profile/{kind}{end}"))[0] for end in ("", "_error"))
        band(axes, found.table("density_profile/position"), mean, error, colour, name)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("distance from the slab's centre (nm)")
    axes.set_ylabel("concentration (mg/ml)")
    axes.legend()
    return figure


def sizes(runs, names):
    """Draw the distributions of both sizes of a chain; species differ in their dashes."""
    shown = with_table(runs, names, "chain_sizes/radius_of_gyration_distribution")
    if len(shown) < 2:
        return None
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.6))
    for axes, size, title in zip(panels, ("radius_of_gyration", "end_to_end"), ("Radius of gyration", "End-to-end distance")):
        ends = []
        for found, name, colour in shown:
            bins, spread = (found.table(f"chain_sizes/{size}_{end}") for end in ("bins", "distribution"))
            for index, species in enumerate(found.species):
                axes.step(bins, spread[index], where="mid", color=colour, linewidth=1.6, linestyle=DASHES[index % len(DASHES)],
                          label=f"{name}, {species}" if len(found.species) > 1 else name)
            seen = np.nonzero(spread.max(axis=0))[0]
            ends += [bins[seen[0]], bins[seen[-1]]] if len(seen) else []
        if ends:
            axes.set_xlim(0.9 * min(ends), 1.1 * max(ends))
        axes.set_ylim(bottom=0)
        axes.set_title(title)
        axes.set_xlabel("length (nm)")
        axes.legend()
    panels[0].set_ylabel("probability density (1/nm)")
    return figure


# name, title, function, text of each figure
FIGURES = (
    ("folding", "Native contacts", series("native_fraction", "native contacts Q"), "Pale: each reported value; strong: running mean."),
    ("rmsd", "Distance from the native structure", series("rmsd_nm", "RMSD to native (nm)"), "After the best superposition."),
    ("radius", "Radius of gyration", radius, "The mean over the chains of a species."),
    ("energies", "Potential energy", series("potential_kj_mol", "potential energy (kJ/mol)"), "Of the whole system."),
    ("temperature", "Temperature", series("temperature_kelvin", "temperature (K of the model)"), "Of the residues' kinetic energy."),
    ("density_profile", "Density profile", profiles, "All species together; the band is the standard error by blocking."),
    ("chain_sizes", "Sizes of the chains", sizes, "Distributions over chains and frames."))

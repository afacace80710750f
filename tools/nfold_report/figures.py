# Figures of a report over time and over Q, one function each.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from matplotlib.ticker import PercentFormatter

from .in_words import count, plain
from .observables import FOLDED_Q, UNFOLDED_Q, first_above, running_mean
from .style import (BLUE, GREEN, GRID, INK, MUTED, ORANGE, PURPLE, SKY, VERMILION, WIDTH_INCH, plt)

FOLDED = 0.8  # Q of a folded chain
MOST_POINTS = 1000  # limit of a line; a figure has no more columns
MOST_LABELS = 6
TERM_COLOURS = {"bond": PURPLE, "angle": ORANGE, "dihedral": SKY, "restraint": INK, "contact": BLUE,
                "short_range": VERMILION, "electrostatic": GREEN}


def trace(axes, time, values, colour, label=None):
    """Draw the values, pale, and their running mean over a 60th of the run, thinned if there are very many."""
    window = max(1, len(values) // 60)
    mean = running_mean(values, window)
    axes.plot(*seen(time, values), color=colour, alpha=0.3, linewidth=0.7)
    every = max(1, len(values) // MOST_POINTS)
    axes.plot(time[::every], mean[::every], color=colour, linewidth=1.8, label=label)


def seen(time, values):
    """(time, values) reduced to the lowest and highest of each interval, if there are more than a figure has points."""
    stretch = -(-len(values) // MOST_POINTS)
    if stretch < 4:
        return time, values
    rows = len(values) // stretch * stretch
    parts = values[:rows].reshape(-1, stretch)
    first = np.arange(0, rows, stretch)
    both = np.sort(np.stack([first + parts.argmin(axis=1), first + parts.argmax(axis=1)], axis=1), axis=1).ravel()
    return time[both], values[both]


def error_band(axes, x, value, error, colour):
    """Draw one standard error on both sides, as high as the axes if it is unknown."""
    wide = 10 * max(np.ptp(value), 1) if len(value) else 1
    error = np.minimum(np.nan_to_num(error, nan=0, posinf=wide), wide)
    axes.fill_between(x, value - error, value + error, color=colour, alpha=0.25, linewidth=0)


def time_axis(axes, run):
    axes.set_xlim(run.time()[0], run.time()[-1])
    axes.set_xlabel(f"time of the model ({run.time_unit})")


def draw_q(axes, run):
    """Draw native contacts over time and the moment at which the chain is folded."""
    q, time = run.energies["native_fraction"], run.time()
    trace(axes, time, q, BLUE)
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("native contacts Q")
    axes.axhline(FOLDED, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    row = first_above(q, FOLDED)
    if row is not None and q[0] < FOLDED:
        axes.plot(time[row], q[row], "o", color=BLUE, markersize=6, markeredgecolor="white")
        late = row > 0.6 * len(q)
        axes.annotate(f"folded (Q > {FOLDED:.0%}) after {plain(time[row])} {run.time_unit}",
                      (time[row], q[row]), xytext=(-12 if late else 12, -30), textcoords="offset points",
                      ha="right" if late else "left", color=BLUE, fontweight="bold", fontsize=9,
                      arrowprops={"arrowstyle": "-", "color": BLUE, "linewidth": 0.8})


def draw_rmsd(axes, run, distances):
    """Draw the RMSD of the whole structure or of each of its parts."""
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(distances))) if len(distances) > 1 else [VERMILION]
    for one, colour in zip(distances, colours):
        trace(axes, run.time(one.time_ps), one.nm, colour, one.label or None)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("RMSD to native (nm)")
    if any(one.label for one in distances) and len(distances) <= MOST_LABELS:
        axes.legend(ncols=3)


def folding(run, distances):
    """Draw Q and, if there is a native structure, RMSD below it."""
    rows = 2 if distances else 1
    figure, panels = plt.subplots(rows, 1, figsize=(WIDTH_INCH, 0.4 + 2.3 * rows), sharex=True, squeeze=False)
    draw_q(panels[0, 0], run)
    if distances:
        draw_rmsd(panels[1, 0], run, distances)
    time_axis(panels[-1, 0], run)
    figure.align_ylabels()
    return figure


def energies(run):
    """Draw the totals at the left and the terms of the potential energy at the right."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4), sharex=True)
    table, time = run.energies, run.time()
    for name, colour in (("total", INK), ("kinetic", ORANGE), ("potential", BLUE)):
        trace(left, time, table[f"{name}_kj_mol"], colour, name)
    for term, colour in TERM_COLOURS.items():
        if np.any(table.get(f"{term}_kj_mol", 0)):
            trace(right, time, table[f"{term}_kj_mol"], colour, term.replace("_", " "))
    left.set_title("Totals")
    right.set_title("Terms of the potential energy")
    left.set_ylabel("energy (kJ/mol)")
    for axes in (left, right):
        time_axis(axes, run)
        low, high = axes.get_ylim()
        axes.set_ylim(low, high + 0.24 * (high - low))  # space for the legend
        axes.legend(loc="upper center", ncols=3, handlelength=1.2, columnspacing=1.2)
    return figure


def temperature(run, residues):
    """Draw the temperature with the thermostat's mean and twice its standard deviation."""
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 2.9))
    time = run.time()
    if run.keeps_temperature and residues > 0:
        target = run.temperature_kelvin
        spread = 2 * target * np.sqrt(2 / (3 * residues))
        axes.axhspan(target - spread, target + spread, color=GRID, zorder=0,
                     label="95 % expected of this thermostat")
        axes.axhline(target, color=INK, linewidth=1, linestyle=(0, (4, 3)), label=f"thermostat, {target:.4g} K")
    trace(axes, time, run.energies["temperature_kelvin"], GREEN, "running mean")
    axes.set_ylabel("temperature (K of the model)")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.22 * (high - low))
    axes.legend(loc="upper center", ncols=3)
    time_axis(axes, run)
    return figure


def free_energy(run, found):
    """Draw F(Q) beside the time series that it comes from."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.6), width_ratios=(1, 1.15))
    known = np.isfinite(found.kj_mol)
    left.plot(found.q[known], found.kj_mol[known], "o-", color=BLUE, markersize=3.5, linewidth=1.8)
    error_band(left, found.q[known], found.kj_mol[known], found.error_kj_mol[known], BLUE)
    left.set_xlim(0, 1.02)
    left.set_ylim(0, 1.25 * max(np.max(found.kj_mol[known]), run.kt_kj_mol))
    left.xaxis.set_major_formatter(PercentFormatter(1))
    left.set_xlabel("native contacts Q")
    left.set_ylabel("F(Q) = −kT ln P(Q) (kJ/mol)")
    left.set_title(f"Free energy at {run.temperature_kelvin:.4g} K")
    in_kt = left.secondary_yaxis("right", functions=(lambda f: f / run.kt_kj_mol,
                                                     lambda f: f * run.kt_kj_mol))
    in_kt.set_ylabel("F(Q) (kT)")
    in_kt.spines["right"].set_visible(True)
    if found.illustrative:
        left.text(0.5, 0.96, f"illustrative: {count(found.transitions, 'transition')}", color=VERMILION,
                  transform=left.transAxes, ha="center", va="top", fontweight="bold")
    trace(right, run.time(), run.energies["native_fraction"], BLUE)
    for level, text, place in ((FOLDED_Q, "folded above", "bottom"),
                               (UNFOLDED_Q, "unfolded below", "top")):
        right.axhline(level, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        right.text(1, level, text, transform=right.get_yaxis_transform(), ha="right", va=place,
                   fontsize=8.5, color=INK, zorder=4,
                   bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1})
    right.set_ylim(0, 1.02)
    right.yaxis.set_major_formatter(PercentFormatter(1))
    right.set_ylabel("native contacts Q")
    right.set_title(count(found.transitions, "transition"))
    time_axis(right, run)
    return figure


def balance(run):
    """Draw each rank's load in a step, and mean over maximum, by step."""
    table = run.balance
    figure, (above, below) = plt.subplots(2, 1, figsize=(WIDTH_INCH, 5), sharex=True)
    first = table["rank"] == 0
    steps = table["step"][first]
    above.plot(steps, table["balance"][first], color=BLUE, marker="o", markersize=3)
    above.set_ylim(0, 1.02)
    above.set_ylabel("balance")
    ranks = np.unique(table["rank"])
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(ranks)))
    for rank, colour in zip(ranks, colours):
        own = table["rank"] == rank
        below.plot(table["step"][own], table["busy_milliseconds"][own], color=colour,
                   label=f"rank {rank:.0f}" if len(ranks) <= 8 else None)
    below.plot(steps, table["step_milliseconds"][first], color=MUTED, linestyle=(0, (4, 3)), label="a step")
    below.set_ylim(bottom=0)
    below.set_ylabel("busy in a step (ms)")
    below.set_xlabel("step")
    below.legend()
    for axes in (above, below):
        for step in steps[table["has_moved"][first] == 1]:
            axes.axvline(step, color=VERMILION, linewidth=0.8)
    figure.align_ylabels()
    return figure


def describe_run_length(run):
    """'4 ns in 400,000 steps'"""
    return f"{plain(float(run.time(run.length_ps)), 4)} {run.time_unit} in {run.last_step:,} steps"

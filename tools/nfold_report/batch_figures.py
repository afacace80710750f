# Small pictures of a batch's page: one per target, and one of all targets.
# SPDX-License-Identifier: BSD-3-Clause

from itertools import cycle

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, PercentFormatter

from .energies_table import radius_columns
from .run_folder import K_BOLTZMANN
from .style import BLUE, GREEN, INK, MUTED, ORANGE, SKY, VERMILION, to_svg

HIGHEST_KT = 8
# Fixed layout, since constrained layout takes ten times as long as the drawing.
SIZE_INCH, DOTS_PER_INCH = (7.2, 2.05), 130
BOTTOM, HEIGHT = 0.235, 0.60
VERDICTS = {"folds": GREEN, "partly": ORANGE, "not in this time": VERMILION, "done": BLUE}


def panels(count):
    """Figure and `count` axes side by side."""
    figure = Figure(figsize=SIZE_INCH, dpi=DOTS_PER_INCH, layout="none")
    left, gap, right = 0.062, 0.07, 0.022
    width = (1 - left - right - gap * (count - 1)) / count
    all_axes = [figure.add_axes([left + k * (width + gap), BOTTOM, width, HEIGHT]) for k in range(count)]
    for axes in all_axes:
        axes.tick_params(labelsize=8.5, length=2.5, pad=2)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_locator(MaxNLocator(4))
    return figure, all_axes


def entitle(axes, title):
    axes.set_title(title, fontsize=9.5, y=1.04, pad=0)  # a fixed position, since matplotlib's search takes long


def label(axes, title, below):
    entitle(axes, title)
    axes.set_xlabel(below, fontsize=9, labelpad=2)


def in_percent(axis):
    axis.set_ticks((0, 0.5, 1))
    axis.set_major_formatter(PercentFormatter(1, decimals=0))


def nothing(axes, title, why):
    entitle(axes, title)
    axes.axis("off")
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color=MUTED, fontsize=9)


def draw_free_energy(axes, target, tables):
    kelvin = target.number("folding_temperature_kelvin")
    title = "Free energy F(Q), kT"
    if tables.free_energy is None or not np.isfinite(kelvin):
        return nothing(axes, title, "no folding temperature found")
    q, profile = tables.free_energy
    seen = np.isfinite(profile)
    if seen.sum() < 2:
        return nothing(axes, title, "too few samples")
    q, profile = q[seen], profile[seen] / (K_BOLTZMANN * kelvin)
    top = max(1.2, 1.15 * min(profile.max(), HIGHEST_KT))
    axes.fill_between(q, 0, profile, color=SKY, alpha=0.25, linewidth=0)
    axes.plot(q, profile, color=INK, linewidth=1.6)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, top)
    in_percent(axes.xaxis)
    return label(axes, title, "native contacts Q")


def draw_survival(axes, target, tables):
    kelvin = target.number("kinetics_kelvin")
    title = f"Not yet folded, {kelvin:.4g} K" if np.isfinite(kelvin) else "Not yet folded"
    if tables.survival is None:
        return nothing(axes, title, "no folding times")
    time, share, error = tables.survival
    time_ns, error = time / 1000, np.nan_to_num(error)
    if np.isfinite(tables.mean_time_ps):
        fine = np.linspace(0, time_ns[-1], 60)
        axes.plot(fine, np.exp(-1000 * fine / tables.mean_time_ps), color=MUTED, linewidth=1.1,
                  linestyle=(0, (3, 2)))
    axes.fill_between(time_ns, np.clip(share - 2 * error, 0, 1), np.clip(share + 2 * error, 0, 1), step="post",
                      color=BLUE, alpha=0.18, linewidth=0)
    axes.step(time_ns, share, where="post", color=BLUE, linewidth=1.7)
    axes.set_xlim(0, time_ns[-1])
    axes.set_ylim(0, 1.03)
    in_percent(axes.yaxis)
    return label(axes, title, "time (ns)")


def draw_melting(axes, target, tables):
    if tables.melting is None:
        return nothing(axes, "⟨Q⟩ and heat capacity", "not enough samples")
    kelvin, q, capacity = tables.melting
    # no axis of its own: position and sharpness of the peak
    highest = np.nanmax(capacity, initial=0)
    if highest > 0:
        axes.fill_between(kelvin, 0, 0.95 * capacity / highest, color=VERMILION, alpha=0.22, linewidth=0)
    axes.plot(kelvin, q, color=BLUE, linewidth=1.7)
    folding, error = (target.number(f"folding_temperature{kind}_kelvin") for kind in ("", "_error"))
    if np.isfinite(folding):
        if np.isfinite(error):
            axes.axvspan(folding - error, folding + error, color=GREEN, alpha=0.2, linewidth=0)
        axes.axvline(folding, color=GREEN, linewidth=1.2, linestyle=(0, (4, 2)))
    axes.set_xlim(kelvin[0], kelvin[-1])
    axes.set_ylim(0, 1.03)
    in_percent(axes.yaxis)
    return label(axes, "⟨Q⟩ and heat capacity", "temperature (K)")


def folding_strip(target, tables):
    """SVG bytes of F(Q), survival and melting."""
    figure, (left, middle, right) = panels(3)
    draw_free_energy(left, target, tables)
    draw_survival(middle, target, tables)
    draw_melting(right, target, tables)
    return to_svg(figure)


def run_strip(series):
    """SVG bytes of native contacts (chain size without a native state) and of the energy over time."""
    figure, (left, right) = panels(2)
    short = series["time_ps"][-1] < 100
    time, unit = (series["time_ps"], "ps") if short else (series["time_ps"] / 1000, "ns")
    q = series["native_fraction"]
    if np.isfinite(q).all():
        left.plot(time, q, color=BLUE, linewidth=0.9)
        left.set_ylim(0, 1.03)
        in_percent(left.yaxis)
        label(left, "Native contacts Q", f"time ({unit})")
    else:
        radii = radius_columns(series)
        for (species, column), colour in zip(radii.items(), cycle((BLUE, VERMILION, GREEN, ORANGE, SKY))):
            left.plot(time, series[column], color=colour, linewidth=0.9, label=species)
        if len(radii) > 1:
            left.legend(frameon=False, fontsize=7)
        label(left, "Radius of gyration, nm", f"time ({unit})")
    right.plot(time, series["potential_kj_mol"], color=VERMILION, linewidth=0.9)
    label(right, "Potential energy, kJ/mol", f"time ({unit})")
    for axes in (left, right):
        axes.set_xlim(time[0], max(time[-1], time[0] + 1e-9))
    return to_svg(figure)


def overview(targets):
    """SVG bytes of folding temperature, barrier and folding time against size, a dot per target; None for fewer than
    three."""
    targets = [target for target in targets if np.isfinite(target.number("folding_temperature_kelvin"))]
    if len(targets) < 3:
        return None
    figure = Figure(figsize=(10, 3.1), dpi=DOTS_PER_INCH, layout="constrained")
    residues = np.array([target.number("residues") for target in targets])
    panels_of = (("Folding temperature, K", "folding_temperature_kelvin", "folding_temperature_error_kelvin"),
                 ("Barrier there, kT", "barrier_kt", "barrier_error_kt"),
                 ("Mean folding time, ns", "mean_folding_time_ns", None))
    for axes, (title, column, error_column) in zip(figure.subplots(1, 3, sharex=True), panels_of):
        value = np.array([target.number(column) for target in targets])
        errors = interval_lengths(targets, value, error_column)
        for verdict, colour in VERDICTS.items():
            which = np.array([target.text("verdict") == verdict for target in targets]) & np.isfinite(value)
            if which.any():
                axes.errorbar(residues[which], value[which], errors[:, which], fmt="o", color=colour, markersize=5,
                              markeredgecolor="white", markeredgewidth=0.6, elinewidth=1, alpha=0.85,
                              label=verdict)
        axes.set_title(title)
        axes.set_xlabel("residues")
        if error_column is None:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        if error_column == "barrier_error_kt":
            axes.set_ylim(bottom=0)
    handles = {}
    for axes in figure.axes:
        for handle, text in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(text, handle)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=len(handles))
    return to_svg(figure)


def interval_lengths(targets, value, error_column):
    """Lengths (2, targets) of the interval below and above, 0 if unknown."""
    if error_column is not None:
        error = np.array([target.number(error_column) for target in targets])
        both = np.array([error, error])
    else:
        both = np.array([value - [target.number("folding_time_low_ns") for target in targets],
                         [target.number("folding_time_high_ns") for target in targets] - value])
    return np.clip(np.nan_to_num(both), 0, None)

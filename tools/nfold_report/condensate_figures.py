# Figures of a run's averages (NAME.observables.h5), one function each.
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.ticker import MaxNLocator, PercentFormatter

from .in_words import with_error
from .observables import BONDED, in_blocks
from .run_folder import RunFolderError
from .style import (BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, STRENGTH, VERMILION, WIDTH_INCH, colour_bar, plt,
                    wrapped)

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
MOST_MAPS = 6
LONGEST_TITLE, LONGEST_NAME = 30, 22  # characters that fit into a panel's width


def species_colour(index):
    return COLOURS[index % len(COLOURS)]


def band(axes, x, mean, error, colour, label):
    """Draw a line with its standard error, or the line alone if no error is known."""
    error = np.nan_to_num(error)
    axes.fill_between(x, mean - error, mean + error, color=colour, alpha=0.25, linewidth=0)
    axes.plot(x, mean, color=colour, linewidth=1.8, label=label)


def density_profile(found):
    """Draw mass density across the slab, by species and total."""
    place = found.table("density_profile/position")
    mean, error = (found.table(f"density_profile/mass_density{kind}") for kind in ("", "_error"))
    for table in (mean, error):
        if table.shape != (len(found.species), len(place)):
            raise RunFolderError(f"density_profile/mass_density has the shape {table.shape}; expected (species, slices)"
                                 f" = {(len(found.species), len(place))}: let this version of nfold do the run again")
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3.6))
    if len(found.species) > 1:
        band(axes, place, found.table("density_profile/mass_density_total"),
             found.table("density_profile/mass_density_total_error"), INK, "all")
    for index, name in enumerate(found.species):
        band(axes, place, mean[index], error[index], species_colour(index), name)
    axes.set_xlim(place[0], place[-1])
    axes.set_ylim(bottom=0)
    axis = "xyz"[int(found.table("density_profile/axis"))]
    axes.set_xlabel(f"distance from the slab's centre along {axis} (nm)")
    axes.set_ylabel("concentration (mg/ml)")
    axes.legend()
    return figure


def draw_size(axes, found, size, title):
    """Draw one distribution, cut at its empty tails."""
    bins = found.table(f"chain_sizes/{size}_bins")
    spread = found.table(f"chain_sizes/{size}_distribution")
    mean, error = found.table(f"chain_sizes/{size}"), found.table(f"chain_sizes/{size}_error")
    for index, name in enumerate(found.species):
        text = f"{name}: {with_error(mean[index], error[index])} nm"
        axes.fill_between(bins, spread[index], step="mid", color=species_colour(index), alpha=0.2, linewidth=0)
        axes.step(bins, spread[index], where="mid", color=species_colour(index), linewidth=1.6, label=text)
        axes.axvline(mean[index], ymax=0.82, color=species_colour(index), linewidth=1, linestyle=(0, (4, 3)))
    seen = np.nonzero(spread.max(axis=0))[0]
    if len(seen):
        axes.set_xlim(bins[max(seen[0] - 3, 0)], bins[min(seen[-1] + 3, len(bins) - 1)])
    axes.set_ylim(0, 1.12 * max(spread.max(), 1e-9) + 0.1 * len(found.species) * spread.max())
    axes.set_title(title)
    axes.set_xlabel("length (nm)")
    axes.legend(loc="upper right")


def chain_sizes(found):
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.6))
    draw_size(left, found, "radius_of_gyration", "Radius of gyration")
    draw_size(right, found, "end_to_end", "End-to-end distance")
    left.set_ylabel("probability density (1/nm)")
    return figure


def clusters(found):
    """Draw the size of the cluster that a chain is in, and the size of the largest cluster."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_INCH, 3.4), sharex=True)
    size = found.table("clusters/size")
    for axes, name, title, colour in (
            (left, "chain_fraction", "Chains by the size of their cluster", BLUE),
            (right, "largest_distribution", "Size of the largest cluster", VERMILION)):
        share = found.table(f"clusters/{name}")
        axes.bar(size, share, width=max(0.8, len(size) / 120), color=colour)
        axes.set_title(title)
        axes.set_xlabel("chains in the cluster")
        axes.set_ylim(0, 1.05 * max(share.max(), 1e-9))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(axis="x", visible=False)
    left.set_xlim(0.2, len(size) + 0.8)
    left.set_ylabel("of all chains")
    right.set_ylabel("of all frames")
    return figure


class Map(NamedTuple):
    """Mean contacts of a residue of a chain with residues of another or the same chain."""
    title: str
    down: str  # species of the rows
    across: str  # species of the columns
    table: np.ndarray  # means over blocks of residues, mostly of one residue each
    extent: tuple  # (rows, columns) in residues


def make_title(found, a, b, within):
    if within:
        return f"within {found.species[a]}"
    return f"between {found.species[a]} and {found.species[b]}" if a != b else f"between chains of {found.species[a]}"


def find_maps(found):
    """Maps with contacts, at most MOST_MAPS."""
    if found.has("contact_maps/species_start"):
        return find_sparse_maps(found)
    maps = []
    for path, table in found.tables.items():
        group, _, name = path.partition("/")
        if group != "contact_maps" or table.ndim != 2:
            continue
        where, *kinds = name.split("_")
        a, b = int(kinds[0]), int(kinds[-1])
        if where == "within":
            i, j = np.indices(table.shape)
            table = np.where(np.abs(i - j) <= BONDED, np.nan, table)
        if np.nansum(table) > 0:
            maps.append(Map(make_title(found, a, b, where == "within"), found.species[a], found.species[b], table,
                            table.shape))
    return maps[:MOST_MAPS]


def sparse_entries(found, kind):
    """(pairs) row, column and count of one kind of maps, row <= column."""
    start, column, count = (found.table(f"contact_maps/{kind}_{part}") for part in ("row_start", "column", "count"))
    row = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return row, column, count


def find_sparse_maps(found):
    """Maps with most contacts, drawn in blocks if a map has more residues than a picture has points."""
    first = found.table("contact_maps/species_start")
    candidates = []
    for within in (True, False):
        row, column, count = sparse_entries(found, "within" if within else "between")
        if within:
            kept = column - row > BONDED
            row, column, count = row[kept], column[kept], count[kept]
        a, b = (np.searchsorted(first, place, side="right") - 1 for place in (row, column))
        for pair in np.unique(a * len(first) + b):
            own = a * len(first) + b == pair
            kinds = divmod(int(pair), len(first))
            candidates.append((count[own].sum(), within, kinds, (row[own], column[own], count[own])))
    candidates.sort(key=lambda one: -one[0])
    return [drawn_in_blocks(found, first, *one[1:]) for one in candidates[:MOST_MAPS]]


def drawn_in_blocks(found, first, within, kinds, entries):
    (a, b), (row, column, count) = kinds, entries
    i, j, value = row - first[a], column - first[b], count / (found.frames * found.chains[a])
    if a == b:  # the transposed half
        i, j, value = np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([value, value])
    table, extent = in_blocks(i, j, value, (int(first[a + 1] - first[a]), int(first[b + 1] - first[b])))
    return Map(make_title(found, a, b, within), found.species[a], found.species[b], table, extent)


def square_panels(number):
    """(figure, axes), two in a row, each a square with space for labels and a colour bar. Constrained layout would
    not keep squares apart."""
    width, height, size = WIDTH_INCH / 2, 3.35, 2.15  # inches, of a cell and of the square in it
    left, below = 0.85, 0.65
    rows = -(-number // 2)
    figure = plt.figure(figsize=(WIDTH_INCH, rows * height), layout="none")
    panels = [figure.add_axes([(left + place % 2 * width) / WIDTH_INCH,
                               (below + (rows - 1 - place // 2) * height) / (rows * height),
                               size / WIDTH_INCH, size / (rows * height)]) for place in range(number)]
    return figure, panels


def contact_maps(found):
    """Draw one panel per map; None if there was no contact."""
    maps = find_maps(found)
    if not maps:
        return None
    figure, panels = square_panels(len(maps))
    for axes, (title, down, across, table, extent) in zip(panels, maps):
        high = max(np.nanmax(table), 1e-12)
        image = axes.imshow(table, origin="lower", cmap=STRENGTH, norm=PowerNorm(0.5, 0, high),
                            extent=(0.5, extent[1] + 0.5, 0.5, extent[0] + 0.5),
                            interpolation="nearest", aspect="auto")
        axes.set_title(wrapped(title, LONGEST_TITLE))
        axes.set_xlabel(wrapped(f"residue of {across}", LONGEST_NAME))
        axes.set_ylabel(wrapped(f"residue of {down}", LONGEST_NAME))
        axes.grid(visible=False)
        bar = colour_bar(axes, image, "share of frames" if title.startswith("within") else "contacts a chain")
        ticks = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(0, high)
        bar.set_ticks([tick for tick in ticks if tick <= high], minor=False)
        bar.minorticks_off()
        bar.ax.set_yticklabels([f"{value:.2g}" for value in bar.get_ticks()])
    return figure


def quantiles(count, edges, share):
    """Energy (rows) below which this fraction of a row's counts lies, linear within bins."""
    below = np.cumsum(count, axis=1)
    wanted = share * below[:, -1]
    bins = np.argmax(below >= wanted[:, None], axis=1)
    rows = np.arange(len(count))
    inside = (wanted - (below[rows, bins] - count[rows, bins])) / np.maximum(count[rows, bins], 1)
    return edges[bins] + inside * (edges[bins + 1] - edges[bins])


def draw_residue_energies(axes, count, edges, colour):
    """Draw residue energies from count (residues, bins)."""
    low, middle, high = (quantiles(count, edges, share) for share in (0.05, 0.5, 0.95))
    residue = np.arange(1, len(count) + 1)
    axes.fill_between(residue, low, high, color=colour, alpha=0.25, linewidth=0)
    axes.plot(residue, middle, color=colour, linewidth=1.4)
    axes.set_xlim(0.5, len(count) + 0.5)
    axes.set_ylabel("energy (kJ/mol)")


def residue_energies(found):
    """Draw the median and the middle nine tenths of each residue's energy, one panel per species."""
    first, edges = found.table("residue_energy/species_start"), found.table("residue_energy/edges")
    shown = min(len(found.species), MOST_MAPS)
    figure, panels = plt.subplots(shown, 1, figsize=(WIDTH_INCH, 0.8 + 2.2 * shown), squeeze=False)
    for index, axes in enumerate(panels[:, 0]):
        count = found.table("residue_energy/count")[first[index]:first[index + 1]]
        draw_residue_energies(axes, count, edges, species_colour(index))
        axes.set_title(found.species[index])
    panels[-1, 0].set_xlabel("residue, counted from 1")
    return figure


def displacement(found):
    """Draw on logarithmic axes, with the slope of free diffusion; None for a run of one frame."""
    lag = found.table("mean_square_displacement/lag")
    mean = found.table("mean_square_displacement/value")
    error = found.table("mean_square_displacement/error")
    if len(lag) < 2 or not (mean > 0).any():
        return None
    unit, factor = ("ns", 1e-3) if lag[-1] >= 1000 else ("ps", 1)
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 3.8))
    for index, name in enumerate(found.species):
        order = np.argsort(lag)
        x, y, spread = lag[order] * factor, mean[index][order], error[index][order]
        known = np.isfinite(spread)
        low = np.maximum(y - spread, y / 10)
        axes.fill_between(x[known], low[known], (y + spread)[known], color=species_colour(index), alpha=0.25, linewidth=0)
        axes.plot(x[known], y[known], "o-", color=species_colour(index), markersize=3.5, linewidth=1.6, label=name)
        axes.plot(x[~known], y[~known], "o", color=species_colour(index), markersize=3.5, markerfacecolor="none")
    ends = np.array([lag.min(), lag.max()]) * factor
    anchor = np.nanmax(mean[:, np.argmax(lag)])
    axes.plot(ends, 1.6 * anchor * ends / ends[-1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)),
              label="free diffusion, slope 1")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"lag ({unit} of the model)")
    axes.set_ylabel("mean square displacement (nm²)")
    axes.legend(loc="upper left")
    return figure

# Pictures of partitions: contact maps and chains, coloured by owner.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from matplotlib.colors import to_rgb

from .structure_figures import camera, draw_chain, lying
from .style import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILION, plt

OWNERS = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE)
MOST_DOTS = 20_000  # limit of contacts or residues in one panel
MOST_IN_TUBES = 3_000  # residues; more are drawn as dots
PANEL_INCH = 2.2
TUBE_NM = 0.26
STRIP = 0.035  # width of the chain along the map's edge, relative to the map


def owner_colours(ranks):
    """RGB colours of the owners (ranks, 3)."""
    if ranks <= len(OWNERS):
        return np.array([to_rgb(colour) for colour in OWNERS[:ranks]])
    return plt.get_cmap("turbo")(np.linspace(0.05, 0.95, ranks))[:, :3]


def some(rows):
    return rows[::max(1, -(-len(rows) // MOST_DOTS))]


def draw_owned_contacts(axes, partitions, one):
    """Draw kept contacts above the diagonal in their owner's colour, cut ones below, and the chain at the left."""
    colours, residues = owner_colours(one.ranks), len(one.owner)
    axes.grid(False)
    low, high = some(np.sort(partitions.contacts, axis=1)).T
    is_cut = one.owner[low] != one.owner[high]
    size = max(0.25, min(2.0, 900 / residues))
    axes.scatter(low[~is_cut] + 1, high[~is_cut] + 1, s=size, c=colours[one.owner[low[~is_cut]]], linewidths=0)
    axes.scatter(high[is_cut] + 1, low[is_cut] + 1, s=size, color=INK, linewidths=0)
    axes.plot((1, residues), (1, residues), color=MUTED, linewidth=0.5)
    strip = STRIP * residues
    axes.imshow(colours[one.owner][:, None, :], origin="lower", aspect="auto", interpolation="nearest",
                extent=(-1.5 * strip, -0.5 * strip, 0.5, residues + 0.5))
    axes.set_xlim(-1.5 * strip, residues + 0.5)
    axes.set_ylim(0.5, residues + 0.5)
    axes.set_aspect("equal")
    axes.tick_params(labelsize=7, length=2)
    axes.locator_params(nbins=4)


def draw_owned_chain(axes, partitions, one, size_inch):
    colours = owner_colours(one.ranks)
    points = partitions.positions_nm - partitions.positions_nm.mean(axis=0)
    points = lying(points @ camera(points)) if len(points) > 3 else points
    spans = np.ptp(points[:, :2], axis=0) + 2 * TUBE_NM
    if len(points) <= MOST_IN_TUBES:
        last = max(len(points) - 1, 1)
        draw_chain(axes, points, partitions.chains, TUBE_NM * 72 * min(size_inch / spans),
                   lambda place: colours[one.owner[int(round(place * last))]])
    else:
        seen = some(np.argsort(points[:, 2]))
        axes.scatter(points[seen, 0], points[seen, 1], s=1.5, c=colours[one.owner[seen]], linewidths=0)
    middle = (points[:, :2].max(axis=0) + points[:, :2].min(axis=0)) / 2
    axes.set_xlim(middle[0] - spans[0] / 2, middle[0] + spans[0] / 2)
    axes.set_ylim(middle[1] - spans[1] / 2, middle[1] + spans[1] / 2)
    axes.set_aspect("equal")
    axes.axis("off")


def make_title(partitions, one):
    method_text = f"{one.method}{', auto' if one.is_auto else ''}\n"
    if len(partitions.contacts):
        return f"{method_text}{one.contacts_cut / len(partitions.contacts):.1%} cut, balance {one.balance:.2f}"
    return f"{method_text}{one.ghosts:,} ghosts, balance {one.balance:.2f}"


def partition_maps(partitions):
    """Draw a column per method; for each number of ranks, a row of contact maps, if any, and one of chains."""
    counts, has_contacts = partitions.rank_counts, len(partitions.contacts) > 0
    columns, rows_each = max(len(partitions.of(ranks)) for ranks in counts), 2 if has_contacts else 1
    figure, grid = plt.subplots(rows_each * len(counts), columns, squeeze=False,
                                figsize=(PANEL_INCH * columns, 1.1 * PANEL_INCH * rows_each * len(counts)))
    for place, ranks in enumerate(counts):
        for column, one in enumerate(partitions.of(ranks)):
            panels = [grid[rows_each * place + row][column] for row in range(rows_each)]
            panels[0].set_title(make_title(partitions, one), fontsize=8)
            if has_contacts:
                draw_owned_contacts(panels[0], partitions, one)
            draw_owned_chain(panels[-1], partitions, one, np.array((PANEL_INCH, PANEL_INCH)))
        grid[rows_each * place][0].text(-0.02, 1.28, f"{ranks} ranks", transform=grid[rows_each * place][0].transAxes,
                                        fontsize=11, fontweight="bold", color=INK)
    return figure

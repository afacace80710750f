# Figure of the ranks' time.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from .style import BLUE, DARK_ORANGE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILION, WIDTH_INCH, plt

# Blue and green phases compute, warm ones do not; waiting is grey.
COLOURS = {"start": "#c9d1d9", "steps": "#5b7fa6", "pair": BLUE, "bonded": SKY, "integrate": GREEN, "device": BLUE, "lists": "#004d78",
           "pack": "#8fd1bd", "exchange": PURPLE, "plan": "#7a3f63", "wait": "#8d98a3", "migrate": DARK_ORANGE,
           "ledger": "#b07d62", "join": "#b3bcc5", "idle": "#e6e9ed",  # phases of batches
           "checkpoint": VERMILION, "analysis": ORANGE, "output": "#f2d479", "frames": "#e8b73d",
           "results": "#c98a1b", "other": INK}
MOST_BARS = 16
LEAST_SHARE = 0.002  # smallest fraction of the time with a visible stripe


def shown_ranks(found):
    """Ranks to draw, in rising order: of many, the busiest, the least busy and others evenly between them."""
    busy = [rank["busy_seconds"] for rank in found.ranks]
    order = np.argsort(busy, kind="stable")
    places = np.unique(np.linspace(0, len(order) - 1, min(MOST_BARS, len(order))).round().astype(int))
    return sorted(int(order[place]) for place in places)


def phases(found):
    """Draw a bar per rank with a stripe per phase; None if no time passed."""
    shown = shown_ranks(found)
    longest = max((found.ranks[rank]["wall_seconds"] for rank in shown), default=0)
    if longest <= 0:
        return None
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 1.7 + 0.3 * len(shown)))
    left = np.zeros(len(shown))
    for phase in found.phases:
        widths = np.array([found.ranks[rank]["phase_seconds"].get(phase, 0) for rank in shown])
        if widths.max() >= LEAST_SHARE * longest:
            axes.barh(range(len(shown)), widths, left=left, color=COLOURS.get(phase, MUTED), height=0.72,
                      edgecolor="white", linewidth=0.4, label=phase)
        left += widths
    axes.set_yticks(range(len(shown)), [found.ranks[rank]["name"] for rank in shown])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 1.02 * longest)
    axes.set_xlabel("time (s)")
    figure.legend(loc="outside upper left", ncols=7)
    return figure

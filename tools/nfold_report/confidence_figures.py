# Pictures of a predicted structure's confidence: PAE with the domains on it, pLDDT along the chain.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from .condensate_figures import species_colour
from .style import GRID, INK, MUTED, WIDTH_INCH, colour_bar, plt, wrapped

MOST_SPECIES = 4
CONFIDENT = 70  # pLDDT
LARGEST_PAE = 30  # angstrom
# Dark green for a small error, as in the pictures of AlphaFold DB.
ERROR = LinearSegmentedColormap.from_list("error", ["#00441b", "#238b45", "#74c476", "#c7e9c0", "#ffffff"])


def domain_ranges(domains):
    """(domain, first, behind the last) of each stretch of residues in one domain, by index."""
    ranges, first = [], 0
    for index in range(1, len(domains) + 1):
        if index == len(domains) or domains[index] != domains[first]:
            if domains[first] > 0:
                ranges.append((domains[first], first, index))
            first = index
    return ranges


def draw_pae(axes, found):
    """Draw the PAE with a square for each pair of a domain's stretches. Rows: aligned on; columns: scored."""
    count = len(found.plddt)
    image = axes.imshow(found.pae_angstrom, cmap=ERROR, vmin=0, vmax=LARGEST_PAE, extent=(0, count, count, 0),
                        interpolation="nearest")
    ranges = domain_ranges(found.domains)
    for domain, top, bottom in ranges:
        for other, left, right in ranges:
            if other == domain:
                axes.add_patch(plt.Rectangle((left, top), right - left, bottom - top, fill=False, linewidth=1.4,
                                             edgecolor=species_colour(domain - 1)))
    for border in np.cumsum(found.chain_sizes)[:-1]:
        axes.axhline(border, color=INK, linewidth=0.8)
        axes.axvline(border, color=INK, linewidth=0.8)
    axes.set_xlabel("scored residue, counted through all chains")
    axes.set_ylabel("aligned on residue")
    axes.grid(False)
    colour_bar(axes, image, "PAE (Å)")


def draw_plddt(axes, found):
    """Draw pLDDT by residue, in the colours of the domains."""
    residue = np.arange(len(found.plddt)) + 0.5
    axes.axhline(CONFIDENT, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    axes.plot(residue, found.plddt, color=GRID, linewidth=1)
    for domain in np.unique(found.domains):
        own = found.domains == domain
        label = f"domain {domain}" if domain else "in no domain"
        axes.scatter(residue[own], found.plddt[own], s=5, label=label,
                     color=species_colour(domain - 1) if domain else MUTED)
    axes.set_xlim(0, len(found.plddt))
    axes.set_ylim(0, 100)
    axes.set_xlabel("residue, counted through all chains")
    axes.set_ylabel("pLDDT")
    if len(np.unique(found.domains)) <= 7:
        axes.legend(loc="lower right", markerscale=2)


def confidence(species):
    """Draw PAE, if known, and pLDDT of the first species."""
    shown = species[:MOST_SPECIES]
    figure, panels = plt.subplots(len(shown), 2, figsize=(WIDTH_INCH, 3.9 * len(shown)), squeeze=False)
    for (left, right), found in zip(panels, shown):
        if found.pae_angstrom.size:
            draw_pae(left, found)
        else:
            left.text(0.5, 0.5, "no PAE", transform=left.transAxes, ha="center", color=MUTED)
            left.set_axis_off()
        left.set_title(wrapped(found.name, 30))
        draw_plddt(right, found)
    return figure

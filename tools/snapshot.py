#!/usr/bin/env python3
# Picture of frames of a run: its beads as seen along an axis, coloured by species.
# SPDX-License-Identifier: BSD-3-Clause
"""    tools/snapshot.py droplet.out --frames 0 -1 --picture droplet.png

A panel each frame, which count from 0, and backwards from -1. What is farther away is paler.
"""

import argparse
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "h5py", "yaml", "matplotlib")

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from nfold_report import style
from nfold_report.condensate_figures import species_colour
from nfold_report.failures import one_line
from nfold_report.run_folder import RunFolderError, read_run

BEAD_NM = 0.55  # diameter
PALEST = 0.75   # share of white in the colour of the farthest bead


def species_of_beads(run):
    """(names of species, index of each bead's species). Chains are numbered through the species."""
    names = [species["name"] for species in run.settings["system"]["species"]]
    return names, np.array([next(k for k, name in enumerate(names) if chain.split(".")[0] == name)
                            for chain in run.trajectory.chains])


def centred(positions, box):
    """Positions in the box, with most beads in its middle."""
    if box is None:
        return positions
    angle = positions / box * 2 * np.pi
    centre = np.angle(np.exp(1j * angle).mean(axis=0)) / (2 * np.pi) * box
    return (positions - centre + box / 2) % box


def draw_frame(axes, positions, box, species, along):
    across = [axis for axis in range(3) if axis != along]
    if along != 2:
        across.reverse()  # z goes to the right
    x = centred(positions, box)
    order = np.argsort(x[:, along])
    depth = x[order, along]
    white = PALEST * (depth.max() - depth) / max(np.ptp(depth), 1e-9)
    colours = np.array([to_rgb(species_colour(k)) for k in range(species.max() + 1)])[species[order]]
    colours += (1 - colours) * white[:, None]
    low, high = (x.min(axis=0), x.max(axis=0)) if box is None else (np.zeros(3), box)
    axes.set_xlim(low[across[0]], high[across[0]])
    axes.set_ylim(low[across[1]], high[across[1]])
    axes.set_aspect("equal")
    axes.grid(False)
    axes.figure.canvas.draw()  # the size of a bead on paper follows from the layout
    points_a_nm = axes.get_window_extent().width * 72 / axes.figure.dpi / (high - low)[across[0]]
    axes.scatter(*x[order][:, across].T, s=(BEAD_NM * points_a_nm) ** 2, c=colours, linewidths=0)
    axes.set_xlabel(f"{'xyz'[across[0]]} (nm)")
    axes.set_ylabel(f"{'xyz'[across[1]]} (nm)")


def draw(run, frames, along):
    names, species = species_of_beads(run)
    trajectory = run.trajectory
    columns = 1 if along != 2 else len(frames)
    figure, panels = style.plt.subplots(len(frames) // columns, columns, figsize=(style.WIDTH_INCH, 4.2), squeeze=False)
    for axes, frame in zip(panels.flat, frames):
        box = None if trajectory.box_nm is None else trajectory.box_nm[frame]
        draw_frame(axes, trajectory.positions_nm[frame], box, species, along)
        axes.set_title(f"{trajectory.time_ps[frame] / 1000:.3g} ns")
    panels.flat[-1].legend(handles=[Line2D([], [], marker="o", linestyle="", color=species_colour(k), label=name)
                                    for k, name in enumerate(names)], loc="upper right", frameon=True)
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="output folder of nfold run")
    parser.add_argument("--frames", type=int, nargs="+", default=[-1], help="frames to draw [-1, the last]")
    parser.add_argument("--along", choices="xyz", default="z", help="line of sight [z]")
    parser.add_argument("--picture", type=Path, required=True, help="file to write: .png, .svg or .pdf")
    options = parser.parse_args(arguments)
    try:
        run = read_run(options.folder)
        if run.trajectory is None:
            raise RunFolderError(f"{options.folder}: no frames; set output.trajectory_every_steps")
        style.save(draw(run, options.frames, "xyz".index(options.along)), options.picture)
    except (RunFolderError, IndexError, OSError) as failure:
        print(f"snapshot: error: {one_line(failure)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

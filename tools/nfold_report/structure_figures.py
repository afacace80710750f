# Pictures of the chain: its contact map and its structures over time.
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.patches import Patch

from .figures import draw_q, draw_rmsd, time_axis
from .in_words import plain
from .observables import superposed
from .pieces import find_pieces
from .style import BLUE, INK, MUTED, ORANGE, WIDTH_INCH, plt

FOUND = LinearSegmentedColormap.from_list("found", ["#dbeaf5", "#56B4E9", BLUE, "#003a5c"])
POINTS_A_RESIDUE, LAYERS = 12, 24
TUBE_NM, GAP_NM, LABEL_NM, NARROWEST_NM = 0.26, 0.5, 0.9, 2.6
CHAIN = plt.get_cmap("viridis")  # from the first residue to the last, also clear in grey


def paint_map(found):
    """Image (residues, residues, 3), row y, column x. Native contacts lie above the diagonal."""
    image = np.ones((found.residues, found.residues, 3))
    low, high = found.native.min(axis=1), found.native.max(axis=1)
    image[high, low] = to_rgb(INK)
    present = found.formed > 0
    image[low[present], high[present]] = FOUND(found.formed[present])[:, :3]
    if len(found.others):
        low, high = found.others.T
        weight = (0.25 + 0.75 * found.others_found)[:, None]
        image[low, high] = 1 - weight * (1 - np.array(to_rgb(ORANGE)))
    return image


def draw_contact_map(axes, found, legend=True):
    axes.grid(False)
    edge = (0.5, found.residues + 0.5)
    axes.imshow(paint_map(found), origin="lower", interpolation="nearest", extent=edge + edge)
    axes.plot(edge, edge, color=MUTED, linewidth=0.8)
    axes.set_xlabel("residue, counted from 1")
    axes.set_ylabel("residue, counted from 1")
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    axes.text(0, 1.02, "\u25e4 native", transform=axes.transAxes, fontweight="bold", color=INK)
    axes.text(1, 1.02, "found \u25e2", transform=axes.transAxes, ha="right", fontweight="bold",
              color=BLUE)
    if legend:
        axes.legend(handles=[Patch(color=INK, label=f"native ({len(found.native)})"),
                             Patch(color=FOUND(0.95), label="native, found always"),
                             Patch(color=FOUND(0.3), label="native, found at times"),
                             Patch(color=ORANGE, label="not native, but\ncloser than 0.8 nm")],
                    loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0)


def contact_map(found):
    figure, axes = plt.subplots(figsize=(WIDTH_INCH, 5.2))
    draw_contact_map(axes, found)
    return figure


def camera(native_nm):
    """Rotation (3, 3) that turns the longest axes of the native state into the picture."""
    _, axes = np.linalg.eigh(np.cov((native_nm - native_nm.mean(axis=0)).T))
    turn = axes[:, ::-1]
    return turn * np.sign(np.linalg.det(turn))


def chain_pieces(chains):
    """Index ranges of consecutive residues of one chain."""
    borders = [0] + [i for i in range(1, len(chains)) if chains[i] != chains[i - 1]] + [len(chains)]
    return list(zip(borders, borders[1:]))


def through(points, place):
    """Points (places, 3) of a Catmull-Rom spline through the points, which lie at 0, 1, 2, ..."""
    ends = np.concatenate([[2 * points[0] - points[1]], points, [2 * points[-1] - points[-2]]])
    piece = np.minimum(place.astype(int), len(points) - 2)
    t = (place - piece)[:, None]
    before, here, there, after = (ends[piece + shift] for shift in range(4))
    return here + t / 2 * (there - before + t * (2 * before - 5 * here + 4 * there - after +
                                                 t * (3 * (here - there) + after - before)))


def smooth_curves(points, chains):
    """Curve (n, 3) per chain, and its points' positions among all residues (n), 0 to 1."""
    for first, last in chain_pieces(chains):
        if last - first > 3:
            fine = np.linspace(0, last - first - 1, POINTS_A_RESIDUE * (last - first))
            yield through(points[first:last], fine), (first + fine) / max(len(points) - 1, 1)


def draw_chain(axes, points, chains, width, colour_at=CHAIN):
    """Draw a tube of `width` points: far layers first and paler, each with a rim at crossings. colour_at maps a position
    among all residues, 0 to 1, to a colour."""
    low, high = points[:, 2].min(), points[:, 2].max()
    layers = [[] for _ in range(LAYERS)]  # (first, last) segments of curves
    for curve, place in smooth_curves(points, chains):
        near = np.clip((curve[:, 2] - low) / max(high - low, 1e-9), 0, 1)
        layer = np.minimum((near * LAYERS).astype(int), LAYERS - 1)
        borders = np.concatenate([[0], np.nonzero(np.diff(layer))[0] + 1, [len(curve)]])
        for first, last in zip(borders, borders[1:]):
            middle = (first + last) // 2
            colour = 1 - (0.4 + 0.6 * near[middle]) * (1 - np.array(colour_at(place[middle])[:3]))
            # Each segment overlaps the one below it, so that neither rim nor seam shows at the joints.
            halo, rim, filling = (curve[max(first - more, 0):last + 1 + more, :2] for more in (0, 2, 4))
            layers[layer[first]].append((halo, rim, filling, colour))
    for stretches in layers:
        if stretches:
            halos, rims, fillings, colours = zip(*stretches)
            shades = 0.6 * np.array(colours)
            for lines, shade, factor, cap in ((halos, "white", 1.4, "butt"), (rims, shades, 1, "butt"),
                                              (fillings, colours, 0.75, "round")):
                axes.add_collection(LineCollection(lines, colors=shade, linewidths=factor * width, capstyle=cap,
                                                   joinstyle="round", rasterized=True))  # rasterized: thousands of strokes


def snapshot_frames(q, panels):
    """Frames between the start and the folded state, first and last included: those at which Q first passes equal steps,
    no two closer than a fraction of the run, which would show the same structure twice."""
    last = len(q) - 1
    panels = min(panels, len(q))
    gap = max(1, last // (4 * panels))
    frames = [0]
    for place, level in enumerate(np.linspace(q[0], q[-1], panels)[1:-1], 2):
        rising = q >= level if q[-1] >= q[0] else q <= level
        rising[:frames[-1] + 1] = False
        beyond = int(np.argmax(rising)) if rising.any() else last
        frames.append(min(max(beyond, frames[-1] + gap), last - gap * (panels - place)))
    return [*frames, last]


def lying(points):
    """Points rotated within the picture so that a long chain lies horizontally."""
    points = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov(points[:, :2].T))
    if values[1] < 2 * values[0]:
        return points
    turn = np.eye(3)
    turn[:2, :2] = axes[:, ::-1]
    return points @ (turn * np.sign(np.linalg.det(turn)))


def draw_snapshots(axes, run, size_inch, panels=4):
    """Draw the chain at a few moments, side by side, at one scale."""
    trajectory = run.trajectory
    q = np.interp(trajectory.time_ps, run.energies["time_ps"], run.energies["native_fraction"])
    frames = snapshot_frames(q, panels)
    turn, pieces = camera(trajectory.native_nm), find_pieces(trajectory)
    by = pieces[0] if pieces else slice(None)
    views = [lying(superposed(trajectory.positions_nm[frame], trajectory.native_nm, by) @ turn)
             for frame in frames]
    widths = [max(np.ptp(points[:, 0]), NARROWEST_NM) + GAP_NM for points in views]
    top, bottom = (max(np.max(sign * points[:, 1]) for points in views) for sign in (1, -1))
    height = top + bottom + LABEL_NM
    scale = 72 * min(size_inch[0] / sum(widths), size_inch[1] / height)  # points per nm
    place = 0.0
    for frame, points, width in zip(frames, views, widths):
        middle = place + width / 2
        shift = middle - (points[:, 0].min() + points[:, 0].max()) / 2
        draw_chain(axes, points + [shift, 0, 0], trajectory.chains, TUBE_NM * scale)
        axes.text(middle, -bottom - 0.6 * LABEL_NM,
                  f"{plain(run.time(trajectory.time_ps[frame]))} {run.time_unit}, Q = {q[frame]:.0%}",
                  ha="center", va="top")
        place += width
    axes.set_xlim(0, place)
    axes.set_ylim(-bottom - LABEL_NM, top + TUBE_NM)
    axes.set_aspect("equal")
    axes.axis("off")


def overview(run, found, distances):
    """Draw the chain on its way, Q and RMSD over time, and the contact map in one picture."""
    figure = plt.figure(figsize=(10, 6.4))
    grid = figure.add_gridspec(3, 2, height_ratios=(1.2, 1, 1), width_ratios=(1.45, 1))
    draw_snapshots(figure.add_subplot(grid[0, :]), run, size_inch=(9.6, 2.2))
    above = figure.add_subplot(grid[1, 0])
    below = figure.add_subplot(grid[2, 0], sharex=above)
    draw_q(above, run)
    above.tick_params(labelbottom=False)
    draw_rmsd(below, run, distances)
    time_axis(below, run)
    draw_contact_map(figure.add_subplot(grid[1:, 1]), found, legend=False)
    figure.align_ylabels([above, below])
    return figure

# Parts of a structure held together by native contacts, and their distance from the native state.
# SPDX-License-Identifier: BSD-3-Clause
"""Loose ends, linkers and molecules that drift apart have no native position, so a superposition of all residues
would not measure folding."""

from dataclasses import dataclass

import numpy as np

from .observables import close_pairs, superposed

FEWEST_RESIDUES = 12  # smallest part; a helix in a loose end is none
WHOLE = 0.9  # fraction of the residues by which one part represents the structure
MOST_PIECES, MOST_FRAMES = 24, 400
CLOSEST_NM = 0.15  # smallest distance of two residues of one structure


@dataclass
class Distance:
    """RMSD of a part to its native state, over time."""

    label: str  # 'A 1-71'; empty for the whole structure
    time_ps: np.ndarray
    nm: np.ndarray


def find_pieces(trajectory):
    """Residues of each part, the largest first; residues without partners are in none."""
    parent = np.arange(len(trajectory.native_nm))

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i
    for i, j in trajectory.contacts.tolist():
        parent[root(i)] = root(j)
    roots = np.array([root(i) for i in range(len(parent))])
    pieces = [np.flatnonzero(roots == one) for one in np.unique(roots)]
    return sorted((piece for piece in pieces if len(piece) >= FEWEST_RESIDUES), key=len, reverse=True)


def is_whole(trajectory, pieces):
    return len(pieces) > 0 and len(pieces[0]) >= WHOLE * len(trajectory.native_nm)


def is_one_structure(trajectory):
    """True if every residue has its own native position; false for copies and for chains without a structure."""
    native = trajectory.native_nm
    return bool(np.isfinite(native).all()) and len(close_pairs(native, CLOSEST_NM)) == 0


def piece_label(trajectory, piece):
    """'A 1-71', or 'A, B' for a part of several chains."""
    chains = list(dict.fromkeys(trajectory.chains[i] for i in piece))
    if len(chains) > 1:
        return ", ".join(chains)
    return f"{chains[0]} {trajectory.numbers[piece[0]]}-{trajectory.numbers[piece[-1]]}"


def unwrapped(points, box_nm):
    """Points of a part, each in the image nearest to the one before it."""
    if box_nm is None:
        return points
    steps = np.diff(points, axis=0)
    steps -= box_nm * np.round(steps / box_nm)
    return np.concatenate([points[:1], points[0] + np.cumsum(steps, axis=0)])


def piece_distance(trajectory, piece):
    """Distance of a part at evenly spread frames."""
    frames = np.unique(np.linspace(0, len(trajectory.time_ps) - 1, MOST_FRAMES).astype(int))
    native, box = trajectory.native_nm[piece], trajectory.box_nm
    nm = []
    for frame in frames:
        points = unwrapped(trajectory.positions_nm[frame][piece], None if box is None else box[frame])
        nm.append(np.sqrt(((superposed(points, native) - native) ** 2).sum(axis=1).mean()))
    return Distance(piece_label(trajectory, piece), trajectory.time_ps[frames], np.array(nm))


def distances_to_native(run):
    """Distances of the whole structure from nfold's reports, or of each part from the frames; empty if no part is known."""
    trajectory = run.trajectory
    known = trajectory is not None and len(trajectory.contacts) > 0 and len(trajectory.native_nm) > 0
    pieces = find_pieces(trajectory) if known else []
    if run.has("rmsd_nm") and (not known or is_whole(trajectory, pieces)):
        return [Distance("", run.energies["time_ps"], run.energies["rmsd_nm"])]
    return [piece_distance(trajectory, piece) for piece in pieces[:MOST_PIECES]]

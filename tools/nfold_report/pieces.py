# Parts of a structure that native contacts hold together, and how far each is from its native state.
# SPDX-License-Identifier: BSD-3-Clause
"""Loose ends, linkers and molecules that drift apart have no native place: a superposition of all residues would say
nothing of what folds."""

from dataclasses import dataclass

import numpy as np

from .observables import close_pairs, superposed

FEWEST_RESIDUES = 12  # of a piece; a helix in a loose end is none
WHOLE = 0.9  # share of the residues by which one piece stands for the structure
MOST_PIECES, MOST_FRAMES = 24, 400
CLOSEST_NM = 0.15  # two residues of one structure


@dataclass
class Distance:
    """RMSD of a piece to its native state, over time."""

    words: str  # 'A 1-71'; empty: of the whole structure
    time_ps: np.ndarray
    nm: np.ndarray


def pieces_of(trajectory):
    """[residues] of each piece, the largest first; residues without partners are in none."""
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
    """Every residue has a native place of its own: false of copies, and of chains without a structure."""
    native = trajectory.native_nm
    return bool(np.isfinite(native).all()) and len(close_pairs(native, CLOSEST_NM)) == 0


def words_of(trajectory, piece):
    """'A 1-71', or 'A, B' of a piece of several chains."""
    chains = list(dict.fromkeys(trajectory.chains[i] for i in piece))
    if len(chains) > 1:
        return ", ".join(chains)
    return f"{chains[0]} {trajectory.numbers[piece[0]]}-{trajectory.numbers[piece[-1]]}"


def unwrapped(points, box_nm):
    """Points of a piece, each next to the one before it in place of an image on the other side of the box."""
    if box_nm is None:
        return points
    steps = np.diff(points, axis=0)
    steps -= box_nm * np.round(steps / box_nm)
    return np.concatenate([points[:1], points[0] + np.cumsum(steps, axis=0)])


def distance_of(trajectory, piece):
    """Distance of a piece at evenly spread frames."""
    frames = np.unique(np.linspace(0, len(trajectory.time_ps) - 1, MOST_FRAMES).astype(int))
    native, box = trajectory.native_nm[piece], trajectory.box_nm
    nm = []
    for frame in frames:
        points = unwrapped(trajectory.positions_nm[frame][piece], None if box is None else box[frame])
        nm.append(np.sqrt(((superposed(points, native) - native) ** 2).sum(axis=1).mean()))
    return Distance(words_of(trajectory, piece), trajectory.time_ps[frames], np.array(nm))


def distances_to_native(run):
    """[Distance]: of the whole structure as nfold reports it, or of each piece by the frames; none where no piece is known."""
    trajectory = run.trajectory
    known = trajectory is not None and len(trajectory.contacts) > 0 and len(trajectory.native_nm) > 0
    pieces = pieces_of(trajectory) if known else []
    if run.has("rmsd_nm") and (not known or is_whole(trajectory, pieces)):
        return [Distance("", run.energies["time_ps"], run.energies["rmsd_nm"])]
    return [distance_of(trajectory, piece) for piece in pieces[:MOST_PIECES]]

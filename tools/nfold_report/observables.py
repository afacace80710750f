# Numbers of the figures: contacts formed, transitions, free energy, superposition.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass

import numpy as np

MOST_POINTS = 500  # limit of a map along an axis
BONDED = 2  # residues along the chain that always touch

FORMED_FACTOR = 1.2  # largest length of a formed contact relative to its native distance, as in nfold's Q
CLOSE_NM = 0.8  # distance below which a pair without native contact counts as close
SEPARATION = 4  # separation along the chain below which a pair is always close
FOLDED_Q, UNFOLDED_Q = 0.7, 0.3  # a transition goes from beyond one to beyond the other
ENOUGH_TRANSITIONS = 10
STRETCHES, DRAWS = 12, 200  # blocks of a run and draws for bootstrap errors
MAP_FRAMES = 100  # frames of a map, evenly spread


@dataclass
class ContactMap:
    """Upper triangle: native contacts (0 or 1). Lower: fraction of frames, native and not."""

    native: np.ndarray  # (contacts, 2), i < j
    formed: np.ndarray  # (contacts) fraction of frames, 0 to 1
    others: np.ndarray  # (pairs, 2), i < j, close pairs that are not native
    others_found: np.ndarray  # (pairs) fraction of frames
    residues: int
    first_frame: int
    frames: int


def close_pairs(points, distance):
    """Pairs (pairs, 2) of points up to `distance` apart, i < j, by a sweep along x."""
    order = np.argsort(points[:, 0], kind="stable")
    along = points[order]
    ends = np.searchsorted(along[:, 0], along[:, 0] + distance, side="right")
    first = np.repeat(np.arange(len(points)), ends - np.arange(len(points)) - 1)
    begins = np.concatenate([[0], np.cumsum(ends - np.arange(len(points)) - 1)])[:-1]
    second = first + 1 + np.arange(len(first)) - begins[first]
    near = np.sum((along[first] - along[second]) ** 2, axis=1) <= distance**2
    return np.sort(np.stack([order[first[near]], order[second[near]]], axis=1), axis=1)


def contact_map(trajectory, share_of_run=0.25):
    """ContactMap over the last part of the run."""
    frames = len(trajectory.positions_nm)
    first = min(int(frames * (1 - share_of_run)), frames - 1)
    picked = np.unique(np.linspace(first, frames - 1, min(MAP_FRAMES, frames - first)).astype(int))
    x = trajectory.positions_nm[picked]
    i, j = trajectory.contacts.T
    reach = FORMED_FACTOR * trajectory.contact_distances_nm
    formed = (np.linalg.norm(x[:, i] - x[:, j], axis=2) <= reach).mean(axis=0)
    residues = x.shape[1]
    low, high = trajectory.contacts.min(axis=1), trajectory.contacts.max(axis=1)
    native_keys = set((low.astype(int) * residues + high).tolist())
    found = {}
    for frame in x:
        for a, b in close_pairs(frame, CLOSE_NM).tolist():
            key = a * residues + b
            if key not in native_keys and (
                    abs(a - b) >= SEPARATION or trajectory.chains[a] != trajectory.chains[b]):
                found[key] = found.get(key, 0) + 1
    keys = np.array(sorted(found), dtype=int)
    return ContactMap(trajectory.contacts, formed, np.stack([keys // residues, keys % residues], axis=1),
                      np.array([found[key] for key in keys.tolist()]) / len(picked), residues, first,
                      frames)


def transitions(q, low=UNFOLDED_Q, high=FOLDED_Q):
    """Rows at which q, last beyond one threshold, first passes the other."""
    side = np.where(q > high, 1, np.where(q < low, -1, 0))
    rows = np.nonzero(side)[0]
    crossed = np.nonzero(np.diff(side[rows]))[0] + 1
    return rows[crossed]


@dataclass
class FreeEnergy:
    q: np.ndarray  # centres of the visited bins and those between them
    kj_mol: np.ndarray  # nan if never visited; lowest 0
    error_kj_mol: np.ndarray  # standard error; infinite if half of the bootstrap draws are empty
    transitions: int
    illustrative: bool


def free_energy(q, kt_kj_mol, contacts, discard=0.05):
    """F(Q) = -kT ln P(Q). Each bin holds the same number of possible values of Q."""
    crossings = len(transitions(q))
    q = q[int(discard * len(q)):]
    values_a_bin = max(1, round(contacts / 40))
    edges = (np.arange(0, contacts + values_a_bin + 1, values_a_bin) - 0.5) / contacts
    stretches = np.array([np.histogram(part, edges)[0] for part in np.array_split(q, STRETCHES)])
    energy = free_energy_profile(stretches.sum(axis=0), kt_kj_mol)
    visited = np.nonzero(np.isfinite(energy))[0]
    inside = slice(visited[0], visited[-1] + 1)
    centres = (edges[:-1] + edges[1:]) / 2
    return FreeEnergy(centres[inside], energy[inside], profile_error(stretches, kt_kj_mol)[inside], crossings,
                      crossings < ENOUGH_TRANSITIONS)


def free_energy_profile(counts, kt_kj_mol):
    """-kT ln of the counts, shifted so that the lowest is 0; nan for empty bins."""
    with np.errstate(divide="ignore"):
        return np.where(counts > 0, -kt_kj_mol * np.log(counts / counts.max()), np.nan)


def profile_error(stretches, kt_kj_mol):
    """Errors (bins) by bootstrap over whole blocks of time, which keeps correlations."""
    random = np.random.default_rng(1)
    drawn = [stretches[random.integers(len(stretches), size=len(stretches))].sum(axis=0) for _ in range(DRAWS)]
    again = np.array([free_energy_profile(counts, kt_kj_mol) for counts in drawn])
    seen = np.isfinite(again).sum(axis=0)
    known = 2 * seen >= DRAWS
    error = np.full(again.shape[1], np.inf)
    error[known] = np.nanstd(again[:, known], axis=0, ddof=1)
    return error


def first_above(values, threshold):
    """Row of the first value above the threshold, or None."""
    rows = np.nonzero(values > threshold)[0]
    return int(rows[0]) if len(rows) else None


def running_mean(values, window):
    """Centred running mean, shorter at the ends."""
    window = max(1, min(window, len(values)))
    sums = np.concatenate([[0], np.cumsum(values)])
    left = np.maximum(np.arange(len(values)) - window // 2, 0)
    right = np.minimum(np.arange(len(values)) + (window + 1) // 2, len(values))
    return (sums[right] - sums[left]) / (right - left)


def superposed(points, reference, by=slice(None)):
    """Points, rotated and shifted so that those of `by` lie on the reference (Kabsch, Acta Cryst. A 32, 922 (1976))."""
    centre, target = points[by].mean(axis=0), reference[by].mean(axis=0)
    u, _, vt = np.linalg.svd((points[by] - centre).T @ (reference[by] - target))
    handed = np.diag([1, 1, np.sign(np.linalg.det(u @ vt))])
    return (points - centre) @ u @ handed @ vt + target


def in_blocks(i, j, value, size):
    """(map, its extent in residues), averaged over blocks if there are more residues than points."""
    block = tuple(-(-length // MOST_POINTS) for length in size)
    shape = tuple(-(-length // wide) for length, wide in zip(size, block))
    table = np.zeros(shape)
    np.add.at(table, (i // block[0], j // block[1]), value / (block[0] * block[1]))
    return table, tuple(wide * length for length, wide in zip(shape, block))

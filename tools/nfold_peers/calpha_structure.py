# Independent reader of the C-alpha atoms of a PDB file, to check nfold's reader.
# SPDX-License-Identifier: BSD-3-Clause
"""ATOM records of the first model; for alternate locations, the blank one or A. No mmCIF."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LONGEST_STEP_NM = 0.45  # between C-alpha atoms of bonded residues; 0.38 is usual


class StructureError(ValueError):
    """The file has no readable chain; the message has the reason."""


@dataclass
class Calphas:
    positions_nm: np.ndarray  # (residues, 3)
    chain: np.ndarray  # (residues) index of the chain
    bonded_to_next: np.ndarray  # (residues) bool


def calpha_lines(text):
    """(chain, position) of each C-alpha atom of the first model."""
    for line in text.splitlines():
        if line.startswith("ENDMDL"):
            return
        if line.startswith("ATOM  ") and line[12:16] == " CA " and line[16] in " A":
            yield line[21], [float(line[start:start + 8]) / 10 for start in (30, 38, 46)]


def read_calphas(path):
    """Calphas of all chains in the file's order. Raises StructureError or OSError."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("ascii", "replace")
    rows = list(calpha_lines(text))
    if not rows:
        raise StructureError(f"{path}: no ' CA ' in an ATOM record; give a PDB file of a protein")
    names = [name for name, _ in rows]
    chain = np.cumsum([i > 0 and names[i] != names[i - 1] for i in range(len(names))])
    positions = np.array([position for _, position in rows])
    step = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    bonded = (np.diff(chain) == 0) & (step < LONGEST_STEP_NM)
    return Calphas(positions, chain, np.append(bonded, False))


def replicate(calphas, copies, spacing_nm=0):
    """Copies on a cubic lattice, as with the input key system.copies. Spacing 0 stands for the extent plus 2 nm."""
    count = len(calphas.positions_nm)
    spacing = spacing_nm or np.ptp(calphas.positions_nm, axis=0).max() + 2
    side = 1
    while side**3 < copies:
        side += 1
    copy = np.arange(copies)
    places = spacing * np.stack([copy % side, copy // side % side, copy // side**2], axis=1)
    chains = calphas.chain.max() + 1
    return Calphas((calphas.positions_nm[None] + places[:, None]).reshape(-1, 3),
                   np.tile(calphas.chain, copies) + np.repeat(copy, count) * chains,
                   np.tile(calphas.bonded_to_next, copies))

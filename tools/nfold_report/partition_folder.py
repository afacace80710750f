# Reader of the output of nfold check --partitions: figures of each partition, owners, native contacts.
# SPDX-License-Identifier: BSD-3-Clause

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .run_folder import RunFolderError

FIGURES_FILE, OWNERS_FILE, CONTACTS_FILE = "partitions.csv", "owners.csv", "contacts.csv"


@dataclass
class Map:
    """Result of one method on one number of ranks."""

    ranks: int
    method: str
    is_auto: bool
    contacts_cut: int
    ghosts: int
    most_ghosts: int
    balance: float
    exchange_bytes: int
    step_microseconds: float
    efficiency: float
    owner: np.ndarray  # (residues)


@dataclass
class Partitions:
    folder: Path
    maps: list  # by ranks, then by method
    chains: np.ndarray  # (residues) index of each one's unbroken segment
    positions_nm: np.ndarray  # (residues, 3)
    contacts: np.ndarray  # (contacts, 2)

    @property
    def rank_counts(self):
        return sorted({one.ranks for one in self.maps})

    def of(self, ranks):
        return [one for one in self.maps if one.ranks == ranks]


def is_partitions(folder):
    """True unless it is a run's own folder, whose report is the run's."""
    return (folder / FIGURES_FILE).is_file() and not any(folder.glob("*.input.yaml"))


def read_rows(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as failure:
        raise RunFolderError(f"{path}: not readable ({failure}); nfold check --partitions --output writes it") from None


def read_partitions(folder):
    """Read Partitions. Raises RunFolderError."""
    owners = read_rows(folder / OWNERS_FILE)
    try:
        stretches = [(one["chain"], one["segment"]) for one in owners]
        starts = [i > 0 and one != stretches[i - 1] for i, one in enumerate(stretches)]
        maps = [Map(int(row["ranks"]), row["method"], row["is_auto"] == "1", int(row["contacts_cut"]), int(row["ghosts"]),
                    int(row["most_ghosts"]), float(row["balance"]), int(row["exchange_bytes"]),
                    float(row["step_microseconds"]), float(row["efficiency"]),
                    np.array([int(one[f"{row['method']}:{row['ranks']}"]) for one in owners], dtype=int))
                for row in read_rows(folder / FIGURES_FILE)]
        contacts = [(int(row["i"]), int(row["j"])) for row in read_rows(folder / CONTACTS_FILE)]
        positions = [[float(one[f"{axis}_nm"]) for axis in "xyz"] for one in owners]
    except (KeyError, TypeError, ValueError) as failure:
        raise RunFolderError(f"{folder}: not what nfold check --partitions writes ({failure!r}); call it again") from None
    if not maps or not owners:
        raise RunFolderError(f"{folder / FIGURES_FILE}: no partition in it; call nfold check --partitions again")
    return Partitions(folder, maps, np.cumsum(starts), np.array(positions),
                      np.array(contacts, dtype=int).reshape(-1, 2))

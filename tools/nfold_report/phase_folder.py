# Reader of the tables of nfold phase.
# SPDX-License-Identifier: BSD-3-Clause

import math
from dataclasses import dataclass, field

import h5py
import numpy as np

from .batch_folder import read_rows
from .run_folder import RunFolderError


def number(row, column):
    """Number of a column, nan if it is empty."""
    return float(row.get(column) or math.nan)


@dataclass
class Protein:
    """Slabs of one protein at one salt and pH, by temperature."""

    name: str
    rows: list
    binodal: dict = field(default_factory=dict)  # its row of binodal.csv

    def column(self, name):
        return np.array([number(row, name) for row in self.rows])


def read_proteins(folder):
    """Proteins of a folder of nfold phase. Raises RunFolderError if it has no finished slab."""
    rows = read_rows(folder / "results.csv")
    if not rows or "dilute_mg_ml" not in rows[0]:
        raise RunFolderError(f"{folder}: results.csv has no slab; expected the output folder of nfold phase")
    keys = ("protein", "ionic_strength_molar", "ph", "client")
    found = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    laws = {tuple(row[key] for key in keys): row for row in read_rows(folder / "binodal.csv")}
    proteins = []
    for key, own in found.items():
        differs = sum(other[0] == key[0] for other in found) > 1
        name = f"{key[0]}, {key[1]} M, pH {key[2]}" if differs else key[0]
        proteins.append(Protein(name, sorted(own, key=lambda row: number(row, "temperature_kelvin")),
                                laws.get(key, {})))
    return proteins


def read_profiles(folder):
    """{target: (position, density, error)} of results.h5, which the end of the batch writes."""
    try:
        with h5py.File(folder / "results.h5") as file:
            names = [name.decode() for name in file["target"]]
            start = file["profile_start"][()]
            curves = [file[name][()] for name in ("profile_position_nm", "profile_mg_ml", "profile_error_mg_ml")]
    except (OSError, KeyError):
        return {}
    return {name: tuple(curve[first:last] for curve in curves)
            for name, first, last in zip(names, start, start[1:]) if last > first}

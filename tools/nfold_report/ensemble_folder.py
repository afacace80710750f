# Reads what an ensemble wrote: resolved input and NAME.ensemble.h5.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from .run_folder import K_BOLTZMANN, RunFolderError, read_settings

SUFFIX = ".ensemble.h5"


@dataclass
class PhaseLocking:
    """Of one temperature."""

    kelvin: float
    residue: np.ndarray  # (phases), from 1
    locked: np.ndarray  # (phases, phases) complex, C_ij
    order: np.ndarray  # (phases) complex, R_i

    @property
    def connected(self):
        """(phases, phases) complex correlation: C without what stiff angles have in any case."""
        spread = np.sqrt(np.clip(1 - np.abs(self.order) ** 2, 1e-12, None))
        return (self.locked - np.outer(self.order, self.order.conj())) / np.outer(spread, spread)


@dataclass
class Ensemble:
    folder: Path
    name: str
    settings: dict  # the resolved input
    last_step: int
    tables: dict  # "group/name" to its values; not the samples

    def has(self, path):
        return path in self.tables

    def table(self, path):
        return self.tables[path]

    @property
    def temperatures_kelvin(self):
        return self.table("exchange/temperature")

    @property
    def folding_kelvin(self):
        """(value, error)"""
        return self.table("thermodynamics/folding_temperature")

    @property
    def folds_within_the_ladder(self):
        """Whether the heat capacity has its maximum inside."""
        if not self.has("thermodynamics/folding_temperature"):
            return False
        ladder = self.temperatures_kelvin
        return ladder[0] < self.folding_kelvin[0] < ladder[-1]

    @property
    def folding_kt(self):
        return K_BOLTZMANN * self.folding_kelvin[0]

    @property
    def residues(self):
        """How many, where something was counted by residue; else None."""
        if self.has("folding_order/phi"):
            return len(self.table("folding_order/phi"))
        return int(self.table("phase_locking/residue")[-1]) + 3 if self.has("phase_locking/residue") else None

    def nearest_state(self, kelvin):
        return int(np.argmin(np.abs(self.temperatures_kelvin - kelvin)))

    def phase_locking(self, kelvin):
        """Of the temperature nearest to that one; None where nothing was counted."""
        if not self.has("phase_locking/cosine"):
            return None
        ladder = self.temperatures_kelvin[self.table("phase_locking/state").astype(int)]
        which = int(np.argmin(np.abs(ladder - kelvin)))
        if not self.table("phase_locking/samples")[which]:
            return None
        phases = len(self.table("phase_locking/residue"))
        rows, columns = np.triu_indices(phases)
        locked = np.zeros((phases, phases), complex)
        locked[rows, columns] = (self.table("phase_locking/cosine")[which] +
                                 1j * self.table("phase_locking/sine")[which])
        locked[columns, rows] = locked[rows, columns].conj()
        order = (self.table("phase_locking/order_cosine")[which] +
                 1j * self.table("phase_locking/order_sine")[which])
        return PhaseLocking(ladder[which], self.table("phase_locking/residue").astype(int) + 1, locked, order)


def is_ensemble(folder):
    folder = Path(folder)
    return folder.is_dir() and any(folder.glob("*" + SUFFIX))


def read_ensemble(folder):
    """An Ensemble. RunFolderError."""
    folder = Path(folder)
    names = sorted(path.name[:-len(SUFFIX)] for path in folder.glob("*" + SUFFIX))
    if len(names) != 1:
        raise RunFolderError(f"{folder}: holds {len(names)} ensembles; give a folder with one")
    path = folder / (names[0] + SUFFIX)
    tables = {}
    try:
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, item: tables.update({name: item[()]})
                            if isinstance(item, h5py.Dataset) and not name.startswith("samples/") else None)
            last_step = int(file.attrs["last_step"])
    except (OSError, KeyError) as failure:
        raise RunFolderError(f"{path}: cannot be read as nfold's ensemble: {failure}") from failure
    if "exchange/temperature" not in tables:
        raise RunFolderError(f"{path}: has no exchange/temperature; expected what 'nfold run' writes of an ensemble")
    return Ensemble(folder, names[0], read_settings(folder / f"{names[0]}.input.yaml"), last_step, tables)

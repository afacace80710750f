# Reader of an ensemble's output: resolved input and NAME.ensemble.h5.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

from .observables import BONDED, in_blocks
from .performance import Performance
from .phase_locking import read_phase_locking
from .resolved_input import lookup
from .run_folder import K_BOLTZMANN, PERFORMANCE_SUFFIX, RunFolderError, read_performance, read_settings

SUFFIX = ".ensemble.h5"
LEAST_OVERLAP = 0.03  # equal to src/analysis/sampling_limits.hpp


@dataclass
class Ensemble:
    folder: Path
    name: str
    settings: dict  # the resolved input
    last_step: int
    tables: dict  # "group/name" to its values, without the samples
    performance: Performance | None = None  # None for a running or killed run
    units: dict = field(default_factory=dict)  # "group/name" to its unit

    def has(self, path):
        return path in self.tables

    def radii(self, group):
        """{species: name of its radius of gyration in `group`}; the name is empty for one species."""
        start = f"{group}/radius_of_gyration"
        return {path[len(start):].removeprefix("_"): path[len(group) + 1:]
                for path in self.tables if path.startswith(start)}

    def table(self, path):
        if path not in self.tables:
            raise RunFolderError(f"{self.folder / self.name}{SUFFIX}: has no {path}; expected what this version of "
                                 "nfold writes")
        return self.tables[path]

    @property
    def umbrella_variable(self):
        """Variable of the umbrellas, as named in the input."""
        return lookup(self.settings, "ensemble.umbrella_variable", "distance")

    @property
    def varies(self):
        """Name of the quantity that varies along the ladder, as in tables."""
        if self.has("exchange/umbrella_centre"):
            return "umbrella_centre"
        for name in ("temperature", "contact_strength", "ionic_strength"):
            values = self.tables.get(f"exchange/{name}", [0])
            if values[0] != values[-1]:
                return name
        return "temperature"

    @property
    def of_temperature(self):
        return self.varies == "temperature"

    @property
    def ladder(self):
        """Temperatures [K], contact strengths, salt [mol/l] or umbrella centres [nm] of the states (states)."""
        return self.table(f"exchange/{self.varies}")

    @property
    def unit(self):
        """Unit of the place along the ladder, as written after a number."""
        return {"temperature": " K", "ionic_strength": " mol/l", "umbrella_centre": " nm"}.get(self.varies, "")

    def describe_place(self, place, digits=4):
        """Text of a place along the ladder."""
        text = f"{place:.{digits}g}"
        return {"temperature": f"{text} K", "contact_strength": f"contact strength {text}",
                "ionic_strength": f"{text} mol/l of salt", "umbrella_centre": f"umbrella at {text} nm"}[self.varies]

    @property
    def axis_label(self):
        """Axis label of the place along the ladder."""
        return {"temperature": "temperature of the model (K)", "contact_strength": "strength of native contacts",
                "ionic_strength": "ionic strength (mol/l)", "umbrella_centre": "centre of the umbrella (nm)"}[self.varies]

    @property
    def gaps(self):
        """Text with neighbouring states whose samples overlap too little for results across them."""
        overlaps = self.tables.get("convergence/overlap", [])
        return ", ".join(f"{self.describe_place(self.ladder[k])} and {self.describe_place(self.ladder[k + 1])} (overlap {overlap:.3f})"
                         for k, overlap in enumerate(overlaps) if overlap < LEAST_OVERLAP)

    @property
    def is_finished(self):
        """True after the last step, or after the error of the chain's size that ends the run."""
        if self.has("chain/radius_of_gyration"):
            mean, error, _ = self.table("chain/radius_of_gyration")
            if error <= float(lookup(self.settings, "ensemble.rg_error", 0)) * mean:
                return True
        return self.last_step >= int(lookup(self.settings, "dynamics.steps", 0))

    @property
    def folding(self):
        """(value, error) of the folding state along the ladder."""
        return self.table(f"thermodynamics/folding_{self.varies}")

    @property
    def folds_within_the_ladder(self):
        """True if the heat capacity has its maximum inside the ladder."""
        if not self.has("thermodynamics/folding_temperature"):
            return False
        if self.has("thermodynamics/maximum_place"):
            return int(self.table("thermodynamics/maximum_place")) == 0
        return self.ladder.min() < self.folding[0] < self.ladder.max()

    @property
    def transitions_are_too_few(self):
        """True if the maximum is inside, but replicas folded or unfolded too seldom for it."""
        return self.has("thermodynamics/maximum_place") and int(self.table("thermodynamics/maximum_place")) == 4

    @property
    def barrier_is_known(self):
        """True if Q between the basins was visited."""
        return bool(np.isfinite(self.table("free_energy/barrier")[0]))

    @property
    def folding_kt(self):
        return K_BOLTZMANN * self.table("thermodynamics/folding_temperature")[0]

    @property
    def residues(self):
        """Number of residues with counts by residue, else None."""
        if self.has("folding_order/phi"):
            return len(self.table("folding_order/phi"))
        return int(self.table("phase_locking/residue")[-1]) + 3 if self.has("phase_locking/residue") else None

    def nearest_state(self, place):
        return int(np.argmin(np.abs(self.ladder - place)))

    def phase_locking(self, place):
        """(place, matrix) of the state nearest to a place along the ladder; None without counts."""
        if not self.has("phase_locking/cosine"):
            return None
        ladder = self.ladder[self.table("phase_locking/state").astype(int)]
        which = int(np.argmin(np.abs(ladder - place)))
        found = read_phase_locking(self, which)
        return None if found is None else (ladder[which], found)

    def residue_energies(self, place):
        """(place, (residues, bins) counts, edges) of the state nearest to a place along the ladder; None without
        counts."""
        if not self.has("residue_energy/count"):
            return None
        ladder = self.ladder[self.table("residue_energy/state").astype(int)]
        which = int(np.argmin(np.abs(ladder - place)))
        count = self.table("residue_energy/count")[which]
        return (ladder[which], count, self.table("residue_energy/edges")) if count.any() else None

    def contact_map(self, place):
        """(place, (residues, residues) in blocks, extent) of the state nearest to a place along the ladder: contact
        frequencies, except of residues adjacent along the chain. None without counts."""
        if not self.has("contact_maps/count"):
            return None
        ladder = self.ladder[self.table("contact_maps/state").astype(int)]
        which = int(np.argmin(np.abs(ladder - place)))
        start, samples = self.table("contact_maps/row_start")[which], self.table("contact_maps/samples")[which]
        own = slice(start[0], start[-1])
        row, column = np.repeat(np.arange(len(start) - 1), np.diff(start)), self.table("contact_maps/column")[own]
        kept = column - row > BONDED
        if not samples or not kept.any():
            return None
        row, column, share = row[kept], column[kept], self.table("contact_maps/count")[own][kept] / samples
        both = np.concatenate([row, column]), np.concatenate([column, row]), np.concatenate([share, share])
        return (ladder[which], *in_blocks(*both, (len(start) - 1,) * 2))


def is_ensemble(folder):
    folder = Path(folder)
    return folder.is_dir() and any(folder.glob("*" + SUFFIX))


def has_begun(folder):
    """True if replicas have samples but no results yet."""
    return Path(folder).is_dir() and any(Path(folder).glob("*.samples"))


def read_ensemble(folder):
    """Read an Ensemble. Raises RunFolderError."""
    folder = Path(folder)
    names = sorted(path.name[:-len(SUFFIX)] for path in folder.glob("*" + SUFFIX))
    if len(names) != 1:
        raise RunFolderError(f"{folder}: holds {len(names)} ensembles; give a folder with one")
    path = folder / (names[0] + SUFFIX)
    tables, units = {}, {}

    def read(table, item):
        if isinstance(item, h5py.Dataset) and not table.startswith("samples/"):
            tables[table], units[table] = item[()], item.attrs.get("unit", "")

    try:
        with h5py.File(path, "r") as file:
            file.visititems(read)
            last_step = int(file.attrs["last_step"])
    except (OSError, KeyError) as failure:
        raise RunFolderError(f"{path}: cannot be read as nfold's ensemble: {failure}") from failure
    if "exchange/temperature" not in tables:
        raise RunFolderError(f"{path}: has no exchange/temperature; expected what 'nfold run' writes of an ensemble")
    return Ensemble(folder, names[0], read_settings(folder / f"{names[0]}.input.yaml"), last_step, tables,
                    read_performance(folder / (names[0] + PERFORMANCE_SUFFIX)), units)

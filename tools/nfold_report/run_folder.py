# Reader of one run's output: resolved input, energies, trajectory.
# SPDX-License-Identifier: BSD-3-Clause
"""All errors are RunFolderError with one line: the place, the value found, the remedy."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

from .energies_table import radius_columns, table_lines
from .performance import Performance
from .resolved_input import InputTextError, lookup, parse_input

K_BOLTZMANN = 0.00831446261815324  # kJ/mol/K

INPUT_SUFFIX = ".input.yaml"
ENERGIES_SUFFIX = ".energies.csv"
BALANCE_SUFFIX = ".balance.csv"
PERFORMANCE_SUFFIX = ".performance.json"
CONFIDENCE_SUFFIX = ".confidence.json"
PERFORMANCE_FORMAT = 1
FRAME_COLUMNS = {"temperature": "temperature_kelvin", "native_fraction": "native_fraction", "rmsd": "rmsd_nm",
                 "pressure": "pressure_bar"}
NEEDED_COLUMNS = ("step", "time_ps", "potential_kj_mol", "kinetic_kj_mol", "total_kj_mol",
                  "temperature_kelvin", "native_fraction", "rmsd_nm")


class RunFolderError(Exception):
    """The folder has no complete run; the message is for a user."""


@dataclass
class Trajectory:
    time_ps: np.ndarray  # (frames)
    positions_nm: np.ndarray  # (frames, residues, 3)
    native_nm: np.ndarray  # (residues, 3), or (0, 3)
    contacts: np.ndarray  # (contacts, 2), residue ids from 0
    chains: list  # name per residue
    numbers: np.ndarray = ()  # residue number in its chain
    names: list = ()  # residue name, such as MET
    box_nm: np.ndarray | None = None  # (frames, 3), or None without a box
    reports: dict = field(default_factory=dict)  # column of NAME.energies.csv to its values (frames)

    @property
    def contact_distances_nm(self):
        i, j = self.contacts.T
        return np.linalg.norm(self.native_nm[i] - self.native_nm[j], axis=1)


@dataclass
class Averages:
    """Averages of NAME.observables.h5; src/io/observables_file.hpp describes them."""

    frames: int
    first_step: int
    species: list  # names
    tables: dict  # "subject/name" to its values
    chains: list = ()  # number of chains per species

    def has(self, path):
        return path in self.tables

    def table(self, path):
        if path not in self.tables:
            raise RunFolderError(f"NAME.observables.h5 has no {path}; expected what this version of nfold writes")
        return self.tables[path]


@dataclass
class Confidence:
    """Confidence of a predicted structure, from NAME.confidence.json."""

    name: str  # name of the species
    chains: list  # names
    chain_sizes: np.ndarray  # residues of each chain
    domains: np.ndarray  # (residues) from 1; 0: none
    plddt: np.ndarray  # (residues), 0 to 100
    pae_angstrom: np.ndarray  # (blocks, blocks) mean of blocks of residues, or empty


@dataclass
class Run:
    folder: Path
    name: str
    settings: dict  # the resolved input
    energies: dict  # column name to (rows); empty without reports
    trajectory: Trajectory | None
    averages: Averages | None = None
    balance: dict | None = None  # column of NAME.balance.csv to (rows); None without the table
    performance: Performance | None = None  # None for a running or killed run
    confidence: list = field(default_factory=list)  # Confidence of each species with a predicted structure

    def has(self, column):
        """True if the energies have this column."""
        return column in self.energies and bool(np.isfinite(self.energies[column]).all())

    @property
    def has_native_state(self):
        """True if there are native contacts."""
        return self.has("native_fraction")

    @property
    def last_step(self):
        if self.energies:
            return int(self.energies["step"][-1])
        step_text = read_status(self.folder, self.name).get("step", "")
        return int(step_text) if step_text.isdigit() else 0

    @property
    def length_ps(self):
        return self.last_step * float(lookup(self.settings, "dynamics.time_step_ps", 0))

    @property
    def radii(self):
        """{species: column of its radius of gyration}; the name is empty for one species."""
        return radius_columns(self.energies)

    @property
    def temperature_kelvin(self):
        return float(lookup(self.settings, "dynamics.temperature_kelvin"))

    @property
    def kt_kj_mol(self):
        return K_BOLTZMANN * self.temperature_kelvin

    @property
    def time_unit(self):
        """Unit of time(): 'ps' for a run below 0.1 ns, else 'ns'."""
        return "ns" if self.length_ps >= 100 else "ps"

    def time(self, time_ps=None):
        """Times in time_unit: the given ones, or those of the reports."""
        values = self.energies["time_ps"] if time_ps is None else time_ps
        return values / 1000 if self.time_unit == "ns" else values

    @property
    def keeps_temperature(self):
        return lookup(self.settings, "dynamics.integrator") == "langevin-baoab"


def run_name(folder):
    """Stem of the run's files."""
    if not folder.exists():
        raise RunFolderError(f"{folder}: there is no such folder; give the one that 'nfold run' wrote")
    if not folder.is_dir():
        raise RunFolderError(f"{folder}: is a file; give the folder that 'nfold run' wrote")
    names = sorted({path.name.removesuffix(ending) for ending in (INPUT_SUFFIX, ENERGIES_SUFFIX)
                    for path in folder.glob("*" + ending)})
    if not names:
        raise RunFolderError(f"{folder}: is no output folder of nfold, for it has no NAME{INPUT_SUFFIX}; give the one that "
                             "'nfold run' wrote")
    if len(names) > 1:
        raise RunFolderError(f"{folder}: holds several runs ({', '.join(names)}); give a folder with one")
    return names[0]


def read_settings(path):
    try:
        return parse_input(path.read_text())
    except OSError as failure:
        raise RunFolderError(f"{path}: cannot be read ({failure.strerror}); "
                             "the folder is not whole") from failure
    except (UnicodeDecodeError, InputTextError) as failure:
        raise RunFolderError(f"{path}: {failure}; expected the input as nfold writes it") from failure


def read_energies(path):
    """Columns as arrays, empty for fewer than two rows. An incomplete last row is left out."""
    if not path.exists():
        return {}
    try:
        with open(path, newline="", encoding="ascii") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as failure:
        raise RunFolderError(f"{path}: cannot be read as a table: {failure}") from failure
    rows = list(csv.reader(table_lines(text)))
    header = rows[0] if rows else []
    if not header:
        return {}
    missing = [name for name in NEEDED_COLUMNS if name not in header]
    if missing:
        raise RunFolderError(f"{path}:1: has no column {', '.join(missing)}; expected nfold's energies")
    for row in rows[1:]:
        if len(row) != len(header):
            raise RunFolderError(f"{path}: {len(row)} values in the row of step {row[0]}; expected {len(header)}")
    try:
        values = np.array(rows[1:], dtype=float)
    except ValueError as failure:
        raise RunFolderError(f"{path}: {failure}; expected numbers") from failure
    return dict(zip(header, values.T)) if len(values) > 1 else {}


def read_balance(path):
    """Columns as arrays, one row per rank and comparison; None without a complete row."""
    if not path.exists():
        return None
    try:
        text = path.read_text(encoding="ascii")
        header, *rows = csv.reader(text[:text.rfind("\n") + 1].splitlines())
        values = np.array(rows, dtype=float).reshape(-1, len(header))
    except (OSError, UnicodeDecodeError, ValueError) as failure:
        raise RunFolderError(f"{path}: cannot be read as nfold's table of the ranks' balance: {failure}") from failure
    return dict(zip(header, values.T)) if len(values) > 0 else None


def read_performance(path):
    """Performance of a run; None if there is no such file."""
    if not path.exists():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        found = values["format"]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise RunFolderError(f"{path}: cannot be read as what nfold tells of a run's time: {failure}") from failure
    if found != PERFORMANCE_FORMAT:
        raise RunFolderError(f"{path}: has format {found}; expected {PERFORMANCE_FORMAT}, as this version of nfold writes it")
    return Performance(values)


def read_confidence(path):
    """Confidence of each predicted structure; empty if there is none."""
    if not path.exists():
        return []
    try:
        species = json.loads(path.read_text(encoding="utf-8"))["species"]
        found = [Confidence(one["name"], one["chains"], np.array(one["chain_sizes"], int), np.array(one["domains"], int),
                            np.array(one["plddt"], float), np.array(one["pae_angstrom"], float)) for one in species]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise RunFolderError(f"{path}: cannot be read as nfold's record of confidence: {failure}") from failure
    for one in found:
        if len(one.domains) != len(one.plddt) or one.chain_sizes.sum() != len(one.plddt):
            raise RunFolderError(f"{path}: {len(one.plddt)} pLDDT, {len(one.domains)} domains and {one.chain_sizes.sum()} "
                                 "residues; expected as many of each")
    return found


def energies_at(folder, step, terms):
    """{term: kJ/mol} of the last row at `step`, or None without such a row."""
    found = None
    with open(folder / (run_name(folder) + ENERGIES_SUFFIX), newline="", encoding="ascii") as file:
        for row in csv.DictReader(table_lines(file.read())):
            if int(row["step"]) == step:
                found = {term: float(row[f"{term}_kj_mol"]) for term in terms}
    return found


def read_box(file):
    edges = file.get("particles/trajectory/box/edges/value")
    return None if edges is None else np.diagonal(edges[()], axis1=1, axis2=2)


def read_reports(file):
    """Reported values of each frame, by the column names of the energy table."""
    columns = {}
    for name, group in file.get("observables", {}).items():
        if name.endswith("_energy"):
            column = name.removesuffix("_energy") + "_kj_mol"
        else:
            column = FRAME_COLUMNS.get(name, f"{name}_nm")
        columns[column] = group["value"][()].astype(float)
    frames = file["particles/trajectory/position"]
    return {"step": frames["step"][()].astype(float), "time_ps": frames["time"][()], **columns} if columns else {}


def read_trajectory(path):
    """Trajectory of a run; None if it wrote no frames."""
    if not path.exists():
        return None
    try:
        with h5py.File(path, "r") as file:
            frames = file["particles/trajectory/position"]
            native = file["parameters"].get("native", {})
            trajectory = Trajectory(
                time_ps=frames["time"][()],
                positions_nm=frames["value"][()].astype(float),
                native_nm=native["position"][()] if native else np.empty((0, 3)),
                contacts=(native["contacts"][()] if native else np.empty(0, int)).reshape(-1, 2),
                chains=[name.decode() for name in file["parameters/residues/chain"][()]],
                numbers=file["parameters/residues/number"][()],
                names=[name.decode() for name in file["parameters/residues/name"][()]],
                box_nm=read_box(file),
                reports=read_reports(file),
            )
    except (OSError, KeyError) as failure:
        raise RunFolderError(f"{path}: cannot be read as nfold's trajectory: {failure}") from failure
    return trajectory if len(trajectory.time_ps) > 0 else None


def read_averages(path):
    """Averages of a run; None if it has none, or no frame for them yet."""
    if not path.exists():
        return None
    try:
        with h5py.File(path, "r") as file:
            tables = {}
            file.visititems(lambda name, item: tables.update({name: item[()]})
                            if isinstance(item, h5py.Dataset) else None)
            averages = Averages(int(file.attrs["frames"]), int(file.attrs["first_step"]),
                                [name.decode() for name in file["species/name"][()]], tables,
                                list(file["species/chains"][()]))
    except (OSError, KeyError) as failure:
        raise RunFolderError(f"{path}: cannot be read as nfold's averages: {failure}") from failure
    return averages if averages.frames > 0 else None


def read_status(folder, name):
    """{key: text} of NAME.status; empty if there is no such file."""
    try:
        text = (folder / f"{name}.status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


def read_run(folder):
    """Read a Run. Raises RunFolderError."""
    folder = Path(folder)
    name = run_name(folder)
    trajectory = read_trajectory(folder / f"{name}.h5md")
    energies = read_energies(folder / (name + ENERGIES_SUFFIX))
    if not energies and trajectory is not None and len(trajectory.time_ps) > 1:
        energies = trajectory.reports
    return Run(folder, name, read_settings(folder / (name + INPUT_SUFFIX)), energies, trajectory,
               read_averages(folder / f"{name}.observables.h5"),
               read_balance(folder / (name + BALANCE_SUFFIX)), read_performance(folder / (name + PERFORMANCE_SUFFIX)),
               read_confidence(folder / (name + CONFIDENCE_SUFFIX)))

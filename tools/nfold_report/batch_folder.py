# Reader of a batch's output: list, results, reasons, and tables of each target.
# SPDX-License-Identifier: BSD-3-Clause

import csv
import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
import yaml

from .energies_table import table_lines
from .run_folder import PERFORMANCE_SUFFIX, RunFolderError, read_performance

ENDINGS = (".gz", ".pdb", ".ent", ".cif", ".mmcif", ".yaml", ".yml")  # equal to src/input/batch_file.cpp
MOST_ROWS = 1500  # limit of a series; a small picture shows no more


@dataclass
class Target:
    name: str
    row: dict = field(default_factory=dict)  # row of results.csv; empty before the target is done
    reason: str = ""  # reason of a failure
    attempts: int = 0  # number of attempts of a failed target
    last_event: str = ""  # latest event in running.csv

    @property
    def is_done(self):
        return bool(self.row)

    def text(self, column):
        return self.row.get(column) or ""

    def number(self, column):
        """Number of a column, nan if it is empty."""
        try:
            return float(self.text(column))
        except ValueError:
            return math.nan


@dataclass
class Batch:
    folder: Path
    name: str
    targets: list  # in the order of the list
    performances: list = field(default_factory=list)  # Performance of the last start, or one per part of the list

    @property
    def done(self):
        return [target for target in self.targets if target.is_done]

    @property
    def failed(self):
        return [target for target in self.targets if target.reason and not target.is_done]

    @property
    def missing(self):
        return [target for target in self.targets if not target.is_done and not target.reason]


@dataclass
class TargetTime:
    """Seconds: predicted, ends of the 90 % interval, measured."""

    name: str
    predicted: float
    low: float
    high: float
    measured: float
    by: str

    @property
    def is_within(self):
        return self.low <= self.measured <= self.high


@dataclass
class FoldingTables:
    """Tables of NAME.h5; absent ones are None. Temperatures in K, energies in
    kJ/mol, times in ps."""

    free_energy: tuple | None  # (native fraction, F at the folding temperature), each (bins)
    melting: tuple | None  # (temperature, native fraction, heat capacity), each (grid)
    survival: tuple | None  # (time, fraction still unfolded, its error), each (samples)
    mean_time_ps: float = math.nan


def is_batch(folder):
    return (Path(folder) / "batch.yaml").is_file()


def target_stem(path):
    name = Path(path).name
    for ending in ENDINGS:
        if len(name) > len(ending) and name.endswith(ending):
            name = name[:-len(ending)]
    return name


def names_in(path):
    """Names of all targets of a list, equal to nfold's folder names."""
    try:
        root = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)  # BaseLoader keeps the name 1e5 a text
        entries = root["targets"]
        return [str(entry.get("name") or target_stem(entry.get("structure") or entry.get("input_file") or ""))
                for entry in entries]
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError, AttributeError) as failure:
        message = str(failure).splitlines()[0]
        raise RunFolderError(f"{path}: cannot be read as a list of targets: {message}") from failure


def read_rows(path):
    """Rows of a CSV file as dicts, empty if there is no file. An incomplete last row is left out."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    rows = csv.DictReader(text[:text.rfind("\n") + 1].splitlines())
    return [row for row in rows if None not in row and None not in row.values()]


def last_events(path):
    """{target: latest event} of running.csv."""
    events = {}
    for row in read_rows(path):
        states = {"start": "begun", "stop": "stopped, to go on", "crash": "its process died"}
        event = states.get(row.get("event"), "")
        stage = row.get("stage")
        where = f' on a {row["space"].upper()}' if event and row.get("space") else ""
        events[row.get("target")] = (f"{event} ({stage})" if event and stage else event) + where
    return events


def find_tables(folder, stem):
    """Table files of the parts (FOLDER/results.part-2-of-4.csv), then of the whole batch."""
    return sorted(folder.glob(f"{stem}.part-*-of-*.csv")) + [folder / f"{stem}.csv"]


def rows_by_target(folder, stem):
    """{target: row} of these tables; the last table wins."""
    return {row["target"]: row for path in find_tables(folder, stem) for row in read_rows(path) if row.get("target")}


def read_batch(folder):
    """Read a Batch, finished or not, as a whole or in parts. Raises RunFolderError."""
    folder = Path(folder).resolve()
    results, failures = rows_by_target(folder, "results"), rows_by_target(folder, "failed")
    events = {}
    for path in find_tables(folder, "running"):
        events.update(last_events(path))
    targets = []
    for name in names_in(folder / "batch.yaml"):
        failure, result = failures.get(name, {}), results.get(name, {})
        if result.get("protocol") == "chain" and "radius_of_gyration_nm" not in result:  # a list of several protocols
            result = (read_rows(folder / name / f"{name}.result.csv") or [result])[0]
        attempts = failure.get("attempts", "")
        targets.append(Target(name, result, failure.get("reason", ""),
                              int(attempts) if attempts.isdigit() else 0, events.get(name, "")))
    performances = [read_performance(path) for path in sorted(folder.glob(f"batch*{PERFORMANCE_SUFFIX}"))]
    return Batch(folder, folder.name.removesuffix(".out"), targets, performances)


def read_times(batch):
    """[TargetTime] of targets made in one go on a rank of their own; unreadable ones are left out."""
    times = []
    for target in batch.done:
        try:
            prediction = json.loads((batch.folder / target.name / f"{target.name}.prediction.json").read_text(encoding="utf-8"))
            numbers = [prediction[key] for key in ("predicted_seconds", "low_seconds", "high_seconds", "measured_seconds")]
            if all(isinstance(number, (int, float)) and math.isfinite(number) and number > 0 for number in numbers):
                times.append(TargetTime(target.name, *numbers, str(prediction["by"])))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return times


def tables_at(file, stages, group, names):
    """Tables of the first stage that has them all, else None."""
    for stage in stages:
        paths = [f"{stage}/{group}/{name}" for name in names]
        if all(path in file for path in paths):
            return tuple(file[path][()] for path in paths)
    return None


def read_folding(batch, target):
    """FoldingTables of a target, None if it left none. Raises RunFolderError."""
    path = batch.folder / target.name / f"{target.name}.h5"
    if not path.exists():
        return None
    try:
        with h5py.File(path, "r") as file:
            ladder, kinetics = ("ladder", "run"), ("kinetics", "run")
            free_energy = tables_at(file, ladder, "free_energy", ("native_fraction", "at_folding_temperature"))
            melting = tables_at(file, ladder, "thermodynamics", ("temperature", "native_fraction", "heat_capacity"))
            survival = tables_at(file, kinetics, "kinetics",
                                 ("time", "folding_survival", "folding_survival_error", "folding_mean_time"))
    except (OSError, KeyError) as failure:
        raise RunFolderError(f"{path}: cannot be read as a target's tables: {failure}") from failure
    if survival is None:
        return FoldingTables(free_energy, melting, None)
    time, share, error, mean = survival
    coldest = 0  # index of the coldest temperature
    return FoldingTables(free_energy, melting, (time, share[coldest], error[coldest]), float(mean[coldest, 0]))


def read_chain_distances(batch, target):
    """(residues - 1) root mean square distances [nm] by separation along the chain; None if there are none. Raises
    RunFolderError."""
    path = batch.folder / target.name / f"{target.name}.h5"
    if not path.exists():
        return None
    try:
        with h5py.File(path, "r") as file:
            found = tables_at(file, ("chain",), "chain", ("distance",))
    except (OSError, KeyError) as failure:
        raise RunFolderError(f"{path}: cannot be read as a target's tables: {failure}") from failure
    return found[0] if found else None


def series_path(batch, target):
    """Path of the energies of a single-run target, from its last attempt."""
    folder = batch.folder / target.name
    attempts = target.number("attempts")
    if attempts > 1:
        folder = folder / f"attempt-{attempts:.0f}"
    return folder / "run" / "run.energies.csv"


def read_series(path):
    """Columns (rows) of energies, thinned for a small picture; None for fewer than two rows.
    Raises RunFolderError."""
    if not path.exists():
        return None
    try:
        text = path.read_text(encoding="ascii")
        header, *lines = table_lines(text)
        lines = lines[::max(1, len(lines) // MOST_ROWS)]
        values = np.array([line.split(",") for line in lines], dtype=float)
    except (OSError, UnicodeDecodeError, ValueError) as failure:
        raise RunFolderError(f"{path}: cannot be read as energies: {failure}") from failure
    return dict(zip(header.split(","), values.T)) if len(values) > 1 else None

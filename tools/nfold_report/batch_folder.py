# Reads what nfold batch wrote: its list, results, reasons, and the tables of each target.
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

ENDINGS = (".gz", ".pdb", ".ent", ".cif", ".mmcif", ".yaml", ".yml")  # as src/input_files/batch_file.cpp
MOST_ROWS = 1500  # of a series; a small picture shows no more


@dataclass
class Target:
    name: str
    row: dict = field(default_factory=dict)  # of results.csv; empty before
    reason: str = ""  # why it failed
    attempts: int = 0  # of a failure
    last_event: str = ""  # where it stands, of running.csv

    @property
    def is_done(self):
        return bool(self.row)

    def text(self, column):
        return self.row.get(column) or ""

    def number(self, column):
        """Not a number where the column is empty."""
        try:
            return float(self.text(column))
        except ValueError:
            return math.nan


@dataclass
class Batch:
    folder: Path
    name: str
    targets: list  # in the order of the list
    performances: list = field(default_factory=list)  # Performance of the last start, or of each part's

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
    """Seconds: predicted, the ends of its interval of 90 %, and what was measured."""

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
    """Of NAME.h5, as far as they are there; absent ones are None. Temperatures in K, energies in
    kJ/mol, times in ps."""

    free_energy: tuple | None  # (native fraction, F at the folding temperature), each (bins)
    melting: tuple | None  # (temperature, native fraction, heat capacity), each (grid)
    survival: tuple | None  # (time, share still unfolded, its error), each (samples)
    mean_time_ps: float = math.nan


def is_batch(folder):
    return (Path(folder) / "batch.yaml").is_file()


def stem_of(path):
    name = Path(path).name
    for ending in ENDINGS:
        if len(name) > len(ending) and name.endswith(ending):
            name = name[:-len(ending)]
    return name


def names_in(path):
    """Of all targets of a list, as nfold names their folders."""
    try:
        root = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)  # a name is a text: 1e5 is none
        entries = root["targets"]
        return [str(entry.get("name") or stem_of(entry.get("structure") or entry.get("input_file") or ""))
                for entry in entries]
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError, AttributeError) as failure:
        told = str(failure).splitlines()[0]
        raise RunFolderError(f"{path}: cannot be read as a list of targets: {told}") from failure


def rows_of(path):
    """Dicts of a CSV file; none if it is not there. A last row that is being written is left out."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    rows = csv.DictReader(text[:text.rfind("\n") + 1].splitlines())
    return [row for row in rows if None not in row and None not in row.values()]


def last_events(path):
    """{target: where it stands}, of running.csv."""
    events = {}
    for row in rows_of(path):
        told = {"start": "begun", "stop": "stopped, to go on", "crash": "its process died"}
        event = told.get(row.get("event"), "")
        stage = row.get("stage")
        where = f' on a {row["space"].upper()}' if event and row.get("space") else ""
        events[row.get("target")] = (f"{event} ({stage})" if event and stage else event) + where
    return events


def tables_of(folder, stem):
    """Files of the batch as a whole and of its parts, which write FOLDER/results.part-2-of-4.csv; the whole comes last."""
    return sorted(folder.glob(f"{stem}.part-*-of-*.csv")) + [folder / f"{stem}.csv"]


def rows_by_target(folder, stem):
    """{target: row} of such tables; the last one tells."""
    return {row["target"]: row for path in tables_of(folder, stem) for row in rows_of(path) if row.get("target")}


def read_batch(folder):
    """A Batch, finished or not, as a whole or in parts. RunFolderError."""
    folder = Path(folder).resolve()
    results, failures = rows_by_target(folder, "results"), rows_by_target(folder, "failed")
    events = {}
    for path in tables_of(folder, "running"):
        events.update(last_events(path))
    targets = []
    for name in names_in(folder / "batch.yaml"):
        failure = failures.get(name, {})
        attempts = failure.get("attempts", "")
        targets.append(Target(name, results.get(name, {}), failure.get("reason", ""),
                              int(attempts) if attempts.isdigit() else 0, events.get(name, "")))
    performances = [read_performance(path) for path in sorted(folder.glob(f"batch*{PERFORMANCE_SUFFIX}"))]
    return Batch(folder, folder.name.removesuffix(".out"), targets, performances)


def read_times(batch):
    """[TargetTime] of targets that were made in one go and had their rank for themselves; what cannot be read is left out."""
    times = []
    for target in batch.done:
        try:
            told = json.loads((batch.folder / target.name / f"{target.name}.prediction.json").read_text(encoding="utf-8"))
            numbers = [told[key] for key in ("predicted_seconds", "low_seconds", "high_seconds", "measured_seconds")]
            if all(isinstance(number, (int, float)) and math.isfinite(number) and number > 0 for number in numbers):
                times.append(TargetTime(target.name, *numbers, str(told["by"])))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return times


def tables_at(file, stages, group, names):
    """Those tables of the first stage that has them all, else None."""
    for stage in stages:
        paths = [f"{stage}/{group}/{name}" for name in names]
        if all(path in file for path in paths):
            return tuple(file[path][()] for path in paths)
    return None


def read_folding(batch, target):
    """FoldingTables; None if the target left none. RunFolderError."""
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
    coldest = 0  # of several temperatures
    return FoldingTables(free_energy, melting, (time, share[coldest], error[coldest]), float(mean[coldest, 0]))


def series_path(batch, target):
    """Energies of a target that was one run, of its last attempt."""
    folder = batch.folder / target.name
    attempts = target.number("attempts")
    if attempts > 1:
        folder = folder / f"attempt-{attempts:.0f}"
    return folder / "run" / "run.energies.csv"


def read_series(path):
    """Columns (rows) of energies, thinned to what a small picture shows; None without two rows.
    RunFolderError."""
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

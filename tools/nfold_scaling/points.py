# Points of a study: all repeats of one rank count, relative to the fewest ranks.
# SPDX-License-Identifier: BSD-3-Clause

import math
import statistics
from dataclasses import dataclass, field

from .cases import BENCH, RUN
from .intervals import Estimate, amdahl_fraction, ratio, serial_fraction, typical, typical_rate
from .rows import FAILED, LEFT_OUT, MEASURED, PHASE_COLUMNS


@dataclass
class Point:
    system: str
    ranks: int
    residues: int | None
    speeds: list  # steps per second of each repeat
    reasons: list  # reasons of failed repeats
    speed: Estimate | None = None
    speed_up: Estimate | None = None  # residue-steps relative to those of the fewest ranks
    efficiency: Estimate | None = None
    serial: Estimate | None = None
    model: float | None = None  # steps per second
    quantities: dict = field(default_factory=dict)  # Estimate by column of other modes
    bottleneck: str = ""  # text of a profile's bottleneck

    @property
    def phases(self):
        """{phase: microseconds per step} of a profile."""
        return {phase: self.quantities[column].value for phase, column in PHASE_COLUMNS.items() if column in self.quantities}


@dataclass
class Series:
    scaling: str
    name: str
    precision: str
    points: list  # by ranks, with failed ones
    amdahl: float | None = None

    @property
    def measured(self):
        return [point for point in self.points if point.speed]

    @property
    def title(self):
        return f"{self.name}, {self.precision}"


RUN_COLUMNS = ("step_us", "wait_us", "balance", "predicted_balance", "maps_taken", "most_residues", "planned_bytes",
               "peak_bytes", "start_seconds", *PHASE_COLUMNS.values())
BENCH_COLUMNS = ("exchange_us", "skin_nm", "memory_bytes")
SHARES = {"balance", "predicted_balance"}  # quantities of at most 1


def add_scaling(series):
    """Add speed-ups in residue-steps, which equal those in steps if all points have one size."""
    measured = series.measured
    if not measured:
        return
    base = measured[0]
    work = [value * (base.residues or 1) for value in base.speeds]
    for point in measured:
        more = point.ranks / base.ranks
        if point is base:
            point.speed_up = point.efficiency = Estimate(1.0)
            continue
        point.speed_up = ratio([value * (point.residues or 1) for value in point.speeds], work)
        point.efficiency = point.speed_up.times(1 / more)
        if series.scaling == "strong":
            point.serial = serial_fraction(point.speed_up, more)
    if series.scaling == "strong":
        series.amdahl = amdahl_fraction([(point.ranks / base.ranks, point.speed_up.value) for point in measured])


def estimates(rows, columns):
    found = {}
    for name in columns:
        values = [row[name] for row in rows if row[name] is not None]
        if values:
            found[name] = typical(values, most=1.0 if name in SHARES else math.inf)
    return found


def make_point(rows, kind):
    """Point of the rows of one system on one rank count."""
    good = [row for row in rows if row["status"] == MEASURED]
    sizes = [row["residues"] for row in good or rows if row["residues"] is not None]
    point = Point(rows[0]["system"], rows[0]["ranks"], int(statistics.median(sizes)) if sizes else None,
                  [row["steps_per_second"] for row in good if row["steps_per_second"]] if kind == BENCH else [],
                  [row["reason"] for row in rows if row["status"] in (FAILED, LEFT_OUT)])
    if point.speeds:
        point.speed = typical_rate(point.speeds)
    point.quantities = estimates(good, BENCH_COLUMNS if kind == BENCH else RUN_COLUMNS)
    point.bottleneck = next((row["bottleneck"] for row in good if row["bottleneck"]), "")
    return point


def predicted_by_bench(rows):
    """Prediction of nfold bench --machine, for any rank count and every system of the suite; None without it."""
    predictions = [row["predicted_steps_per_second"] for row in rows if row["predicted_steps_per_second"]]
    return statistics.median(predictions) if predictions else None


def make_series(rows, kind, model=None):
    """All Series of the kind, in the requested order; model(system, precision, ranks) predicts."""
    groups = {}
    for row in rows:
        if row["kind"] == kind:
            key = row["scaling"], row["series"], row["precision"]
            groups.setdefault(key, {}).setdefault(row["ranks"], []).append(row)
    found = []
    for (scaling, name, precision), by_ranks in sorted(groups.items()):
        series = Series(scaling, name, precision, [make_point(by_ranks[ranks], kind) for ranks in sorted(by_ranks)])
        add_scaling(series)
        for point in series.points if kind == BENCH else ():
            point.model = predicted_by_bench(by_ranks[point.ranks]) or (
                model(point.system, precision, point.ranks) if model else None)
        found.append(series)
    return found


def all_series(rows, model=None):
    """{kind: [Series]}"""
    return {kind: make_series(rows, kind, model) for kind in (BENCH, RUN)}

# What a short run says of itself: NAME.balance.csv balance and waiting, NAME.log memory, NAME.performance.json phases.
# SPDX-License-Identifier: BSD-3-Clause

import csv
import json
import re

from .program import StudyError
from .rows import PHASE_COLUMNS

PERFORMANCE_FORMAT = 1  # as src/job/performance_file.cpp
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
AMOUNT = r"([\d.,eE+]+) (B|KiB|MiB|GiB|TiB)"
PEAK = re.compile(rf"memory: planned {AMOUNT}, peak {AMOUNT} \(ratio")
TOTAL = re.compile(rf"^\s*total\s+{AMOUNT}(?: to {AMOUNT})?\s", re.M)
RANKS = re.compile(r", (\d+) ranks?, ")
RESIDUES = re.compile(r", ([\d,]+) residues, ")


def in_bytes(amount, unit):
    return round(float(amount.replace(",", "")) * UNITS[unit])


def planned_by_check(text):
    """Bytes of the fullest rank's arrays, of the table of nfold check --memory; None if there is no such line."""
    found = TOTAL.search(text)
    if not found:
        return None
    least, most = found.group(1, 2), found.group(3, 4)
    return in_bytes(*(most if most[0] else least))


def of_log(text):
    """ranks, residues, planned_bytes and peak_bytes, as far as the log has them."""
    found = {}
    for name, pattern in (("ranks", RANKS), ("residues", RESIDUES)):
        match = pattern.search(text)
        if match:
            found[name] = int(match.group(1).replace(",", ""))
    match = PEAK.search(text)
    if match:
        found["planned_bytes"] = in_bytes(*match.group(1, 2))
        found["peak_bytes"] = in_bytes(*match.group(3, 4))
    return found


def of_performance(path):
    """What a rank spends in a step on each phase, on average, and what limits the run; StudyError for another version's."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["format"] != PERFORMANCE_FORMAT:
            raise ValueError(f"format {told['format']}")
        steps, phases = told["last_step"] - told["first_step"], told["mean_phase_seconds"]
        limit = told["bottleneck"]
        found = {"start_seconds": phases.get("start", 0.0), "bottleneck": f"{limit['words']}; {limit['advice']}"}
    except (ValueError, TypeError, LookupError) as failure:
        raise StudyError(f"{path}: no performance of this version ({failure})") from failure
    if steps > 0:
        found.update({column: 1e6 * phases[phase] / steps for phase, column in PHASE_COLUMNS.items() if phase in phases})
    return found


def settled(assessments):
    """Those behind the last move of residues; the last one alone if nothing follows a move."""
    moved = [place for place, rows in enumerate(assessments) if float(rows[0]["has_moved"])]
    return assessments[moved[-1] + 1:] or assessments[-1:] if moved else assessments


def of_balance(path):
    """Means over the settled assessments; empty without one. Waiting is what of a step no rank was busy, on average."""
    with open(path, newline="", encoding="utf-8") as file:
        by_step = {}
        for row in csv.DictReader(file):
            by_step.setdefault(row["step"], []).append(row)
    assessments = list(by_step.values())
    if not assessments:
        return {}
    kept = settled(assessments)

    def mean(of):
        return sum(map(of, kept)) / len(kept)

    step_us = 1e3 * mean(lambda rows: float(rows[0]["step_milliseconds"]))
    busy_us = 1e3 * mean(lambda rows: sum(float(row["busy_milliseconds"]) for row in rows) / len(rows))
    return {"balance": mean(lambda rows: float(rows[0]["balance"])), "step_us": step_us,
            "wait_us": max(0.0, step_us - busy_us),
            "maps_taken": sum(1 for rows in assessments if float(rows[0]["has_moved"])),
            "most_residues": max(int(float(row["residues"])) for row in assessments[-1])}

# Results of a short run: balance and waiting (NAME.balance.csv), memory (NAME.log), phases (NAME.performance.json).
# SPDX-License-Identifier: BSD-3-Clause

import csv
import json
import re

from .program import StudyError
from .rows import PHASE_COLUMNS

PERFORMANCE_FORMAT = 1  # equal to src/session/job/performance_file.cpp
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
AMOUNT = r"([\d.,eE+]+) (B|KiB|MiB|GiB|TiB)"
PEAK = re.compile(rf"memory: planned {AMOUNT}, peak {AMOUNT} \(ratio")
TOTAL = re.compile(rf"^\s*total\s+{AMOUNT}(?: to {AMOUNT})?\s", re.M)
RANKS = re.compile(r", (\d+) ranks?, ")
RESIDUES = re.compile(r", ([\d,]+) residues, ")


def to_bytes(amount, unit):
    return round(float(amount.replace(",", "")) * UNITS[unit])


def planned_by_check(text):
    """Bytes of the fullest rank's arrays in the table of nfold check --memory; None without such a line."""
    found = TOTAL.search(text)
    if not found:
        return None
    least, most = found.group(1, 2), found.group(3, 4)
    return to_bytes(*(most if most[0] else least))


def of_log(text):
    """ranks, residues, planned_bytes and peak_bytes, if the log has them."""
    found = {}
    for name, pattern in (("ranks", RANKS), ("residues", RESIDUES)):
        match = pattern.search(text)
        if match:
            found[name] = int(match.group(1).replace(",", ""))
    match = PEAK.search(text)
    if match:
        found["planned_bytes"] = to_bytes(*match.group(1, 2))
        found["peak_bytes"] = to_bytes(*match.group(3, 4))
    return found


def of_performance(path):
    """Mean time of a rank per step and phase, and the bottleneck. Raises StudyError for another version's file."""
    try:
        performance = json.loads(path.read_text(encoding="utf-8"))
        if performance["format"] != PERFORMANCE_FORMAT:
            raise ValueError(f"format {performance['format']}")
        steps, phases = performance["last_step"] - performance["first_step"], performance["mean_phase_seconds"]
        limit = performance["bottleneck"]
        found = {"start_seconds": phases.get("start", 0.0), "bottleneck": f"{limit['words']}; {limit['advice']}"}
    except (ValueError, TypeError, LookupError) as failure:
        raise StudyError(f"{path}: no performance of this version ({failure})") from failure
    if steps > 0:
        found.update({column: 1e6 * phases[phase] / steps for phase, column in PHASE_COLUMNS.items() if phase in phases})
    return found


def settled(assessments):
    """Comparisons behind the last migration of residues; the last one alone if none follows a migration."""
    moved = [place for place, rows in enumerate(assessments) if float(rows[0]["has_moved"])]
    return assessments[moved[-1] + 1:] or assessments[-1:] if moved else assessments


def of_balance(path):
    """Means over the settled comparisons; empty without one. Waiting is the mean part of a step in which a rank is idle."""
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

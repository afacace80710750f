# Table runs.csv with one row per start of nfold, rewritten during a study.
# SPDX-License-Identifier: BSD-3-Clause

import csv
import os

from .program import StudyError

MEASURED, FAILED, LEFT_OUT = "measured", "failed", "left out"
# phases of nfold run --profile, in the order of its table
PHASES = ("steps", "pair", "bonded", "integrate", "pack", "exchange", "lists", "plan", "device", "wait", "migrate", "checkpoint",
          "analysis", "output", "frames", "results", "other")
PHASE_COLUMNS = {phase: f"phase_{phase}_us" for phase in PHASES}  # time per step, mean over ranks
TEXT = ("key", "kind", "scaling", "series", "system", "precision", "status", "reason", "started", "host", "device",
        "transport", "bottleneck", "log")
NUMBERS = ("ranks", "residues", "repeat", "order", "busy_cores_before", "wall_seconds", "steps_per_second",
           "slowest_steps_per_second", "fastest_steps_per_second", "predicted_steps_per_second", "skin_nm", "memory_bytes", "forces_us", "lists_us",
           "integrate_us", "exchange_us", "step_us", "wait_us", "balance", "predicted_balance", "maps_taken",
           "most_residues", "planned_bytes", "peak_bytes", "start_seconds", *PHASE_COLUMNS.values())
WHOLE = {"ranks", "residues", "repeat", "order", "maps_taken", "most_residues", "planned_bytes", "peak_bytes",
         "memory_bytes"}
COLUMNS = ("key", "kind", "scaling", "series", "system", "residues", "ranks", "precision", "repeat", "order", "status",
           "reason", "started", "host", "device", "busy_cores_before", "wall_seconds",
           *(name for name in NUMBERS if name not in ("residues", "ranks", "repeat", "order", "busy_cores_before",
                                                      "wall_seconds")), "transport", "bottleneck", "log")


def write_atomically(path, text):
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def write_rows(path, rows):
    part = path.with_name(path.name + ".part")
    with open(part, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    os.replace(part, path)


def number(name, text):
    if text == "":
        return None
    return int(float(text)) if name in WHOLE else float(text)


def read_rows(path):
    """Rows of a table. Raises StudyError for another kind of file."""
    with open(path, newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        if tuple(table.fieldnames or ()) != COLUMNS:
            raise StudyError(f"{path}: its columns are not those of this version; begin anew in another folder")
        try:
            return [{name: number(name, text) if name in NUMBERS else text for name, text in row.items()}
                    for row in table]
        except (TypeError, ValueError) as failure:
            raise StudyError(f"{path}: {failure}; begin anew in another folder") from failure

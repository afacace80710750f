#!/usr/bin/env python3
# Accuracy of nfold plan: measured and predicted speeds as a table, a CSV and a figure.
# SPDX-License-Identifier: BSD-3-Clause
"""How well nfold plan predicted: measured against predicted speeds, as a table, a CSV and a figure.

usage: tools/plan_accuracy.py FILE... [--figure FILE.svg] [--csv FILE.csv]

FILEs are what `nfold bench --machine NAME --csv FILE` wrote, or lines of JSON that `nfold bench INPUT --machine NAME`
printed. Rows without a prediction are left out.
"""
import argparse
import csv
import json
import statistics
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "matplotlib")


class Case:
    """System with its speeds [steps/s] on this many ranks."""

    def __init__(self, name, residues, ranks, precision, measured, predicted):
        self.name, self.residues, self.ranks = name, residues, ranks
        self.precision, self.measured, self.predicted = precision, measured, predicted

    @property
    def error(self):
        """Relative error of the predicted step time, above 0 if the step was faster than predicted."""
        return self.measured / self.predicted - 1


def read_csv_cases(text):
    """Cases of a CSV table, with the median of each system's measurements."""
    found = {}
    for row in csv.DictReader(text.splitlines()):
        if row["status"] == "measured" and row.get("predicted_steps_per_second"):
            key = (row["system"], int(row["ranks"]), row["precision"])
            found.setdefault(key, []).append(row)
    return [Case(name, int(rows[0]["residues"]) * max(1, int(rows[0]["replicas"])), ranks, precision,
                 statistics.median(float(row["steps_per_second"]) for row in rows),
                 float(rows[0]["predicted_steps_per_second"]))
            for (name, ranks, precision), rows in found.items()]


def read_json_cases(text):
    """Cases of lines with one JSON object each."""
    cases = []
    for line in text.splitlines():
        row = json.loads(line)
        if "predicted_steps_per_second" in row:
            cases.append(Case(Path(row["input"]).stem, row["residues"], row["ranks"], row["precision"],
                              row["steps_per_second"], row["predicted_steps_per_second"]))
    return cases


def read(path):
    """Cases of a file of either format."""
    text = Path(path).read_text()
    return read_json_cases(text) if text.lstrip().startswith("{") else read_csv_cases(text)


def summary(cases):
    """(median, largest) absolute error."""
    errors = [abs(case.error) for case in cases]
    return statistics.median(errors), max(errors)


def table(cases):
    """Lines of the printed table, largest systems last."""
    lines = [f"{'system':24}{'residues':>12}{'ranks':>7}{'measured/s':>13}{'predicted/s':>13}{'error':>9}"]
    for case in sorted(cases, key=lambda one: (one.ranks, one.residues)):
        lines.append(f"{case.name:24}{case.residues:12,}{case.ranks:7}{case.measured:13,.0f}{case.predicted:13,.0f}"
                     f"{100 * case.error:7.1f} %")
    middle, worst = summary(cases)
    lines.append(f"{len(cases)} cases: median error {100 * middle:.1f} %, largest {100 * worst:.1f} %")
    return lines


def write_csv(path, cases):
    """Write one row per case."""
    rows = ["system,residues,ranks,precision,measured_steps_per_second,predicted_steps_per_second,error"]
    rows += [f"{c.name},{c.residues},{c.ranks},{c.precision},{c.measured:.6g},{c.predicted:.6g},{c.error:.4f}"
             for c in cases]
    Path(path).write_text("\n".join(rows) + "\n")


def draw(path, cases):
    """Draw predicted against measured step times, with a band of a tenth."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    matplotlib.rcParams["svg.hashsalt"] = "nfold"  # reproducible files
    figure, axes = pyplot.subplots(figsize=(5, 4.2))
    for ranks, marker in zip(sorted({case.ranks for case in cases}), "os^Dvx"):
        own = [case for case in cases if case.ranks == ranks]
        axes.loglog([1e6 / c.measured for c in own], [1e6 / c.predicted for c in own], marker, mfc="none",
                    label=f"{ranks} rank{'s' if ranks > 1 else ''}")
    ends = [min(min(1e6 / c.measured, 1e6 / c.predicted) for c in cases) / 1.5,
            max(max(1e6 / c.measured, 1e6 / c.predicted) for c in cases) * 1.5]
    axes.loglog(ends, ends, "-", color="grey", lw=0.8)
    axes.fill_between(ends, [0.9 * end for end in ends], [1.1 * end for end in ends], color="grey", alpha=0.2,
                      label="within 10 %")
    axes.set(xlabel="measured time of a step [us]", ylabel="predicted time of a step [us]", xlim=ends, ylim=ends)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main():
    """Print the table; exit code 1 if there is nothing to compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--figure", metavar="FILE")
    parser.add_argument("--csv", metavar="FILE")
    options = parser.parse_args()
    cases = [case for path in options.files for case in read(path)]
    if not cases:
        sys.exit("plan_accuracy.py: no row has a prediction; measure with nfold bench --machine NAME")
    print("\n".join(table(cases)))
    if options.csv:
        write_csv(options.csv, cases)
    if options.figure:
        draw(options.figure, cases)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Speed-up with ranks or GPUs: tables and a figure of measured speeds.
# SPDX-License-Identifier: BSD-3-Clause
"""How speed goes with ranks or GPUs, and what limits it: tables and a figure of measured speeds.

usage: tools/speed_up.py FILE... [--figure FILE.png] [--csv FILE.csv]

FILEs are what `nfold bench --csv FILE` wrote, on each number of ranks. The first table has speeds, with ratio to one
rank and efficiency; the second says of which parts a step consists on each number of ranks, and what each takes
beyond an equal share of one rank's. Parts are measured alone, so their sum may exceed a step, in which they overlap.
A figure with the predictions of `--machine`, where the files have them, shows both.
"""
import argparse
import csv
import statistics
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "matplotlib")

PARTS = ("forces", "lists", "integrate", "rest")


def number(row, name):
    """Number of a field, None if the field is empty or missing."""
    return float(row[name]) if row.get(name) else None


class Point:
    """System on a number of ranks: medians of its measurements. Times are microseconds per step."""

    def __init__(self, rows):
        first = rows[0]
        self.system, self.residues, self.ranks = first["system"], int(first["residues"]), int(first["ranks"])
        self.replicas = int(first["replicas"] or 0)
        self.device, self.date = first["device"], first["date"][:10]
        self.steps_per_second = statistics.median(float(row["steps_per_second"]) for row in rows)
        self.predicted = number(first, "predicted_steps_per_second")
        self.parts = self._parts(rows)

    @property
    def step_us(self):
        return 1e6 / self.steps_per_second

    def _parts(self, rows):
        """{part: microseconds per step}, empty if parts were not measured."""
        first = rows[0]
        rebuilds = sum(int(row["rebuilds"] or 0) for row in rows)
        steps = sum(int(row["steps"]) for row in rows)
        if number(first, "forces_us") is None or rebuilds == 0:
            return {}
        parts = {"forces": number(first, "forces_us"), "lists": number(first, "lists_us") * rebuilds / steps,
                 "integrate": number(first, "integrate_us")}
        parts["rest"] = self.step_us - sum(parts.values())
        return parts


def read_points(paths):
    """{system: points by ranks}, smallest system first. The later file wins for equal system and ranks."""
    found = {}
    for path in paths:
        own = {}
        for row in csv.DictReader(Path(path).read_text().splitlines()):
            if row["status"] == "measured" and not row["overrides"]:
                own.setdefault((row["system"], int(row["ranks"])), []).append(row)
        found.update({key: Point(rows) for key, rows in own.items()})
    systems = {}
    for (name, ranks), point in sorted(found.items(), key=lambda item: (item[1].residues, item[0])):
        systems.setdefault(name, {})[ranks] = point
    return systems


def speeds(systems):
    """Lines of a Markdown table of speeds; in brackets the ratio to one rank, and that ratio over the ranks."""
    counts = sorted({ranks for points in systems.values() for ranks in points})
    lines = ["| system | residues | " + " | ".join(f"{n} GPU{'s' if n > 1 else ''}" for n in counts) + " |",
             "| --- " * (len(counts) + 2) + "|"]
    for name, points in systems.items():
        cells = []
        for ranks in counts:
            point = points.get(ranks)
            cell = f"{float(f'{point.steps_per_second:.3g}'):,.12g}" if point else ""
            if point and ranks > 1 and 1 in points:
                ratio = point.steps_per_second / points[1].steps_per_second
                cell += f" ({ratio:.2f}, {100 * ratio / ranks:.0f} %)"
            cells.append(cell)
        residues = next(iter(points.values())).residues
        lines.append(f"| `{name}` | {residues:,} | " + " | ".join(cells) + " |")
    return lines


def limits(systems):
    """Lines of a Markdown table of microseconds per part; in brackets the excess over an equal share."""
    lines = ["| system | GPUs | step, us | " + " | ".join(PARTS) + " |", "| --- " * (len(PARTS) + 3) + "|"]
    for name, points in systems.items():
        for ranks, point in points.items():
            if not point.parts:
                continue
            cells = []
            for part in PARTS:
                cell = f"{point.parts[part]:.3g}"
                if ranks > 1 and 1 in points and points[1].parts:
                    cell += f" ({point.parts[part] - points[1].parts[part] / ranks:+.2g})"
                cells.append(cell)
            lines.append(f"| `{name}` | {ranks} | {point.step_us:.4g} | " + " | ".join(cells) + " |")
    return lines


def write_csv(path, systems):
    """Write one row per system and number of ranks."""
    rows = ["system,residues,replicas,ranks,device,date,steps_per_second,predicted_steps_per_second,step_us,"
            + ",".join(f"{part}_us" for part in PARTS)]
    for points in systems.values():
        for p in points.values():
            parts = [f"{p.parts[part]:.4g}" if p.parts else "" for part in PARTS]
            predicted = "" if p.predicted is None else f"{p.predicted:.5g}"
            rows.append(f"{p.system},{p.residues},{p.replicas},{p.ranks},{p.device},{p.date},{p.steps_per_second:.5g},"
                        f"{predicted},{p.step_us:.5g}," + ",".join(parts))
    Path(path).write_text("\n".join(rows) + "\n")


def draw(path, systems):
    """Draw efficiency against residues, and the parts of a step of the largest shared systems."""
    from nfold_report.performance_figures import COLOURS
    from nfold_report.style import BLUE, GREEN, PURPLE, VERMILION, plt
    plt.rcParams["svg.hashsalt"] = "nfold"  # reproducible files
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(1, 1.3))
    shared = {name: points for name, points in systems.items()
              if 1 in points and len(points) > 1 and points[1].replicas == 0}
    families = sorted({name.split("-")[0] for name in shared})
    counts = sorted({ranks for points in shared.values() for ranks in points} - {1})
    for ranks, colour in zip(counts, (BLUE, VERMILION, GREEN, PURPLE)):
        for family, style in zip(families, ("o-", "s--", "D:", "v-.")):
            own = [points for name, points in shared.items() if ranks in points and name.split("-")[0] == family]
            efficiency = [p[ranks].steps_per_second / p[1].steps_per_second / ranks for p in own]
            if own:
                left.semilogx([p[1].residues for p in own], [100 * e for e in efficiency], style, color=colour,
                              label=f"{family}, {ranks} GPUs")
        own = [points for points in shared.values() if ranks in points]
        said = [(p[1].residues, p[ranks].predicted / p[1].predicted / ranks) for p in own
                if p[ranks].predicted and p[1].predicted]
        if said:
            left.semilogx([r for r, _ in said], [100 * e for _, e in said], "o", mfc="none", ms=9, color=colour,
                          label=f"predicted, {ranks} GPUs")
    left.set(xlabel="residues", ylabel="efficiency [%]", ylim=(0, 105))
    left.legend(fontsize=8)
    bars = [(name, ranks, point) for name, points in shared.items() for ranks, point in points.items() if point.parts]
    bars = bars[-12:]
    bottoms = [0.0] * len(bars)
    for part, colour in zip(PARTS, (COLOURS[name] for name in ("pair", "lists", "integrate", "start"))):
        heights = [100 * point.parts[part] * ranks / shared[name][1].step_us for name, ranks, point in bars]
        heights = [max(0.0, height) for height in heights]
        right.bar(range(len(bars)), heights, bottom=bottoms, color=colour, label=part)
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
    right.axhline(100, color="grey", lw=0.8)
    right.set_xticks(range(len(bars)), [f"{name}, {ranks}" for name, ranks, _ in bars], rotation=60, ha="right", fontsize=7)
    right.set(ylabel="step on all GPUs [% of one's]")
    right.legend(fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main():
    """Print the tables; exit code 1 if no system was measured on several numbers of ranks."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--figure", metavar="FILE")
    parser.add_argument("--csv", metavar="FILE")
    options = parser.parse_args()
    systems = read_points(options.files)
    if not any(1 in points and len(points) > 1 for points in systems.values()):
        sys.exit("speed_up.py: no system was measured on one rank and on more; measure with nfold bench --csv FILE")
    print("\n".join(speeds(systems)) + "\n\n" + "\n".join(limits(systems)))
    if options.csv:
        write_csv(options.csv, systems)
    if options.figure:
        draw(options.figure, systems)


if __name__ == "__main__":
    main()

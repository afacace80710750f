#!/usr/bin/env python3
"""Time and cost of a job against its number of GPUs or cores, from what nfold plan said.
SPDX-License-Identifier: BSD-3-Clause

usage: tools/plan_picture.py PLAN.json --figure FILE.png

PLAN.json is what `nfold plan INPUT --machine NAME --json` printed.
"""
import argparse
import json
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "matplotlib")

HOUR = 3600


def unit_of(seconds):
    """(seconds of it, name) of the unit in which so many are easy to read."""
    for size, name in ((86400, "days"), (HOUR, "hours"), (60, "minutes")):
        if seconds > 2 * size:
            return size, name
    return 1, "s"


def read(path):
    """The plan and its layouts that can do the job. Ends the program where there is nothing to draw."""
    try:
        plan = json.loads(Path(path).read_text())
        layouts = [dict(one, ranks=one["nodes"] * one["ranks_per_node"], taken=place == plan["best"])
                   for place, one in enumerate(plan["layouts"]) if one["possible"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"plan_picture.py: error: {path} is no plan ({error}); make one with nfold plan INPUT --json")
    if not layouts:
        sys.exit(f"plan_picture.py: error: {path} has no layout that can do the job: {plan['reason']}")
    return plan, layouts


def draw(path, plan, layouts):
    """Two panels, with the 90 % interval of the time; open circles are extrapolated, a star is taken."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter
    size, unit = unit_of(min(one["seconds"] for one in layouts))
    ranks = [one["ranks"] for one in layouts]
    figure, (times, costs) = pyplot.subplots(1, 2, figsize=(9, 3.6))
    times.fill_between(ranks, [one["low_seconds"] / size for one in layouts],
                       [one["high_seconds"] / size for one in layouts], alpha=0.2, label="90 % of jobs")
    times.plot(ranks, [layouts[0]["seconds"] * ranks[0] / rank / size for rank in ranks], ":", color="grey",
               label="linear")
    for axes, value in ((times, [one["seconds"] / size for one in layouts]),
                        (costs, [one["cost"] for one in layouts])):
        axes.plot(ranks, value, "-", color="C0", lw=1)
        for one, y in zip(layouts, value):
            axes.plot(one["ranks"], y, "o", color="C0", ms=4, mfc="white" if one["extrapolated"] else "C0")
            if one["taken"]:
                axes.plot(one["ranks"], y, "*", color="C3", ms=13, label=f"plan: {one['layout']}")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.set_xlabel("GPUs" if layouts[0]["on_gpu"] else "cores")
        axes.grid(alpha=0.3)
    times.set_yscale("log")
    times.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    times.set_ylabel(f"time [{unit}]")
    costs.set_ylabel(f"cost [{plan['currency']}]")
    costs.set_ylim(bottom=0)
    times.legend(frameon=False)
    times.set_title(f"{plan['residues']:,} residues on {plan['machine']['name']}", fontsize=10)
    costs.set_title("open circles: extrapolated", fontsize=10)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    """Draws; one line of error where the file is no plan."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("plan", metavar="PLAN.json")
    parser.add_argument("--figure", metavar="FILE", required=True)
    options = parser.parse_args()
    draw(options.figure, *read(options.plan))


if __name__ == "__main__":
    main()

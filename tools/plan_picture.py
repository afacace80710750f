#!/usr/bin/env python3
# Picture of a plan: time and cost against the number of GPUs or cores.
# SPDX-License-Identifier: BSD-3-Clause
"""Time and cost of a job against its number of GPUs or cores, from what nfold plan said.

usage: tools/plan_picture.py PLAN.json --figure FILE.png [--measured SPEEDS.json]

PLAN.json is what `nfold plan INPUT --machine NAME --json` printed. Of a run it also shows what a step goes to: the
time of all ranks, as parts of one rank's. What grows with the ranks is their price: borders, latency and network.
SPEEDS.json are lines of `nfold bench INPUT`, one for each number of ranks, to be drawn beside it.
"""
import argparse
import json
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "matplotlib")
from matplotlib.ticker import FuncFormatter  # noqa: E402  (require() comes first)

from nfold_report import style  # noqa: E402

HOUR = 3600
MOST_OF_ONE = 4  # multiple of one rank's step, beyond which more ranks are of no use
PARTS = {"pairs": "short-range pairs", "charge_pairs": "pairs of charges", "terms": "bonded terms",
         "residues": "integration and lists", "launch": "launches", "ghosts": "ghosts", "exchange": "latency",
         "network": "network"}
COLOURS = {"pairs": style.BLUE, "charge_pairs": style.SKY, "terms": style.GREEN, "residues": style.ORANGE,
           "launch": style.MUTED, "ghosts": style.VERMILION, "exchange": style.PURPLE, "network": style.DARK_ORANGE}


def choose_unit(seconds):
    """(seconds of the unit, its name) of a readable time unit."""
    for size, name in ((86400, "days"), (HOUR, "hours"), (60, "minutes")):
        if seconds > 2 * size:
            return size, name
    return 1, "s"


def read(path):
    """Plan and its possible layouts. Ends the program if there is nothing to draw."""
    try:
        plan = json.loads(Path(path).read_text())
        layouts = [dict(one, ranks=one["nodes"] * one["ranks_per_node"], taken=place == plan["best"])
                   for place, one in enumerate(plan["layouts"]) if one["possible"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"plan_picture.py: error: {path} is no plan ({error}); make one with nfold plan INPUT --json")
    if not layouts:
        sys.exit(f"plan_picture.py: error: {path} has no layout that can do the job: {plan['reason']}")
    return plan, layouts


def read_speeds(path):
    """(ranks, seconds per step) of each line."""
    try:
        lines = [json.loads(line) for line in Path(path).read_text().splitlines() if line.strip()]
        return [(line["ranks"], 1 / line["steps_per_second"]) for line in lines]
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        sys.exit(f"plan_picture.py: error: {path} has no speeds ({error}); make it with nfold bench INPUT >> FILE")


def draw_parts(axes, layouts, measured):
    """Draw parts of a step times the ranks, relative to the layout with the fewest ranks."""
    ranks = [one["ranks"] for one in layouts]
    unit = layouts[0]["step_seconds"] * ranks[0]
    shares = {name: [one["step_parts_seconds"][name] * one["ranks"] / unit for one in layouts] for name in PARTS}
    shares = {name: share for name, share in shares.items() if max(share) > 0.005}
    axes.stackplot(ranks, *shares.values(), labels=[PARTS[name] for name in shares],
                   colors=[COLOURS[name] for name in shares])
    axes.axhline(1, ls=":", color=style.INK)
    axes.set_ylim(0, min(MOST_OF_ONE, max(map(sum, zip(*shares.values())))))
    if measured:
        axes.plot([count for count, _ in measured], [count * step / unit for count, step in measured], "kx",
                  label="measured")
    axes.set_ylabel("time of all ranks for a step,\nof one rank's")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], fontsize=7, loc="upper left")
    axes.set_title("What a step goes to")


def draw(path, plan, layouts, measured):
    """Draw panels of time with its 90 % interval, of cost and, for a run, of the parts of a step.

    Open circles are extrapolated; a star marks the chosen layout.
    """
    size, unit = choose_unit(min(one["seconds"] for one in layouts))
    ranks = [one["ranks"] for one in layouts]
    has_parts = all("step_parts_seconds" in one for one in layouts)
    figure, panels = style.plt.subplots(1, 3 if has_parts else 2, figsize=(13 if has_parts else 9, 3.6))
    times, costs = panels[:2]
    times.fill_between(ranks, [one["low_seconds"] / size for one in layouts],
                       [one["high_seconds"] / size for one in layouts], color=style.SKY, alpha=0.3, lw=0, label="90 % of jobs")
    times.plot(ranks, [layouts[0]["seconds"] * ranks[0] / rank / size for rank in ranks], ":",
               color=style.MUTED, label="linear")
    for axes, value in ((times, [one["seconds"] / size for one in layouts]),
                        (costs, [one["cost"] for one in layouts])):
        axes.plot(ranks, value, "-", color=style.BLUE, lw=1)
        for one, y in zip(layouts, value):
            axes.plot(one["ranks"], y, "o", color=style.BLUE, ms=4,
                      mfc="white" if one["extrapolated"] else style.BLUE)
            if one["taken"]:
                axes.plot(one["ranks"], y, "*", color=style.VERMILION, ms=13, label=f"plan: {one['layout']}")
    if has_parts:
        draw_parts(panels[2], layouts, measured)
    for axes in panels:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.set_xlabel("GPUs" if layouts[0]["on_gpu"] else "cores")
    times.set_yscale("log")
    times.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    times.set_ylabel(f"time [{unit}]")
    costs.set_ylabel(f"cost [{plan['currency']}]")
    costs.set_ylim(bottom=0)
    times.legend()
    times.set_title(f"{plan['residues']:,} residues on {plan['machine']['name']}")
    costs.set_title("Open circles: extrapolated")
    style.save(figure, path)


def main():
    """Draw the picture, or print one line of error if the file has no plan."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("plan", metavar="PLAN.json")
    parser.add_argument("--figure", metavar="FILE", required=True)
    parser.add_argument("--measured", metavar="SPEEDS.json")
    options = parser.parse_args()
    plan, layouts = read(options.plan)
    draw(options.figure, plan, layouts, read_speeds(options.measured) if options.measured else [])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Picture of a plan: time and cost against the number of GPUs or cores, or time against cost of several machines.
# SPDX-License-Identifier: BSD-3-Clause
"""Time and cost of a job, from what nfold plan said.

usage: tools/plan_picture.py PLAN.json --figure FILE.png [--measured SPEEDS.json]

PLAN.json is what `nfold plan INPUT --machine NAME --json` printed. Of one machine it shows time and cost against the
number of GPUs or cores. Of a run it also shows what a step goes to: the time of all ranks, as parts of one rank's. What
grows with the ranks is their price: borders, latency and network. Of several machines it shows time against cost, with
the choice, the deadline and the budget, and a line along the layouts that nothing beats in both.
SPEEDS.json are lines of `nfold bench INPUT`, one for each number of ranks, to be drawn beside it.
"""
import argparse
import itertools
import json
import sys
from pathlib import Path

from nfold_report import own_python

own_python.require("numpy", "matplotlib")
from matplotlib.lines import Line2D  # noqa: E402  (require() comes first)
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator  # noqa: E402

from nfold_report import style  # noqa: E402

MINUTE, HOUR, DAY = 60, 3600, 86400
MOST_OF_ONE = 4  # multiple of one rank's step, beyond which more ranks are of no use
PARTS = {"pairs": "short-range pairs", "charge_pairs": "pairs of charges", "terms": "bonded terms",
         "residues": "integration and lists", "launch": "launches", "ghosts": "ghosts", "exchange": "latency",
         "network": "network"}
COLOURS = {"pairs": style.BLUE, "charge_pairs": style.SKY, "terms": style.GREEN, "residues": style.ORANGE,
           "launch": style.MUTED, "ghosts": style.VERMILION, "exchange": style.PURPLE, "network": style.DARK_ORANGE}
MACHINE_STYLES = [(style.BLUE, "o"), (style.GREEN, "s"), (style.ORANGE, "^"), (style.PURPLE, "D"), (style.SKY, "v"),
                  (style.DARK_ORANGE, "P"), (style.MUTED, "X")]
READABLE_SECONDS = [1, 3, 10, 30, MINUTE, 3 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 10 * HOUR, DAY, 3 * DAY,
                    10 * DAY, 30 * DAY, 100 * DAY, 365 * DAY, 1000 * DAY]


def choose_unit(seconds):
    """(seconds of the unit, its name) of a readable time unit."""
    for size, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
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


def kind_of(layout):
    """(on GPUs, with cores beside them)."""
    return layout["on_gpu"], layout.get("cores_beside_gpus", 0) > 0


def like_the_choice(layouts):
    """Layouts on the same kind of devices as the choice."""
    kind = next((kind_of(one) for one in layouts if one["taken"]), kind_of(layouts[0]))
    return [one for one in layouts if kind_of(one) == kind]


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


def format_seconds(seconds, _=None):
    """Text of a tick on a time axis."""
    for size, unit in ((365 * DAY, "y"), (DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def front_of(layouts, cost):
    """Layouts that no other beats in both time and cost, the soonest first."""
    front = []
    for one in sorted(layouts, key=lambda one: (one["seconds"], cost(one))):
        if not front or cost(one) < cost(front[-1]):
            front.append(one)
    return front


def label_choice(axes, taken, cost):
    """Mark the choice with its 90 % interval and its name."""
    axes.plot([taken["low_seconds"], taken["high_seconds"]], [cost(taken)] * 2, "-", color=style.VERMILION, lw=2.2, zorder=4)
    axes.plot(taken["seconds"], cost(taken), "*", color=style.VERMILION, ms=17, mec="white", mew=0.8, zorder=5)
    axes.annotate(f"{taken['layout']} of {taken['machine']}", (taken["seconds"], cost(taken)), (10, 9),
                  textcoords="offset points", color=style.VERMILION, weight="bold", fontsize=9, zorder=6)


def draw_limits(axes, plan):
    """Draw deadline and budget as lines; shade what lies beyond them."""
    deadline, budget = plan.get("deadline_seconds"), plan.get("budget")
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    if deadline:
        right = max(right, 1.3 * deadline)
        axes.axvspan(deadline, right, color=style.MUTED, alpha=0.08, lw=0)
        axes.axvline(deadline, color=style.MUTED, ls="--", lw=1.2)
        axes.annotate(f"deadline {format_seconds(deadline)} ", (deadline, 1), xycoords=("data", "axes fraction"),
                      ha="right", va="top", color=style.MUTED, fontsize=9)
    if budget:
        high = max(high, 1.5 * budget)
        axes.axhspan(budget, high, color=style.MUTED, alpha=0.08, lw=0)
        axes.axhline(budget, color=style.MUTED, ls="--", lw=1.2)
        axes.annotate(f"budget {budget:g} {plan['currency']}", (1, budget), xycoords=("axes fraction", "data"),
                      ha="right", va="bottom", color=style.MUTED, fontsize=9)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)


def draw_machines(path, plan, layouts):
    """Draw cost against time of all machines, both logarithmic. Layouts that cost nothing stand on the lowest line."""
    paid = [one["cost"] for one in layouts if one["cost"] > 0]
    lowest = min(paid, default=1)
    free = lowest / 4

    def cost(one):
        return one["cost"] or free

    figure, axes = style.plt.subplots(figsize=(style.WIDTH_INCH, 5))
    machines = list(dict.fromkeys(one["machine"] for one in layouts))
    for machine, (colour, marker) in zip(machines, itertools.cycle(MACHINE_STYLES)):
        for on_gpu, mixed in sorted({kind_of(one) for one in layouts if one["machine"] == machine}):
            own = [one for one in layouts if one["machine"] == machine and kind_of(one) == (on_gpu, mixed)]
            best = front_of(own, cost)
            axes.plot([one["seconds"] for one in own if one not in best], [cost(one) for one in own if one not in best], ".",
                      color=colour, ms=2.5, mew=0, alpha=0.45, zorder=2)
            axes.plot([one["seconds"] for one in best], [cost(one) for one in best],
                      "-" if on_gpu else ":", color=colour, marker=marker, ms=6 if on_gpu else 5, lw=1.3,
                      mfc=colour if on_gpu else "white", mew=1.2, fillstyle="left" if mixed else "full", zorder=3)
    front = front_of(layouts, cost)
    axes.plot([one["seconds"] for one in front], [cost(one) for one in front], "-", color=style.INK, lw=7, alpha=0.1,
              zorder=1, solid_joinstyle="round")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(READABLE_SECONDS))
    axes.xaxis.set_major_formatter(FuncFormatter(format_seconds))
    axes.xaxis.set_minor_locator(NullLocator())
    if len(paid) < len(layouts):
        axes.axhline(free, color=style.GRID, lw=6, zorder=0)
        ticks = [tick for tick in LogLocator().tick_values(lowest, max(paid, default=10)) if lowest / 2 <= tick]
        axes.yaxis.set_major_locator(FixedLocator([free, *ticks]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: "free" if y == free and len(paid) < len(layouts) else f"{y:,g}"))
    taken = next((one for one in layouts if one["taken"]), None)
    if taken:
        label_choice(axes, taken, cost)
    draw_limits(axes, plan)
    axes.set_xlabel("time of the job")
    axes.set_ylabel(f"cost [{plan['currency']}]")
    axes.set_title(f"{plan['residues']:,} residues: time and cost of each machine")
    handles = [Line2D([], [], color=colour, marker=marker, ms=5, lw=1.1, label=machine)
               for machine, (colour, marker) in zip(machines, itertools.cycle(MACHINE_STYLES))]
    grey = {"color": style.MUTED, "marker": "o", "ms": 5, "lw": 1.1}
    kinds = {(True, False): Line2D([], [], ls="-", label="GPUs", **grey),
             (False, False): Line2D([], [], ls=":", mfc="white", label="cores", **grey),
             (True, True): Line2D([], [], ls="-", fillstyle="left", label="GPUs and cores", **grey)}
    handles += [kinds[kind] for kind in kinds if any(kind_of(one) == kind for one in layouts)]
    handles.append(Line2D([], [], color=style.MUTED, marker=".", ms=2.5, lw=0, label="beaten by others of its machine"))
    handles.append(Line2D([], [], color=style.INK, lw=7, alpha=0.1, label="nothing is sooner and cheaper"))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    style.save(figure, path)


def main():
    """Draw the picture, or print one line of error if the file has no plan."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("plan", metavar="PLAN.json")
    parser.add_argument("--figure", metavar="FILE", required=True)
    parser.add_argument("--measured", metavar="SPEEDS.json")
    options = parser.parse_args()
    plan, layouts = read(options.plan)
    if len(plan.get("machines", [])) > 1:
        draw_machines(options.figure, plan, layouts)
    else:
        draw(options.figure, plan, like_the_choice(layouts), read_speeds(options.measured) if options.measured else [])


if __name__ == "__main__":
    main()

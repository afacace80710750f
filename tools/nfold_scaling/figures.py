# Pictures of a study: speed-up, efficiency, model against measurement, and those of other modes.
# SPDX-License-Identifier: BSD-3-Clause

from itertools import cycle

from matplotlib.ticker import (FixedLocator, FormatStrFormatter, FuncFormatter, LogLocator, NullFormatter, NullLocator,
                               PercentFormatter, ScalarFormatter)

from nfold_report.in_words import count, plain
from nfold_report.performance_figures import COLOURS as PHASE_COLOURS
from nfold_report.style import (BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILION, WIDTH_INCH, plt, save)

from .cases import BENCH, RUN
from .rows import PHASES
from .summary import section_kinds, shown_phases

COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
MARKERS = "osD^v<"
PALE = "#e3e6ea"  # colour of the remaining phases
plt.rcParams["svg.fonttype"] = "none"  # text stays text, and the file small
plt.rcParams["svg.hashsalt"] = "nfold"


def line_styles(all_series):
    """(series, its colour and marker, label); double precision is dashed and hollow."""
    colours = {}
    shades = cycle(zip(COLOURS, MARKERS))
    for series in all_series:
        key = series.scaling, series.name
        if key not in colours:
            colours[key] = next(shades)
        colour, marker = colours[key]
        is_mixed = series.precision == "mixed"
        yield series, {"color": colour, "marker": marker, "markersize": 5, "linewidth": 1.6,
                       "markerfacecolor": colour if is_mixed else "white", "linestyle": "-" if is_mixed else (0, (4, 2)),
                       "label": f"{series.name}, {series.scaling}, {series.precision}"}


def rank_axis(axes, all_series, unit):
    ranks = sorted({point.ranks for series in all_series for point in series.points})
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(ranks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlim(ranks[0] / 1.15, ranks[-1] * 1.15)
    axes.set_xlabel(f"{unit}s")
    return ranks


def draw(axes, points, line_style, of):
    """Draw a line through estimates of(point) with known intervals, shifted slightly from the lines before."""
    shown = [(point.ranks * 1.015 ** len(axes.containers), of(point)) for point in points if of(point) is not None]
    if not shown:
        return
    places, values = [place for place, _ in shown], [one.value for _, one in shown]
    low = [max(0, one.value - one.low) if one.is_known else 0 for _, one in shown]
    high = [max(0, one.high - one.value) if one.is_known else 0 for _, one in shown]
    axes.errorbar(places, values, yerr=[low, high], capsize=3, elinewidth=1.2, **line_style)


def speed_up(axes, all_series, unit):
    ranks = rank_axis(axes, all_series, unit)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    for series, line_style in line_styles(all_series):
        draw(axes, series.measured, line_style, lambda point: point.speed_up)
    base = min((series.measured[0].ranks for series in all_series if series.measured), default=ranks[0])
    axes.plot(ranks, [one / base for one in ranks], color=MUTED, linewidth=1, linestyle=(0, (1, 2)), label="linear")
    seen = [point.speed_up.value for series in all_series for point in series.measured] + [ranks[-1] / base]
    axes.set_ylim(min(seen) / 1.6, max(seen) * 1.6)  # an interval of two repeats may extend far beyond
    axes.set_ylabel("speed-up (residue-steps)")


def efficiency(axes, all_series, unit):
    rank_axis(axes, all_series, unit)
    for series, line_style in line_styles(all_series):
        draw(axes, series.measured, line_style, lambda point: point.efficiency)
    axes.axhline(1, color=MUTED, linewidth=1, linestyle=(0, (1, 2)))
    axes.set_ylim(0, 1.25 * max([1.0] + [point.efficiency.value for series in all_series for point in series.measured]))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("efficiency")


def model(axes, all_series, _unit):
    seen = []
    for series, line_style in line_styles(all_series):
        points = [point for point in series.measured if point.model]
        seen += [value for point in points for value in (point.model, point.speed.value)]
        spread = [[max(0, end(point.speed)) if point.speed.is_known else 0 for point in points]
                  for end in (lambda one: one.value - one.low, lambda one: one.high - one.value)]
        axes.errorbar([point.model for point in points], [point.speed.value for point in points], yerr=spread, capsize=3,
                      elinewidth=1.2, **{**line_style, "linestyle": "none"})
    low, high = min(seen) / 1.5, max(seen) * 1.5
    axes.plot([low, high], [low, high], color=INK, linewidth=1, label="as predicted")
    axes.fill_between([low, high], [0.9 * low, 0.9 * high], [1.1 * low, 1.1 * high], color=MUTED, alpha=0.2, linewidth=0,
                      label="within 10 %")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_xlabel("predicted, steps/s")
    axes.set_ylabel("measured, steps/s")


def column_drawer(column, label, per_cent=False, beside=None, scale=1.0):
    """Function that draws one column of other modes; `beside` (column, name) is dotted."""
    def draw_it(axes, all_series, unit):
        rank_axis(axes, all_series, unit)
        for series, line_style in line_styles(all_series):
            draw(axes, series.points, line_style, lambda point: point.quantities[column].times(scale) if column in point.quantities else None)
            if beside:
                draw(axes, series.points, {**line_style, "linestyle": ":", "label": f"{beside[1]}, {series.name}", "linewidth": 1,
                                            "markerfacecolor": "white"},
                     lambda point: point.quantities[beside[0]].times(scale) if beside[0] in point.quantities else None)
        axes.set_ylim(bottom=0)
        if per_cent:
            axes.set_ylim(0, 1.05)
            axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_ylabel(label)
    return draw_it


def phases(axes, all_series, unit):
    """Draw a bar per rank count with a stripe per phase, as its fraction of a step."""
    bars = [(f"{series.title}, {count(point.ranks, unit)}", point.phases) for series in all_series for point in series.points
            if point.phases]
    shown = shown_phases([point for series in all_series for point in series.points if point.phases])
    left = [0.0] * len(bars)
    for phase in [*shown, "rest"]:
        widths = [(sum(of.get(name, 0) for name in PHASES if name not in shown) if phase == "rest" else of.get(phase, 0))
                  / sum(of.values()) for _, of in bars]
        axes.barh(range(len(bars)), widths, left=left, height=0.72, color=PHASE_COLOURS.get(phase, PALE), edgecolor="white",
                  linewidth=0.4, label=phase)
        left = [begin + width for begin, width in zip(left, widths)]
    axes.set_yticks(range(len(bars)), [name for name, _ in bars])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("share of a step, mean over ranks")
    axes.figure.set_figheight(1.9 + 0.32 * len(bars))


MIB = 2.0**-20
PICTURES = {  # name: mode, kind, drawing function, required columns
    "speed_up": ("speed", BENCH, speed_up, lambda point: point.speed_up),
    "efficiency": ("speed", BENCH, efficiency, lambda point: point.efficiency),
    "model": ("speed", BENCH, model, lambda point: point.model and point.speed),
    "balance": ("balance", RUN, column_drawer("balance", "balance", per_cent=True, beside=("predicted_balance", "predicted")),
                lambda point: "balance" in point.quantities),
    "memory": ("memory", RUN, column_drawer("peak_bytes", "memory of a rank (MiB)", beside=("planned_bytes", "planned"),
                                            scale=MIB), lambda point: "peak_bytes" in point.quantities),
    "waiting": ("synchronisation", RUN, column_drawer("wait_us", "waiting in a step (us)"),
                lambda point: "wait_us" in point.quantities),
    "exchange": ("synchronisation", BENCH, column_drawer("exchange_us", "an exchange (us)"),
                 lambda point: "exchange_us" in point.quantities),
    "phases": ("profile", RUN, phases, lambda point: point.phases),
}


def write_pictures(folder, config, found):
    """Write pictures with data and return their names. Pictures of an earlier call are removed."""
    written = []
    for name, (mode, kind, drawn, is_wanted) in PICTURES.items():
        shown = [series for series in found[kind] if any(is_wanted(point) for point in series.points)]
        if mode not in section_kinds(config) or not shown:
            for ending in ("png", "svg"):
                (folder / f"{name}.{ending}").unlink(missing_ok=True)
            continue
        figure, axes = plt.subplots(figsize=(0.75 * WIDTH_INCH, 4))
        drawn(axes, shown, config["unit"])
        named = len(axes.get_legend_handles_labels()[0])
        figure.legend(loc="outside lower center", ncols=1 if named < 4 else 2 if drawn is not phases else 5)
        figure.savefig(folder / f"{name}.svg", facecolor="white", metadata={"Date": None})
        save(figure, folder / f"{name}.png")
        written.append(name)
    return written

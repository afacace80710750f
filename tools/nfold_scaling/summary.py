# summary.txt with tables for people, and summary.csv with the same values for programs.
# SPDX-License-Identifier: BSD-3-Clause

import csv
import io

from nfold_report.in_words import count, plain

from .cases import BENCH, RUN
from .rows import FAILED, LEFT_OUT, MEASURED, PHASE_COLUMNS, PHASES

LEAST_SHARE = 0.005  # smallest fraction of a step on any rank count with its own column
QUIET = 0.1  # fraction of all cores that others may keep busy on a quiet machine
CSV_COLUMNS = ("kind", "scaling", "series", "system", "precision", "residues", "ranks", "repeats", "failed",
               *(f"{name}{end}" for name in ("steps_per_second", "speed_up", "efficiency", "serial_fraction")
                 for end in ("", "_low", "_high")), "model_steps_per_second", "measured_over_model",
               "exchange_us", "skin_nm", "memory_bytes", "step_us", "wait_us", "balance", "predicted_balance",
               "maps_taken", "most_residues", "planned_bytes", "peak_bytes", "start_seconds", *PHASE_COLUMNS.values(),
               "bottleneck", "reason")


def table(header, lines):
    """Table with the narrowest columns, the first left-aligned."""
    widths = [max(len(line[k]) for line in [header, *lines]) for k in range(len(header))]
    return "".join("  " + "  ".join(f"{cell:<{width}}" if k == 0 else f"{cell:>{width}}"
                                    for k, (cell, width) in enumerate(zip(line, widths))).rstrip() + "\n"
                   for line in [header, *lines])


def value_text(estimate, digits=3, per_cent=False):
    if estimate is None:
        return "-"
    return f"{100 * estimate.value:.0f} %" if per_cent else plain(estimate.value, digits)


def interval_text(estimate, digits=3, per_cent=False):
    """Interval as text, empty if it is unknown."""
    if estimate is None or not estimate.is_known:
        return ""
    if per_cent:
        return f"{100 * estimate.low:.0f} to {100 * estimate.high:.0f} %"
    return f"{plain(estimate.low, digits)} to {plain(estimate.high, digits)}"


def bytes_text(value):
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            return f"{plain(value)} {unit}"
        value /= 1024


def speed_lines(series, unit):
    has_model = any(point.model for point in series.points)
    header = [f"{unit}s", "residues", "runs", "steps/s", "95 % interval", "speed-up", "95 % interval", "efficiency"]
    header += ["serial fraction"] if series.scaling == "strong" else []
    header += ["model, steps/s", "measured / model"] if has_model else []
    lines = []
    for point in series.points:
        line = [str(point.ranks), f"{point.residues:,}" if point.residues else "-", str(len(point.speeds)),
                value_text(point.speed), interval_text(point.speed), value_text(point.speed_up),
                interval_text(point.speed_up), value_text(point.efficiency, per_cent=True)]
        line += [value_text(point.serial, 2)] if series.scaling == "strong" else []
        if has_model:
            both = point.model and point.speed
            line += [plain(point.model) if point.model else "-", f"{point.speed.value / point.model:.2f}" if both else "-"]
        lines.append(line)
    text = table(header, lines)
    if series.measured and series.measured[0].ranks > 1:
        text += f"  speed-up and efficiency are counted from {series.measured[0].ranks} {unit}s, the fewest that were measured\n"
    if series.amdahl is not None:
        limit = ""
        if series.amdahl >= 1:
            limit = f"; more {unit}s make it slower"
        elif series.amdahl > 0:
            limit = f"; by it more {unit}s end at a speed-up of {plain(1 / series.amdahl)}"
        text += f"  Amdahl's serial fraction, by all points: {plain(series.amdahl, 2)}{limit}\n"
    return text


def balance_lines(series, unit):
    return table([f"{unit}s", "balance", "95 % interval", "predicted", "maps taken", "most residues of a rank"],
                 [[str(point.ranks), value_text(quantities.get("balance")), interval_text(quantities.get("balance")),
                   value_text(quantities.get("predicted_balance")), value_text(quantities.get("maps_taken")),
                   value_text(quantities.get("most_residues"), 7)] for point in series.points for quantities in [point.quantities]])


def memory_lines(series, unit):
    lines = []
    for point in series.points:
        planned, peak = (point.quantities.get(name) for name in ("planned_bytes", "peak_bytes"))
        lines.append([str(point.ranks), bytes_text(planned.value) if planned else "-",
                      bytes_text(peak.value) if peak else "-",
                      f"{planned.value / peak.value:.3f}" if planned and peak and peak.value else "-"])
    return table([f"{unit}s", "planned by check", "peak of a rank", "planned / peak"], lines)


def waiting_lines(series, unit):
    lines = []
    for point in series.points:
        step, wait = (point.quantities.get(name) for name in ("step_us", "wait_us"))
        lines.append([str(point.ranks), value_text(step), value_text(wait), interval_text(wait),
                      f"{100 * wait.value / step.value:.0f} %" if step and wait and step.value else "-"])
    return table([f"{unit}s", "a step, us", "waiting, us", "95 % interval", "of the step"], lines)


def exchange_lines(series, unit):
    return table([f"{unit}s", "an exchange, us", "95 % interval", "of a step"],
                 [[str(point.ranks), value_text(one), interval_text(one),
                   f"{1e-4 * one.value * point.speed.value:.0f} %" if one and point.speed else "-"]
                  for point in series.points for one in [point.quantities.get("exchange_us")]])


def shown_phases(points):
    """Phases with a visible fraction of a step on some rank count."""
    return [phase for phase in PHASES
            if any(point.phases.get(phase, 0) > LEAST_SHARE * sum(point.phases.values()) for point in points)]


def phase_lines(series, unit):
    profiled = [point for point in series.points if point.phases]
    shown = shown_phases(profiled)
    lines = []
    for point in profiled:
        step = sum(point.phases.values())
        values = [point.phases.get(phase, 0) for phase in shown]
        lines.append([str(point.ranks), plain(step), *(f"{plain(value, 2)} ({100 * value / step:.0f} %)" if value else "-" for value in values),
                      plain(max(0.0, step - sum(values)), 2), plain(point.quantities["start_seconds"].value)])
    text = table([f"{unit}s", "a step, us", *shown, "rest", "start, s"], lines)
    return text + "".join(f"  {count(point.ranks, unit)}: {point.bottleneck}\n" for point in profiled)


SECTIONS = {  # by mode or --profile: title, kind, lines, columns of which a point must have one
    "speed": (("Speed", BENCH, speed_lines, None),),
    "balance": (("Balance: mean time that a rank is busy, over that of the busiest", RUN, balance_lines,
                 ("balance", "predicted_balance")),),
    "memory": (("Memory of the fullest rank's arrays", RUN, memory_lines, ("planned_bytes", "peak_bytes")),),
    "synchronisation": (
        ("Waiting: what of a step the ranks are not busy, on average", RUN, waiting_lines, ("wait_us",)),
        ("Exchange of border residues alone", BENCH, exchange_lines, ("exchange_us",))),
    "profile": (("Phases: what a rank spends a step on, us, mean over ranks", RUN, phase_lines,
                 tuple(PHASE_COLUMNS.values())),),
}


def section_kinds(config):
    return [*config["modes"], *(["profile"] if config["profile"] else [])]


def sections(config, found):
    text, unit = "", config["unit"]
    for mode in section_kinds(config):
        for title, kind, lines, columns in SECTIONS[mode]:
            shown = [series for series in found[kind] if columns is None or
                     any(name in point.quantities for point in series.points for name in columns)]
            text += f"\n{title}\n"
            if not shown:
                text += f"  nothing was measured: {NOTHING.get((mode, kind), 'see the runs that failed')}\n"
            for series in shown:
                text += f"\n  {series.scaling} scaling, {series.title} precision\n{lines(series, unit)}"
    return text


NOTHING = {
    ("balance", RUN): "balance takes two ranks and a run that is assessed; give more --ranks or --run-steps",
    ("synchronisation", RUN): "waiting takes two ranks and a run that is assessed; give more --ranks or --run-steps",
    ("synchronisation", BENCH): "nfold bench times exchanges between GPUs that reach each other's memory only",
}


def when_and_where(config, rows):
    started = sorted(row["started"] for row in rows if row["started"])
    hosts, devices = (sorted({row[name] for row in rows if row[name]}) for name in ("host", "device"))
    text = f"measured {started[0]} to {started[-1]} on {', '.join(hosts)}; {config['machine_here']}\n" if started else ""
    text += f"{config['version']}; {'; '.join(devices) or 'no run told its device'}; {config['launcher']}\n"
    busy = [row["busy_cores_before"] for row in rows if row["busy_cores_before"] is not None]
    if busy:
        mean, cores = sum(busy) / len(busy), config["cores_here"]
        state = "the machine was busy, so speeds are too low and vary" if mean > QUIET * cores else "the machine was quiet"
        text += (f"before a run others kept {plain(mean, 2)} of {count(cores, 'core')} of this node busy on average, "
                 f"{plain(max(busy), 2)} at most: {state}\n")
    return text


def how(config):
    text = (f"a run has {count(config['measurements'], 'measurement')} of {plain(config['seconds'])} s, of which the median "
            f"counts; {count(config['repeats'], 'repeat')} in random order (seed {config['seed']}), each a start of its own; "
            f"{count(config['threads'], 'thread') if config['threads'] else 'as many threads as nfold takes for'} a rank\n")
    text += "steps/s: median of the repeats, and the 95 % interval of their geometric mean by Student's t; none for one repeat\n"
    text += ("speed-up: residue-steps over those of the fewest ranks, its interval by Welch's t of logarithms\n"
             "serial fraction: Karp and Flatt's; it grows with ranks where communication or imbalance does\n")
    return text


def failures(rows):
    """Each reason once, with the runs that it ended."""
    by_reason = {}
    for row in rows:
        if row["status"] in (FAILED, LEFT_OUT):
            by_reason.setdefault((row["status"], row["reason"]), []).append(row)
    text = "\nRuns without a result\n" if by_reason else ""
    for (status, reason), same in by_reason.items():
        text += f"  {status}: {reason}\n" + "".join(f"    {row['key']} ({row['log']})\n" for row in same)
    return text


def summary_text(config, rows, found, notes, missing):
    done = sum(row["status"] == MEASURED for row in rows)
    text = f"nfold scaling study: {done} of {count(len(rows) + missing, 'run')} measured\n"
    if missing:
        text += f"{count(missing, 'run')} not begun; the same command with --resume goes on\n"
    text += when_and_where(config, rows) + how(config) + sections(config, found)
    if notes:
        text += "\nNotes\n" + "".join(f"  {note}\n" for note in notes)
    return text + failures(rows)


def numbers(estimate, name):
    """Columns of an estimate, empty if it is unknown."""
    if estimate is None:
        return {}
    return {name: repr(float(estimate.value)), f"{name}_low": "" if estimate.low is None else repr(float(estimate.low)),
            f"{name}_high": "" if estimate.high is None else repr(float(estimate.high))}


def summary_csv(found):
    file = io.StringIO()
    writer = csv.DictWriter(file, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for kind, all_series in found.items():
        for series in all_series:
            for point in series.points:
                row = {"kind": kind, "scaling": series.scaling, "series": series.name, "system": point.system,
                       "precision": series.precision, "residues": point.residues, "ranks": point.ranks,
                       "repeats": len(point.speeds) if kind == BENCH else "", "failed": len(point.reasons),
                       **numbers(point.speed, "steps_per_second"), **numbers(point.speed_up, "speed_up"),
                       **numbers(point.efficiency, "efficiency"), **numbers(point.serial, "serial_fraction"),
                       **{name: repr(float(one.value)) for name, one in point.quantities.items()}, "bottleneck": point.bottleneck,
                       "reason": "; ".join(dict.fromkeys(point.reasons))}
                if point.model:
                    row["model_steps_per_second"] = repr(point.model)
                    if point.speed:
                        row["measured_over_model"] = repr(float(point.speed.value / point.model))
                writer.writerow(row)
    return file.getvalue()

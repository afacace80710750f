# Comparison of runs: a table of their results, a table of their inputs' differences, and figures with a line for each.
# SPDX-License-Identifier: BSD-3-Clause

import html
import itertools

import numpy as np

from . import comparison_figures
from .blocking import TooShortError, standard_error
from .in_words import count, describe_simulation, listed, plain, with_error
from .page import Page, Sections, write_page
from .page_files import REPORT_PAGE, remove_old
from .run_folder import RunFolderError

MOST_RUNS = 6  # number of colours
DISCARDED = 0.25  # part of a run at its start that its means leave out
UNITS = (("_kj_mol", "kJ/mol"), ("_kelvin", "K"), ("_nm", "nm"), ("_bar", "bar"))
# tables of averages in the comparison: path, name, unit
AVERAGES = (("chain_sizes/radius_of_gyration", "radius of gyration", "nm"),
            ("chain_sizes/end_to_end", "end-to-end distance", "nm"),
            ("clusters/largest", "chains in the largest cluster", ""),
            ("pressure/mean", "pressure", "bar"), ("pressure/surface_tension", "surface tension", "mN/m"))


def labels(runs):
    """Shortest names that tell runs apart: name of the run, name of the folder, or path."""
    for name in (lambda run: run.name, lambda run: run.folder.resolve().name, lambda run: str(run.folder)):
        names = [name(run) for run in runs]
        if len(set(names)) == len(names):
            break
    return names


def flat(settings, above=""):
    """{dotted key: text} of nested settings."""
    if isinstance(settings, dict) and settings:
        return {key: text for name, value in settings.items() for key, text in flat(value, f"{above}{name}.").items()}
    if isinstance(settings, list) and any(isinstance(one, dict) for one in settings):
        return {key: text for index, value in enumerate(settings) for key, text in flat(value, f"{above}{index}.").items()}
    return {above.rstrip("."): str(settings)}


def differing_settings(runs):
    """[(key, its text in each run)] of keys that differ."""
    inputs = [flat(run.settings) for run in runs]
    keys = dict.fromkeys(itertools.chain(*inputs))
    rows = [(key, [found.get(key, "-") for found in inputs]) for key in keys]
    return [row for row in rows if len(set(row[1])) > 1]


def mean_of(series):
    """(mean, error) of a series without its start; the error is NaN if it is too short."""
    kept = series[int(DISCARDED * len(series)):]
    try:
        return float(kept.mean()), float(standard_error(kept))
    except TooShortError:
        return float(kept.mean()), np.nan


def results(run):
    """{quantity: (value, error, unit)}: averages with their errors, and means of the reported energies."""
    found = {}
    for path, name, unit in AVERAGES if run.averages is not None else ():
        if not run.averages.has(path):
            continue
        values, errors = (np.atleast_1d(run.averages.table(path + kind)) for kind in ("", "_error"))
        for index, (value, error) in enumerate(zip(values, errors)):
            of = f" of {run.averages.species[index]}" if len(values) > 1 else ""
            found[name + of] = (float(value), float(error), unit)
    for column in run.energies:
        if column in ("step", "time_ps") or not run.has(column) or not np.any(run.energies[column]):
            continue
        ending, unit = next((one for one in UNITS if column.endswith(one[0])), ("", ""))
        name = column.removesuffix(ending).replace("_", " ")
        if ending == "_kj_mol":
            name += " energy"
        found.setdefault("native contacts Q" if column == "native_fraction" else name, (*mean_of(run.energies[column]), unit))
    return {name: entry for name, entry in found.items() if np.isfinite(entry[0])}


def difference(first, other):
    """'+0.12 ± 0.03 (4.0 errors)'; without an error if one of both is not known."""
    value, error = other[0] - first[0], float(np.hypot(other[1], first[1]))
    text = with_error(value, error)
    text = text if text.startswith("-") or value == 0 else f"+{text}"
    if not (np.isfinite(error) and error > 0):
        return text
    ratio = abs(value) / error
    shown = f"{text} ({plain(ratio, 2)} standard errors)"
    return f"<strong class=\"flag\">{shown}</strong>" if ratio > 3 else shown


def result_rows(runs):
    """Rows of the table of results: a quantity, its value in each run, the difference of each from the first."""
    every = [results(run) for run in runs]
    rows = []
    for name in dict.fromkeys(itertools.chain(*every)):
        entries = [found.get(name) for found in every]
        unit = next(entry[2] for entry in entries if entry)
        cells = [html.escape(f"{name} ({unit})" if unit else name)]
        cells += [with_error(entry[0], entry[1]) if entry else "-" for entry in entries]
        cells += [difference(entries[0], entry) if entry and entries[0] else "-" for entry in entries[1:]]
        rows.append(cells)
    return rows


def write_comparison(runs, folder):
    """Write the page and its PNG files into `folder`. Return the page's path and the number of figures."""
    if len(runs) > MOST_RUNS:
        raise RunFolderError(f"{count(len(runs), 'run')} to compare; expected 2 to {MOST_RUNS}")
    names = labels(runs)
    folder.mkdir(parents=True, exist_ok=True)
    remove_old(folder)
    sections = Sections(folder)
    shown = [html.escape(name) for name in names]
    sections.add_table("results", "Results", "Averages of observables are those of each run; other means leave out the first "
                       f"{DISCARDED:.0%} of a run. &plusmn; is a standard error by blocking; a difference above three is marked.",
                       ("Quantity", *shown, *(f"{name} &minus; {shown[0]}" for name in shown[1:])), result_rows(runs))
    differences = differing_settings(runs)
    sections.add_table("inputs", "Inputs", "Keys that differ; all others are the same." if differences else
                       "The inputs are the same.", ("Key", *shown),
                       [[f"<code>{html.escape(key)}</code>", *map(html.escape, texts)] for key, texts in differences],
                       words=range(len(runs) + 1))
    for name, title, draw, text in comparison_figures.FIGURES:
        sections.add(f"compared_{name}", title, draw(runs, names), text, f"{title}, a line for each run")
    page = Page(name=" and ".join(names) if len(names) == 2 else f"{count(len(names), 'run')} compared",
                simulated=describe_simulation(runs[0].settings, 0) if len({describe_simulation(run.settings, 0) for run in runs}) == 1
                else "; ".join(f"{name}: {describe_simulation(run.settings, 0)}" for name, run in zip(names, runs)),
                found=f"{count(len(runs), 'run')} of {listed(plain(run.length_ps / 1000) + ' ns' for run in runs)}.", tiles=[],
                sections=sections.all, settings="",
                made_from=listed(f"{run.folder.resolve().name} up to step {run.last_step:,}" for run in runs))
    return write_page(page, folder / REPORT_PAGE), sections.figures

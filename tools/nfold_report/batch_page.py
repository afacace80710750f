# Page of a batch: table of all targets, failures, and a card with a picture per target.
# SPDX-License-Identifier: BSD-3-Clause

import dataclasses
import functools
import html
import math
import multiprocessing
import os

from . import batch_figures as figures
from . import performance_figures
from .batch_folder import read_folding, read_series, series_path
from .batch_times import times_section
from .chain_table import chains_section
from .phase_table import phases_section
from .in_words import with_error
from .page import SORTING, STYLE, ZOOM_WINDOW, Column, Row, footer_html, picture, table_html, tiles_html
from .page_files import BATCH_PAGE
from .run_folder import RunFolderError
from .style import to_svg

FEWEST_FOR_PROCESSES = 50  # cards; fewer are drawn without further processes

BATCH_STYLE = """
main { max-width: 1240px; }
:root { --pill: #e4e7eb; --pill-ink: #3e4c59; --good: #d9f2e8; --good-ink: #00674c; --fair: #fdf0d0; --fair-ink: #7a5200;
        --bad: #fbe2d5; --bad-ink: #963f00; --plain: #dbeaf5; --plain-ink: #00527f; }
@media (prefers-color-scheme: dark) {
  :root { --pill: #353e47; --pill-ink: #c6d0d9; --good: #0e3b2d; --good-ink: #7fdcb9; --fair: #3d3110; --fair-ink: #f0cf7d;
          --bad: #4a2413; --bad-ink: #ffb48c; --plain: #123349; --plain-ink: #93cbf2; }
}
h2 small { font-weight: normal; color: var(--muted); font-size: 14px; }
input[type=search] { font: inherit; color: inherit; background: var(--page); padding: 5px 12px; border: 1px solid var(--button);
                     border-radius: 8px; width: 260px; max-width: 100%; }
.tools { display: flex; flex-wrap: wrap; gap: 12px; align-items: baseline; justify-content: space-between; }
.pill { display: inline-block; padding: 1px 9px; border-radius: 99px; font-size: 12.5px; font-weight: 600;
        background: var(--pill); color: var(--pill-ink); }
.pill.good { background: var(--good); color: var(--good-ink); } .pill.fair { background: var(--fair); color: var(--fair-ink); }
.pill.bad { background: var(--bad); color: var(--bad-ink); } .pill.plain { background: var(--plain); color: var(--plain-ink); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 560px), 1fr)); gap: 16px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px 10px;
        content-visibility: auto; contain-intrinsic-size: auto 260px; }
.card h3 { margin: 0; font-size: 17px; display: flex; flex-wrap: wrap; gap: 8px; align-items: baseline; }
.card p { margin: 2px 0 8px; color: var(--muted); font-size: 13.5px; overflow-wrap: anywhere; }
.names { columns: 220px; margin: 8px 0 0; padding: 0; list-style: none; font-size: 14px; }
.names small { color: var(--muted); }
"""

# filter by the words of the search field
SEARCH = """
for (const field of document.querySelectorAll("input[type=search]")) field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\\s+/);
  for (const one of document.querySelectorAll("[data-words]"))
    one.hidden = !words.every(word => one.dataset.words.includes(word));
});
"""

PILLS = {"folds": "good", "partly": "fair", "not in this time": "bad", "done": "plain", "failed": "bad",
         "converged": "good", "not converged": "fair"}


def pill(text):
    return f'<span class="pill {PILLS.get(text, "")}">{html.escape(text)}</span>' if text else ""


def short(value, digits=3):
    """Plain digits; nothing if the value is unknown."""
    if not math.isfinite(value):
        return ""
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def percent(value):
    return f"{value:.0%}" if math.isfinite(value) else ""


def with_its_error(target, column, error_column):
    value = target.number(column)
    return with_error(value, target.number(error_column)) if math.isfinite(value) else ""


def gpu_time(seconds):
    for unit, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{short(seconds / unit)} {name}"
    return f"{short(seconds)} s"


def convergence(target):
    """Convergence of F(Q); if not converged, the predicted time."""
    predicted = target.number("predicted_gpu_seconds")
    cell_text = pill(target.text("free_energy"))
    if target.text("free_energy") == "converged" or not math.isfinite(predicted):
        return cell_text
    return f"{cell_text} <small>{gpu_time(predicted)}</small>"


def folding_time(target):
    """'1.95 ns' and its interval; only a lower bound if none folded."""
    mean, low, high = (target.number(f"{which}_ns") for which in
                       ("mean_folding_time", "folding_time_low", "folding_time_high"))
    if math.isfinite(mean):
        return f"{short(mean)} <small>({short(low)} to {short(high)})</small>"
    return f"<small>above</small> {short(low)}" if math.isfinite(low) else ""


def folding_time_order(target):
    mean = target.number("mean_folding_time_ns")
    return mean if math.isfinite(mean) else target.number("folding_time_low_ns")


def verdict_with_reason(target):
    """Verdict with its reason as a tooltip."""
    return f'<span title="{html.escape(target.text("reason"))}">{pill(target.text("verdict"))}</span>'


# (heading, explanation, function for the cell, function for the order)
COLUMNS = (
    ("Target", "", lambda t: f'<a href="#{html.escape(t.name)}">{html.escape(t.name)}</a>', lambda t: t.name),
    ("Verdict", "Folds: at least half of the replicas did; partly: fewer, but some", verdict_with_reason,
     lambda t: t.text("verdict")),
    ("Residues", "", lambda t: short(t.number("residues"), 9), lambda t: t.number("residues")),
    ("Folded", "Share of the replicas that began unfolded, at 0.85 of the folding temperature",
     lambda t: percent(t.number("folded_fraction")), lambda t: t.number("folded_fraction")),
    ("Folding time, ns", "Mean first-passage time by exponential fit, and its 95 % interval", folding_time,
     folding_time_order),
    ("T<sub>f</sub>, K", "Where the heat capacity has its maximum, in the model's kelvin",
     lambda t: with_its_error(t, "folding_temperature_kelvin", "folding_temperature_error_kelvin"),
     lambda t: t.number("folding_temperature_kelvin")),
    ("Barrier, kT", "Of F(Q) at the folding temperature, over the higher basin",
     lambda t: with_its_error(t, "barrier_kt", "barrier_error_kt"), lambda t: t.number("barrier_kt")),
    ("F(Q)", "Converged: both starts agree, and at least ten round trips; else what that is predicted to take of an "
     "H200", convergence,
     lambda t: t.text("free_energy")),
    ("&Delta;Q", "Largest difference of mean Q between native and unfolded starts",
     lambda t: short(t.number("starts_differ_in_q"), 2), lambda t: t.number("starts_differ_in_q")),
    ("Round trips", "Through the ladder of temperatures, all replicas",
     lambda t: short(t.number("round_trips"), 6), lambda t: t.number("round_trips")),
    ("Space", "Where it was computed, by predicted time or as told: batch.log says why",
     lambda t: html.escape(t.text("space").upper()), lambda t: t.text("space")),
)
TEXT_COLUMNS = ("Target", "Verdict", "F(Q)", "Space")


def search_words(target):
    return html.escape(" ".join((target.name, target.text("protocol"), target.text("verdict"),
                                 target.text("free_energy"), target.reason)).lower())


def row_attributes(target):
    return f' data-words="{search_words(target)}"'


def results_table(targets):
    columns = [Column(name, name in TEXT_COLUMNS, explanation, sorts=True) for name, explanation, _, _ in COLUMNS]
    return table_html(columns, [Row([shown(target) for _, _, shown, _ in COLUMNS],
                                    [order(target) for _, _, _, order in COLUMNS], row_attributes(target))
                                for target in targets])


def failures_section(batch):
    columns = [Column("Target", is_text=True), Column("Reason", is_text=True), Column("Attempts")]
    rows = [Row([html.escape(target.name), html.escape(target.reason), str(target.attempts)],
                attributes=row_attributes(target)) for target in batch.failed]
    return ("<section><h2>What failed</h2><p>With <code>--retry-failed</code> the same command tries these "
            f"again.</p>{table_html(columns, rows)}</section>")


def missing_section(batch):
    names = "".join(f'<li data-words="{search_words(target)}">{html.escape(target.name)} '
                    f"<small>{html.escape(target.last_event)}</small></li>" for target in batch.missing)
    return ("<section><h2>Not yet</h2><p>The same command goes on with them, on any number of ranks of "
            "the space, CPU or GPU, where they began.</p>"
            f'<ul class="names">{names}</ul></section>')


def target_picture(batch, target):
    """HTML of a target's picture, or a line of text if there is nothing to draw."""
    try:
        tables = read_folding(batch, target)
        if tables and (tables.free_energy or tables.melting or tables.survival):
            return picture(figures.folding_strip(target, tables), f"{target.name}: free energy over Q at the folding "
                           "temperature, share not yet folded over time, native contacts and heat capacity over "
                           "temperature")
        series = read_series(series_path(batch, target))
    except RunFolderError as failure:
        message = str(failure).replace(f"{batch.folder}{os.sep}", "")  # relative, since the page may be copied with its folder
        return f'<p><strong class="flag">{html.escape(message)}</strong></p>'
    if series is None:
        return "<p>It wrote no energies to draw (output.energies_every_steps).</p>"
    return picture(figures.run_strip(series), f"{target.name}: native contacts and energy over time")


def described(target):
    """One line with the target's system and settings."""
    parts = [f'{short(target.number("residues"), 9)} residues']
    for column, unit in (("chains", "chains"), ("contacts", "native contacts")):
        if target.number(column) > 1:
            parts.append(f"{short(target.number(column), 9)} {unit}")
    parts.append(f'step {target.text("time_step_ps")} ps')
    if target.text("mass_amu"):
        parts.append(f'mass {target.text("mass_amu")} amu')
    if target.number("attempts") > 1:
        parts.append(f'{target.text("attempts")} attempts')
    if target.text("space"):
        parts.append(f'computed on a {target.text("space").upper()}')
    return " &middot; ".join(parts)


def findings(target):
    """One line with the numbers of a folding target."""
    parts = []
    if target.text("folding_temperature_kelvin"):
        cell_text = with_its_error(target, "folding_temperature_kelvin", "folding_temperature_error_kelvin")
        parts.append(f"T<sub>f</sub> {cell_text} K")
    if target.text("barrier_kt"):
        parts.append(f'barrier {with_its_error(target, "barrier_kt", "barrier_error_kt")} kT')
    if target.text("folded_fraction"):
        parts.append(f'{percent(target.number("folded_fraction"))} of '
                     f'{short(target.number("kinetics_replicas"), 9)} folded')
    if folding_time(target):
        parts.append(f"folding time {folding_time(target)} ns")
    predicted = target.number("predicted_gpu_seconds")
    if target.text("free_energy") != "converged" and math.isfinite(predicted):
        parts.append(f"F(Q) predicted to converge in {gpu_time(predicted)} of an H200")
    for column in ("reason", "remark"):
        if target.text(column):
            parts.append(html.escape(target.text(column)))
    return " &middot; ".join(parts)


def card(batch, target, folder):
    link = html.escape(os.path.relpath(batch.folder / target.name, folder).replace(os.sep, "/"))
    lines = [line for line in (findings(target), described(target)) if line]
    return (f'<div class="card" id="{html.escape(target.name)}" data-words="{search_words(target)}">'
            f'<h3><a href="{link}/">{html.escape(target.name)}</a>{pill(target.text("verdict"))}'
            f'{pill(target.text("free_energy"))}</h3><p>{"<br>".join(lines)}</p>'
            f"{target_picture(batch, target)}</div>\n")


def make_cards(batch, targets, folder):
    """HTML of the cards of these targets. Many are drawn in parallel, since each takes a tenth of a second."""
    make = functools.partial(card, dataclasses.replace(batch, targets=[]), folder=folder)
    cores = len(os.sched_getaffinity(0))
    if len(targets) < FEWEST_FOR_PROCESSES or cores < 2:
        return "".join(make(target) for target in targets)
    with multiprocessing.get_context("fork").Pool(cores) as pool:
        return "".join(pool.imap(make, targets, chunksize=8))


def describe_targets(targets):
    return f"{len(targets):,} target{'' if len(targets) == 1 else 's'}"


def make_tiles(batch):
    """(value, description)"""
    done, failed, missing = batch.done, batch.failed, batch.missing
    tiles = [(f"{len(done):,}", f"of {describe_targets(batch.targets)} done"), (f"{len(failed):,}", "failed"),
             (f"{len(missing):,}", "not yet")]
    folding = [target for target in done if target.text("protocol") == "folding"]
    if folding:
        tiles.append((f'{sum(target.text("verdict") == "folds" for target in folding):,}',
                      f"fold, of {len(folding):,} that were to"))
        tiles.append((f'{sum(target.text("free_energy") == "converged" for target in folding):,}',
                      "free energies converged"))
    chains = [target for target in done if target.text("protocol") == "chain"]
    if chains:
        tiles.append((f'{sum(target.text("verdict") == "converged" for target in chains):,}',
                      f"sizes converged, of {len(chains):,} chains"))
    slabs = [target for target in done if target.text("protocol") == "phase"]
    if slabs:
        tiles.append((f'{sum(target.text("verdict") == "converged" for target in slabs):,}',
                      f"converged, of {len(slabs):,} slabs"))
    return tiles


def time_section(found):
    """Section with the ranks' time of one start; nothing if no time passed."""
    figure = performance_figures.phases(found)
    if figure is None:
        return ""
    drawn = to_svg(figure)
    performance_figures.plt.close(figure)
    part = found.values["name"].removeprefix("batch").strip(".").replace("-", " ")
    at_work = [rank["share_at_work"] for rank in found.ranks]
    limit = found.values["bottleneck"]
    text = (f"Of the last start. Ranks had a target {sum(at_work) / len(at_work):.0%} of the time since the first began, the least of "
            f"them {min(at_work):.0%}. {limit['words']}: {limit['advice']}.")
    return (f"<section><h2>Where the time went{f' <small>{html.escape(part)}</small>' if part else ''}</h2><p>{html.escape(text)}</p>"
            f"{picture(drawn, 'A bar of phases for each rank')}</section>")


def make_body(batch, folder):
    """HTML of the page's sections. `folder` will hold the page; its links are relative to it."""
    sections = []
    done = [target for target in batch.done if target.text("protocol") not in ("chain", "phase")]
    chains = [target for target in batch.done if target.text("protocol") == "chain"]
    if chains:
        sections.append(chains_section(batch, chains, pill, row_attributes))
    slabs = [target for target in batch.done if target.text("protocol") == "phase" and target.text("temperature_kelvin")]
    if slabs:
        sections.append(phases_section(batch, slabs, pill, row_attributes))
    glance = figures.overview(done)
    if glance is not None:
        sections.append("<section><h2>At a glance</h2><p>Each dot is a target, with its error where it is known. "
                        "Temperatures and times are the model's, not a laboratory's.</p>" +
                        picture(glance, "Folding temperature, barrier and folding time over residues") + "</section>")
    if done:
        sections.append('<section><div class="tools"><h2>Results <small>a head sorts</small></h2>'
                        '<input type="search" placeholder="name, verdict&hellip;" aria-label="Show only"></div>'
                        f"{results_table(done)}</section>")
    sections.append(times_section(batch))
    if batch.failed:
        sections.append(failures_section(batch))
    if batch.missing:
        sections.append(missing_section(batch))
    sections += [time_section(found) for found in batch.performances]
    if done:
        cards = make_cards(batch, done, folder)
        sections.append(
            "<section><h2>Each target</h2><p>Left, the free energy over the native contacts Q at the folding "
            "temperature, cut at 8 kT. Middle, the share of replicas that have not folded yet since they began "
            "unfolded, with twice its standard error; dashed, the exponential of the mean folding time. Right, mean "
            "Q (blue) and heat capacity (red, its peak to full height) by MBAR, and the folding temperature with "
            "its error (green). Of a target that was one run: Q and energy over time. A name leads to the target's "
            f'folder.</p></section><div class="cards">\n{cards}</div>')
    return "".join(sections)


def make_notices(batch):
    if batch.targets and not batch.done and not batch.missing:
        return '<p class="notice"><b>No target is done:</b> all have failed; the reasons are below.</p>'
    return ""


def write_batch_page(batch, folder):
    """Write the page into `folder`. Return its path and the number of pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    name = html.escape(batch.name)
    body = make_body(batch, folder.resolve())
    page = folder / BATCH_PAGE
    page.write_text(f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}: nfold batch</title><style>{STYLE}{BATCH_STYLE}</style></head>
<body><main>
<h1>{name}</h1>
<p class="sub">A batch of {describe_targets(batch.targets)}, simulated by nfold</p>
{make_notices(batch)}{tiles_html(make_tiles(batch))}
{body}
{footer_html(f"{batch.folder.name}: {len(batch.done):,} of {describe_targets(batch.targets)} done")}
<script>{SORTING}{SEARCH}</script>
</main>{ZOOM_WINDOW}</body></html>
""", encoding="utf-8")
    return page, body.count("<img ")

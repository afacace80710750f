# Section of a batch's page with measured and predicted times.
# SPDX-License-Identifier: BSD-3-Clause

import html

from .batch_folder import read_times
from .page import Column, Row, table_html


def format_seconds(seconds):
    return f"{seconds:,.0f}" if seconds >= 1000 else f"{seconds:.3g}"


def make_row(time):
    verdict = "good" if time.is_within else "bad"
    words = "within" if time.is_within else "outside"
    return Row([html.escape(time.name),
                f"{format_seconds(time.predicted)} <small>({format_seconds(time.low)} to {format_seconds(time.high)})</small>",
                format_seconds(time.measured), f"{time.measured / time.predicted:.2f}",
                f'<span class="pill {verdict}">{words}</span>', html.escape(time.by)])


def advice_on(times):
    within = sum(time.is_within for time in times)
    if within >= 0.8 * len(times):
        return ""
    return (" The plan was wrong: its history corrects the next ones from what these took; measure the machine by "
            "<code>nfold bench --calibrate</code> if it was not, and look for other programs on it.")


def times_section(batch):
    """HTML of the section; nothing if no target has times."""
    times = read_times(batch)
    if not times:
        return ""
    within = sum(time.is_within for time in times)
    columns = [Column("Target", is_text=True), Column("Predicted, s"), Column("Took, s"), Column("Ratio"),
               Column("Interval"), Column("By", is_text=True)]
    return (f'<section><h2>Plan and reality</h2><p>{within} of {len(times)} targets took what was predicted, '
            f"within its interval of 90 %. Seconds from the first part to the result, of targets that were made in one go "
            f"and had their rank for themselves.{advice_on(times)}</p>"
            f"{table_html(columns, [make_row(time) for time in times])}</section>")

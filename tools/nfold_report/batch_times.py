# The part of a batch's page that holds what targets took against what was predicted.
# SPDX-License-Identifier: BSD-3-Clause

import html

from .batch_folder import read_times


def in_seconds(seconds):
    return f"{seconds:,.0f}" if seconds >= 1000 else f"{seconds:.3g}"


def row_of(time):
    verdict = "good" if time.is_within else "bad"
    words = "within" if time.is_within else "outside"
    return (f'<tr><td>{html.escape(time.name)}</td><td>{in_seconds(time.predicted)} <small>({in_seconds(time.low)} to '
            f'{in_seconds(time.high)})</small></td><td>{in_seconds(time.measured)}</td>'
            f'<td>{time.measured / time.predicted:.2f}</td><td><span class="pill {verdict}">{words}</span></td>'
            f"<td>{html.escape(time.by)}</td></tr>")


def advice_on(times):
    within = sum(time.is_within for time in times)
    if within >= 0.8 * len(times):
        return ""
    return (" The plan was wrong: its history corrects the next ones from what these took; measure the machine by "
            "<code>nfold bench --calibrate</code> if it was not, and look for other programs on it.")


def times_section(batch):
    """HTML; nothing where no target tells."""
    times = read_times(batch)
    if not times:
        return ""
    within = sum(time.is_within for time in times)
    rows = "".join(row_of(time) for time in times)
    return (f'<section><h2>Plan and reality</h2><p>{within} of {len(times)} targets took what was predicted, '
            f"within its interval of 90 %. Seconds from the first part to the result, of targets that were made in one go "
            f"and had their rank for themselves.{advice_on(times)}</p><table><thead><tr><th>Target</th>"
            "<th>Predicted, s</th><th>Took, s</th><th>Ratio</th><th>Interval</th><th>By</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></section>")

# The part of a page that tells what a run took and what the next should do differently.
# SPDX-License-Identifier: BSD-3-Clause

import html

from . import performance_figures
from .page import Section
from .performance import advice_of, facts_of

STEPS_ARE_WHOLE = ("Steps are one stripe: <code>nfold run --profile</code> tells their parts, and writes a timeline for "
                   "Perfetto.")


def add_performance(sections, found):
    """Nothing where the run left no NAME.performance.json."""
    if found is None:
        return
    text = ("Of the last session. What a rank spent its time on; waits for others are grey. " +
            ("Parts of steps are those of some steps, told of all." if found.values["is_profiled"] else STEPS_ARE_WHOLE))
    sections.add("performance", "Where the time went", performance_figures.phases(found), text,
                 "A bar of phases for each rank")
    sections.add_table("numbers", "Plan and reality", "What the run took, beside what was planned.", ("", ""),
                       [(html.escape(what), html.escape(value)) for what, value in facts_of(found)], words=(0, 1))
    advice = "".join(f"<li>{html.escape(one)}</li>" for one in advice_of(found))
    if advice:
        sections.all.append(Section("For the next run", "What limited this one, and what would help, most important first.",
                                    f"<ul>{advice}</ul>", "advice"))

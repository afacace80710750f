# Section of a page with a run's costs and the advice for the next run.
# SPDX-License-Identifier: BSD-3-Clause

import html

from . import performance_figures
from .page import Section
from .performance import make_advice, make_facts

STEPS_ARE_WHOLE = ("Steps are one stripe: <code>nfold run --profile</code> tells their parts, and writes a timeline for "
                   "Perfetto.")


def add_performance(sections, found):
    """Add the section; nothing if the run left no NAME.performance.json."""
    if found is None:
        return
    text = ("Of the last session. What a rank spent its time on; waits for others are grey. " +
            ("Parts of steps are those of some steps, told of all." if found.values["is_profiled"] else STEPS_ARE_WHOLE))
    sections.add("performance", "Where the time went", performance_figures.phases(found), text,
                 "A bar of phases for each rank")
    sections.add_table("numbers", "Plan and reality", "What the run took, beside what was planned.", ("", ""),
                       [(html.escape(what), html.escape(value)) for what, value in make_facts(found)], words=(0, 1))
    advice = "".join(f"<li>{html.escape(one)}</li>" for one in make_advice(found))
    if advice:
        sections.all.append(Section("For the next run", "What limited this one, and what would help, most important first.",
                                    f"<ul>{advice}</ul>", "advice"))

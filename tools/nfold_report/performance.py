# Costs of a run from NAME.performance.json: time against estimate, phases, memory, energy, advice.
# SPDX-License-Identifier: BSD-3-Clause

import math
from dataclasses import dataclass

from .in_words import count, plain

NINETY_PERCENT = 1.645  # standard deviations on each side, equal to src/estimate/interval.cpp
UNEVEN_BALANCE = 0.9  # equal to src/session/job/performance_table.cpp
MUCH_WAITING, MUCH_BESIDE, MUCH_START = 0.3, 0.1, 0.3  # fractions of a run's time
FULL_MEMORY = 0.9
BESIDE_STEPS = {"analysis": ("Observables", "a larger observables.every_steps"),
                "output": ("Energies", "a larger output.energies_every_steps"),
                "frames": ("Frames", "a larger output.trajectory_every_steps"),
                "checkpoint": ("Checkpoints", "a larger output.checkpoint_every_minutes")}


@dataclass
class Performance:
    """Contents of the file; src/session/job/performance_file.cpp describes them."""

    values: dict

    @property
    def ranks(self):
        return self.values["ranks"]

    @property
    def phases(self):
        """{phase: mean seconds of a rank}, in the order of the file."""
        return self.values["mean_phase_seconds"]

    @property
    def after_start(self):
        """Seconds of a rank after the start."""
        return sum(seconds for phase, seconds in self.phases.items() if phase != "start")

    def share(self, *phases):
        """Fraction of the time after the start."""
        return sum(self.phases.get(phase, 0) for phase in phases) / self.after_start if self.after_start > 0 else 0

    @property
    def ns_a_day(self):
        """Nanoseconds per day of all replicas together; 0 without steps."""
        return 86_400 * self.values["simulated_ns"] / self.after_start if self.after_start > 0 else 0

    @property
    def step_seconds(self):
        """Measured step time of a page: the value compared with the prediction, else the mean over all steps."""
        prediction = self.values["prediction"] or {}
        return prediction.get("compared_step_seconds") or self.values["step_seconds"]

    @property
    def joules_a_ns(self):
        """Joules per ns, None if no GPU measures energy."""
        joules, nanoseconds = self.values["joules"], self.values["simulated_ns"]
        return joules / nanoseconds if joules is not None and nanoseconds > 0 else None

    @property
    def over_prediction(self):
        """(measured over predicted, lowest and highest ratio in the estimate's 90 % interval), or None."""
        prediction = self.values["prediction"]
        if prediction is None or prediction["compared_step_seconds"] is None:
            return None
        factor = math.exp(NINETY_PERCENT * prediction["spread"])
        return prediction["compared_step_seconds"] / prediction["step_seconds"], 1 / factor, factor

    def most(self, key):
        """Largest value of any rank; None if no rank has it."""
        known = [rank[key] for rank in self.ranks if rank[key] is not None]
        return max(known) if known else None

    @property
    def fullest(self):
        """Largest fraction of its memory taken by a rank's arrays, or None."""
        shares = [rank["memory_peak_bytes"] / rank["memory_there_bytes"] for rank in self.ranks
                  if rank["memory_peak_bytes"] and rank["memory_there_bytes"]]
        return max(shares) if shares else None


def format_microseconds(seconds):
    return f"{plain(1e6 * seconds, 4)} µs"


def format_bytes(number):
    """'1.2 GiB'"""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(number) < 1024:
            return f"{plain(number)} {unit}"
        number /= 1024
    return f"{plain(number)} TiB"


def make_facts(found):
    """(name, value) as text: the run's speed, prediction, balance, memory, energy."""
    values = found.values
    steps = values["last_step"] - values["first_step"]
    facts = [("Execution", f"{values['execution']}, {count(len(found.ranks), 'rank')}"),
             ("Time", f"{plain(values['wall_seconds'])} s, of which {plain(found.phases.get('start', 0))} s for the start"),
             ("Speed", f"{plain(found.ns_a_day)} ns of the model a day" +
              (f", of {values['replicas']:,} replicas together" if values["replicas"] else ""))]
    if steps > 0:
        facts.append(("A step", f"{format_microseconds(found.step_seconds)}, over {steps:,} steps"))
    facts += prediction_fact(found)
    if len(found.ranks) > 1:
        facts.append(("Balance", f"{values['balance']:.2f}: mean over most of what ranks were busy; rank "
                      f"{values['busiest_rank']} was busiest"))
    sent = sum(rank["halo_bytes_of_step"] or 0 for rank in found.ranks)
    if sent > 0:
        facts.append(("Ghosts", f"{format_bytes(sent)} sent in a step, by all ranks"))
    peak, planned = found.most("memory_peak_bytes"), found.most("memory_planned_bytes")
    if peak is not None and planned is not None:
        full = "" if found.fullest is None else "under 0.1%" if found.fullest < 1e-3 else f"{found.fullest:.1%}"
        there = f"; {full} of what the fullest rank has" if full else ""
        facts.append(("Memory of arrays", f"{format_bytes(peak)} at most, {format_bytes(planned)} planned{there}"))
    if found.joules_a_ns is not None:
        facts.append(("Energy of the GPUs", f"{plain(values['joules'])} J, {plain(found.joules_a_ns)} J per ns"))
    return facts


def prediction_fact(found):
    prediction = found.values["prediction"]
    if prediction is None:
        return []
    text = f"{format_microseconds(prediction['step_seconds'])} by {prediction['by']}"
    if found.over_prediction is None:
        return [("Predicted", f"{text}; too few steps to be held against it")]
    ratio, _, high = found.over_prediction
    off = f"{abs(ratio - 1):.0%} {'less' if ratio < 1 else 'more'}"
    return [("Predicted", f"{text}; a step took {off}, and its interval of 90 % reaches {high - 1:.0%} up")]


def make_advice(found):
    """Advice for the next run, a sentence or two each. The first is about this run's bottleneck."""
    values, advice = found.values, []
    if found.after_start > 0:
        limit = values["bottleneck"]
        advice.append(f"{limit['words'][0].upper()}{limit['words'][1:]}: {limit['advice']}.")
    limiting = values["bottleneck"]["phase"]
    waiting = found.share("wait")
    if limiting != "wait" and len(found.ranks) > 1:
        if values["balance"] < UNEVEN_BALANCE:
            advice.append(f"Ranks are not evenly busy (balance {values['balance']:.2f}; rank {values['busiest_rank']} has most "
                          "to do): set partition.rebalance_every_steps, or another partition.method.")
        elif waiting > MUCH_WAITING:
            advice.append(f"Ranks wait {waiting:.0%} of the time though they are evenly busy: fewer ranks would cost less "
                          "for nearly the same speed.")
    for phase, (name, remedy) in BESIDE_STEPS.items():
        if phase != limiting and found.share(phase) > MUCH_BESIDE:
            advice.append(f"{name} take {found.share(phase):.0%} of the time: {remedy}.")
    if values["wall_seconds"] > 0 and found.phases.get("start", 0) > MUCH_START * values["wall_seconds"]:
        advice.append(f"The start took {found.phases['start'] / values['wall_seconds']:.0%} of the time: longer runs, or an "
                      "ensemble or batch of many, pay for it once.")
    return advice + advice_on_plan(found) + advice_on_memory(found)


def advice_on_plan(found):
    if found.over_prediction is None:
        return []
    ratio, low, high = found.over_prediction
    if low <= ratio <= high:
        return []
    return [f"A step took {plain(ratio)} times what was predicted, beyond the plan's interval: measure this machine by "
            "nfold bench --calibrate, or look for other programs on it."]


def advice_on_memory(found):
    if found.fullest is None or found.fullest < FULL_MEMORY:
        return []
    return [f"Memory was {found.fullest:.0%} full: a larger system needs more ranks or GPUs; nfold plan tells how many."]

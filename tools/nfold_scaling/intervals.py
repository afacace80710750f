# Medians, 95 % intervals, speed-ups and serial fractions of repeated measurements.
# SPDX-License-Identifier: BSD-3-Clause
"""Unknown intervals, as of one measurement, are None, never zero."""

import math
import statistics
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """Value and its 95 % interval; low and high are None if it is unknown."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def is_known(self):
        return self.low is not None

    def times(self, factor):
        if not self.is_known:
            return Estimate(self.value * factor)
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


def student_t(degrees, confidence=CONFIDENCE):
    """Two-sided quantile of Student's t for degrees of freedom from 1 on, whole or not. With t = sqrt(n) tan(a), the
    density is that of cos(a)^(n - 1)."""
    angle = np.linspace(0, np.pi / 2, 20_001)
    density = np.cos(angle) ** (degrees - 1)
    below = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(degrees) * math.tan(np.interp(confidence * below[-1], below, angle))


def mean_interval(values):
    """(low, high) of the mean of normal values; None for fewer than two."""
    if len(values) < 2:
        return None
    half = student_t(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    mean = statistics.fmean(values)
    return mean - half, mean + half


def typical_rate(values):
    """Median of a quantity that varies by a factor, such as a speed, with the interval of the geometric mean."""
    found = mean_interval([math.log(value) for value in values])
    return Estimate(statistics.median(values), *map(math.exp, found or ()))


def typical(values, least=0.0, most=math.inf):
    """Median, with the interval of the mean limited to the quantity's range."""
    found = mean_interval(values)
    return Estimate(statistics.median(values), *((max(least, found[0]), min(most, found[1])) if found else ()))


def ratio(values, base):
    """Median over median. The interval is Welch's for logarithms, since both sides vary."""
    middle = statistics.median(values) / statistics.median(base)
    if min(len(values), len(base)) < 2:
        return Estimate(middle)
    logs = [[math.log(value) for value in sample] for sample in (values, base)]
    errors = [statistics.variance(sample) / len(sample) for sample in logs]
    error = sum(errors)
    if error == 0:
        return Estimate(middle, middle, middle)
    degrees = error**2 / sum(part**2 / (len(sample) - 1) for part, sample in zip(errors, logs))
    half = student_t(degrees) * math.sqrt(error)
    difference = statistics.fmean(logs[0]) - statistics.fmean(logs[1])
    return Estimate(middle, math.exp(difference - half), math.exp(difference + half))


def serial_fraction(speed_up, more_ranks):
    """Serial fraction of Karp and Flatt, (1/S - 1/p) / (1 - 1/p), of an Estimate; None for p = 1. Below 0 is superlinear."""
    if more_ranks <= 1:
        return None

    def of(one):
        return (1 / one - 1 / more_ranks) / (1 - 1 / more_ranks)

    if not speed_up.is_known:
        return Estimate(of(speed_up.value))
    return Estimate(of(speed_up.value), of(speed_up.high), of(speed_up.low))


def amdahl_fraction(speed_ups):
    """Serial fraction f of the best least-squares fit of 1/S = f + (1 - f)/p to [(p, S)]. None without p > 1."""
    pairs = [(1 / speed - 1 / p, 1 - 1 / p) for p, speed in speed_ups if p > 1]
    if not pairs:
        return None
    return sum(above * room for above, room in pairs) / sum(room**2 for _, room in pairs)

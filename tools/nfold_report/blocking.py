# Standard error of the mean of correlated numbers.
# SPDX-License-Identifier: BSD-3-Clause
"""Method of Flyvbjerg and Petersen, J. Chem. Phys. 91, 461 (1989): neighbours are averaged pairwise until the
naive error no longer grows.
"""

import numpy as np

FEWEST_BLOCKS = 16


class TooShortError(ValueError):
    """The series is too short for the blocks."""


def blocked_errors(series, fewest=FEWEST_BLOCKS):
    """[(blocks, naive error, its own error)] for blocks of 1, 2, 4, ... numbers."""
    series = np.asarray(series, dtype=float)
    levels = []
    while len(series) >= fewest:
        count = len(series)
        error = series.std(ddof=1) / count**0.5
        levels.append((count, error, error / (2 * (count - 1)) ** 0.5))
        series = (series[:count // 2 * 2:2] + series[1::2]) / 2
    return levels


def standard_error(series, fewest=FEWEST_BLOCKS):
    """Largest naive error over all block sizes, a conservative estimate."""
    levels = blocked_errors(series, fewest)
    if not levels:
        raise TooShortError(f"{len(series)} numbers; expected at least {fewest}")
    return max(error for _, error, _ in levels)

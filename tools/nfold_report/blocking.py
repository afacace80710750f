# Standard error of the mean of correlated numbers.
# SPDX-License-Identifier: BSD-3-Clause
"""Flyvbjerg and Petersen, J. Chem. Phys. 91, 461 (1989): neighbours are averaged pairwise until the
naive error no longer grows.
"""

import numpy as np

FEWEST_BLOCKS = 16
FEWEST_INDEPENDENT = 16  # as src/analysis/sampling_limits.hpp


class TooShortError(ValueError):
    """Fewer numbers than blocks are needed for."""


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
    """The largest naive error over all block sizes, which errs on the side of caution."""
    levels = blocked_errors(series, fewest)
    if not levels:
        raise TooShortError(f"{len(series)} numbers; expected at least {fewest}")
    return max(error for _, error, _ in levels)


def error_if_known(series):
    """The standard error, or not a number if the series is as good as too few independent numbers."""
    try:
        largest = standard_error(series)
    except TooShortError:
        return np.nan
    of_numbers = np.std(series, ddof=1) / len(series) ** 0.5
    return largest if len(series) * of_numbers**2 >= FEWEST_INDEPENDENT * largest**2 else np.nan

# Numbers and simulations in words: digits that a person reads, errors, counts, what was simulated.
# SPDX-License-Identifier: BSD-3-Clause

import math

from .blocking import TooShortError, standard_error
from .resolved_input import lookup

MODELS = {"go": "go model", "hps-kr": "HPS model (Kapcha-Rossky)", "hps-urry": "HPS model (Urry)",
          "calvados2": "CALVADOS 2 model", "calvados3": "CALVADOS 3 model", "mpipi": "Mpipi model",
          "kim-hummer": "Kim-Hummer model"}
STARTS = {"native": "from the native state", "unfolded": "from an unfolded coil", "random": "from random places",
          "lattice": "from a lattice", "slab": "from a dense slab", "droplet": "from a droplet",
          "checkpoint": "from a checkpoint"}


def plain(value, digits=3):
    """'0.0381', '1.4', '150', '12,300': so many digits, but all before the point, and no exponent."""
    if not math.isfinite(value):
        return "not known"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def with_error(mean, error):
    """'1.170 ± 0.002': both to the error's first digit; the mean alone where no error is known."""
    if not (math.isfinite(error) and error > 0):
        return plain(mean)
    digits = max(0, -math.floor(math.log10(error)))
    return f"{round(mean, digits) + 0.0:,.{digits}f} ± {error:,.{digits}f}"  # + 0.0: no minus before a zero


def mean_with_error(series):
    """Of correlated numbers, by blocking; without an error where there are too few."""
    try:
        return with_error(series.mean(), standard_error(series))
    except TooShortError:
        return plain(series.mean())


def count(number, noun):
    """'1 transition', '2 transitions'"""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(words):
    """'a', 'a and b', 'a, b and c'"""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def what_is_in_it(settings):
    """'LAF1 and a spacer', or the structure's file; of the resolved input."""
    species = lookup(settings, "system.species") or []
    if species:
        return listed(str(one.get("name", "a chain")) for one in species)
    return str(lookup(settings, "system.structure") or "a chain")


def what_was_simulated(settings, residues):
    """'1ubq.pdb.gz, 76 residues: go model, from an unfolded coil, Langevin dynamics'"""
    size = f", {count(residues, 'residue')}" if residues else ""
    model = lookup(settings, "force_field.model", "go")
    start = lookup(settings, "start.from", "native")
    langevin = lookup(settings, "dynamics.integrator") == "langevin-baoab"
    return (f"{what_is_in_it(settings)}{size}: {MODELS.get(model, model)}, {STARTS.get(start, f'from {start}')}, "
            f"{'Langevin dynamics' if langevin else 'dynamics at constant energy'}")

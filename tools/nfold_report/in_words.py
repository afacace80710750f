# Text of numbers and simulations: readable digits, errors, counts, simulated systems.
# SPDX-License-Identifier: BSD-3-Clause

import math

from .blocking import TooShortError, standard_error
from .resolved_input import lookup

MODELS = {"go": "go model", "hps-kr": "HPS model (Kapcha-Rossky)", "hps-urry": "HPS model (Urry)",
          "hps-rna": "HPS model with RNA", "hps-ptm": "HPS model with modified residues", "hps-t": "HPS-T model",
          "hps-cation-pi": "HPS model with cation-pi", "calvados2": "CALVADOS 2 model", "calvados3": "CALVADOS 3 model",
          "pcalvados2": "pCALVADOS 2 model", "calvados2-rna": "CALVADOS 2 model with RNA",
          "calvados2-duplex": "CALVADOS 2 model with double strands", "calvados2-peg": "CALVADOS 2 model with PEG",
          "mpipi": "Mpipi model", "mpipi-rna": "Mpipi model with RNA", "mpipi-recharged": "Mpipi-Recharged model",
          "cocomo": "COCOMO model", "cocomo2": "COCOMO2 model", "moff": "MOFF model", "kim-hummer": "Kim-Hummer model"}
STARTS = {"native": "from the native state", "unfolded": "from an unfolded coil", "random": "from random places",
          "lattice": "from a lattice", "slab": "from a dense slab", "droplet": "from a droplet",
          "checkpoint": "from a checkpoint"}


def plain(value, digits=3):
    """'0.0381', '1.4', '150', '12,300': this many digits, but all before the point, and no exponent."""
    if not math.isfinite(value):
        return "not known"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def with_error(mean, error):
    """'1.170 ± 0.002': both to the error's first digit; the mean alone if no error is known."""
    if not (math.isfinite(error) and error > 0):
        return plain(mean)
    digits = max(0, -math.floor(math.log10(error)))
    return f"{round(mean, digits) + 0.0:,.{digits}f} ± {error:,.{digits}f}"  # + 0.0 removes the minus of a zero


def mean_with_error(series):
    """Mean with its blocking error, without an error if there are too few numbers."""
    try:
        return with_error(series.mean(), standard_error(series))
    except TooShortError:
        return plain(series.mean())


def count(number, noun):
    """'1 transition', '2 transitions'"""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(items):
    """'a', 'a and b', 'a, b and c'"""
    items = list(items)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def describe_contents(settings):
    """'LAF1 and a spacer', or the structure's file, from the resolved input."""
    species = lookup(settings, "system.species") or []
    if species:
        return listed(str(one.get("name", "a chain")) for one in species)
    return str(lookup(settings, "system.structure") or "a chain")


def describe_simulation(settings, residues):
    """'1ubq.pdb.gz, 76 residues: go model, from an unfolded coil, Langevin dynamics'"""
    size = f", {count(residues, 'residue')}" if residues else ""
    model = lookup(settings, "force_field.model", "go")
    start = lookup(settings, "start.from", "native")
    langevin = lookup(settings, "dynamics.integrator") == "langevin-baoab"
    return (f"{describe_contents(settings)}{size}: {MODELS.get(model, model)}, {STARTS.get(start, f'from {start}')}, "
            f"{'Langevin dynamics' if langevin else 'dynamics at constant energy'}")

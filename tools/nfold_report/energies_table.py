# NAME.energies.csv: its lines, and which of its columns are radii of gyration.
# SPDX-License-Identifier: BSD-3-Clause

RADIUS = "radius_of_gyration"


def radius_columns(energies):
    """{species: column} of a table of energies."""
    return {name[len(RADIUS):-len("_nm")].removeprefix("_"): name for name in energies
            if name.startswith(RADIUS) and name.endswith("_nm")}


def table_lines(text):
    """Whole lines of a table that may still grow, without comments."""
    return [line for line in text[:text.rfind("\n") + 1].splitlines() if not line.startswith("#")]

# Lines of NAME.energies.csv and its columns of radii of gyration.
# SPDX-License-Identifier: BSD-3-Clause

RADIUS = "radius_of_gyration"


def radius_columns(energies):
    """{species: column} of an energy table."""
    return {name[len(RADIUS):-len("_nm")].removeprefix("_"): name for name in energies
            if name.startswith(RADIUS) and name.endswith("_nm")}


def table_lines(text):
    """Complete lines of a growing table, without comments."""
    return [line for line in text[:text.rfind("\n") + 1].splitlines() if not line.startswith("#")]

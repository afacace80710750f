# Published disordered proteins of input/sequences.fasta with their conditions.
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from pathlib import Path

from .fasta import read_fasta

INPUT = Path(__file__).resolve().parents[2] / "input"
FASTA = INPUT / "sequences.fasta"


@dataclass
class Protein:
    name: str
    sequence: str  # one-letter codes
    charge: int  # from the table
    residues: int  # from the table
    temperature_kelvin: float | None
    ph: float | None
    ionic_strength_molar: float | None
    measured_rg_nm: tuple | None  # value and error


def number(cell):
    return float(cell) if cell else None


def published_proteins():
    """{name: Protein} of sequences.fasta and of the table in SEQUENCES.md, which must agree."""
    sequences, proteins = read_fasta(FASTA), {}
    for line in (INPUT / "SEQUENCES.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) > 1 and cells[1].isdigit():
            measured = tuple(float(part) for part in cells[6].split("+-")) if cells[6] else None
            proteins[cells[0]] = Protein(
                cells[0], sequences[cells[0]], int(cells[2]), int(cells[1]), number(cells[3]),
                number(cells[4]), number(cells[5]), measured)
    return proteins

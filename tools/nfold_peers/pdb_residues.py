# Independent reader of a PDB file's residues and beads, to check nfold's reader.
# SPDX-License-Identifier: BSD-3-Clause
"""ATOM records of standard residues in the first model; for alternate locations, the blank one or A."""

import gzip
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .calpha_structure import StructureError
from .fasta import THREE_LETTERS

# IUPAC's abridged standard atomic weights.
ELEMENT_MASSES = {"H": 1.008, "C": 12.011, "N": 14.007, "O": 15.999, "S": 32.06, "SE": 78.971}


@dataclass
class PdbResidue:
    name: str
    chain: str
    number: int
    atoms: dict = field(default_factory=dict)  # name to (element, position in nm)

    def calpha_nm(self):
        return np.array(self.atoms["CA"][1])

    def centre_of_mass_nm(self):
        """Centre of mass of the heavy atoms [nm]."""
        heavy = [atom for atom in self.atoms.values() if atom[0] != "H"]
        masses = np.array([ELEMENT_MASSES[element] for element, _ in heavy])
        return masses @ np.array([position for _, position in heavy]) / masses.sum()


def atom_records(text):
    for line in text.splitlines():
        if line.startswith("ENDMDL"):
            return
        if line.startswith("ATOM  ") and line[16] in " A" and line[17:20] in THREE_LETTERS.values():
            yield line


def read_residues(path):
    """[PdbResidue] in the file's order. Raises StructureError or OSError."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("ascii", "replace")
    residues, key = [], None
    for line in atom_records(text):
        if key != line[17:27]:
            key = line[17:27]
            residues.append(PdbResidue(line[17:20], line[21], int(line[22:26])))
        name = line[12:16].strip()
        element = line[76:78].strip() or name.lstrip("0123456789")[0]
        residues[-1].atoms.setdefault(
            name, (element, [float(line[start:start + 8]) / 10 for start in (30, 38, 46)]))
    residues = [residue for residue in residues if "CA" in residue.atoms]
    if not residues:
        raise StructureError(f"{path}: no ' CA ' in an ATOM record; give a PDB file of a protein")
    return residues

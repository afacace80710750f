# Independent reader of FASTA, to check nfold's reader.
# SPDX-License-Identifier: BSD-3-Clause

THREE_LETTERS = {
    "A": "ALA", "R": "ARG", "N": "ASN", "D": "ASP", "C": "CYS", "Q": "GLN", "E": "GLU", "G": "GLY",
    "H": "HIS", "I": "ILE", "L": "LEU", "K": "LYS", "M": "MET", "F": "PHE", "P": "PRO", "S": "SER",
    "T": "THR", "W": "TRP", "Y": "TYR", "V": "VAL"}


class FastaError(ValueError):
    """The file has no readable sequences; the message has the line and the reason."""


def read_fasta(path):
    """{name: sequence}. The name is the header's first word."""
    sequences, name = {}, None
    for line_number, line in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        line = line.strip()
        if line.startswith(">"):
            name = line[1:].split()[0]
            if name in sequences:
                raise FastaError(f"{path}:{line_number}: {name} again; expected each name once")
            sequences[name] = ""
        elif line:
            unknown = set(line) - set(THREE_LETTERS)
            if name is None or unknown:
                raise FastaError(f"{path}:{line_number}: found {line[:20]!r}; expected a header first "
                                 "and the 20 standard residues' letters")
            sequences[name] += line
    return sequences

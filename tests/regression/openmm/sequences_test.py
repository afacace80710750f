# The published sequences in input/ are those whose lengths and charges stand beside them.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: sequences_test.py ROOT [unittest arguments]"""

import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_report.fasta import read_fasta  # noqa: E402  (the path had to come first)


def documented():
    """{name: (residues, charge)} of the table in SEQUENCES.md."""
    rows = {}
    for line in (ROOT / "input/SEQUENCES.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[1].isdigit():
            rows[cells[0]] = (int(cells[1]), int(cells[2]))
    return rows


class Sequences(unittest.TestCase):
    def test_are_those_described(self):
        found = {name: (len(text), sum(map(text.count, "KR")) - sum(map(text.count, "DE")))
                 for name, text in read_fasta(ROOT / "input/sequences.fasta").items()}
        self.assertGreaterEqual(len(found), 6)
        self.assertEqual(found, documented())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

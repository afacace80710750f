# Data files in input/ compared with their descriptions and with the tools that write them.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: sequences_test.py ROOT [unittest arguments]"""

import sys
import unittest
from pathlib import Path

import yaml

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_peers.condensate_bench import make_condensate, force_field_table  # noqa: E402
from nfold_peers.fasta import read_fasta  # noqa: E402  (path set above)
from nfold_peers.published import FASTA, published_proteins  # noqa: E402


class Sequences(unittest.TestCase):
    def test_sequences_match_their_descriptions(self):
        proteins = published_proteins()
        self.assertEqual(list(proteins), list(read_fasta(FASTA)))
        for name, protein in proteins.items():
            with self.subTest(protein=name):
                self.assertEqual(len(protein.sequence), protein.residues)
                self.assertEqual(sum(map(protein.sequence.count, "KR"))
                                 - sum(map(protein.sequence.count, "DE")), protein.charge)

    def test_compared_proteins_have_conditions(self):
        proteins = published_proteins()
        for name in ("A1", "aSyn", "ACTR", "Hst5", "p15PAF"):
            with self.subTest(protein=name):
                self.assertLess(273, proteins[name].temperature_kelvin)
                self.assertLess(0.05, proteins[name].ionic_strength_molar)
                self.assertLess(1, proteins[name].measured_rg_nm[0])


class BenchmarkTable(unittest.TestCase):
    def test_built_in_table_equals_that_of_the_tools(self):
        built_in = yaml.safe_load((ROOT / "input/benchmark/condensate.yaml").read_text(encoding="utf-8"))
        self.assertEqual(built_in, force_field_table(make_condensate(150)))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

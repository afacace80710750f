# Radii of gyration of disordered chains, nfold's against OpenMM's.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: radius_test.py NFOLD ROOT short|long [unittest arguments]

short: histatin 5 alone, against OpenMM's radius from a long run by tools/compare_rg.py. long: two chains,
both programs anew. The bound is four combined standard errors: nfold's radius is the same number each
time, so a right program does not fail now and then.
"""

import sys
import unittest
from pathlib import Path

import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LONG = sys.argv[3] == "long"
sys.path.insert(0, str(ROOT / "tools"))
import compare_rg  # noqa: E402  (the path had to come first)
from nfold_peers.condensate_input import terms_of_input  # noqa: E402
from nfold_peers.published import published_proteins  # noqa: E402

# OpenMM 8.6.1, CPU platform: tools/compare_rg.py --programs OpenMM --proteins Hst5 --steps 1000000 --every 500
OPENMM = {"Hst5": compare_rg.Radius(1.298, 0.015)}


class Radii(unittest.TestCase):
    def settings(self, name):
        return compare_rg.settings_of(published_proteins()[name], 1_000_000 if LONG else 300_000, 500, 1)

    def compare(self, name, own, theirs):
        with self.subTest(protein=name):
            combined = (own.error_nm**2 + theirs.error_nm**2) ** 0.5
            self.assertLess(own.error_nm, 0.05 * own.mean_nm)  # else the comparison says nothing
            self.assertLess(abs(own.mean_nm - theirs.mean_nm), 4 * combined)

    def nfold_radius(self, settings):
        terms = terms_of_input(settings, ROOT / "input")
        return compare_rg.radius_of(compare_rg.nfold_series(NFOLD, settings, terms.masses))

    @unittest.skipIf(LONG, "the long form compares it with a new run")
    def test_against_a_long_run_of_openmm(self):
        for name, theirs in OPENMM.items():
            self.compare(name, self.nfold_radius(self.settings(name)), theirs)

    @unittest.skipUnless(LONG, "minutes")
    def test_against_openmm(self):
        for name in ("Hst5", "ACTR"):
            settings = self.settings(name)
            terms = terms_of_input(settings, ROOT / "input")
            theirs = compare_rg.radius_of(compare_rg.openmm_series(settings, terms))
            self.compare(name, self.nfold_radius(settings), theirs)

    def test_radius_of_known_points(self):
        # Two masses 1 and 3 a distance 4 apart: sqrt(3/4 * 1/4) * 4.
        frames = np.array([[[0, 0, 0], [0, 4, 0]], [[1, 1, 1], [1, 1, 1]]], dtype=float)
        np.testing.assert_allclose(compare_rg.radii_of(frames, np.array([1.0, 3.0])), [3**0.5, 0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

# Radii of gyration of disordered chains: nfold compared with OpenMM.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: radius_test.py NFOLD ROOT short|long [unittest arguments]

short: histatin 5, compared with the radius of a long OpenMM run by tools/compare_rg.py. long: two chains,
new runs of both programs. The bound is four combined standard errors. nfold's radius is reproducible, so
a correct program never fails by chance.
"""

import sys
import unittest
from pathlib import Path

import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LONG = sys.argv[3] == "long"
sys.path.insert(0, str(ROOT / "tools"))
import compare_rg  # noqa: E402  (path set above)
from nfold_peers.condensate_input import input_terms  # noqa: E402
from nfold_peers.published import published_proteins  # noqa: E402

# OpenMM 8.6.1, CPU platform: tools/compare_rg.py --programs OpenMM --proteins Hst5 --steps 1000000 --every 500
OPENMM = {"Hst5": compare_rg.Radius(1.298, 0.015)}


class Radii(unittest.TestCase):
    def settings(self, name):
        return compare_rg.chain_settings(published_proteins()[name], 1_000_000 if LONG else 300_000, 500, 1)

    def compare(self, name, own, theirs):
        with self.subTest(protein=name):
            combined = (own.error_nm**2 + theirs.error_nm**2) ** 0.5
            self.assertLess(own.error_nm, 0.05 * own.mean_nm)  # a larger error makes the comparison meaningless
            self.assertLess(abs(own.mean_nm - theirs.mean_nm), 4 * combined)

    def nfold_radius(self, settings):
        terms = input_terms(settings, ROOT / "input")
        return compare_rg.mean_radius(compare_rg.nfold_series(NFOLD, settings, terms.masses))

    @unittest.skipIf(LONG, "the long form compares it with a new run")
    def test_histatin_radius_agrees_with_a_long_openmm_run(self):
        for name, theirs in OPENMM.items():
            self.compare(name, self.nfold_radius(self.settings(name)), theirs)

    @unittest.skipUnless(LONG, "minutes")
    def test_radii_agree_with_new_openmm_runs(self):
        for name in ("Hst5", "ACTR"):
            settings = self.settings(name)
            terms = input_terms(settings, ROOT / "input")
            theirs = compare_rg.mean_radius(compare_rg.openmm_series(settings, terms))
            self.compare(name, self.nfold_radius(settings), theirs)

    def test_radius_of_known_points_is_exact(self):
        # Two masses 1 and 3 a distance 4 apart: sqrt(3/4 * 1/4) * 4.
        frames = np.array([[[0, 0, 0], [0, 4, 0]], [[1, 1, 1], [1, 1, 1]]], dtype=float)
        np.testing.assert_allclose(compare_rg.radii_of_gyration(frames, np.array([1.0, 3.0])), [3**0.5, 0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

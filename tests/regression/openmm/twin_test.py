# Condensate terms of nfold_peers compared with reference values.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: twin_test.py ROOT [unittest arguments]

The expected numbers were computed with 40 digits from the published equations and parameters, without
nfold or OpenMM. The comparisons of nfold with OpenMM rely on them.
"""

import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_peers.condensate_system import evaluate  # noqa: E402  (path set above)
from nfold_peers.condensate_tables import read_model  # noqa: E402
from nfold_peers.condensate_terms import ChainSpec, condensate_terms  # noqa: E402


def load_model(name, **conditions):
    dynamics = {"temperature_kelvin": conditions.pop("temperature_kelvin", 293)}
    settings = {"force_field": {"model": name, **conditions}, "dynamics": dynamics}
    return read_model(settings, ROOT / "input")[0]


def pair(model, a, b, distance_nm):
    """{term: (energy, force on the second residue along x)} of two free residues."""
    model.charged_ends = "none"
    found = evaluate(condensate_terms([ChainSpec([a]), ChainSpec([b])], model), [[0, 0, 0], [distance_nm, 0, 0]])
    return {term: (energy, forces[1, 0]) for term, (energy, forces) in found.items()}


class Twin(unittest.TestCase):
    def check(self, found, energy, force):
        self.assertAlmostEqual(found[0], energy, delta=2e-9 * abs(energy))
        self.assertAlmostEqual(found[1], force, delta=2e-9 * abs(force))

    def test_ashbaugh_hatch_matches_reference(self):
        model = load_model("calvados2")
        for distance, energy, force in ((0.65, 0.15677909430560, 31.761449968861),
                                        (0.75, -0.69637190362031, -1.4148051520055),
                                        (1.0, -0.19765148499571, -1.1069010530874)):
            self.check(pair(model, "TYR", "ARG", distance)["short_range"], energy, force)
        # Negative lambda gives a repulsive tail without a shift.
        energy, force = pair(load_model("hps-urry"), "GLU", "GLU", 0.70)["short_range"]
        self.assertAlmostEqual(energy, 0.062127400109478, delta=1e-13)
        self.assertGreater(force, 0)

    def test_debye_hueckel_matches_reference(self):
        model = load_model("calvados2", ionic_strength_molar=0.15)
        self.assertAlmostEqual(model.kappa_per_nm, 1.26973757, delta=1e-8)
        for distance, energy, force in ((0.6, -1.3432740477712, -3.9523032172285),
                                        (1.0, -0.48327726163094, -1.1030248652571)):
            self.check(pair(model, "ARG", "ASP", distance)["electrostatic"], energy, force)
        mpipi = pair(load_model("mpipi"), "ARG", "ASP", 0.7)["electrostatic"]
        self.check(mpipi, -0.57769666804228, -1.5531787560794)

    def test_wang_frenkel_matches_reference(self):
        model = load_model("mpipi")
        self.check(pair(model, "ARG", "TYR", 0.70)["short_range"], -1.5769864197199, 49.950240958027)
        self.check(pair(model, "ILE", "ILE", 0.80)["short_range"], -1.8301709024103e-5, -9.8487465789e-4)
        bottom = pair(model, "ARG", "TYR", 0.7498662173383)["short_range"]
        self.assertAlmostEqual(bottom[0], -2.54311888, delta=1e-9)
        self.assertAlmostEqual(bottom[1], 0, delta=1e-9)

    def test_histidine_charge_follows_ph(self):
        self.assertAlmostEqual(load_model("calvados2", ph=7.0).charges["HIS"], 0.0909090909, delta=1e-10)
        self.assertAlmostEqual(load_model("calvados3", ph=7.5).charges["HIS"], 0.0306534300, delta=1e-10)
        self.assertEqual(load_model("hps-kr", ph=7.5).charges["HIS"], 0.5)

    def test_bond_matches_reference(self):
        found = evaluate(condensate_terms([ChainSpec(["GLY", "GLY"])], load_model("calvados2")),
                         [[0, 0, 0], [0.40, 0, 0]])
        self.check((found["bond"][0], found["bond"][1][1, 0]), 1.6066, -160.66)
        self.assertEqual(found["short_range"][0], 0)  # excluded


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

# Tables of an ensemble's analysis, compared with its samples and with each other.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: analysis_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
KB = 0.00831446261815324  # kJ/mol/K
EQUILIBRATION = 10000

# First hairpin of ubiquitin, which folds and unfolds in some thousand steps.
HAIRPIN = ["system.chains=[A:1-17]", "ensemble.temperatures=4", "ensemble.ladders=8",
           "ensemble.lowest_kelvin=60", "ensemble.highest_kelvin=84", "dynamics.steps=80000",
           f"ensemble.equilibration_steps={EQUILIBRATION}", "ensemble.sample_every_steps=400",
           "ensemble.exchange_every_steps=400", "ensemble.analysis.residue_energies=true"]


def nfold(command, folder, *settings, check=True):
    arguments = [NFOLD, command, INPUT / "ubiquitin-exchange.yaml", "--output", folder]
    for setting in settings:
        arguments += ["--set", setting]
    return subprocess.run(arguments, check=check, capture_output=True, text=True)


class Analysis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.work.name) / "run"
        nfold("run", cls.folder, *HAIRPIN)
        cls.file = h5py.File(cls.folder / "ubiquitin-exchange.ensemble.h5")
        step = cls.file["samples/step"][:]
        kept = step >= EQUILIBRATION
        cls.q = cls.file["samples/native_fraction"][:][kept]
        cls.energy = cls.file["samples/potential_energy"][:][kept]
        cls.state = cls.file["samples/state"][:][kept].astype(int)
        cls.contacts = len(cls.file["contacts/residues"])

    @classmethod
    def tearDownClass(cls):
        cls.file.close()
        cls.work.cleanup()

    def test_contact_probabilities_add_up_to_q(self):
        probability = self.file["contacts/probability"][:]
        self.assertEqual(probability.shape, (4, self.contacts))
        for k in range(4):
            mean = self.q[self.state == k].mean()
            self.assertAlmostEqual(probability[k].sum() / self.contacts, mean, places=12)
        self.assertGreater(probability[0].mean(), probability[3].mean())

    def test_contacts_of_a_bin_add_up_to_its_q(self):
        given_q = self.file["contacts/probability_given_native_fraction"][:]
        formed = np.rint(self.q * self.contacts).astype(int)
        bins = np.minimum(formed * 50 // self.contacts, 49)
        for k in range(4):
            for b in range(50):
                seen = formed[(self.state == k) & (bins == b)]
                if len(seen) == 0:
                    self.assertTrue(np.isnan(given_q[k, b]).all())
                else:
                    self.assertAlmostEqual(given_q[k, b].sum(), seen.mean(), places=9)

    def test_size_histogram_counts_all_samples(self):
        count = self.file["size/count"][:]
        samples = [np.count_nonzero(self.state == k) for k in range(4)]
        np.testing.assert_array_equal(count.sum(axis=(1, 2)), samples)
        edges = self.file["size/edges"][:]
        centres = (edges[1:] + edges[:-1]) / 2
        mean = count.sum(axis=1) @ centres / samples
        self.assertTrue((np.diff(mean) > 0).all(), mean)  # the radius increases with temperature
        self.assertTrue(((mean > 0.4) & (mean < 1.5)).all(), mean)

    def test_residue_energies_add_up_to_the_total(self):
        count, edges = self.file["residue_energy/count"][:], self.file["residue_energy/edges"][:]
        self.assertEqual(count.shape, (4, 17, 1000))
        centres = (edges[1:] + edges[:-1]) / 2
        for k in range(4):
            samples = self.energy[self.state == k]
            np.testing.assert_array_equal(count[k].sum(axis=1), len(samples))
            total = (count[k] @ centres).sum() / len(samples)
            width = edges[1] - edges[0]
            self.assertLess(abs(total - samples.mean()), 17 * width, (k, total, samples.mean()))

    def test_phase_matrices_are_positive_semidefinite(self):
        group = self.file["phase_locking"]
        phases = len(group["residue"])
        self.assertEqual(phases, 14)
        rows, columns = np.triu_indices(phases)
        for k in range(4):
            self.assertEqual(group["samples"][k], np.count_nonzero(self.state == k))
            matrix = np.zeros((phases, phases), complex)
            matrix[rows, columns] = group["cosine"][k] + 1j * group["sine"][k]
            matrix[columns, rows] = matrix[rows, columns].conj()
            np.testing.assert_allclose(matrix.diagonal(), 1, atol=2e-5)
            order = group["order_cosine"][k] + 1j * group["order_sine"][k]
            connected = matrix - np.outer(order, order.conj())
            self.assertGreater(np.linalg.eigvalsh(matrix).min(), -1e-4)
            self.assertGreater(np.linalg.eigvalsh(connected).min(), -1e-4)
        stiff = np.abs(group["order_cosine"][:] + 1j * group["order_sine"][:]).mean(axis=1)
        self.assertTrue((np.diff(stiff) < 0).all(), stiff)
        self.assertFalse(group["undefined"][:].any())

    def test_landscape_has_the_profile_of_q(self):
        """p(Q, E) summed over E is p(Q), which the thermodynamics computes independently."""
        kelvin = self.file["landscape/energy_temperature"][()]
        surface = np.exp(-self.file["landscape/of_energy"][:] / (KB * kelvin)).sum(axis=1)
        profile = np.exp(-self.file["free_energy/at_folding_temperature"][:] / (KB * kelvin))
        self.assertLess(np.abs(surface / surface.sum() - profile / profile.sum()).max(), 0.02)
        size = self.file["landscape/of_size"][:]
        self.assertEqual(size.shape, (50, 100))
        self.assertEqual(size.min(), 0)

    def test_phi_values_follow_from_the_fractions(self):
        if "folding_order" not in self.file:
            self.skipTest("no barrier")
        order = self.file["folding_order"]
        unfolded, transition, native = order["fraction"][:]
        has_contact = order["native_contacts"][:] > 0
        self.assertTrue(has_contact.any())
        self.assertTrue((native[has_contact] >= unfolded[has_contact] - 0.1).all())
        expected = (transition - unfolded) / (native - unfolded)
        known = np.isfinite(order["phi"][:])
        self.assertTrue(known.any())
        np.testing.assert_allclose(order["phi"][:][known], expected[known], atol=1e-12)

    def test_counted_equilibration_cannot_change(self):
        done = nfold("run", self.folder, *HAIRPIN, "dynamics.steps=80400",
                     "ensemble.equilibration_steps=20000", check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("equilibration_steps", done.stderr)

    def test_check_reports_memory_and_refuses_absurd_settings(self):
        folder = Path(self.work.name) / "planned"
        report = nfold("check", folder).stdout
        self.assertIn("for what is counted over them", report)
        many = ["ensemble.temperatures=10000", "ensemble.analysis.residue_energies=true",
                "system.chains=[A]", "system.copies=20"]
        done = nfold("check", folder, *many, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("ensemble.analysis.at_kelvin", done.stderr)
        done = nfold("check", folder, "ensemble.analysis.at_kelvin=500", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ladder", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

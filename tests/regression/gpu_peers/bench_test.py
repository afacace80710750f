# Speed comparison without a GPU: starting structures, table, failed measurements.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: bench_test.py ROOT [unittest arguments]"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from openmm import Context, Platform, VerletIntegrator
from scipy.spatial import cKDTree

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_peers import condensate_bench as bench  # noqa: E402  (path set above)
from nfold_peers.calpha_structure import read_calphas  # noqa: E402
from nfold_peers.condensate_system import TERMS  # noqa: E402
from nfold_peers.gpu_peers import (  # noqa: E402
    CROWDS, GO_SYSTEMS, Measurement, condensate_openmm, openmm_forms, go_openmm, case_residues, spread)


def nearest_unbonded_nm(condensate, positions_nm):
    inside = np.mod(positions_nm, condensate.box_nm)
    i, j = cKDTree(inside, boxsize=condensate.box_nm).query_pairs(1.2, output_type="ndarray").T
    chain = np.repeat(np.arange(len(condensate.sequences)), list(map(len, condensate.sequences)))
    free = (np.abs(i - j) > 1) | (chain[i] != chain[j])
    apart = inside[i[free]] - inside[j[free]]
    apart -= condensate.box_nm * np.round(apart / condensate.box_nm)
    return np.linalg.norm(apart, axis=1).min()


class Starts(unittest.TestCase):
    def test_straight_chains_fill_the_box_without_overlaps(self):
        for residues in (1500, 10_000, 10_060):
            condensate = bench.make_condensate(residues)
            positions = bench.straight_start(condensate)
            ends = np.cumsum(list(map(len, condensate.sequences)))[:-1] - 1
            bonds = np.delete(np.linalg.norm(np.diff(positions, axis=0), axis=1), ends)
            self.assertLess(np.abs(bonds - bench.BOND_NM).max(), 0.02)
            self.assertGreater(nearest_unbonded_nm(condensate, positions), max(condensate.sigmas.values()))

    def test_many_chains_share_sequences(self):
        condensate = bench.make_condensate(150 * 600 + 20)
        self.assertEqual(condensate.residues, 150 * 600 + 20)
        self.assertEqual(len(set(condensate.sequences)), bench.MOST_SEQUENCES + 1)

    def test_forms_of_a_condensate_have_the_same_energy(self):
        energies = {}
        for form in openmm_forms("condensate-1500"):
            system, positions, _, start = condensate_openmm(Measurement("condensate-1500", "OpenMM", form))
            self.assertEqual(start, "straight chains")
            context = Context(system, VerletIntegrator(0.001), Platform.getPlatformByName("Reference"))
            context.setPositions(positions)
            state = context.getState(getEnergy=True, groups={TERMS.index("electrostatic")})
            energies[form] = state.getPotentialEnergy()._value
        self.assertNotEqual(energies["all"], 0)
        self.assertAlmostEqual(energies["charged"] / energies["all"], 1, places=9)

    def test_go_copies_do_not_interact(self):
        energies = []
        for case in ("go-ubq", "go-10k"):
            system, positions, *_ = go_openmm(Measurement(case, "OpenMM", "custom, cutoff"))
            context = Context(system, VerletIntegrator(0.001), Platform.getPlatformByName("Reference"))
            context.setPositions(positions)
            energies.append(context.getState(getEnergy=True).getPotentialEnergy()._value)
        self.assertAlmostEqual(energies[1] / energies[0], 132, places=6)

    def test_crowded_copies_do_not_interact(self):
        calphas = read_calphas(ROOT / "input/structures/1ubq.pdb.gz")
        for case in CROWDS:
            copies, edge_nm = GO_SYSTEMS[case]
            positions = np.mod(spread(calphas, copies, edge_nm).positions_nm, edge_nm)
            i, j = cKDTree(positions, boxsize=edge_nm).query_pairs(0.8, output_type="ndarray").T
            self.assertTrue((i // 76 == j // 76).all())
            self.assertEqual(len(i) % copies, 0)
            self.assertGreater(len(i), 75 * copies)

    def test_names_give_the_sizes(self):
        self.assertEqual(case_residues("condensate-1m"), 1_000_000)
        self.assertEqual(case_residues("go-10k"), 10_032)
        self.assertEqual(case_residues("go-ubq-4224"), 4224 * 76)


class Table(unittest.TestCase):
    def run_tool(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "a.csv", Path(folder) / "a.json"
            done = subprocess.run([sys.executable, ROOT / "tools/bench_gpu_peers.py", "--csv", files[0], "--json",
                                   files[1], "--seconds", "0.02", "--repeats", "1", "--warm-up-steps", "2",
                                   *options], capture_output=True, text=True, check=False)
            rows = list(csv.DictReader(files[0].read_text().splitlines())) if files[0].exists() else []
            if rows:
                self.assertEqual(len(json.loads(files[1].read_text())), len(rows))
            return done, rows

    def test_each_form_has_a_row(self):
        done, rows = self.run_tool("--platform", "Reference", "--cases", "go-ubq")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(rows)
        self.assertEqual([row["form"] for row in rows], openmm_forms("go-ubq"))
        for row in rows:
            self.assertGreater(float(row["steps_per_second"]), 0)
            self.assertEqual(row["failure"], "")

    def test_failure_does_not_end_the_other_measurements(self):
        done, rows = self.run_tool("--platform", "None", "--cases", "go-10k", "condensate-1500")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertIn("None", row["failure"])

    def test_slow_measurement_is_ended(self):
        done, rows = self.run_tool("--platform", "Reference", "--cases", "condensate-10k", "--limit", "0.1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual({row["failure"] for row in rows}, {"not done after 0.1 s"})

    def test_unstarted_measurements_are_named(self):
        done, rows = self.run_tool("--platform", "Reference", "--cases", "condensate-10k", "--minutes", "1e-6")
        self.assertEqual(done.returncode, 1)
        self.assertEqual({row["failure"] for row in rows}, {"not begun: --minutes are over"})

    def test_wrong_case_is_refused(self):
        done, _ = self.run_tool("--cases", "condensate-10q")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected condensate-N", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

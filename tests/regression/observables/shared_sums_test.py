# Observables whose sums the ranks share, compared with the trajectory on 1 to 4 ranks and after a restart.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: shared_sums_test.py NFOLD ROOT [unittest arguments]"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

NFOLD = Path(sys.argv[1]).resolve()
BOX_NM = np.array([15, 16, 22.0])
CUTOFF_NM, ROUNDING_NM = 1.1, 2e-5  # rounding of a trajectory's single-precision positions
LONG, SHORT = 1000, 200
FRAMES = 12


def input_text(large, small, copies, box_nm, observables):
    return f"""\
system:
  species:
    - name: long
      sequence: {"GSYGRDEKAQPNTLVFIMWH" * (large // 20)}
      copies: {copies}
    - name: short
      sequence: {"GSRKEDYFWQ" * (small // 10)}
      copies: 2
  box_nm: {box_nm}
force_field:
  model: calvados2
start:
  from: random
dynamics:
  steps: 260
  temperature_kelvin: 300
output:
  trajectory_every_steps: 20
  energies_every_steps: 20
observables:
  every_steps: 20
  equilibration_steps: 40
  contact_cutoff_nm: {CUTOFF_NM}
  {observables}: true
"""


class SharedSums(unittest.TestCase):
    text = None  # text of the input

    @classmethod
    def setUpClass(cls):
        if cls.text is None:
            raise unittest.SkipTest("the classes below have inputs")
        work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(work.cleanup)
        cls.folder = Path(work.name)
        (cls.folder / "big.yaml").write_text(cls.text)
        cls.run_on(1, "one")
        cls.file = h5py.File(cls.folder / "one/big.observables.h5", "r")
        cls.addClassCleanup(cls.file.close)

    @classmethod
    def run_on(cls, ranks, output, *arguments, code=0, program=NFOLD):
        launch = [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] if ranks > 1 else []
        command = [*launch, program, "run", "big.yaml", "--output", output, "--quiet", "--threads", "1", *arguments]
        done = subprocess.run(command, cwd=cls.folder, capture_output=True, text=True, check=False)
        if done.returncode != code:
            raise AssertionError(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
        return done.stderr

    def results(self, output):
        return (self.folder / output / "big.observables.h5").read_bytes()

    def sums(self, output):
        with h5py.File(self.folder / output / "big.ckpt.h5") as file:
            return {name: item[()].tolist() for name, item in file["accumulators"].items()}

    def assert_same_as_one_rank(self, output):
        self.assertEqual(self.results(output), self.results("one"), output)
        self.assertEqual(self.sums(output), self.sums("one"), output)

    def test_bytes_are_the_same_on_any_ranks_and_partition(self):
        for ranks, method in ((2, "random"), (3, "residue-ranges"), (4, "recursive-bisection")):
            output = f"on-{ranks}"
            self.run_on(ranks, output, "--set", f"partition.method={method}")
            self.assert_same_as_one_rank(output)

    def test_restart_on_other_ranks_is_exact(self):
        self.run_on(3, "halves", "--set", "dynamics.steps=140", "--set", "output.checkpoint_every_steps=70")
        self.assertNotEqual(self.sums("halves"), self.sums("one"))
        self.run_on(2, "halves")
        self.assert_same_as_one_rank("halves")


class Contacts(SharedSums):
    text = input_text(LONG, SHORT, 2, "[15, 16, 22]", "residue_energies")

    def sparse(self, kind):
        rows = LONG + SHORT
        part = {name: self.file[f"contact_maps/{kind}_{name}"][()] for name in ("row_start", "column", "count")}
        for name, values in part.items():
            self.assertEqual(values.dtype, np.int64, name)
        return csr_matrix((part["count"], part["column"], part["row_start"]), shape=(rows, rows))

    def test_contacts_match_the_trajectory(self):
        with h5py.File(self.folder / "one/big.h5md") as file:
            frames = file["particles/trajectory/position/value"][()].astype(float)[2:]
        self.assertEqual((len(frames), self.file.attrs["frames"]), (FRAMES, FRAMES))
        lengths = [LONG, LONG, SHORT, SHORT]
        chain = np.repeat(range(4), lengths)
        row = np.concatenate([np.arange(length) + (0 if length == LONG else LONG) for length in lengths])
        rows = LONG + SHORT
        maps = {}  # lower and upper bounds for rounded positions
        for reach in (CUTOFF_NM - ROUNDING_NM, CUTOFF_NM + ROUNDING_NM):
            counts = {"within": np.zeros((rows, rows), int), "between": np.zeros((rows, rows), int)}
            for frame in frames:
                i, j = cKDTree(frame % BOX_NM, boxsize=BOX_NM).query_pairs(reach, output_type="ndarray").T
                low, high = np.minimum(row[i], row[j]), np.maximum(row[i], row[j])
                same = chain[i] == chain[j]
                np.add.at(counts["within"], (low[same], high[same]), 1)
                np.add.at(counts["between"], (low[~same], high[~same]), 1)
            maps[reach] = counts
        least, most = maps.values()
        for kind in ("within", "between"):
            found = self.sparse(kind).toarray()
            self.assertTrue((found >= least[kind]).all() and (found <= most[kind]).all(), kind)
            self.assertGreater(found.sum(), 100 if kind == "between" else 10 * FRAMES * LONG)
        np.testing.assert_array_equal(self.file["contact_maps/species_start"], [0, LONG, rows])
        within = self.sparse("within").toarray()
        mean = [within[own, own].sum() / (2 * FRAMES) for own in (slice(LONG), slice(LONG, rows))]
        np.testing.assert_allclose(self.file["contact_maps/within_per_chain"], mean, rtol=1e-12)

    def test_residue_energies_add_up_to_the_potential(self):
        count, edges = self.file["residue_energy/count"][()], self.file["residue_energy/edges"][()]
        self.assertEqual(count.shape, (LONG + SHORT, 1000))
        np.testing.assert_array_equal(count.sum(axis=1), 2 * FRAMES)
        self.assertLess(count[:, [0, -1]].sum(), 1e-3 * count.sum())
        with open(self.folder / "one/big.energies.csv", encoding="ascii") as file:
            potential = np.genfromtxt(file, delimiter=",", names=True)["potential_kj_mol"][2:]
        # Each energy is known to the width of a bin.
        width, energies = edges[1] - edges[0], 2 * (LONG + SHORT) * FRAMES
        self.assertAlmostEqual((count * (edges[:-1] + width / 2)).sum() / FRAMES, potential.mean(),
                               delta=5 * width * np.sqrt(energies / 12) / FRAMES)

    def test_bytes_are_the_same_when_residues_migrate(self):
        os.environ["SLOWNESS"] = "1,6,1"
        self.addCleanup(os.environ.pop, "SLOWNESS")
        self.run_on(3, "moved", "--set", "partition.rebalance_every_steps=60", "--set", "partition.balance.patience=1",
                    "--set", "partition.balance.margin=0", program=os.environ["NFOLD_SLOWED"])
        self.assertIn("shared out anew", (self.folder / "moved/big.log").read_text(encoding="utf-8"))
        self.assert_same_as_one_rank("moved")

    def test_changed_cutoff_is_refused(self):
        self.run_on(1, "other", "--set", "dynamics.steps=60")
        error = self.run_on(1, "other", "--set", "observables.contact_cutoff_nm=1.2", code=1)
        self.assertIn("observables.contact_cutoff_nm", error)


class Phases(SharedSums):
    text = input_text(100, 20, 2, "[15, 16, 22]", "phase_locking")

    def test_phase_locking_matches_the_trajectory(self):
        with h5py.File(self.folder / "one/big.h5md") as file:
            x = file["particles/trajectory/position/value"][()].astype(float)[2:]
        residue = self.file["phase_locking/residue"][()].astype(int)
        self.assertEqual(len(residue), 2 * (100 - 3) + 2 * (20 - 3))
        bonds = [x[:, residue + k + 1] - x[:, residue + k] for k in (-1, 0, 1)]
        n1, n2 = np.cross(bonds[0], bonds[1]), np.cross(bonds[1], bonds[2])
        z = np.exp(1j * np.arctan2(np.linalg.norm(bonds[1], axis=2) * (bonds[0] * n2).sum(axis=2), (n1 * n2).sum(axis=2)))
        table = {name: self.file[f"phase_locking/{name}"][0] for name in ("cosine", "sine", "order_cosine", "samples")}
        self.assertEqual(table["samples"], FRAMES)
        np.testing.assert_allclose(table["order_cosine"], z.mean(axis=0).real, atol=2e-3)
        rows, columns = np.triu_indices(len(residue))
        locked = (z.T @ z.conj() / FRAMES)[rows, columns]
        np.testing.assert_allclose(table["cosine"] + 1j * table["sine"], locked, atol=4e-3)

    def test_oversized_phase_locking_is_refused(self):
        (self.folder / "large.yaml").write_text(input_text(1000, 20, 100, "[60, 60, 200]", "phase_locking"))
        done = subprocess.run([NFOLD, "check", "large.yaml"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("observables.phase_locking", done.stderr)
        self.assertIn("more than 64 GiB", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

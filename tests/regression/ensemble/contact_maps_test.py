# Contact maps of an ensemble's states, for few and many residues, compared with the trajectories.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: contact_maps_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from ensemble_run import Example
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CUTOFF_NM, ROUNDING_NM = 0.9, 2e-5  # rounding of a trajectory's single-precision positions
RESIDUES = 1040
LARGE = f"""\
system:
  species:
    - name: chain
      sequence: {"GSYGRDEKAQPNTLVFIMWH" * (RESIDUES // 20)}
      copies: 1
  box_nm: [40, 40, 40]
force_field:
  model: calvados2
start:
  from: random
"""
COMMON = ("ensemble.analysis.contact_maps=true", f"ensemble.analysis.contact_cutoff_nm={CUTOFF_NM}")


class ContactMaps(unittest.TestCase):
    steps, equilibration, sample_every = 400, 100, 50
    text, settings, box_nm, ranks = None, (), 1e4, (2, 3, 4)

    @classmethod
    def setUpClass(cls):
        if cls.text is None:
            raise unittest.SkipTest("the classes below have inputs")
        work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(work.cleanup)
        cls.folder = Path(work.name)
        (cls.folder / "maps.yaml").write_text(cls.text)
        cls.example = Example(NFOLD, cls.folder / "maps.yaml")
        cls.run_on(1, "one")

    @classmethod
    def run_on(cls, ranks, output, *settings, check=True):
        return cls.example.run(cls.folder / output, *COMMON, *cls.settings, f"dynamics.steps={cls.steps}",
                               f"ensemble.equilibration_steps={cls.equilibration}",
                               f"ensemble.sample_every_steps={cls.sample_every}",
                               f"output.trajectory_every_steps={cls.sample_every}", *settings, ranks=ranks, check=check)

    def results(self, output):
        return self.example.path(self.folder / output, "ensemble.h5").read_bytes()

    def sums(self, output):
        with h5py.File(self.example.path(self.folder / output, "ckpt.h5")) as file:
            return {name: item[()].tolist() for name, item in file["accumulators"].items()}

    def assert_same_as_one_rank(self, output):
        self.assertEqual(self.results(output), self.results("one"), output)
        self.assertEqual(self.sums(output), self.sums("one"), output)

    def test_maps_match_the_trajectories(self):
        with h5py.File(self.example.path(self.folder / "one", "ensemble.h5")) as file:
            step, state = file["samples/step"][()], file["samples/state"][()].astype(int)
            maps = {name: item[()] for name, item in file["contact_maps"].items()}
        kept = step >= self.equilibration
        self.assertEqual(maps["cutoff"], CUTOFF_NM)
        residues = maps["row_start"].shape[1] - 1
        bounds = {reach: np.zeros((state.max() + 1, residues, residues), int)
                  for reach in (CUTOFF_NM - ROUNDING_NM, CUTOFF_NM + ROUNDING_NM)}
        for replica in range(state.shape[1]):
            with h5py.File(self.folder / f"one/maps.replica-{replica}.h5md") as file:
                frames = file["particles/trajectory/position/value"][()].astype(float)
            for frame, state_index in zip(frames[kept], state[kept, replica]):
                for reach, counts in bounds.items():
                    i, j = cKDTree(frame % self.box_nm, boxsize=self.box_nm).query_pairs(reach, output_type="ndarray").T
                    np.add.at(counts[state_index], (np.minimum(i, j), np.maximum(i, j)), 1)
        least, most = bounds.values()
        for table, state_index in enumerate(maps["state"].astype(int)):
            self.assertEqual(maps["samples"][table], np.count_nonzero(state[kept] == state_index))
            start = maps["row_start"][table]
            own = slice(start[0], start[-1])
            found = csr_matrix((maps["count"][own], maps["column"][own], start - start[0]),
                               shape=(residues, residues)).toarray()
            self.assertTrue((found >= least[state_index]).all() and (found <= most[state_index]).all())
            self.assertGreater(found.sum(), 5 * residues)

    def test_bytes_are_the_same_on_any_ranks(self):
        for ranks in self.ranks:
            self.run_on(ranks, f"on-{ranks}")
            self.assert_same_as_one_rank(f"on-{ranks}")

    def test_restart_on_other_ranks_is_exact(self):
        self.run_on(2, "halves", "dynamics.steps=200")
        self.assertNotEqual(self.results("halves"), self.results("one"))
        self.run_on(3, "halves")
        self.assert_same_as_one_rank("halves")

    def test_changed_cutoff_is_refused(self):
        self.run_on(1, "other", "dynamics.steps=200")
        done = self.run_on(1, "other", "ensemble.analysis.contact_cutoff_nm=1", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ensemble.analysis.contact_cutoff_nm", done.stderr)


class FewResidues(ContactMaps):
    text = (INPUT / "ubiquitin-exchange.yaml").read_text()
    settings = ("system.chains=[A:1-17]", "ensemble.temperatures=3", "ensemble.ladders=2", "ensemble.lowest_kelvin=60",
                "ensemble.highest_kelvin=84", "ensemble.exchange_every_steps=50", "ensemble.starts=same",
                f"system.structure={INPUT / 'structures/1ubq.pdb.gz'}", f"ensemble.trajectory_replicas={list(range(6))}")


class ManyResidues(ContactMaps):
    text, box_nm = LARGE, 40
    settings = ("ensemble.temperatures=2", "ensemble.ladders=2", "ensemble.lowest_kelvin=290",
                "ensemble.highest_kelvin=300", "ensemble.exchange_every_steps=100",
                f"ensemble.trajectory_replicas={list(range(4))}")


class ManyChains(ContactMaps):
    """Contact maps with phase locking and residue energies, whose rows the ranks share."""
    text, steps, copies, ranks = FewResidues.text, 300, 14, (3,)
    settings = (*FewResidues.settings[1:-2], "ensemble.temperatures=2", f"system.copies={copies}",
                "ensemble.analysis.residue_energies=true", "ensemble.analysis.phase_locking=true",
                "ensemble.analysis.at_kelvin=60",  # one state only, since each takes 17 MB
                FewResidues.settings[-2], "ensemble.trajectory_replicas=[0, 1, 2, 3]")

    def test_every_sample_of_each_residue_is_counted(self):
        with h5py.File(self.example.path(self.folder / "one", "ensemble.h5")) as file:
            count, samples = file["residue_energy/count"][0], file["contact_maps/samples"][0]
            self.assertEqual(count.shape, (76 * self.copies, 1000))
            np.testing.assert_array_equal(count.sum(axis=1), samples)
            self.assertEqual(file["phase_locking/samples"][0], samples)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

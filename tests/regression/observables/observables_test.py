# NAME.observables.h5 of a run in a box, compared with averages of its trajectory by numpy.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: observables_test.py NFOLD ROOT [unittest arguments]"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
BOX_NM = np.array([8.5, 9.0, 13.0])
CUTOFF_NM = 1.1
TAIL = 5 * "GSYGRDEKAQPNTLV"
INPUT = f"""\
system:
  species:
    - name: tail
      sequence: {TAIL}
      copies: 3
    - name: peptide
      sequence: GSGSRRKEDYFW
      copies: 5
  box_nm: [8.5, 9, 13]
force_field:
  model: calvados2
start:
  from: random
dynamics:
  steps: 800
  temperature_kelvin: 300
  precision: double
output:
  trajectory_every_steps: 40
  energies_every_steps: 40
observables:
  every_steps: 40
  equilibration_steps: 80
  profile_bins: 26
  cluster_cutoff_nm: {CUTOFF_NM}
  contact_cutoff_nm: {CUTOFF_NM}
"""


def nearest(difference):
    return difference - BOX_NM * np.round(difference / BOX_NM)


class AgainstTheTrajectory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = Path(cls.folder.name)
        (path / "mix.yaml").write_text(INPUT)
        done = subprocess.run([NFOLD, "run", path / "mix.yaml", "--output", path / "out", "--quiet",
                               "--threads", "1"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.file = h5py.File(path / "out/mix.observables.h5", "r")
        cls.addClassCleanup(cls.file.close)
        with h5py.File(path / "out/mix.h5md", "r") as file:
            particles = file["particles/trajectory"]
            kept = particles["position/step"][()] >= 80
            cls.x_nm = particles["position/value"][()].astype(float)[kept]
            cls.mass = particles["mass"][()]
            np.testing.assert_array_equal(particles["box/edges/value"][0], np.diag(BOX_NM))
        with open(path / "out/mix.energies.csv", encoding="ascii") as file:
            cls.energies = np.genfromtxt(file, delimiter=",", names=True)[kept]
        counts, sizes = cls.file["species/chains"][()], cls.file["species/residues"][()]
        lengths = np.repeat(sizes, counts)
        cls.first = np.concatenate([[0], np.cumsum(lengths)])
        cls.chain = np.repeat(np.arange(len(lengths)), lengths)
        cls.chain_species = np.repeat(np.arange(len(counts)), counts)

    def value(self, path):
        return self.file[path][()]

    def chains(self):
        """(species, slice of its residues) of each chain."""
        for c, species in enumerate(self.chain_species):
            yield species, slice(self.first[c], self.first[c + 1])

    def find_contacts(self, frame):
        """Residue pairs (pairs, 2), i < j, closer than the cutoff."""
        distance = np.linalg.norm(nearest(frame[:, None] - frame[None]), axis=2)
        return np.argwhere(np.triu(distance < CUTOFF_NM, 1))

    def test_header_describes_the_run(self):
        attributes = self.file.attrs
        self.assertEqual(attributes["format"], b"nfold observables")
        self.assertEqual((attributes["frames"], attributes["first_step"], attributes["last_step"]),
                         (len(self.x_nm), 80, 800))
        np.testing.assert_array_equal(attributes["box_nm"], BOX_NM)
        self.assertEqual(list(self.file["species/name"]), [b"tail", b"peptide"])
        self.assertEqual(list(self.file["species/chains"]), [3, 5])
        self.assertEqual(list(self.file["species/residue_names_1"][:4]), [b"GLY", b"SER", b"GLY", b"SER"])

    def test_every_dataset_has_a_description_and_a_unit(self):
        pure = ("axis", "count_of_size", "size", "chain_fraction", "number", "largest", "weighted_size",
                "within_", "between_", "chains_followed", "exponent")

        def check(path, item):
            if not isinstance(item, h5py.Dataset) or path.startswith("species/"):
                return
            self.assertGreater(len(item.attrs["description"]), 5, path)
            if "unit" not in item.attrs:
                self.assertTrue(path.split("/")[1].startswith(pure), path)

        self.file.visititems(check)

    def test_density_profile_contains_all_residues(self):
        position = self.value("density_profile/position")
        np.testing.assert_allclose(np.diff(position), 0.5)
        self.assertAlmostEqual(position.sum(), 0)
        # Each frame is centred separately; sums over slices do not depend on it.
        slice_nm3 = BOX_NM.prod() / 26
        number = self.value("density_profile/number_density").sum(axis=1) * slice_nm3
        np.testing.assert_allclose(number, [3 * 75, 5 * 12], rtol=1e-12)
        mass = self.value("density_profile/mass_density_total").sum() * slice_nm3 / 1.66053906660
        self.assertAlmostEqual(mass / self.mass.sum(), 1, places=6)
        # Half of the residues are on either side of the centre in each frame.
        total = self.value("density_profile/number_density_total")
        self.assertAlmostEqual(total[:13].sum() / total.sum(), 0.5, delta=0.02)

    def test_chain_sizes_match_the_trajectory(self):
        sizes = {species: [] for species in (0, 1)}
        for species, rows in self.chains():
            x, m = self.x_nm[:, rows], self.mass[rows]
            centre = np.einsum("i,fid->fd", m, x) / m.sum()
            square = np.einsum("i,fid->f", m, (x - centre[:, None]) ** 2) / m.sum()
            sizes[species].append((np.sqrt(square), np.linalg.norm(x[:, -1] - x[:, 0], axis=1)))
        for species, all_sizes in sizes.items():
            radius, distance = np.mean(all_sizes, axis=(0, 2))
            self.assertAlmostEqual(self.value("chain_sizes/radius_of_gyration")[species], radius, places=5)
            self.assertAlmostEqual(self.value("chain_sizes/end_to_end")[species], distance, places=5)
            bins = self.value("chain_sizes/radius_of_gyration_bins")
            spread = self.value("chain_sizes/radius_of_gyration_distribution")[species]
            width = bins[1] - bins[0]
            self.assertAlmostEqual(spread.sum() * width, 1, places=12)
            self.assertAlmostEqual((spread * bins).sum() * width, radius, delta=width)

    def test_clusters_match_the_trajectory(self):
        count = len(self.chain_species)
        found, largest = np.zeros(count), []
        for frame in self.x_nm:
            i, j = self.chain[self.find_contacts(frame)].T
            links = coo_matrix((np.ones(len(i)), (i, j)), (count, count))
            _, label = connected_components(links, directed=False)
            sizes = np.bincount(label)
            np.add.at(found, sizes - 1, 1)
            largest.append(sizes.max())
        np.testing.assert_allclose(self.value("clusters/count_of_size"), found / len(self.x_nm))
        self.assertAlmostEqual(self.value("clusters/largest"), np.mean(largest))
        self.assertAlmostEqual(self.value("clusters/chain_fraction").sum(), 1)

    def test_contact_maps_match_the_trajectory(self):
        within, between = np.zeros((75, 75)), np.zeros((75, 12))
        alike = np.zeros((12, 12))
        for frame in self.x_nm:
            for i, j in self.find_contacts(frame):
                chains = self.chain[[i, j]]
                a, b = self.chain_species[chains]
                i, j = i - self.first[chains[0]], j - self.first[chains[1]]
                if a == b:
                    table = within if a == 0 and chains[0] == chains[1] else None
                    table = alike if a == 1 and chains[0] != chains[1] else table
                    if table is not None:
                        table[i, j] += 1
                        table[j, i] += 1
                else:
                    between[i, j] += 1
        frames = len(self.x_nm)
        np.testing.assert_allclose(self.value("contact_maps/within_0"), within / frames / 3, atol=1e-12)
        np.testing.assert_allclose(self.value("contact_maps/between_0_1"), between / frames / 3, atol=1e-12)
        np.testing.assert_allclose(self.value("contact_maps/between_1_1"), alike / frames / 5, atol=1e-12)
        self.assertAlmostEqual(self.value("contact_maps/between_1_1_per_chain"), alike.sum() / frames / 5)
        self.assertAlmostEqual(self.value("contact_maps/within_0_per_chain"), np.triu(within).sum() / frames / 3)
        self.assertGreater(between.sum() + alike.sum(), 0)

    def test_displacement_matches_the_trajectory(self):
        lags = np.round(self.value("mean_square_displacement/lag") / (40 * 0.01)).astype(int)
        self.assertEqual(list(lags), [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16])
        moved = {species: [] for species in (0, 1)}
        for species, rows in self.chains():
            centre = np.einsum("i,fid->fd", self.mass[rows], self.x_nm[:, rows]) / self.mass[rows].sum()
            moved[species].append(centre)
        for species, centres in moved.items():
            centres = np.array(centres)
            for k, lag in enumerate(lags):
                stride = 1 << max(0, int(np.log2(lag)) - 2)  # the level keeps only these frames
                start = centres[:, :centres.shape[1] - lag:stride]
                end = centres[:, lag::stride]
                value = np.mean(np.sum((end - start) ** 2, axis=2))
                self.assertAlmostEqual(self.value("mean_square_displacement/value")[species, k], value,
                                       delta=1e-5 + 1e-4 * value)

    def test_checkpoint_of_another_box_is_refused(self):
        path = Path(self.folder.name)
        for box, code in (("[8.5, 9, 13]", 0), ("[8.5, 9, 20]", 1)):
            done = subprocess.run([NFOLD, "check", path / "mix.yaml", "--output", path / "new",
                                   "--set", "start.from=checkpoint", "--set", f"system.box_nm={box}",
                                   "--set", "start.checkpoint=out/mix.ckpt.h5"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn("is of a box of 8.5 x 9 x 13 nm", done.stderr)

    def test_pressure_equals_that_of_the_energies(self):
        self.assertAlmostEqual(self.value("pressure/mean"), self.energies["pressure_bar"].mean(), places=4)
        tensor = self.value("pressure/tensor")
        self.assertAlmostEqual(np.trace(tensor) / 3, self.value("pressure/mean"), places=4)
        tension = BOX_NM[2] / 2 * (tensor[2, 2] - (tensor[0, 0] + tensor[1, 1]) / 2) * 0.1  # bar nm to mN/m
        self.assertAlmostEqual(self.value("pressure/surface_tension"), tension, places=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

# Results of the Python package: tables, trajectories, other programs, figures.
# SPDX-License-Identifier: BSD-3-Clause

import importlib.util
import unittest
from pathlib import Path

import numpy as np
from package import UBIQUITIN, InFolder, main

import nfold

FILE = nfold.examples / "ubiquitin.yaml"


class Results(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.kept = nfold.simulation.__dict__  # the module stays loaded
        import tempfile

        cls.folder = tempfile.TemporaryDirectory()
        cls.output = Path(cls.folder.name) / "ubiquitin.out"
        with nfold.Simulation(nfold.Input(FILE, UBIQUITIN), output=cls.output) as simulation:
            simulation.run()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_files_are_read_when_they_are_used(self):
        result = nfold.open(self.output)
        self.assertEqual(result.name, "ubiquitin")
        self.assertEqual(result.input["dynamics"]["steps"], 600)
        self.assertEqual(len(result.energies["step"]), 13)
        self.assertEqual(result.trajectory.positions.shape, (7, 76, 3))
        self.assertEqual(result.trajectory[-1].shape, (76, 3))
        self.assertEqual(len(result.trajectory.bonds), 75)
        self.assertEqual(result.trajectory.residues["name"][0], "MET")
        self.assertIn("state/position", result.checkpoint)
        self.assertIn("done", repr(result))

    def test_missing_folder_is_named(self):
        with self.assertRaisesRegex(nfold.InputError, "there is no such folder"):
            nfold.open("nowhere.out")

    @unittest.skipUnless(importlib.util.find_spec("MDAnalysis"), "needs MDAnalysis")
    def test_mdanalysis_has_the_same_frames(self):
        universe = nfold.open(self.output).to_mdanalysis()
        result = nfold.open(self.output)
        self.assertEqual(len(universe.trajectory), 7)
        self.assertEqual(len(universe.bonds), 75)
        universe.trajectory[-1]
        np.testing.assert_allclose(universe.atoms.positions, 10 * result.trajectory[-1], atol=1e-4)
        self.assertAlmostEqual(universe.trajectory.time, result.trajectory.time[-1])
        radius = universe.atoms.radius_of_gyration() / 10
        self.assertAlmostEqual(radius, float(np.asarray(result.energies["radius_of_gyration_nm"])[-1]), 4)

    @unittest.skipUnless(importlib.util.find_spec("mdtraj"), "needs mdtraj")
    def test_mdtraj_has_the_same_frames(self):
        result = nfold.open(self.output)
        trajectory = result.to_mdtraj()
        np.testing.assert_allclose(trajectory.xyz, result.trajectory.positions, atol=1e-5)
        self.assertEqual(trajectory.topology.n_bonds, 75)

    def test_figures_are_those_of_the_report(self):
        import matplotlib

        size = matplotlib.rcParams["font.size"]
        result = nfold.open(self.output)
        figure = result.figure("energies")
        self.assertGreater(len(figure.axes), 0)
        self.assertEqual(matplotlib.rcParams["font.size"], size)
        with self.assertRaisesRegex(nfold.InputError, "no figure 'energie'"):
            result.figure("energie")
        page = result.report("page")
        self.assertTrue(Path(page).read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))


class Batches(InFolder):
    def test_batch_is_a_table(self):
        Path("targets.yaml").write_text(f"""
defaults: {{protocol: run, input: {{dynamics: {{steps: 200}}, output: {{energies_every_steps: 50}}}}}}
targets:
  - {{name: one, structure: {FILE.resolve().parent}/structures/1ubq.pdb.gz}}
  - {{name: two, structure: nowhere.pdb}}
""", encoding="utf-8")
        result = nfold.batch("targets.yaml")
        self.assertEqual(result.targets, ["one", "two"])
        self.assertEqual(list(result.table["target"]), ["one", "two"])
        self.assertIn("nowhere.pdb", list(result.table["reason"])[1])
        self.assertEqual(result["one"].energies["step"][0:2].tolist() if hasattr(result["one"].energies["step"], "tolist")
                         else list(result["one"].energies["step"][:2]), [0, 50])


if __name__ == "__main__":
    main()

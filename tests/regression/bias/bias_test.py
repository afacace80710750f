# Biases and the columns of NAME.energies.csv compared with numpy's values from the trajectory.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: bias_test.py NFOLD ROOT [unittest arguments]"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))

from nfold_report.run_folder import read_averages, read_run  # noqa: E402  (the path is set above)

UBIQUITIN = ROOT / "input/ubiquitin.yaml"
MIXTURE = """\
system:
  species:
    - {name: tail, sequence: GSYGRDEKAQPNTLVGSYGRDEKAQPNTLVGSYGRDEKAQPNTLV, copies: 3}
    - {name: pep-tide, sequence: GSGSRRKEDYFW, copies: 5}
  box_nm: [9]
force_field:
  model: calvados2
start:
  from: random
dynamics:
  steps: 400
  temperature_kelvin: 300
output:
  trajectory_every_steps: 40
  energies_every_steps: 40
"""
TWO_BIASES = """\
bias:
  - residues: ["tail.1:1", "tail.2:45"]
    centre_nm: 2
    k_kj_mol_nm2: 30
  - residues: ["tail.3"]
    variable: radius-of-gyration
    form: flat-bottom
    centre_nm: 1
    k_kj_mol_nm2: 40
    half_width_nm: 0.1
"""
DISTANCES = ["harmonic", "flat-bottom", "linear"]


def biased_by(form):
    """Settings of a bias on ubiquitin's ends that is nonzero in every state of these runs."""
    strength = ["bias.pull_kj_mol_nm=-20"] if form == "linear" else ["bias.centre_nm=40", "bias.k_kj_mol_nm2=10"]
    return ["bias.residues=[A:1, A:76]", f"bias.form={form}", *strength]


def radius_of_gyration(x_nm, mass):
    """Radius of gyration per frame, from positions (frames, residues, 3) of one chain."""
    centre = np.einsum("i,fid->fd", mass, x_nm) / mass.sum()
    return np.sqrt(np.einsum("i,fid->f", mass, (x_nm - centre[:, None]) ** 2) / mass.sum())


class Biases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = Path(cls.folder.name)

    def run_nfold(self, name, source, *keys, ranks=1):
        """Run nfold and return its output folder."""
        output = self.work / name
        launcher = [os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "-np", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*launcher, NFOLD, "run", source, "--output", output, "--quiet", "--threads", "1",
                               *(["--set", *keys] if keys else [])], capture_output=True, text=True, check=False,
                              env={**os.environ, "NFOLD_HISTORY": "off"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return output

    def mixture(self, more=""):
        source = self.work / "mix.yaml"
        source.write_text(MIXTURE + more)
        return source

    def test_bias_does_not_change_the_first_state(self):
        keys = ["dynamics.steps=1", "start.from=unfolded", "output.energies_every_steps=1", "output.trajectory_every_steps=1"]
        free = read_run(self.run_nfold("free", UBIQUITIN, *keys))
        self.assertLess(free.energies["native_fraction"][0], 0.3)
        for form in DISTANCES:
            held = read_run(self.run_nfold(form, UBIQUITIN, *keys, *biased_by(form)))
            np.testing.assert_array_equal(held.trajectory.positions_nm[0], free.trajectory.positions_nm[0], form)
            self.assertNotEqual(held.energies["restraint_kj_mol"][0], 0, form)

    def test_bias_does_not_change_residue_energies(self):
        keys = ["dynamics.steps=0", "observables.every_steps=1", "observables.residue_energies=true"]
        free = read_averages(self.run_nfold("free-residues", UBIQUITIN, *keys) / "ubiquitin.observables.h5")
        held = read_averages(self.run_nfold("held-residues", UBIQUITIN, *keys, *biased_by("harmonic")) /
                             "ubiquitin.observables.h5")
        np.testing.assert_array_equal(held.table("residue_energy/count"), free.table("residue_energy/count"))

    def test_bias_column_is_the_distance(self):
        run = read_run(self.run_nfold("pulled", UBIQUITIN, "dynamics.steps=400", "output.energies_every_steps=40",
                                      "output.trajectory_every_steps=40", *biased_by("linear")))
        ends = run.trajectory.positions_nm[:, [0, 75]]
        distance = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        np.testing.assert_allclose(run.energies["bias_distance_nm"], distance, atol=1e-5)
        np.testing.assert_allclose(run.energies["restraint_kj_mol"], -20 * distance, atol=1e-3)

    def test_several_biases_act_together_on_any_ranks(self):
        source = self.mixture(TWO_BIASES)
        run = read_run(self.run_nfold("two", source))
        energies, x_nm = run.energies, run.trajectory.positions_nm
        apart = x_nm[:, 45 + 44] - x_nm[:, 0]
        distance = np.linalg.norm(apart - 9 * np.round(apart / 9), axis=1)
        np.testing.assert_allclose(energies["bias_0_distance_nm"], distance, atol=1e-5)
        with h5py.File(run.folder / "mix.h5md") as file:
            mass = file["particles/trajectory/mass"][90:135]
            observed = file["observables/bias_1_radius_of_gyration/value"][()]
        radius = radius_of_gyration(x_nm[:, 90:135], mass)
        np.testing.assert_allclose(energies["bias_1_radius_of_gyration_nm"], radius, atol=1e-5)
        np.testing.assert_array_equal(observed, energies["bias_1_radius_of_gyration_nm"])
        beyond = np.maximum(np.abs(radius - 1) - 0.1, 0)
        np.testing.assert_allclose(energies["restraint_kj_mol"], 15 * (distance - 2) ** 2 + 20 * beyond**2, atol=1e-3)
        self.assertTrue(np.isfinite(energies["pressure_bar"]).all())
        on_two = self.run_nfold("two-on-2", source, ranks=2)
        for name in ("mix.energies.csv", "mix.h5md", "mix.ckpt.h5"):
            done = subprocess.run([NFOLD, "compare", run.folder / name, on_two / name], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_each_species_has_its_radius(self):
        run = read_run(self.run_nfold("mixture", self.mixture()))
        self.assertEqual(list(run.radii), ["tail", "pep-tide"])
        with h5py.File(run.folder / "mix.h5md") as file:
            mass = file["particles/trajectory/mass"][()]
        first = 0
        for (_, column), (copies, residues) in zip(run.radii.items(), ((3, 45), (5, 12))):
            chains = [slice(first + c * residues, first + (c + 1) * residues) for c in range(copies)]
            first += copies * residues
            expected = np.mean([radius_of_gyration(run.trajectory.positions_nm[:, at], mass[at]) for at in chains], axis=0)
            np.testing.assert_allclose(run.energies[column], expected, atol=1e-5)

    def test_second_line_is_a_comment(self):
        keys = ["dynamics.steps=40", "output.energies_every_steps=10", *biased_by("harmonic")]
        output = self.run_nfold("comment", UBIQUITIN, *keys)
        table = output / "ubiquitin.energies.csv"
        lines = table.read_text().splitlines()
        self.assertTrue(lines[0].startswith("step,time_ps,"))
        self.assertTrue(lines[1].startswith("# temperature_kelvin"))
        self.assertNotIn(",", lines[1])
        read = np.genfromtxt(table, delimiter=",", names=True)
        np.testing.assert_array_equal(read["step"], [0, 10, 20, 30, 40])
        self.assertTrue(np.isfinite(read["bias_distance_nm"]).all())
        self.run_nfold("comment", UBIQUITIN, *keys, "dynamics.steps=60")
        self.assertEqual(table.read_text().splitlines()[:7], lines)
        self.assertEqual(len(table.read_text().splitlines()), 9)

    def test_every_column_is_in_the_guide(self):
        guide = (ROOT / "input/FILES.md").read_text()
        header = (self.run_nfold("columns", UBIQUITIN, "dynamics.steps=0", *biased_by("linear")) /
                  "ubiquitin.energies.csv").read_text().splitlines()[0]
        for column in header.split(","):
            self.assertIn(f"`{column}`", guide)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

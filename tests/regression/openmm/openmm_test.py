# Energies and forces of each go-model term: nfold compared with OpenMM, which has separate code for the model.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: openmm_test.py NFOLD ROOT [unittest arguments]

nfold writes no forces. One step of velocity Verlet gives them: the velocities before and after
differ by (dt / 2m) (f0 + f1), to the last bits of a double. With the constants of all other
terms at zero, they are the forces of one term.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import openmm_go  # noqa: E402  (path set above)
from nfold_peers.openmm_system import TERMS  # noqa: E402
from nfold_report.run_folder import read_run  # noqa: E402

INPUT = ROOT / "input/go-ubq.yaml"
STRUCTURE = ROOT / "input/structures/1ubq.pdb.gz"
TOLERANCE = 1e-6  # relative
MASS_AMU, TIME_STEP_PS = 100, 0.01
STEPS = 2000
CONSTANTS = {"bond": ["bond_k_per_nm2"], "angle": ["angle_k_per_rad2"],
             "dihedral": ["dihedral_k1", "dihedral_k3"], "contact": ["contact_epsilon"],
             "short_range": ["repulsion.epsilon"]}


def run_nfold(folder, *overrides):
    command = [str(NFOLD), "run", str(INPUT), "--quiet", "--threads", "1", "--output", str(folder)]
    # The model's own repulsion is near zero in a folded protein, so a larger one is used.
    for override in ("dynamics.precision=double", "force_field.repulsion.sigma_nm=0.6", *overrides):
        command += ["--set", override]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")


class AgainstOpenMM(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        # At this temperature no term is near zero and the contacts hold.
        run_nfold(cls.folder / "warm", f"dynamics.steps={STEPS}", "dynamics.temperature_kelvin=120",
                  f"output.energies_every_steps={STEPS}", f"output.trajectory_every_steps={STEPS}")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_energies_of_each_term_agree(self):
        step, energies = openmm_go.compare(self.folder / "warm", STRUCTURE)
        self.assertEqual(step, STEPS)
        self.assertEqual(set(energies), set(TERMS))
        for term, (theirs, own) in energies.items():
            with self.subTest(term=term):
                self.assertGreater(abs(theirs), 0.01)  # a smaller energy makes the comparison meaningless
                self.assertLess(abs(own - theirs), TOLERANCE * abs(theirs))

    def test_forces_of_each_term_agree(self):
        for term in TERMS:
            with self.subTest(term=term):
                own, theirs = self.mean_forces(term)
                largest = np.abs(theirs).max()
                self.assertGreater(largest, 0.01)
                self.assertLess(np.abs(own - theirs).max(), TOLERANCE * largest)

    def mean_forces(self, term):
        """(f0 + f1) / 2 of one step with this term alone, by nfold and by OpenMM."""
        folder = self.folder / term
        others = [key for name, keys in CONSTANTS.items() if name != term for key in keys]
        run_nfold(folder, "dynamics.steps=1", "dynamics.integrator=velocity-verlet",
                  f"dynamics.time_step_ps={TIME_STEP_PS}", f"force_field.mass_amu={MASS_AMU}",
                  f"start.checkpoint={self.folder / 'warm/go-ubq.ckpt.h5'}",
                  "output.energies_every_steps=1", *(f"force_field.{key}=0" for key in others))
        before = openmm_go.checkpoint_state(folder / "go-ubq.ckpt.prev.h5")
        after = openmm_go.checkpoint_state(folder / "go-ubq.ckpt.h5")
        self.assertEqual((before.step, after.step), (0, 1))
        change = after.velocities_nm_ps - before.velocities_nm_ps
        evaluator = openmm_go.make_evaluator(STRUCTURE, read_run(folder).settings)
        ends = [evaluator.evaluate(state.positions_nm) for state in (before, after)]
        return (change * MASS_AMU / TIME_STEP_PS, (ends[0][term][1] + ends[1][term][1]) / 2)

    def test_frame_belongs_to_its_row(self):
        # Frame 0 is the native state, rounded to 32 bits: no bond, angle or dihedral is strained,
        # and each of the 190 contacts has its full depth.
        step, energies = openmm_go.compare(self.folder / "warm", STRUCTURE, frame=0)
        self.assertEqual(step, 0)
        self.assertAlmostEqual(energies["contact"][0], -190, places=3)
        self.assertAlmostEqual(energies["contact"][1], -190, places=3)
        self.assertLess(abs(energies["bond"][0]), 1e-3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

# Energies and forces of each condensate term: nfold compared with OpenMM.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: condensate_test.py NFOLD ROOT [unittest arguments]

nfold writes no forces. One step of velocity Verlet gives their sum: the velocities before and
after differ by (dt / 2m) (f0 + f1), to the last bits of a double.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import yaml

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import openmm_condensate  # noqa: E402  (path set above)
from nfold_peers.condensate_system import evaluate  # noqa: E402
from nfold_peers.published import FASTA, published_proteins  # noqa: E402
from read_checkpoint import read_checkpoint  # noqa: E402

TOLERANCE = 1e-6  # relative
COMPARED = ("A1", "aSyn", "ACTR", "Hst5", "p15PAF")
MODELS = ("hps-kr", "hps-urry", "calvados2", "calvados3", "mpipi")
WITHOUT_FOLD = ("bond", "short_range", "electrostatic")
STEPS = 400


def chain(name, copies=1):
    return {"name": name, "fasta": str(FASTA), "record": name, "copies": copies}


def make_settings(species, model="calvados2", box_nm=(), **sections):
    settings = {
        "system": {"species": species, "box_nm": list(box_nm)},
        "force_field": {"model": model},
        "dynamics": {"steps": STEPS, "time_step_ps": 0.01, "precision": "double",
                     "temperature_kelvin": 293},
        "output": {"energies_every_steps": STEPS, "trajectory_every_steps": 0}}
    for name, section in sections.items():
        settings.setdefault(name, {}).update(section)
    return settings


class Condensates(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.input = self.folder / "system.yaml"

    def run_nfold(self, settings, output):
        self.input.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
        command = [str(NFOLD), "run", str(self.input), "--quiet", "--threads", "1", "--overwrite",
                   "--output", str(self.folder / output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{self.input.read_text()}\n{done.stderr}")
        return self.folder / output

    def compare(self, settings, terms=WITHOUT_FOLD):
        """Compare energies after some steps, with chains relaxed from their initial shape. Return the run's folder."""
        folder = self.run_nfold(settings, "warm")
        step, energies = openmm_condensate.compare(self.input, folder)
        self.assertEqual(step, settings["dynamics"]["steps"])
        self.assertLessEqual(set(terms), set(energies))
        for term, (theirs, own) in energies.items():
            with self.subTest(term=term):
                if term in terms:
                    self.assertGreater(abs(theirs), 1e-3)  # a smaller energy makes the comparison meaningless
                    self.assertLess(abs(own - theirs), TOLERANCE * abs(theirs))
                else:
                    self.assertEqual((theirs, own), (0, 0))
        return folder

    def compare_forces(self, settings, warm):
        """Compare the mean forces of one step from the end of the run in `warm`."""
        settings = {**settings, "start": {"checkpoint": str(warm / "system.ckpt.h5")},
                    "dynamics": {**settings["dynamics"], "steps": 1, "integrator": "velocity-verlet"},
                    "output": {**settings["output"], "energies_every_steps": 1}}
        folder = self.run_nfold(settings, "step")
        ends = [read_checkpoint(folder / f"system.{name}.h5") for name in ("ckpt.prev", "ckpt")]
        self.assertEqual([end.step for end in ends], [0, 1])
        terms = openmm_condensate.run_terms(folder)
        change = ends[1].velocities_nm_ps - ends[0].velocities_nm_ps
        own = change * terms.masses[:, None] / settings["dynamics"]["time_step_ps"]
        theirs = sum(forces for end in ends
                     for _, forces in evaluate(terms, end.positions_nm).values()) / 2
        with self.subTest(term="forces"):
            self.assertLess(np.abs(own - theirs).max(), TOLERANCE * np.abs(theirs).max())

    def test_energies_of_published_proteins_agree(self):
        for model in MODELS:
            for name in COMPARED:
                protein = published_proteins()[name]
                with self.subTest(model=model, protein=name):
                    settings = make_settings(
                        [chain(name)], model, dynamics={"temperature_kelvin": protein.temperature_kelvin},
                        force_field={"ph": protein.ph, "ionic_strength_molar": protein.ionic_strength_molar})
                    self.compare(settings)

    def test_forces_of_each_model_agree(self):
        for model in MODELS:
            with self.subTest(model=model):
                settings = make_settings([chain("A1")], model)
                self.compare_forces(settings, self.compare(settings))

    def test_choices_of_cutoff_and_shift_agree(self):
        openabc = {"short_range_cutoff_over_sigma": 4, "short_range_shifted": True,
                   "electrostatic_shifted": True}
        settings = make_settings([chain("aSyn")], "hps-kr", force_field=openabc)
        self.compare_forces(settings, self.compare(settings))

    def test_hundred_chains_in_a_box_agree(self):
        for model in MODELS:
            with self.subTest(model=model):
                settings = make_settings([chain("Hst5", 60), chain("ACTR", 40)], model, (14, 16, 18))
                settings["dynamics"]["steps"] = settings["output"]["energies_every_steps"] = 60
                folder = self.compare(settings)
                if model in ("calvados2", "mpipi"):
                    self.compare_forces(settings, folder)

    def test_box_with_an_open_axis_agrees(self):
        settings = make_settings([chain("Hst5", 4)], "calvados2", (10, 0, 12))
        self.compare_forces(settings, self.compare(settings))

    def test_multidomain_protein_agrees(self):
        # Ubiquitin with its flexible end outside the domain: bonds, restraints and centres of mass.
        species = {"name": "ubiquitin", "structure": str(ROOT / "input/structures/1ubq.pdb.gz"),
                   "chains": ["A"], "domains": ["1-71"]}
        settings = make_settings([species], "calvados3")
        self.compare_forces(settings, self.compare(settings, (*WITHOUT_FOLD, "restraint")))

    def test_go_domains_with_disordered_ends_agree(self):
        # Two copies in a box, with go terms inside each domain and CALVADOS 2 elsewhere.
        species = {"name": "ubiquitin", "structure": str(ROOT / "input/structures/1ubq.pdb.gz"),
                   "chains": ["A"], "domains": ["1-71"], "copies": 2}
        settings = make_settings([species], box_nm=(12, 12, 12), force_field={
            "domains": "go", "contacts": {"map": "calpha", "cutoff_nm": 0.8}}, dynamics={"time_step_ps": 0.001})
        self.compare_forces(settings, self.compare(settings, (*WITHOUT_FOLD, "angle", "dihedral", "contact")))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

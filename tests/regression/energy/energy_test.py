# Energies of nfold energy compared with those of a run, of the CALVADOS package, and of numpy.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: energy_test.py NFOLD ROOT [unittest arguments]"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
UBIQUITIN = ROOT / "input/ubiquitin.yaml"
STRUCTURE = ROOT / "input/structures/1ubq.pdb.gz"
PARTS = ["bond", "angle", "dihedral", "restraint", "contact", "short_range", "electrostatic"]

# One chain of all 20 amino acids, at conditions and coordinates at which the CALVADOS package (commit dc5beac, on
# OpenMM's Reference platform) printed the energies and forces below.
CHAIN = """\
system:
  species:
    - {name: alpha, sequence: MSEKRGDYNPQTWHGAFLKVSGCIDREPSTNYGRGGFSGQHMDELAKKPVSSYRNGDDFTIQWGRPECLH, copies: 1}
  box_nm: [50]
force_field: {model: calvados2, ionic_strength_molar: 0.15, ph: 7.5}
start: {coordinates: chain.csv}
dynamics: {steps: 0, temperature_kelvin: 293.15, precision: double}
output: {energies_every_steps: 1}
"""
CHAIN_ENERGIES = {"bond": 86.06212967379757, "short_range": -29.048157285237814, "electrostatic": -3.7106586021047456,
                  "potential": 53.303313786455014}
CHAIN_FORCES = {0: [-103.54020468771901, -28.356159555969658, -67.04162785425606],
                17: [-107.83604274161794, -64.9873740066729, 107.15477633965568],
                69: [-51.77539364074214, 45.91585339283207, -167.4117509865546]}
MIXTURE = """\
system:
  species:
    - {name: tail, sequence: GSYGRDEKAQPNTLVGSYGRDEKAQPNTLVGSYGRDEKAQPNTLV, copies: 3}
    - {name: peptide, sequence: GSGSRRKEDYFW, copies: 5}
  box_nm: [9]
force_field: {model: calvados2}
start: {from: random}
dynamics: {steps: 400, temperature_kelvin: 300}
output: {trajectory_every_steps: 40, energies_every_steps: 40, dcd: true}
"""


def read_rows(text):
    """Rows of a CSV text as dictionaries of numbers, without comments."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)]


class Energies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = Path(cls.folder.name)
        (cls.work / "chain.csv").write_bytes((ROOT / "tests/regression/energy/calvados_chain.csv").read_bytes())
        (cls.work / "chain.yaml").write_text(CHAIN)
        (cls.work / "mix.yaml").write_text(MIXTURE)

    def call(self, *words, ranks=1, code=0):
        launcher = [os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "-np", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*launcher, NFOLD, *words], capture_output=True, text=True, check=False, cwd=self.work,
                              env={**os.environ, "NFOLD_HISTORY": "off"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def frames(self, *words, ranks=1):
        """Energies of the frames that nfold energy prints as JSON."""
        return json.loads(self.call("energy", *words, "--json", "--threads", "1", ranks=ranks))["frames"]

    def run_nfold(self, source, name, *keys):
        """Run and return the folder and the rows of the energies."""
        output = self.work / name
        self.call("run", source, "--output", output, "--quiet", "--threads", "1", *(["--set", *keys] if keys else []))
        return output, read_rows((output / f"{Path(source).stem}.energies.csv").read_text())

    def assert_same(self, frame, row):
        """Compare every part of the energy bit by bit."""
        for part in [*PARTS, "potential"]:
            self.assertEqual(frame[f"{part}_kj_mol"], row[f"{part}_kj_mol"], part)

    def test_start_has_energies_of_step_0(self):
        native, coil = "start.from=native", "start.from=unfolded"
        for keys in ([native, "dynamics.precision=double"], [native, "dynamics.precision=mixed"], [coil]):
            _, rows = self.run_nfold(UBIQUITIN, "-".join(keys), "dynamics.steps=0", "output.energies_every_steps=1", *keys)
            (frame,) = self.frames(UBIQUITIN, "--set", *keys)
            self.assert_same(frame, rows[0])
        self.assertGreater(frame["contact_kj_mol"], -20)  # a coil

    def test_structure_of_all_atoms_has_energies_of_native_start(self):
        (native,) = self.frames(UBIQUITIN, "--set", "start.from=native")
        (given,) = self.frames(UBIQUITIN, STRUCTURE)
        for part in ("contact", "potential"):
            np.testing.assert_allclose(given[f"{part}_kj_mol"], native[f"{part}_kj_mol"], rtol=1e-6)

    def test_chain_has_energies_and_forces_of_calvados(self):
        (frame,) = self.frames("chain.yaml", "--forces", "forces.h5")
        for part, energy in CHAIN_ENERGIES.items():
            np.testing.assert_allclose(frame[f"{part}_kj_mol"], energy, rtol=1e-8, err_msg=part)
        with h5py.File(self.work / "forces.h5") as file:
            forces = file["force_kj_mol_nm"][()]
            self.assertEqual(forces.shape, (1, 70, 3))
            self.assertEqual(file["force_kj_mol_nm"].attrs["unit"], "kJ mol-1 nm-1")
            np.testing.assert_array_equal(file["frame"], [0])
        for bead, force in CHAIN_FORCES.items():
            np.testing.assert_allclose(forces[0, bead], force, rtol=1e-7)
        np.testing.assert_allclose(np.linalg.norm(forces), 1717.5027939910135, rtol=1e-8)
        weights = np.arange(3 * 70) % 97 + 1
        np.testing.assert_allclose(forces[0].ravel() @ weights, 7353.802401734169, rtol=1e-7)
        self.call("energy", "chain.yaml", "chain.csv", "--forces", "forces.csv")
        rows = read_rows((self.work / "forces.csv").read_text())
        found = [[row[f"force_{axis}_kj_mol_nm"] for axis in "xyz"] for row in rows]
        np.testing.assert_array_equal(found, forces[0])
        _, rows = self.run_nfold("chain.yaml", "chain.out")
        self.assert_same(frame, rows[0])

    def test_frames_have_energies_of_the_run(self):
        output, rows = self.run_nfold("mix.yaml", "mix.out")
        for name in ("mix.h5md", "mix.dcd"):
            frames = self.frames("mix.yaml", output / name)
            self.assertEqual([frame["frame"] for frame in frames], list(range(11)))
            for frame, row in zip(frames, rows, strict=True):
                if name == "mix.h5md":
                    self.assertEqual(frame["step"], row["step"])
                for part in ("bond", "short_range", "electrostatic", "potential"):
                    # Trajectories have single precision.
                    np.testing.assert_allclose(frame[f"{part}_kj_mol"], row[f"{part}_kj_mol"], rtol=1e-5, atol=1e-3,
                                               err_msg=f"{name} {part}")
        few = self.frames("mix.yaml", output / "mix.h5md", "--frames=-7::3")
        self.assertEqual(few, [frames_of_h5md for frames_of_h5md in self.frames("mix.yaml", output / "mix.h5md")[4::3]])
        # A checkpoint has the exact state.
        (last,) = self.frames("mix.yaml", output / "mix.ckpt.h5")
        np.testing.assert_allclose(last["potential_kj_mol"], rows[-1]["potential_kj_mol"], rtol=1e-5)

    def test_run_goes_on_from_a_frame(self):
        output, rows = self.run_nfold("mix.yaml", "mix-first.out")
        keys = [f"start.coordinates={output / 'mix.h5md'}", "start.frame=last", "dynamics.steps=0"]
        _, again = self.run_nfold("mix.yaml", "mix-second.out", *keys)
        np.testing.assert_allclose(again[0]["potential_kj_mol"], rows[-1]["potential_kj_mol"], rtol=1e-5, atol=1e-3)
        (frame,) = self.frames("mix.yaml", "--set", *keys)
        np.testing.assert_allclose(frame["potential_kj_mol"], again[0]["potential_kj_mol"], rtol=1e-5)

    def test_go_model_goes_on_from_a_coil(self):
        output, rows = self.run_nfold(UBIQUITIN, "coil.out", "dynamics.steps=0", "start.from=unfolded",
                                      "output.energies_every_steps=1", "output.trajectory_every_steps=1")
        self.call("export", output / "ubiquitin.h5md", "--cif", "--output", "coil")
        (frame,) = self.frames(UBIQUITIN, "coil.cif")
        np.testing.assert_allclose(frame["contact_kj_mol"], rows[0]["contact_kj_mol"], rtol=1e-2, atol=0.1)
        np.testing.assert_allclose(frame["angle_kj_mol"], rows[0]["angle_kj_mol"], rtol=1e-2)

    def test_ranks_have_the_same_numbers(self):
        output, _ = self.run_nfold("mix.yaml", "mix-ranks.out")
        texts = set()
        for ranks in (1, 2, 3, 4):
            files = ["--csv", f"e{ranks}.csv", "--forces", f"f{ranks}.csv"]
            self.call("energy", "mix.yaml", output / "mix.dcd", *files, "--threads", "1", ranks=ranks)
            texts.add((self.work / f"e{ranks}.csv").read_text() + (self.work / f"f{ranks}.csv").read_text())
        self.assertEqual(len(texts), 1)
        (text,) = texts
        self.assertTrue(text.startswith("frame,step,bond_kj_mol,"))

    def test_table_has_ten_digits(self):
        text = self.call("energy", "chain.yaml")
        self.assertRegex(text, "(?m)^  potential +53.30331378..$")
        self.assertRegex(text, "(?m)^  bond +86.06212967..$")

    def test_biases_have_their_own_number(self):
        keys = ["bias.residues=[alpha:1, alpha:70]", "bias.form=linear", "bias.pull_kj_mol_nm=-20"]
        (frame,) = self.frames("chain.yaml", "--set", *keys)
        x = np.loadtxt(self.work / "chain.csv", delimiter=",", skiprows=1)
        np.testing.assert_allclose(frame["bias_kj_mol"], -20 * np.linalg.norm(x[-1] - x[0]), rtol=1e-6)
        self.assertEqual(frame["restraint_kj_mol"], frame["bias_kj_mol"])

    def test_clamped_forces_are_stated(self):
        (self.work / "line.csv").write_text("\n".join(f"{0.05 * bead},0,{bead % 2}e-2" for bead in range(70)))
        text = self.call("energy", "chain.yaml", "line.csv", "--forces", "line-forces.csv")
        self.assertIn("warning: frame 0: the force of a term or pair is clamped, for it exceeds 16384 kJ/mol/nm", text)
        self.assertNotIn("warning", self.call("energy", "chain.yaml", "--forces", "fine-forces.csv"))

    def test_wrong_calls_end_with_one_line(self):
        rows = (self.work / "chain.csv").read_text().splitlines()
        (self.work / "short.csv").write_text("\n".join(rows[:-1]))
        (self.work / "nan.csv").write_text("\n".join([*rows[:5], "1,nan,2", *rows[6:]]))
        (self.work / "old.csv").write_text("")
        output, _ = self.run_nfold("mix.yaml", "mix-wrong.out", "dynamics.steps=40")
        for words, problem in [
                (["chain.yaml", "missing.csv"], "missing.csv: there is no such file"),
                (["chain.yaml", "short.csv"], "short.csv: 69 beads, the system has 70"),
                (["chain.yaml", "nan.csv"], "nan.csv:6: y of bead 5 is 'nan'"),
                (["chain.yaml", "chain.csv", "--frames", "1"], "--frames: there is no frame '1'"),
                (["chain.yaml", "chain.csv", "--frames", "a"], "--frames: 'a' is no whole number"),
                (["chain.yaml", "--frames", "0"], "--frames: there is no trajectory"),
                (["mix.yaml", output / "mix.dcd", "--set", "system.box_nm=[9.5]"], "the box is 9 x 9 x 9 nm, that of"),
                (["chain.yaml", "--csv", "old.csv"], "old.csv: the file exists already"),
                (["chain.yaml", "--forces", "f.txt"], "expected .csv, .h5 or .hdf5"),
                (["chain.yaml", "--set", "start.frame=3"], "chain.csv: no frame 3 among 1 frame")]:
            error = self.call("energy", *words, code=1)
            self.assertIn(problem, error)
            self.assertEqual(error.count("\n"), 1, error)
        self.call("energy", "chain.yaml", "--csv", "old.csv", "--overwrite")
        self.assertEqual(len(read_rows((self.work / "old.csv").read_text())), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

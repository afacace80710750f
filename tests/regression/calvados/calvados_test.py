# Commands on CALVADOS folders: energies of the program, files of a run, refusals.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: calvados_test.py NFOLD ROOT [unittest arguments]"""

import json
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CASES = ROOT / "tests/unit/calvados/cases"
EXAMPLE = ROOT / "input/calvados_folder"
# Energies of `nfold energy` and the package's kinds that they hold.
KINDS = {"bond": ["bond"], "angle": ["angle"],
         "restraint": ["restraint", "custom_restraint", "external", "slab_external"],
         "contact": ["go", "scaled_ashbaugh_hatch", "scaled_debye_hueckel", "stacking"],
         "short_range": ["ashbaugh_hatch"], "electrostatic": ["debye_hueckel"]}


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def nfold(self, *words, code=0):
        done = subprocess.run([NFOLD, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def copy(self, source):
        shutil.copytree(source, self.folder / source.name)
        return self.folder / source.name

    def test_energies_match_the_package(self):
        for case in sorted(CASES.iterdir()):
            folder = self.copy(case)
            expected = json.loads((case / "expected.json").read_text())["configurations"]
            for name in ("start", "moved"):
                done = subprocess.run([NFOLD, "energy", folder, folder / f"{name}.csv", "--json"], cwd=self.folder,
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                ours = json.loads(done.stdout)["frames"][0]
                for part, kinds in KINDS.items():
                    theirs = sum(expected[name]["by_kind"].get(kind, 0) for kind in kinds)
                    with self.subTest(case=case.name, configuration=name, part=part):
                        self.assertAlmostEqual(ours[f"{part}_kj_mol"], theirs, delta=1e-4 + 1e-8 * abs(theirs))

    def test_run_writes_the_files_of_the_package(self):
        folder = self.copy(EXAMPLE)
        config = folder / "config.yaml"
        config.write_text(config.read_text().replace("steps: 20000", "steps: 400").replace("steps_eq: 2000", "steps_eq: 100")
                          .replace("wfreq: 1000", "wfreq: 100").replace("logfreq: 1000", "logfreq: 100"))
        self.nfold("run", folder, "--like", "calvados", "-o", "out", "--quiet")
        out = self.folder / "out"
        header, *rows = (out / "slab.log").read_text().splitlines()
        self.assertEqual(header, '#"Step"\t"Potential Energy (kJ/mole)"\t"Speed (ns/day)"\t"Elapsed Time (s)"')
        self.assertEqual([int(row.split("\t")[0]) for row in rows], [100, 200, 300, 400])
        dcd = (out / "slab.dcd").read_bytes()
        self.assertEqual(struct.unpack_from("<i", dcd, 8)[0], 4)  # frames
        beads = 12 * 42 + 6 * 14
        for name in ("top.pdb", "checkpoint.pdb"):
            atoms = [line for line in (out / name).read_text().splitlines() if line.startswith("ATOM")]
            self.assertEqual(len(atoms), beads, name)
        self.assertTrue((out / "slab.nfold.log").exists())
        picture = self.folder / "slab.png"
        subprocess.run([sys.executable, ROOT / "tools/snapshot.py", out, "--frames", "0", "-1", "--along", "y", "--picture", picture],
                       check=True)
        self.assertGreater(picture.stat().st_size, 10_000)

    def test_check_and_plan_take_a_folder(self):
        folder = self.copy(EXAMPLE)
        self.assertIn("can run", self.nfold("check", folder, "--no-time"))
        self.assertTrue((folder / "nfold/slab.yaml").exists())
        self.assertIn("can run", self.nfold("check", folder / "nfold/slab.yaml", "--no-time"))

    def test_prepare_refuses_options_of_other_inputs(self):
        folder = self.copy(EXAMPLE)
        self.assertIn("--model: is not for a CALVADOS folder",
                      self.nfold("prepare", folder, "--model", "calvados2", code=1))
        self.nfold("prepare", folder, "-o", "a.yaml")
        self.assertIn("exists already", self.nfold("prepare", folder, "-o", "a.yaml", code=1))
        self.nfold("prepare", folder, "-o", "a.yaml", "--overwrite")

    def test_folder_of_lipids_is_refused_in_one_line(self):
        folder = self.copy(EXAMPLE)
        components = folder / "components.yaml"
        components.write_text(components.read_text().replace("crowder", "lipid"))
        lines = [line for line in self.nfold("run", folder, code=1).splitlines() if line]
        self.assertEqual(len(lines), 1)
        self.assertIn("components.yaml", lines[0])
        self.assertIn("molecule_type = lipid", lines[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

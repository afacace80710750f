# Slab of chains: it stays dense with attraction and spreads without.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: slab_test.py NFOLD ROOT short|long [unittest arguments]

short: 12 chains for 0.12 ns. long: the 50 chains of input/calvados2-slab.yaml for 0.6 ns.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

NFOLD, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LONG = sys.argv[3] == "long"
sys.path.insert(0, str(ROOT / "tools"))
from nfold_report.resolved_input import parse_input  # noqa: E402  (path set above)
from nfold_report.slab import find_phases, read_profile  # noqa: E402

START_MG_ML = 322  # density of the initial slab, 2 residues/nm3


class Slab(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def settings(self):
        """Settings of the example. The short form has fewer chains and steps and a smaller box."""
        settings = parse_input((ROOT / "input/calvados2-slab.yaml").read_text(encoding="utf-8"))
        settings["system"]["species"][0]["fasta"] = str(ROOT / "input/sequences.fasta")
        settings["output"] = {"trajectory_every_steps": 0, "energies_every_steps": 1000}
        settings["dynamics"]["steps"] = 60_000 if LONG else 12_000
        settings["observables"].update(every_steps=100, clusters=False, chain_sizes=False,
                                       equilibration_steps=40_000 if LONG else 8_000)
        if not LONG:
            settings["system"]["species"][0]["copies"] = 12
            settings["system"]["box_nm"] = [8.2, 8.2, 50]
            settings["dynamics"]["temperature_kelvin"] = 240
        return settings

    def phases(self, settings):
        path = self.folder / "slab.yaml"
        path.write_text(yaml.safe_dump(settings), encoding="utf-8")
        done = subprocess.run([str(NFOLD), "run", str(path), "--quiet", "--threads", "1", "--output",
                               str(self.folder / "out"), "--overwrite"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return find_phases(read_profile(self.folder / "out/slab.observables.h5"))

    def test_attraction_keeps_two_phases(self):
        phases = self.phases(self.settings())
        self.assertGreater(phases.dense_mg_ml, 1.3 * START_MG_ML)
        self.assertLess(phases.dilute_mg_ml, 0.02 * phases.dense_mg_ml)

    @unittest.skipIf(LONG, "the control is that of the short form")
    def test_slab_spreads_without_attraction(self):
        table = parse_input((ROOT / "input/force_fields/calvados2.yaml").read_text(encoding="utf-8"))
        for residue in table["residues"].values():
            residue["lambda"] = 0.0
        (self.folder / "repulsive.yaml").write_text(yaml.safe_dump(table), encoding="utf-8")
        settings = self.settings()
        settings["force_field"]["table"] = "repulsive.yaml"
        self.assertLess(self.phases(settings).dense_mg_ml, 0.8 * START_MG_ML)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

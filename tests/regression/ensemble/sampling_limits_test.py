# Ensembles with insufficient samples: the log, the file and the report name the missing part.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: sampling_limits_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(INPUT.parent / "tools"))
from nfold_report import ensemble_figures, ensemble_page  # noqa: E402
from nfold_report.ensemble_folder import read_ensemble  # noqa: E402


class SamplingLimits(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = Path(work.name) / "run"

    def run_example(self, structure, chains="[]", **sections):
        """Run an ensemble of this structure and return its log."""
        source = self.folder.parent / "gap.yaml"
        text = f"system: {{structure: {INPUT / 'structures' / structure}, chains: {chains}}}\n"
        source.write_text(text + "".join(f"{name}: {value}\n" for name, value in sections.items()))
        done = subprocess.run([NFOLD, "run", source, "--quiet", "--threads", "2", "--output", self.folder],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "gap.log").read_text(encoding="utf-8")

    def tables(self):
        with h5py.File(self.folder / "gap.ensemble.h5") as file:
            return {f"{group}/{name}": file[group][name][()] for group in file if group != "samples"
                    for name in file[group]}

    def test_temperatures_with_a_gap_have_no_thermodynamics(self):
        log = self.run_example("1ubq.pdb.gz", dynamics="{steps: 24000, seed: 5}",
                               ensemble="{temperatures: 2, lowest_kelvin: 100, highest_kelvin: 200, "
                                        "exchange_every_steps: 100, sample_every_steps: 100, equilibration_steps: 8000}")
        self.assertIn("no thermodynamics: samples of neighbouring states overlap by less than 0.03: "
                      "100.0 K and 200.0 K (overlap 0.000)", log)
        self.assertNotIn("folding temperature", log)
        tables = self.tables()
        self.assertLess(tables["convergence/overlap"][0], 1e-3)
        self.assertFalse([name for name in tables if name.startswith(("thermodynamics/", "free_energy/"))])
        found = read_ensemble(self.folder)
        self.assertEqual(found.gaps, "100 K and 200 K (overlap 0.000)")
        self.assertEqual(ensemble_page.describe_result(found), "")
        self.assertIn("Gap between states", "".join(ensemble_page.make_notices(found)))

    def test_umbrellas_with_a_gap_have_separate_profiles(self):
        """First hairpin of ubiquitin; nothing is sampled between its windows at 1 and 4 nm."""
        log = self.run_example("1ubq.pdb.gz", chains='["A:1-17"]', dynamics="{steps: 20000}",
                               ensemble="{temperatures_kelvin: [110], umbrella_residues: [\"A:1\", \"A:17\"], "
                                        "umbrella_k_kj_mol_nm2: 40, exchange_every_steps: 100, sample_every_steps: 100, "
                                        "umbrella_centres_nm: [0.7, 1.0, 4.0, 4.3], equilibration_steps: 6000}")
        self.assertIn("no free energy across gaps between windows", log)
        self.assertRegex(log, r"umbrella at [\d.]+ nm and umbrella at [\d.]+ nm \(overlap 0\.0\d\d\)")
        tables = self.tables()
        piece, profile = tables["umbrella/piece"], tables["umbrella/free_energy"]
        self.assertGreater(piece.max(), 0)
        for one in range(piece.max().astype(int) + 1):
            if (piece == one).any():
                self.assertEqual(profile[piece == one].min(), 0)
        self.assertFalse(np.isfinite(profile[piece < 0]).any())
        figure = ensemble_figures.umbrella_profile(read_ensemble(self.folder))
        self.assertGreaterEqual(len(figure.axes[0].lines), 2)

    @unittest.skipUnless("NFOLD_LONG" in os.environ, "the cases as they were reported take half a minute")
    def test_reported_ladders_and_windows_name_their_gaps(self):
        sampled = "exchange_every_steps: 100, sample_every_steps: 100"
        log = self.run_example("1ubq.pdb.gz", dynamics="{steps: 60000, seed: 5}",
                               ensemble="{temperatures: 6, lowest_kelvin: 50, highest_kelvin: 400, "
                                        f"equilibration_steps: 20000, {sampled}}}")
        self.assertRegex(log, r"no thermodynamics: .*114\.9 K and 174\.1 K \(overlap 0\.000\)")
        self.assertFalse([name for name in self.tables() if name.startswith("thermodynamics/")])
        self.folder = self.folder.parent / "windows"
        log = self.run_example("1hpv.pdb.gz", dynamics="{steps: 40000}",
                               ensemble="{temperatures_kelvin: [110], umbrella_residues: [\"A:25\", \"B:25\"], "
                                        "umbrella_centres_nm: [0.7, 1.1, 1.5, 1.9, 2.4, 2.8, 3.2, 3.6, 4.0], "
                                        f"umbrella_k_kj_mol_nm2: 40, equilibration_steps: 8000, {sampled}}}")
        self.assertIn("no free energy across gaps between windows, which cut the profile into", log)

    def test_equilibration_beyond_the_steps_is_reported(self):
        ensemble = "{temperatures: 2, lowest_kelvin: 100, highest_kelvin: 110, equilibration_steps: 5000}"
        log = self.run_example("1ubq.pdb.gz", dynamics="{steps: 2000}", ensemble=ensemble)
        warning = ("warning: ensemble.equilibration_steps = 5000 is not reached in the 2000 steps of dynamics.steps: "
                   "no sample counts, and there is no result")
        self.assertIn(warning, log)
        self.assertIn("no result: no sample counts, for the last step is 2000", log)
        done = subprocess.run([NFOLD, "check", self.folder.parent / "gap.yaml"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(warning, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

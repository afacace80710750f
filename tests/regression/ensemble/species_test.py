# Ensembles of several species: each has its radius of gyration in samples, means, log and report.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: species_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(INPUT.parent / "tools"))
from nfold_report import ensemble_figures  # noqa: E402
from nfold_report.ensemble_folder import read_ensemble  # noqa: E402

MIXTURE = """\
system:
  species:
    - {name: long, sequence: GSGSGSGSGSKEKEKEKEKEGSGSGSGSGSKEKEKEKEKE, copies: 2}
    - {name: short, sequence: GSGSGKEKEK, copies: 3}
  box_nm: [20, 20, 20]
force_field: {model: calvados2}
dynamics: {steps: 6000, seed: 3}
start: {from: random, minimise_steps: 200}
ensemble:
  temperatures: 3
  lowest_kelvin: 290
  highest_kelvin: 310
  exchange_every_steps: 100
  sample_every_steps: 50
  equilibration_steps: 1000
"""


class Species(unittest.TestCase):
    def test_each_species_has_its_own_radius(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "mixture.yaml").write_text(MIXTURE)
            done = subprocess.run([NFOLD, "run", folder / "mixture.yaml", "--quiet", "--threads", "1", "--output",
                                   folder / "run"], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            log = (folder / "run/mixture.log").read_text(encoding="utf-8")
            with h5py.File(folder / "run/mixture.ensemble.h5") as file:
                self.assertNotIn("radius_of_gyration", file["samples"])
                mean = {one: file[f"samples/radius_of_gyration_{one}"][1:].mean() for one in ("long", "short")}
                self.assertGreater(mean["long"], 1.5 * mean["short"])
                for one, radius in mean.items():
                    for group in ("thermodynamics", "scan"):
                        self.assertAlmostEqual(file[f"{group}/radius_of_gyration_{one}"][:, 0].mean(), radius,
                                               delta=0.2 * radius)
                    self.assertRegex(log, rf"at 290.0 K radius of gyration of {one} [\d.]+ \+- [\d.]+ nm")
            figure = ensemble_figures.sizes(read_ensemble(folder / "run"))
            self.assertEqual([text.get_text() for text in figure.axes[0].get_legend().get_texts()], ["long", "short"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

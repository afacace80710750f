# nfold phase: two phases with errors or bounds, binodal, kill and resume, wrong input.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in tests/fault/nfold_process.py. That folder must be on PYTHONPATH."""
import csv
import math
import signal
import time
import unittest

import h5py
from nfold_process import NfoldTest

STICKY = "WFYWFYWFYW"
# A small slab that evaporates a little within seconds.
SMALL = ("--copies", "40", "--set", "system.box_nm=[9,9,45]", "--set", "dynamics.friction_per_ps=0.01",
         "--set", "observables.every_steps=100")


class PhaseTest(NfoldTest):
    def setUp(self):
        super().setUp()
        (self.folder / "all.fasta").write_text(f">sticky a chain\n{STICKY}\n")

    def phase(self, *arguments, output="all.phase", ranks=1, steps=20000):
        return self.run_nfold("phase", "all.fasta", "--output", output, "--threads", "1", "--quiet", *SMALL,
                              "--set", f"dynamics.steps={steps}", *arguments, ranks=ranks)

    def rows(self, output="all.phase", name="results.csv"):
        with open(self.folder / output / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def result_files(self, output):
        folder = self.folder / output
        files = sorted([*folder.glob("*/*.result.csv"), *folder.glob("*/*.h5"), folder / "results.csv",
                        folder / "results.h5", folder / "binodal.csv"])
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


if __name__ == "__main__":
    unittest.main()

# Load balancing of a slab with a dense middle: even within few steps, with identical results.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: dense_middle_test.py NFOLD_SLOWED [unittest arguments]

nfold_slowed has a clock that counts work instead of seconds (tests/support/posed_clock.cpp).
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD = Path(sys.argv[1]).resolve()
CHAIN = "GSYGRDEKAQPNTLVFIMWH" * 2
# Half of the residues fill a fortieth of the box and have four times the neighbours of the others.
INPUT = f"""\
system:
  species:
    - {{name: dense, sequence: {CHAIN}, copies: 30, start_z_nm: [58, 61]}}
    - {{name: dilute, sequence: GSYGRDEKAQ, copies: 120}}
  box_nm: [14, 14, 120]
force_field:
  model: calvados2
start:
  from: random
  minimise_steps: 20
dynamics:
  steps: 800
  temperature_kelvin: 300
output:
  trajectory_every_steps: 200
  energies_every_steps: 20  # also the interval at which the ranks' loads are compared
partition:
  method: residue-ranges
  rebalance_every_steps: 50
"""


class DenseMiddle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(work.cleanup)
        cls.work = Path(work.name)
        (cls.work / "slab.yaml").write_text(INPUT, encoding="utf-8")
        cls.run_on(1)

    @classmethod
    def run_on(cls, ranks, name="", overrides=()):
        """Run on this many ranks and return the output folder."""
        output = cls.work / f"on-{ranks}{name}"
        launcher = [os.environ.get("MPIEXEC", "mpirun"), "--oversubscribe", "-np", str(ranks)]
        subprocess.run([*(launcher if ranks > 1 else []), NFOLD, "run", cls.work / "slab.yaml",
                        "--output", output, "--quiet", "--threads", "1",
                        *(part for key in overrides for part in ("--set", key))],
                       check=True, env={**os.environ, "NFOLD_HISTORY": "off"})
        return output

    def balances(self, output):
        """(step, balance) of each comparison of the ranks' loads."""
        with (output / "slab.balance.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return sorted({(int(row["step"]), float(row["balance"])) for row in rows})

    def expect_same(self, output):
        for name in ("slab.ckpt.h5", "slab.h5md", "slab.energies.csv"):
            compared = subprocess.run([NFOLD, "compare", self.work / "on-1" / name, output / name],
                                      check=False, capture_output=True, text=True)
            self.assertEqual(compared.returncode, 0, compared.stdout)

    def test_two_ranks_become_balanced(self):
        self.expect_even(2)

    def test_four_ranks_become_balanced(self):
        self.expect_even(4)

    def expect_even(self, ranks):
        output = self.run_on(ranks)
        balances = self.balances(output)
        self.assertLess(balances[0][1], 0.7, balances)
        # The middle spreads, and the partition follows it.
        self.assertGreater(max(balance for _, balance in balances), 0.95, balances)
        self.assertGreater(balances[-1][1], 0.8, balances)
        self.expect_same(output)

    def decisions(self, output):
        """(text of the log, counts in the performance file)"""
        return ((output / "slab.log").read_text(encoding="utf-8"),
                json.loads((output / "slab.performance.json").read_text(encoding="utf-8"))["load_balance"])

    def test_log_has_each_decision(self):
        log, counts = self.decisions(self.run_on(2, "-decisions"))
        self.assertGreaterEqual(counts["repartitions"], 1)
        self.assertEqual(counts["assessments"], counts["repartitions"] + sum(counts["others"].values()))
        self.assertRegex(log, r"step \d+: residues stay where they are, balance 0\.\d+, rank [01] is busiest, for .* ms; "
                              r"uneven for 1 of 2 assessments in a row")
        self.assertRegex(log, rf"load balance: {counts['assessments']} assessments, {counts['repartitions']} repartition")

    def test_log_says_why_a_busy_rank_was_not_relieved(self):
        output = self.run_on(2, "-kept", ["partition.balance.threshold=100", "partition.balance.hot=1"])
        log, counts = self.decisions(output)
        self.assertGreater(counts["others"]["below_threshold"], 2)
        self.assertRegex(log, "residues stay where they are, balance 0.*; the busiest is less than 10000 % over the mean")
        self.assertLess(log.count("the busiest is less than"), counts["others"]["below_threshold"])

    def test_species_starts_in_the_middle(self):
        log = (self.work / "on-1" / "slab.log").read_text(encoding="utf-8")
        self.assertIn("start: species dense from 58 to 61 nm along z, 2.04 residues/nm3 of it there",
                      log)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

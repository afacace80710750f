# Replica exchange with whole or split ladders on ranks: the same bytes on 1 to 4 ranks.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: ranks_test.py NFOLD INPUT_FOLDER [unittest arguments]"""

import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from ensemble_run import Example

NFOLD, INPUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
EXCHANGE = Example(NFOLD, INPUT / "ubiquitin-exchange.yaml")
CHAINS = Example(NFOLD, INPUT / "calvados2-salt.yaml")

# Some samples are at exchange steps, others are not.
SHORT = ["system.chains=[A:1-17]", "ensemble.lowest_kelvin=60", "ensemble.highest_kelvin=84", "dynamics.steps=4000",
         "ensemble.exchange_every_steps=40", "ensemble.sample_every_steps=60", "ensemble.equilibration_steps=1600"]
SHORT_CHAINS = ["dynamics.steps=4000", "ensemble.exchange_every_steps=40", "ensemble.sample_every_steps=60",
                "ensemble.equilibration_steps=1600"]
FOLLOWED = ["ensemble.trajectory_replicas=[0, 5, 11]", "output.trajectory_every_steps=250"]
TUNED = ["ensemble.tuning_steps=1600"]
VERIFIED = ["reliability.verify_every_steps=700"]
ENDS = ["samples", "ensemble.h5", *(f"replica-{k}.{end}" for k in (0, 5, 11) for end in ("h5md", "csv"))]


def content(path):
    """All datasets of a checkpoint except its provenance."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, node: found.update({name: node[()]}) if isinstance(node, h5py.Dataset) else None)
    return {name: values for name, values in found.items() if not name.startswith("provenance")}


class Ranks(unittest.TestCase):
    def compare(self, example, *settings):
        """Compare runs of an example on 1 to 4 ranks. Those on 3 and 4 ranks resume a run on two ranks."""
        with tempfile.TemporaryDirectory() as work:
            alone = Path(work) / "alone"
            example.run(alone, *FOLLOWED, *settings)
            expected = content(example.path(alone, "ckpt.h5"))
            self.assertTrue(any("ensemble.exchange" in name for name in expected), expected.keys())
            for ranks in (2, 3, 4):
                folder = Path(work) / str(ranks)
                if ranks > 2:
                    example.run(folder, *FOLLOWED, *settings, "dynamics.steps=2300", ranks=2)
                example.run(folder, *FOLLOWED, *settings, ranks=ranks)
                for end in ENDS:
                    self.assertEqual(example.path(alone, end).read_bytes(), example.path(folder, end).read_bytes(),
                                     f"{end} of {ranks} ranks")
                found = content(example.path(folder, "ckpt.h5"))
                self.assertEqual(found.keys(), expected.keys())
                for name, values in expected.items():
                    np.testing.assert_array_equal(found[name], values, f"{name} of {ranks} ranks")
            with h5py.File(example.path(alone, "ensemble.h5")) as file:
                acceptance = file["exchange/acceptance"][:]
            self.assertTrue(((acceptance > 0) & (acceptance < 1)).any(), acceptance)

    def test_ladders_of_three_are_the_same_on_any_ranks(self):
        """Ladders are whole on two and four ranks and split on three."""
        self.compare(EXCHANGE, *SHORT, "ensemble.temperatures=3", "ensemble.ladders=4", *TUNED)

    def test_ladders_of_six_are_the_same_on_any_ranks(self):
        """Ladders are whole on two ranks only."""
        self.compare(EXCHANGE, *SHORT, "ensemble.temperatures=6", "ensemble.ladders=2", *VERIFIED)

    def test_one_ladder_is_the_same_on_any_ranks(self):
        self.compare(EXCHANGE, *SHORT, "ensemble.temperatures=13", "ensemble.ladders=1", "ensemble.starts=same", *TUNED,
                     *VERIFIED)

    def test_disordered_chains_are_the_same_on_any_ranks(self):
        self.compare(CHAINS, *SHORT_CHAINS)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

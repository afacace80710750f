# nfold batch with a failing or erring device: other ranks finish its target with the same bytes.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in batch_test.py. nfold_erring (tests/support/posed_error.cpp) poses the device's errors."""
import json
import os
import unittest

import batch_test  # importing its classes by name would run their tests here too
from nfold_process import NfoldTest

VERIFY = ("--set", "reliability.verify_every_steps=500")
ENSEMBLE = (", protocol: run, input: {dynamics: {steps: 5000}, ensemble: {temperatures: 4,"
            " lowest_kelvin: 80, highest_kelvin: 120, ladders: 4, exchange_every_steps: 250,"
            " sample_every_steps: 250}}")


class WithdrawalTest(NfoldTest):
    write_batch, rows = batch_test.BatchTest.write_batch, batch_test.BatchTest.rows
    result_files, batch = batch_test.BatchTest.result_files, batch_test.BatchTest.batch
    peptide = staticmethod(batch_test.BatchTest.peptide)
    plain = staticmethod(batch_test.BatchTest.plain)

    def erring(self, ranks, rank, output="list.out", **posed):
        names = {"ERR_RANK": rank, "ERR_STEP": 1000, "ERR_PASS": 1, "NFOLD": os.environ["NFOLD_ERRING"], **posed}
        before = dict(os.environ)
        os.environ.update({name: str(value) for name, value in names.items()})
        try:
            return self.batch(*VERIFY, ranks=ranks, output=output)
        finally:
            os.environ.clear()
            os.environ.update(before)

    def incidents(self, output="list.out"):
        text = (self.folder / output / "batch.incidents.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def test_failed_device_withdraws_and_its_target_runs_elsewhere(self):
        self.write_batch([(f"t{k}", self.plain(3_000)) for k in range(4)])
        self.assertEqual(self.batch(ranks=2, output="plain")[0], 0)
        for ranks, rank in (2, 0), (2, 1), (3, 1):
            output = f"sick-{ranks}-{rank}"
            code, out, err = self.erring(ranks, rank, output, ERR_THROWS=1)
            self.assertEqual(code, 0, out + err)
            self.assertEqual(self.result_files(output), self.result_files("plain"))
            incident, = self.incidents(output)
            self.assertEqual((incident["rank"], incident["what"]), (rank, "failure"))
            self.assertIn("cudaErrorECCUncorrectable", incident["details"])
            self.assertRegex(err, rf"warning: rank {rank} \(host .*withdrew.*target {incident['target']} goes to another")
            self.assertIn(f"rank {rank} (host", self.status(output, "batch")["reason"])
            with open(self.folder / output / "running.csv", encoding="utf-8") as file:
                ends = [line for line in file if f",end,{incident['target']}," in line]
            self.assertEqual(len(ends), 1, ends)

    def test_silent_error_in_a_group_leaves_the_others_running(self):
        self.write_batch([("large", self.peptide(ENSEMBLE)), ("small", self.plain(500))])
        self.assertEqual(self.batch(ranks=3, output="plain")[0], 0)
        code, out, err = self.erring(3, 1)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.result_files("list.out"), self.result_files("plain"))
        incident, = self.incidents()
        self.assertEqual((incident["rank"], incident["what"], incident["target"]), (1, "silent error", "large"))

    def test_last_rank_ends_the_batch_and_names_itself(self):
        self.write_batch([(f"t{k}", self.plain(3_000)) for k in range(3)])
        self.assertEqual(self.batch(output="plain")[0], 0)
        code, out, err = self.erring(1, 0, ERR_THROWS=1)
        self.assertEqual(code, 3, out + err)
        status = self.status("list.out", "batch")
        self.assertEqual((status["state"], status["exit_code"], status["suspect_rank"], status["suspect_what"]),
                         ("failed", "3", "0", "failure"), status)
        self.assertEqual(self.batch()[0], 0)
        self.assertEqual(self.result_files("list.out"), self.result_files("plain"))

    def test_failure_on_a_sound_device_is_blamed_on_the_target(self):
        self.write_batch([("bad", self.plain(3_000))] + [(f"t{k}", self.plain(900)) for k in range(4)])
        for ranks in 1, 2:
            output = f"out{ranks}"
            code, out, err = self.erring(ranks, -2, output, ERR_THROWS=2)
            self.assertEqual(code, 2, out + err)
            failed, = self.rows("failed.csv", output)
            self.assertEqual(failed["target"], "bad")
            self.assertIn("cudaErrorECCUncorrectable", failed["reason"])
            self.assertEqual(len(self.rows("results.csv", output)), 4)
            self.assertFalse((self.folder / output / "batch.incidents.jsonl").exists())

    def test_target_for_all_ranks_does_not_wait_for_withdrawn_ranks(self):
        large = self.peptide(ENSEMBLE.replace("steps: 5000", "steps: 100000"))
        self.write_batch([("one", self.plain(1_500)), ("two", self.plain(1_500)), ("large", large)])
        self.assertEqual(self.batch(ranks=2, output="plain")[0], 0)
        for rank in 0, 1:
            output = f"out{rank}"
            code, out, err = self.erring(2, rank, output, ERR_THROWS=1)
            self.assertEqual(code, 0, out + err)
            incident, = self.incidents(output)
            self.assertEqual(incident["rank"], rank)
            self.assertEqual(self.result_files(output), self.result_files("plain"))

    def test_target_that_fails_two_devices_is_blamed(self):
        # Only one target reaches the step at which each rank's device fails.
        self.write_batch([("bad", self.plain(3_000))] + [(f"t{k}", self.plain(900)) for k in range(4)])
        code, out, err = self.erring(3, -2, ERR_THROWS=1)
        self.assertEqual(code, 2, out + err)
        failed, = self.rows("failed.csv")
        self.assertEqual(failed["target"], "bad")
        self.assertIn("devices of two ranks failed under it", failed["reason"])
        self.assertEqual(len(self.incidents()), 2)


if __name__ == "__main__":
    unittest.main()

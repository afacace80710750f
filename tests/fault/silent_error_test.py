# Rank that computes one wrong bit: it is detected, named and recorded, and the run's bits are right.
# SPDX-License-Identifier: BSD-3-Clause
"""nfold_erring is nfold with that error (tests/support/posed_error.cpp)."""
import json
import os
import socket
import unittest

from nfold_process import SMALL_ENSEMBLE, NfoldTest

VERIFY = ["--set", "reliability.verify_every_steps=500"]


class SilentError(NfoldTest):
    def run_erring(self, ranks, rank, in_pass, step=1000, output="ubq.out", extra=()):
        os.environ.update(ERR_RANK=str(rank), ERR_STEP=str(step), ERR_PASS=str(in_pass))
        correct_nfold, os.environ["NFOLD"] = os.environ["NFOLD"], os.environ["NFOLD_ERRING"]
        try:
            return self.run_nfold("run", self.input, "--quiet", "--output", output, *VERIFY, *extra, ranks=ranks)
        finally:
            os.environ["NFOLD"] = correct_nfold

    def incidents(self, output="ubq.out"):
        path = self.folder / output / "ubq.incidents.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def assert_named(self, code, err, rank, step):
        self.assertEqual(code, 3, err)
        errors = self.nfold_errors(err)
        self.assertEqual(len(errors), 1, err)
        print(errors[0])
        self.assertRegex(errors[0], rf"a silent error: steps 1000 to {step} .* a third computation decided; .* differs?, .*"
                         rf"Rank {rank} \(host {socket.gethostname()}, its processors\) computed wrongly\. The "
                         rf"verified state of step {step} is in .*ubq.ckpt.h5: start the same command again without")
        status = self.status()
        self.assertEqual((status["state"], status["step"], status["exit_code"]), ("failed", str(step), "3"), status)
        self.assertEqual((status["suspect_rank"], status["suspect_what"]), (str(rank), "silent error"), status)
        incident, = self.incidents()
        self.assertEqual((incident["what"], incident["step"], incident["rank"], incident["host"]),
                         ("silent error", step, rank, socket.gethostname()))

    def test_device_error_prints_no_mpi_banner(self):
        os.environ["ERR_THROWS"] = "1"
        self.addCleanup(os.environ.pop, "ERR_THROWS")
        for ranks in 1, 2:
            code, _, err = self.run_erring(ranks, ranks - 1, 0, output=f"{ranks}.out")
            self.assertEqual((code, len(self.nfold_errors(err))), (3, 1), err)
            self.assertIn("cudaErrorECCUncorrectable", err)
            self.assertNotIn("MPI_ABORT", err)

    def test_verification_of_a_correct_run_changes_no_byte(self):
        self.run_well("run", self.input, "--quiet", "--output", "plain.out")
        for ranks in 1, 3:
            output = f"verified-{ranks}.out"
            self.run_well("run", self.input, "--quiet", "--output", output, *VERIFY, ranks=ranks)
            self.assert_same_output("plain.out", output)
            self.assertIn("verified 4 blocks, all equal: 10 % more steps",
                          (self.folder / output / "ubq.log").read_text())
            self.assertEqual(self.incidents(output), [])

    def test_erring_rank_is_named_and_others_resume(self):
        self.run_well("run", self.input, "--quiet", "--output", "plain.out")
        code, _, err = self.run_erring(3, 1, in_pass=1)
        self.assert_named(code, err, 1, 1050)
        self.run_well("run", self.input, "--quiet", *VERIFY, ranks=2)
        self.assert_same_output("plain.out", "ubq.out")

    def test_single_device_continues_after_one_error(self):
        self.run_well("run", self.input, "--quiet", "--output", "plain.out")
        code, out, err = self.run_erring(1, 0, in_pass=1)
        self.assertEqual(code, 0, err)
        self.assertIn("WARNING: a silent error", (self.folder / "ubq.out" / "ubq.log").read_text())
        self.assertEqual(len(self.incidents()), 1)
        self.assert_same_output("plain.out", "ubq.out")

    def test_always_erring_rank_is_named_and_discarded(self):
        code, _, err = self.run_erring(2, 1, in_pass=0)
        self.assertEqual(code, 3, err)
        self.assertIn("No state of these steps can be trusted", err)
        self.assertEqual(self.status()["suspect_rank"], "1", self.status())
        self.assertEqual(int(self.status()["step"]), 1000)
        self.run_well("run", self.input, "--quiet", ranks=1)
        self.run_well("run", self.input, "--quiet", "--output", "plain.out")
        self.assert_same_output("plain.out", "ubq.out")

    def test_replicas_are_verified_by_another_rank(self):
        with open(self.input, "a", encoding="utf-8") as file:
            file.write(SMALL_ENSEMBLE)
        plain = ["run", self.input, "--quiet", "--output"]
        self.run_well(*plain, "plain.out", ranks=2)
        self.run_well(*plain, "verified.out", *VERIFY, ranks=3)
        compare = ["compare", "plain.out/ubq.ckpt.h5"]
        self.run_well(*compare, "verified.out/ubq.ckpt.h5")
        self.assertIn("verified 4 blocks, all equal", (self.folder / "verified.out" / "ubq.log").read_text())
        for in_pass in 1, 2:
            code, _, err = self.run_erring(3, 1, in_pass, extra=("--overwrite",))
            self.assert_named(code, err, 1, 1100)
            self.run_well(*plain, "ubq.out", *VERIFY, ranks=2)
            self.run_well(*compare, "ubq.out/ubq.ckpt.h5")


if __name__ == "__main__":
    unittest.main()

# A full device: one message that says what is missing, exit code 3, and no rank that waits.
# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

from nfold_process import NfoldTest

LITTLE = ["--device-memory", "20kB"]


class DeviceMemory(NfoldTest):
    def assert_tells(self, code, err):
        self.assertEqual(code, 3, err)
        lines = self.nfold_errors(err)
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], r"out of (host|GPU) memory: array '[a-z_0-9.]+' asks for .*"
                                   r"the limit given is 19.5 KiB.*residues fit")
        status = self.status()
        self.assertEqual((status["state"], status["exit_code"]), ("failed", "3"))
        self.assertIn("out of", status["reason"])

    def test_of_all_ranks_is_told_once(self):
        for ranks in (1, 3):
            code, _, err = self.run_nfold("run", self.input, "--quiet", "--overwrite", *LITTLE,
                                          ranks=ranks)
            self.assert_tells(code, err)

    def test_of_one_rank_ends_the_others(self):
        for full in (0, 1):
            command = [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none"]
            for rank in (0, 1):
                command += [":"] if rank > 0 else []
                command += ["-np", "1", os.environ["NFOLD"], "run", str(self.input), "--quiet",
                            "--overwrite", *(LITTLE if rank == full else [])]
            code, _, err = self.finish(self.start_command(command))
            self.assert_tells(code, err)
            self.assertIn(f"rank {full}: ", err)

    def test_runs_within_a_limit_that_is_enough(self):
        self.run_well("run", self.input, "--quiet", "--device-memory", "100MB")

    def test_names_a_size_that_is_none(self):
        code, _, err = self.run_nfold("run", self.input, "--device-memory", "much")
        self.assertEqual(code, 1, err)
        self.assertIn("--device-memory", err)


if __name__ == "__main__":
    unittest.main()

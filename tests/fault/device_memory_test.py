# Full device: one message with the missing memory, exit code 3, and no waiting rank.
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import unittest

from nfold_process import NfoldTest

LITTLE = ["--device-memory", "20kB"]


class DeviceMemory(NfoldTest):
    def assert_refused(self, code, err):
        self.assertEqual(code, 3, err)
        lines = self.nfold_errors(err)
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], r"out of (host|GPU) memory before the first array: .* are "
                                   r"planned, the largest for '[a-z_0-9.]+' .*the limit given is "
                                   r"19.5 KiB; at most about \d+ of 76 residues fit")
        status = self.status()
        self.assertEqual((status["state"], status["exit_code"]), ("failed", "3"))
        self.assertIn("out of", status["reason"])

    def test_full_ranks_report_once(self):
        for ranks in (1, 3):
            code, _, err = self.run_nfold("run", self.input, "--quiet", "--overwrite", *LITTLE,
                                          ranks=ranks)
            self.assert_refused(code, err)

    def test_one_full_rank_ends_the_others(self):
        for full in (0, 1):
            command = [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none"]
            for rank in (0, 1):
                command += [":"] if rank > 0 else []
                command += ["-np", "1", os.environ["NFOLD"], "run", str(self.input), "--quiet",
                            "--overwrite", *(LITTLE if rank == full else [])]
            code, _, err = self.finish(self.start_command(command))
            self.assert_refused(code, err)
            self.assertIn(f"rank {full}: ", err)

    def test_runs_within_a_sufficient_limit(self):
        self.run_well("run", self.input, "--quiet", "--device-memory", "100MB")

    def test_key_limits_memory(self):
        self.input.write_text(self.input.read_text() + "devices: {memory_limit_gb: 1.9968e-5}\n")
        code, _, err = self.run_nfold("run", self.input, "--quiet")
        self.assert_refused(code, err)
        self.run_well("run", self.input, "--quiet", "--overwrite", "--device-memory", "100MB")

    def test_log_reports_planned_and_peak_memory(self):
        # On a busy machine autotuning may try a long skin, or residues migrate to a faster rank. The plan has neither.
        self.run_well("run", self.input, "--quiet", "--overwrite", "--set", "neighbour_list.skin_nm=0.3",
                      "--set", "partition.rebalance_every_steps=0", ranks=2)
        log = next(self.folder.rglob("*.log")).read_text()
        self.assertRegex(log, r"memory of each of 2 ranks")
        match = re.search(r"memory: planned .*, peak .* \(ratio ([0-9.]+)\)", log)
        self.assertIsNotNone(match, log)
        self.assertAlmostEqual(float(match.group(1)), 1, delta=0.1)
        resident = re.search(r"memory on the host: planned .* MiB, .*; resident at peak ([0-9.]+) MiB", log)
        self.assertIsNotNone(resident, log)
        self.assertGreater(float(resident.group(1)), 5)

    def test_invalid_size_is_named(self):
        code, _, err = self.run_nfold("run", self.input, "--device-memory", "much")
        self.assertEqual(code, 1, err)
        self.assertIn("--device-memory", err)


if __name__ == "__main__":
    unittest.main()

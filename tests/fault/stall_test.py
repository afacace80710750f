# Stalled rank: the others wait up to the limit, report it, and the job ends.
# SPDX-License-Identifier: BSD-3-Clause
import os
import signal
import socket
import time
import unittest

from nfold_process import NfoldTest

ENDLESS = "dynamics.steps=1000000000"
LIMIT_SECONDS = 3  # a loaded machine may delay one rank at the start


class Stall(NfoldTest):
    def start_ranks(self, count):
        """Starts a run; returns mpirun and the process ids of the ranks."""
        process = self.start(["run", self.input, "--set", ENDLESS, "--quiet", "--overwrite", "--set",
                              f"partition.wait_limit_seconds={LIMIT_SECONDS}"], count)
        self.wait_for_step(process, 200)
        ranks = self.ranks_of(process)
        self.assertEqual(len(ranks), count, "ranks of mpirun")
        for rank in ranks:  # leaves no stopped rank behind if the test fails
            self.addCleanup(self.signal_if_there, rank, signal.SIGKILL)
        return process, ranks

    @staticmethod
    def signal_if_there(rank, number):
        try:
            os.kill(rank, number)
        except ProcessLookupError:
            pass

    @staticmethod
    def rank_number(rank):
        with open(f"/proc/{rank}/environ", encoding="utf-8") as file:
            variables = dict(entry.partition("=")[::2] for entry in file.read().split("\0"))
        return int(variables["OMPI_COMM_WORLD_RANK"])

    def stop_one(self, count, victim):
        """Stops one rank and checks that the job ends with one message, which names it."""
        process, ranks = self.start_ranks(count)
        process_ids = {self.rank_number(process_id): process_id for process_id in ranks}
        os.kill(process_ids[victim], signal.SIGSTOP)
        code, _, err = self.finish(process)
        self.assertEqual(code, 3, err)
        errors = self.nfold_errors(err)
        self.assertEqual(len(errors), 1, err)
        print(errors[0])
        location = r"\w.*, after step \d+"
        self.assertRegex(
            errors[0], rf"rank {1 if victim == 0 else 0} waited {LIMIT_SECONDS} s in an? \w.* "
            rf"\({location}\) for rank {victim} \(host {socket.gethostname()}, process {process_ids[victim]}\): "
            rf"stopped \(process state T\); last seen [\d.]+ s ago, {location}(; its last message is '.+')?\. "
            r"All ranks end; .*partition.wait_limit_seconds")
        status = self.status()
        self.assertEqual(status["state"], "failed", status)
        self.assertEqual(status["exit_code"], "3", status)
        self.assertIn(f"for rank {victim} ", status["reason"])
        self.assertEqual(status["suspect_rank"], str(victim), status)
        self.assertEqual(status["suspect_host"], socket.gethostname(), status)
        self.assertEqual(status["suspect_what"], "hang", status)
        self.assertNotIn("suspect_device", status)

    def test_stopped_rank_is_named_and_ends_the_job(self):
        self.stop_one(2, self.random.randrange(2))

    def test_stopped_rank_is_named_among_three(self):
        self.stop_one(3, 2)

    def test_stopped_rank_of_a_shared_target_is_named(self):
        (self.folder / "list.yaml").write_text(
            f"targets:\n- {{name: large, input_file: {self.input.name}, protocol: run, input: {{"
            "output: {trajectory_every_steps: 0, energies_every_steps: 0}, dynamics: {steps: 1000000000}, "
            "ensemble: {temperatures: 4, lowest_kelvin: 80, highest_kelvin: 120, exchange_every_steps: 200, "
            f"sample_every_steps: 200}}, partition: {{wait_limit_seconds: {LIMIT_SECONDS}}}}}}}\n")
        process = self.start(["batch", "list.yaml", "--quiet", "--output", "list.out", "--threads", "1"], 2)
        while int(self.status("list.out/large/run", "run").get("step", 0)) < 200:
            self.assertIsNone(process.poll(), "ended before its first steps")
            time.sleep(0.02)
        ranks = {self.rank_number(rank): rank for rank in self.ranks_of(process)}
        victim = self.random.randrange(2)
        self.addCleanup(self.signal_if_there, ranks[victim], signal.SIGKILL)
        os.kill(ranks[victim], signal.SIGSTOP)
        code, _, err = self.finish(process)
        self.assertEqual(code, 3, err)
        self.assertRegex(err, rf"rank {1 - victim} waited {LIMIT_SECONDS} s .* for rank {victim} \(.*stopped \(process state T\)")
        status = self.status("list.out", "batch")
        self.assertEqual((status["state"], status["suspect_rank"], status["suspect_what"]),
                         ("failed", str(victim), "hang"), status)

    def test_run_has_no_named_shared_memory(self):
        before = set(os.listdir("/dev/shm"))
        process, _ = self.start_ranks(2)
        self.assertFalse([name for name in set(os.listdir("/dev/shm")) - before
                          if name.startswith("nfold")])
        process.kill()

    def test_suspended_job_continues(self):
        process, ranks = self.start_ranks(2)
        for rank in ranks:
            os.kill(rank, signal.SIGSTOP)
        time.sleep(1.5 * LIMIT_SECONDS)
        for rank in ranks:
            os.kill(rank, signal.SIGCONT)
        step = int(self.status()["step"])
        self.wait_for_step(process, step + 1000)
        process.send_signal(signal.SIGUSR1)
        code, _, err = self.finish(process)
        self.assertEqual(code, 75, err)


if __name__ == "__main__":
    unittest.main()

# nfold launch with a batch: a stalled rank is named, and the tables equal those of an uninterrupted batch.
# SPDX-License-Identifier: BSD-3-Clause
import csv
import json
import os
import pathlib
import signal
import unittest

from launch_test import RANKS, LaunchTest

# Three times the allowed age of a rank's file, because a loaded machine may delay the thread that writes it.
HEARTBEAT_LIMIT_SECONDS = 6


class LaunchBatch(LaunchTest):
    def setUp(self):
        super().setUp()
        self.output = "list.out"

    def write_list(self, steps):
        """Writes list.yaml with a target for each number of steps."""
        structure = pathlib.Path(os.environ["NFOLD_INPUT"]).resolve() / "structures" / "3al1.pdb.gz"
        (self.folder / "list.yaml").write_text("targets:\n" + "".join(
            f"- {{name: t{k}, structure: {structure}, chains: [A], protocol: run, input: {{dynamics: "
            f"{{steps: {count}}}, output: {{checkpoint_every_steps: 20000}}}}}}\n"
            for k, count in enumerate(steps)))

    def batch(self, output):
        return ["batch", "list.yaml", "--quiet", "--threads", "1", "--output", output]

    def results(self, output):
        folder = self.folder / output
        return {str(path.relative_to(folder)): path.read_bytes()
                for path in [*folder.glob("*/*.result.csv"), folder / "results.csv"]}

    def finished(self):
        """Dictionary of result files and their modification times [ns]."""
        return {path: path.stat().st_mtime_ns for path in (self.folder / self.output).glob("*/*.result.csv")}

    def rank_status(self, rank):
        """batch.rank-RANK.status; empty while there is none."""
        return self.status(self.output, f"batch.rank-{rank}")

    def running_targets(self):
        """Dictionary of ranks and the targets they run, by running.csv, which is written when a target begins or ends."""
        running_targets = {}
        with open(self.folder / self.output / "running.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["event"] == "start":
                    running_targets[int(row["rank"])] = row["target"]
                else:
                    running_targets.pop(int(row["rank"] or -1), None)
        return running_targets

    def target_step(self, target):
        """Step in the target's own status, which is written at each checkpoint."""
        return int(self.status(f"{self.output}/{target}/run", "run").get("step", 0))

    def stop_one_rank(self, process, ranks, finished):
        """Stops one of ranks() once there is one and enough targets are finished. Returns (rank, finished files)."""
        due = self.wait_for(process, lambda: ranks() if len(self.finished()) >= finished else None)
        self.assertIsNotNone(due, self.messages.read_text())
        rank = self.random.choice(due)
        self.signal_all([int(self.rank_status(rank)["process"])], signal.SIGSTOP)
        return rank, self.finished()

    def assert_survived(self, process, rank, finished):
        """Checks the messages, the incident and the results; returns launch's messages."""
        code, messages = self.finish_launch(process)
        self.assertEqual(code, 0, messages)
        self.assertRegex(messages, rf"rank {rank} on \S+ has given no sign of life for {HEARTBEAT_LIMIT_SECONDS} s")
        incident, = [json.loads(line) for line in
                     (self.folder / self.output / "batch.incidents.jsonl").read_text().splitlines()]
        self.assertEqual((incident["what"], incident["rank"]), ("hang", rank), messages)
        self.assertEqual(incident["host"], os.uname().nodename)
        self.assertEqual(self.results(self.output), self.results("whole"))
        for path, written in finished.items():
            self.assertEqual(path.stat().st_mtime_ns, written, f"{path} was written again")
        self.assertEqual(list((self.folder / self.output).glob("batch.rank-*")), [])
        status = self.status(self.output, "batch")
        self.assertEqual((status["state"], status["step"]), ("done", status["steps"]))
        return messages

    def begin(self):
        self.run_well(*self.batch("whole"), ranks=RANKS)
        return self.launch("--heartbeat-limit", HEARTBEAT_LIMIT_SECONDS,
                           command=self.batch(self.output))

    def test_rank_stopped_in_its_target_is_named(self):
        self.write_list([800_000] * (RANKS - 1) + [50_000] * 3)
        long = [f"t{k}" for k in range(RANKS - 1)]
        process = self.begin()

        def ranks():  # far from their end, because mpirun wakes a stopped rank a second before ending it
            return [rank for rank, target in self.running_targets().items()
                    if target in long and 0 < self.target_step(target) < 200_000]
        rank, finished = self.stop_one_rank(process, ranks, 1)
        messages = self.assert_survived(process, rank, finished)
        self.assertEqual(messages.count("on this node: nfold"), 2, messages)

    def test_rank_stopped_while_waiting_is_named(self):
        self.write_list([300_000] + [1_000] * (RANKS - 1))
        process = self.begin()
        rank, finished = self.stop_one_rank(
            process, lambda: [rank for rank in range(RANKS) if rank not in self.running_targets()], RANKS - 1)
        messages = self.assert_survived(process, rank, finished)
        self.assertIn("woken, its ranks came to their end", messages)


if __name__ == "__main__":
    unittest.main()

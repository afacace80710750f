# nfold batch with idle ranks that join a started target: identical results, no target lost.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in batch_test.py."""
import os
import signal
import time
import unittest

import batch_test  # importing its classes by name would run their tests here too
from nfold_process import PATIENCE_SECONDS, NfoldTest

SIXTY_FOUR = ("ensemble: {temperatures: 4, lowest_kelvin: 80, highest_kelvin: 120, ladders: 16,"
              " exchange_every_steps: 1000, sample_every_steps: 1000}")


class JoiningTest(NfoldTest):
    write_batch, rows = batch_test.BatchTest.write_batch, batch_test.BatchTest.rows
    result_files, batch = batch_test.BatchTest.result_files, batch_test.BatchTest.batch
    peptide = staticmethod(batch_test.BatchTest.peptide)
    plain = staticmethod(batch_test.BatchTest.plain)

    def write_one_long(self, steps=100_000, batch_extra=""):
        """Write a list with an ensemble `long` that idle ranks join. Two targets with nearly all of the estimated
        time explode at once, so `long` starts on one rank and is alone when the short targets have ended."""
        explodes = (", protocol: run, input: {force_field: {mass_amu: 1, angle_k_per_rad2: 100000},"
                    " dynamics: {steps: 40000000, time_step_ps: 0.007, temperature_kelvin: 1000}}")
        long = f", protocol: run, input: {{dynamics: {{steps: {steps}}}, {SIXTY_FOUR}}}"
        path = self.write_batch([("explodes0", self.peptide(explodes)), ("explodes1", self.peptide(explodes)),
                                 ("long", self.peptide(long)), ("short0", self.plain(2_000)),
                                 ("short1", self.plain(2_000))])
        path.write_text(path.read_text().replace("batch: {", f"batch: {{{batch_extra}"))

    def events(self, what, output="list.out", target="long"):
        path = self.folder / output / "running.csv"
        if not path.exists():
            return []
        return [row for row in self.rows("running.csv", output) if row["event"] == what and row["target"] == target]

    def results(self, output):
        """Result files except failed.csv, which names the folder."""
        return {path: content for path, content in self.result_files(output).items()
                if not path.endswith("failed.csv")}

    def wait_for_joined(self, process, output="list.out"):
        """Wait until a rank has joined and is in running.csv, or the process has ended."""
        began = time.monotonic()
        while process.poll() is None and not self.events("stop", output):
            self.assertLess(time.monotonic() - began, PATIENCE_SECONDS)
            time.sleep(0.01)
        while process.poll() is None and len({row["rank"] for row in self.events("start", output)}) < 2:
            self.assertLess(time.monotonic() - began, PATIENCE_SECONDS)
            time.sleep(0.01)

    def start_batch(self, ranks, output="list.out"):
        return self.start(("batch", "list.yaml", "--output", output, "--threads", "1"), ranks=ranks)

    def test_joined_ranks_write_the_bytes_of_one_rank(self):
        self.write_one_long()
        self.assertEqual(self.batch(output="one")[0], 2)
        self.assertEqual(self.events("stop", "one"), [])
        for ranks in 2, 3, 4:
            output = f"on{ranks}"
            code, out, err = self.batch(ranks=ranks, output=output)
            self.assertEqual(code, 2, out + err)
            self.assertEqual(self.results(output), self.results("one"))
            self.assertEqual({row["target"] for row in self.rows("failed.csv", output)}, {"explodes0", "explodes1"})
            stops = self.events("stop", output)
            self.assertTrue(stops, "nobody joined")
            for stop in stops:
                self.assertRegex(stop["detail"], r"^ranks? [\d, ]+ joins?: \S+ s left on \d ranks?, "
                                                 r"predicted \S+ s on \d; the restart takes \S+ s$")
                self.assertIn(f"long: {stop['detail']}", (self.folder / output / "batch.log").read_text())
            # The target resumes on more ranks, from the step at which it stopped.
            last = [row for row in self.events("start", output) if row["step"] == stops[-1]["step"]]
            self.assertGreater(len({row["rank"] for row in last}), 1)
            end, = self.events("end", output)
            self.assertEqual(end["detail"], "finished")
            times = {row["target"]: row for row in self.rows("times.csv", output)}
            self.assertEqual((times["long"]["ranks"], times["long"]["starts"]), (str(len(last)), "1"))
            self.assertEqual(list((self.folder / output).glob("batch.rank-*.status")), [])

    def test_ranks_of_a_target_span_the_fewest_nodes(self):
        three = (", protocol: run, input: {dynamics: {steps: 20000}, ensemble: {temperatures: 3, lowest_kelvin: 80,"
                 " highest_kelvin: 120, exchange_every_steps: 1000, sample_every_steps: 1000}}")
        path = self.write_batch([("three", self.peptide(three)), ("short0", self.plain(500)), ("short1", self.plain(500))])
        path.write_text(path.read_text().replace("batch: {", "batch: {ranks_per_node: 2, "))
        code, out, err = self.batch(ranks=5)
        self.assertEqual(code, 0, out + err)
        # The short targets begin on rank 4, which is a node, and on rank 0. No node has three free ranks.
        self.assertEqual({row["rank"] for row in self.events("start", target="three")}, {"1", "2", "3"})

    def test_ranks_do_not_join_if_disabled(self):
        self.write_one_long(steps=20_000, batch_extra="idle_ranks_join: false, ")
        code, out, err = self.batch(ranks=2)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(self.events("stop"), [])

    def test_failing_joined_target_fails_once(self):
        self.write_one_long()
        process = self.start_batch(3)
        self.wait_for_joined(process)
        # The next checkpoint cannot be renamed into place.
        for name in "run.ckpt.h5", "run.ckpt.prev.h5":
            path = self.folder / "list.out/long/run" / name
            path.unlink(missing_ok=True)
            (path / "in the way").mkdir(parents=True)
        code, out, err = self.finish(process)
        self.assertEqual(code, 2, out + err)
        self.assertEqual({row["target"] for row in self.rows("results.csv")}, {"short0", "short1"})
        reasons = {row["target"]: row["reason"] for row in self.rows("failed.csv")}
        self.assertIn("run.ckpt", reasons["long"])
        self.assertEqual(self.status("list.out", "batch")["state"], "done")

    def test_kill_in_a_joined_target_loses_nothing(self):
        self.write_one_long()
        self.assertEqual(self.batch(output="one")[0], 2)
        process = self.start_batch(3)
        self.wait_for_joined(process)
        self.assertIsNone(process.poll(), "it ended before the kill")
        os.kill(self.ranks_of(process)[0], signal.SIGKILL)
        self.finish(process)
        self.assertTrue(self.events("stop"), "nobody joined")
        code, out, err = self.batch(ranks=2)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(self.results("list.out"), self.results("one"))
        # The target resumes from the checkpoint of the join, or from a later one.
        jobs = [row["job"] for row in self.events("start")]
        second = [row for row in self.events("start") if row["job"] == jobs[-1]]
        self.assertGreaterEqual(int(second[0]["step"]), int(self.events("stop")[0]["step"]))

    def test_signal_stops_a_joined_target_with_a_checkpoint(self):
        self.write_one_long(steps=400_000)
        process = self.start_batch(3)
        self.wait_for_joined(process)
        os.kill(self.ranks_of(process)[-1], signal.SIGTERM)
        code, out, err = self.finish(process)
        self.assertEqual(code, 75, out + err)
        stops = self.events("stop")
        self.assertGreater(int(stops[-1]["step"]), 0)
        self.assertEqual(stops[-1]["detail"], "")


if __name__ == "__main__":
    unittest.main()

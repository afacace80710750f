# Parts of a list as separate jobs: each target once, in one folder, with the bytes of one job.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in batch_test.py."""
import signal
import time
import unittest

import batch_test  # importing its classes by name would run their tests here too
from nfold_process import PATIENCE_SECONDS, NfoldTest


class PartsTest(NfoldTest):
    write_batch, rows = batch_test.BatchTest.write_batch, batch_test.BatchTest.rows
    result_files, batch = batch_test.BatchTest.result_files, batch_test.BatchTest.batch
    peptide = staticmethod(batch_test.BatchTest.peptide)
    plain = staticmethod(batch_test.BatchTest.plain)

    def start_part(self, part, *arguments):
        return self.start(("batch", "list.yaml", "--part", part, "--threads", "1", *arguments))

    def wait_for_row(self, part):
        ledger = self.folder / f"list.out/running.part-{part.replace('/', '-of-')}.csv"
        began = time.monotonic()
        while not ledger.exists() or ledger.read_text().count("\n") < 2:
            self.assertLess(time.monotonic() - began, PATIENCE_SECONDS)
            time.sleep(0.02)

    def part_targets(self, part):
        return [row["target"] for row in self.rows(f"results.part-{part.replace('/', '-of-')}.csv")]

    def test_concurrent_parts_run_each_target_once(self):
        steps = [20_000, 3_000, 5_000, 8_000]
        self.write_batch([(f"t{k}", self.plain(count)) for k, count in enumerate(steps)] +
                         [("folds", self.peptide()), ("broken", "structure: none.pdb")])
        parts = [self.start_part(part) for part in ("1/3", "2/3", "3/3")]
        codes = [self.finish(part)[0] for part in parts]
        self.assertEqual(sorted(codes), [0, 0, 2])  # one part has the broken target
        done = [self.part_targets(f"{k}/3") for k in (1, 2, 3)]
        self.assertEqual(sorted(sum(done, [])), ["folds", "t0", "t1", "t2", "t3"])
        self.assertTrue(all(done), done)
        self.assertEqual(self.status("list.out", "batch.part-1-of-3")["state"], "done")

        self.assertEqual(self.batch()[0], 2)
        self.assertFalse((self.folder / "list.out/running.csv").read_text().count("start"))
        self.assertEqual([row["starts"] for row in self.rows("times.csv")], ["1"] * 5)
        self.assertEqual([row["target"] for row in self.rows("failed.csv")], ["broken"])
        self.assertEqual(self.batch(output="one")[0], 2)
        one, parts = ({path: content for path, content in self.result_files(output).items() if "failed" not in path}
                      for output in ("one", "list.out"))
        self.assertEqual(one, parts)

    def test_conflicting_jobs_are_refused(self):
        self.write_batch([(f"t{k}", self.plain(2_000_000_000)) for k in range(2)])
        running = self.start_part("1/2")
        self.wait_for_row("1/2")
        for arguments, message in ((("--part", "1/2"), "another nfold is writing into this file"),
                                   (("--part", "2/3"), "a part of another division is at work"),
                                   ((), "another nfold is writing into this folder")):
            code, _, err = self.batch(*arguments)
            self.assertEqual(code, 1)
            self.assertIn(message, err)
        code, _, err = self.batch("--part", "3/2")
        self.assertEqual(code, 1)
        self.assertIn("--part: 3/2 (expected K/N", err)
        # The whole list resumes where the part has stopped.
        running.send_signal(signal.SIGUSR1)
        self.assertEqual(self.finish(running)[0], 75)
        code, _, err = self.batch("--resume", "never")
        self.assertIn("holds an earlier batch", err)
        self.assertEqual(self.batch("--time-limit", "1s")[0], 75)
        begun = [row["step"] for row in self.rows("running.csv") if row["event"] == "start"]
        self.assertTrue(any(int(step) > 0 for step in begun), begun)


if __name__ == "__main__":
    unittest.main()

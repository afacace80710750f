# nfold batch: estimated and measured times in target folders, history, plans and the log.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in tests/fault/nfold_process.py. That folder must be on PYTHONPATH."""
import contextlib
import json
import os
import pathlib
import sqlite3

import nfold_process
from nfold_process import NfoldTest

INPUT = pathlib.Path(os.environ["NFOLD_INPUT"]).resolve()
UBIQUITIN = INPUT / "structures/1ubq.pdb.gz"
# A machine file with estimates fifty times too short for a laptop.
WRONG = ("clock_mhz: 3400", "clock_mhz: 170000")


def ladder(steps):
    """An ensemble of 16 replicas of 40 residues, which takes about a second."""
    return (f"structure: {UBIQUITIN}, chains: [\"A:1-40\"], protocol: run, input: {{dynamics: {{steps: {steps}}},"
            " ensemble: {temperatures: 16, lowest_kelvin: 80, highest_kelvin: 120, exchange_every_steps: 500,"
            " sample_every_steps: 500}}")


class PredictionsTest(NfoldTest):
    def setUp(self):
        super().setUp()
        text = (INPUT / "machines/laptop.yaml").read_text()
        self.assertIn(WRONG[0], text)
        (self.folder / "wrong.yaml").write_text(text.replace(*WRONG))
        variables = {"NFOLD_HISTORY": str(self.folder / "history.sqlite"), "NFOLD_MACHINE": str(self.folder / "wrong.yaml")}
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        self.addCleanup(self.restore, before)

    @staticmethod
    def restore(before):
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value

    def write_list(self, steps, names):
        (self.folder / "list.yaml").write_text("targets:\n" + "".join(f"- {{name: {name}, {ladder(steps)}}}\n"
                                                                      for name in names))

    def batch(self, *arguments):
        code, out, err = self.run_nfold("batch", "list.yaml", "--threads", "1", *arguments)
        self.assertEqual(code, 0, out + err)

    def plan_targets(self):
        """{target: its entry in `nfold plan --json`}"""
        code, out, err = self.run_nfold("plan", "list.yaml", "--json")
        self.assertEqual(code, 0, out + err)
        return {one["name"]: one for one in json.loads(out)["targets"]}

    def prediction(self, name, output="list.out"):
        return json.loads((self.folder / output / name / f"{name}.prediction.json").read_text())

    def rows(self, *columns):
        """Rows of the history, oldest first."""
        with contextlib.closing(sqlite3.connect(self.folder / "history.sqlite")) as file:
            return file.execute(f"SELECT {', '.join(columns)} FROM works ORDER BY rowid").fetchall()

    def test_wrong_estimate_is_corrected_within_three_targets(self):
        names = ["a", "b", "c"]
        self.write_list(20000, names)
        before = self.plan_targets()
        self.batch()
        predictions = [self.prediction(name) for name in names]
        for name, one in zip(names, predictions, strict=True):
            self.assertAlmostEqual(one["predicted_seconds"], before[name]["seconds"], places=9)
            self.assertAlmostEqual(one["low_seconds"], before[name]["low_seconds"], places=9)
            self.assertEqual(one["by"], "wrong")
            self.assertFalse(one["had_company"])
            self.assertGreater(one["measured_seconds"], one["measured_seconds_of_steps"])
            self.assertGreater(one["measured_seconds_of_steps"], 5 * one["predicted_seconds_of_steps"])
        log = (self.folder / "list.out/batch.log").read_text()
        self.assertIn("0 of 3 targets that had their rank for themselves took what was predicted", log)
        self.assertRegex(log, r"a took .* s, .* s were predicted by wrong, ")
        self.assertEqual([row[0] for row in self.rows("name")], names)
        for one, row in zip(predictions, self.rows("measured", "steps_measured"), strict=True):
            self.assertEqual(row, (one["measured_seconds"], one["measured_seconds_of_steps"]))
        after = self.plan_targets()["a"]
        self.assertEqual(after["runs"], 3)
        taken = [one["measured_seconds"] for one in predictions]  # the machine may be busy during any of them
        self.assertGreater(after["seconds"], 0.5 * min(taken))
        self.assertLess(after["seconds"], 2 * max(taken))
        self.assertGreater(after["high_seconds"], after["seconds"])
        self.batch("--output", "again")
        self.assertEqual(self.prediction("a", "again")["by"], "wrong and 3 earlier runs")
        self.assertAlmostEqual(self.prediction("a", "again")["predicted_seconds"], after["seconds"], places=9)
        for name in names:  # results do not depend on the history
            for file in (f"{name}.result.csv", f"{name}.h5"):
                one, other = (self.folder / output / name / file for output in ("list.out", "again"))
                self.assertEqual(one.read_bytes(), other.read_bytes(), file)

    def test_resumed_target_records_the_time_of_its_steps_only(self):
        self.write_list(20000, ["a"])
        self.batch()
        for left in ("a.result.csv", "run/run.status"):  # the state of a stopped batch
            (self.folder / "list.out/a" / left).unlink()
        self.write_list(40000, ["a"])  # the second half is left
        self.batch()
        prediction = self.prediction("a")
        self.assertIsNone(prediction["measured_seconds"])
        whole, rest = self.rows("measured", "steps_predicted", "steps_measured")
        self.assertGreater(whole[0], 0)
        self.assertEqual(rest[0], 0)
        self.assertAlmostEqual(rest[1] / whole[1], 1, places=9)
        self.assertGreater(rest[2], 0)
        # If no step is computed, no time is recorded.
        (self.folder / "list.out/a/a.result.csv").unlink()
        self.batch()
        self.assertIsNone(self.prediction("a")["measured_seconds_of_steps"])
        self.assertEqual(len(self.rows("name")), 2)

    def test_broken_history_harms_no_target(self):
        (self.folder / "history.sqlite").write_text("no database, whatever its name says: some words, and more\n" * 9)
        self.write_list(1000, ["a"])
        self.batch()
        self.assertIn("no prediction: ", (self.folder / "list.out/batch.log").read_text())
        self.assertFalse((self.folder / "list.out/a/a.prediction.json").exists())


del NfoldTest  # this class has no tests of its own

if __name__ == "__main__":
    nfold_process.unittest.main(verbosity=2)

# nfold batch with targets side by side on one rank: results, failures, kills, memory.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in tests/fault/nfold_process.py. That folder must be on PYTHONPATH."""
import csv
import json
import os
import pathlib
import signal
import time

import nfold_process
from nfold_process import NfoldTest

STRUCTURES = pathlib.Path(os.environ["NFOLD_INPUT"]).resolve() / "structures"
ENDLESS = 10**9
PEPTIDE = f"structure: {STRUCTURES / '3al1.pdb.gz'}, chains: [A]"


def ladder(steps, extra=""):
    """An ensemble of four replicas, which leaves one of two threads idle."""
    return (f"{PEPTIDE}, protocol: run, input: {{dynamics: {{steps: {steps}{extra}}}, ensemble: {{temperatures: 4,"
            " lowest_kelvin: 80, highest_kelvin: 120, exchange_every_steps: 500, sample_every_steps: 500}}")


class SideBySideTest(NfoldTest):
    def write_batch(self, entries):
        lines = ["batch: {budget_gpu_seconds: 0.0002}", "targets:"]
        lines += [f"- {{name: {name}, {entry}}}" for name, entry in entries]
        (self.folder / "list.yaml").write_text("\n".join(lines) + "\n")

    @staticmethod
    def arguments(output, *more):
        return ["batch", "list.yaml", "--output", output, "--threads", "2", *more]

    def batch(self, output, *more):
        return self.run_nfold(*self.arguments(output, *more))

    def rows(self, output, name):
        with open(self.folder / output / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def most_running(self, output):
        """Largest number of targets that had begun and not ended, by running.csv."""
        running, most = set(), 0
        for row in self.rows(output, "running.csv"):
            (running.add if row["event"] == "start" else running.discard)(row["target"])
            most = max(most, len(running))
        return most

    def predictions(self, output):
        return {path.parent.name: json.loads(path.read_text()) for path in (self.folder / output).glob("*/*.prediction.json")}

    def result_files(self, output):
        folder = self.folder / output
        files = sorted([*folder.glob("*/*.result.csv"), *folder.glob("*/*.h5"), folder / "results.csv"])
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    def assert_same_results(self, a, b):
        one, other = self.result_files(a), self.result_files(b)
        self.assertEqual(set(one), set(other))
        for path, content in one.items():
            self.assertEqual(content, other[path], path)

    def test_results_equal_those_of_one_after_another(self):
        exploding = ladder(2000, ", time_step_ps: 0.007, temperature_kelvin: 1000").replace(
            "input: {", "input: {force_field: {mass_amu: 1, angle_k_per_rad2: 100000}, ")
        self.write_batch([(f"ladder{k}", ladder(20_000)) for k in range(3)] + [("explodes", exploding)]
                         + [("fold", PEPTIDE), ("missing", "structure: none.pdb")])
        codes = [self.batch("turns", "--side-by-side", "1"), self.batch("beside")]
        for code, out, err in codes:
            self.assertEqual(code, 2, out + err)
        self.assertEqual(self.most_running("turns"), 1)
        self.assertGreaterEqual(self.most_running("beside"), 2)
        self.assert_same_results("turns", "beside")
        self.assertLessEqual({"ladder0", "ladder1", "ladder2"}, set(self.predictions("turns")))
        for prediction in self.predictions("turns").values():
            self.assertFalse(prediction["had_company"])
            self.assertGreater(prediction["measured_seconds"], 0)
        shared = [prediction for prediction in self.predictions("beside").values() if prediction["had_company"]]
        self.assertGreaterEqual(len(shared), 2)
        for prediction in shared:  # its time includes the other targets' steps
            self.assertIsNone(prediction["measured_seconds"])
            self.assertIsNone(prediction["measured_seconds_of_steps"])
        for output in ("turns", "beside"):
            reasons = {row["target"]: row["reason"] for row in self.rows(output, "failed.csv")}
            self.assertEqual(set(reasons), {"explodes", "missing"})
            self.assertIn("3 attempts", reasons["explodes"])

    def start_endless(self, output, count):
        """Start this many endless targets and wait until two of them have begun."""
        self.write_batch([(f"ladder{k}", ladder(ENDLESS)) for k in range(count)])
        process = self.start(self.arguments(output))
        path = self.folder / output / "running.csv"
        while not path.exists() or self.most_running(output) < 2:
            self.assertIsNone(process.poll(), "ended before two had begun")
            time.sleep(0.02)
        return process

    def set_last_step(self, output):
        """Replace the endless step count by one slightly beyond the farthest target's step."""
        steps = [int(self.status(folder, "run")["step"]) for folder in (self.folder / output).glob("*/run")]
        path = self.folder / "list.yaml"
        path.write_text(path.read_text().replace(str(ENDLESS), str(max(steps) // 500 * 500 + 20_000)))

    def test_kill_loses_none_of_the_running_targets(self):
        self.write_batch([(f"ladder{k}", ladder(60_000)) for k in range(4)])
        self.assertEqual(self.batch("whole")[0], 0)
        killed = 0
        for _ in range(3):
            process = self.start(self.arguments("killed"))
            path, own = self.folder / "killed" / "running.csv", f"-{process.pid},start,"
            while process.poll() is None and not (path.exists() and own in path.read_text(encoding="utf-8")):
                time.sleep(0.02)
            time.sleep(self.random.uniform(0, 0.4))
            process.send_signal(signal.SIGKILL)
            killed += self.finish(process)[0] == -signal.SIGKILL
        self.assertGreater(killed, 0, "each kill came when all was done")
        code, out, err = self.batch("killed")
        self.assertEqual(code, 0, out + err)
        self.assert_same_results("whole", "killed")

    def test_stop_writes_checkpoints_of_all_running_targets(self):
        process = self.start_endless("stopped", 3)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.finish(process)[0], 75)
        stops = [row["target"] for row in self.rows("stopped", "running.csv") if row["event"] == "stop"]
        self.assertEqual(len(stops), len(set(stops)))
        self.assertGreaterEqual(len(stops), 2, stops)
        self.set_last_step("stopped")
        self.assertEqual(self.batch("stopped")[0], 0)
        self.assertEqual(self.batch("whole")[0], 0)
        self.assert_same_results("whole", "stopped")

    def test_crash_is_blamed_on_one_target_at_most(self):
        process = self.start_endless("crashed", 2)
        time.sleep(0.3)
        process.send_signal(signal.SIGSEGV)
        self.assertEqual(self.finish(process)[0], -signal.SIGSEGV)
        crashes = [row for row in self.rows("crashed", "running.csv") if row["event"] == "crash"]
        self.assertLessEqual(len(crashes), 1)  # none if the crash came between two turns
        self.set_last_step("crashed")
        code, out, err = self.batch("crashed")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(len(self.rows("crashed", "results.csv")), 2)

    def test_target_short_of_memory_runs_alone(self):
        self.write_batch([("alone", ladder(2000))])
        kilobytes = 20
        while self.batch(f"alone{kilobytes}", "--device-memory", f"{kilobytes}kB")[0] != 0:
            kilobytes = kilobytes * 5 // 4
            self.assertLess(kilobytes, 100_000)
        self.assertGreater(kilobytes, 20, "a limit that some do not keep within")
        self.write_batch([("one", ladder(20_000)), ("other", ladder(20_000))])
        code, out, err = self.batch("both", "--device-memory", f"{kilobytes}kB")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.most_running("both"), 2)
        self.assertEqual(len(self.rows("both", "results.csv")), 2)


del NfoldTest  # this class has no tests of its own

if __name__ == "__main__":
    nfold_process.unittest.main(verbosity=2)

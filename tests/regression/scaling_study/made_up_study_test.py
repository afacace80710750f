# Studies of a stand-in nfold: failures become rows, --resume runs the missing points, the order is seeded.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: made_up_study_test.py ROOT [unittest arguments]"""

import contextlib
import csv
import importlib.util
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
from nfold_scaling import figures, measuring, systems  # noqa: E402  (path set above)

loader = SourceFileLoader("scaling_study", str(ROOT / "tools/scaling_study"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("scaling_study", loader))
loader.exec_module(tool)
measuring.LOAD_SECONDS = 0.01  # time for which the machine's load is measured before each run
PICTURES = ("speed_up", "efficiency", "model")
WAIT_S = 60


class MadeUp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("nfold", "mpirun"):
            text = (Path(__file__).parent / "made_up.py").read_text(encoding="utf-8")
            (self.folder / name).write_text(text.replace("/usr/bin/env python3", sys.executable, 1), encoding="utf-8")
            (self.folder / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}"}
        for name in list(self.environment):
            if name.startswith("SLURM_"):
                del self.environment[name]

    def set_failure(self, **failure):
        (self.folder / "failures.json").write_text(json.dumps(failure))

    def arguments(self, *arguments):
        return ["--nfold", str(self.folder / "nfold"), "--output-dir", str(self.folder / "study"), *arguments]

    def study(self, *arguments, code=0, environment=None, draw=False):
        """(standard output, standard error) of a study. Pictures are drawn only if `draw` is set."""
        out, error = io.StringIO(), io.StringIO()
        pictures = contextlib.nullcontext() if draw else mock.patch.object(figures, "write_pictures", return_value=[])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), pictures, \
                mock.patch.dict(os.environ, environment or self.environment, clear=True), \
                mock.patch.object(tool, "stop_on_signals"):
            self.assertEqual(tool.main(self.arguments(*arguments)), code, out.getvalue() + error.getvalue())
        return out.getvalue(), error.getvalue()

    def table(self, name):
        with open(self.folder / "study" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def test_failing_system_is_a_row_and_the_others_continue(self):
        for how, message in (("row", "the run explodes on purpose"), ("end", "out of memory on purpose"),
                             ("alone", "each nfold found 1")):
            with self.subTest(how=how):
                self.set_failure(system="go-10k", ranks=2, how=how)
                out, _ = self.study("--systems", "go-ubq", "go-10k", "--ranks", "1,2", "--repeats", "1", "--overwrite",
                                    code=2)
                rows = {row["key"]: row for row in self.table("runs.csv")}
                self.assertEqual(len(rows), 4)
                bad = rows.pop("bench-strong-go-10k-2-mixed-1")
                self.assertEqual(bad["status"], "failed")
                self.assertIn(message, bad["reason"])
                self.assertEqual({row["status"] for row in rows.values()}, {"measured"})
                self.assertIn("Runs without a result", out)
                self.assertIn(message, out)
                for row in (bad, *rows.values()):
                    self.assertIn("nfold bench", (self.folder / "study" / row["log"]).read_text())
                point = next(row for row in self.table("summary.csv") if row["system"] == "go-10k" and row["ranks"] == "2")
                self.assertEqual((point["repeats"], point["failed"], point["speed_up"]), ("0", "1", ""))

    def test_resume_runs_the_missing_points(self):
        self.set_failure(system="go-10k", ranks=2, how="end")
        arguments = ("--systems", "go-ubq", "go-10k", "--ranks", "1,2", "--repeats", "2")
        self.study(*arguments, code=2)
        self.assertEqual(len(self.calls()), 8)
        (self.folder / "failures.json").unlink()
        (self.folder / "calls").unlink()
        out, _ = self.study("--resume")
        self.assertEqual(self.calls(), ["go-10k 2"] * 2)
        self.assertIn("6 of them measured before", out)
        self.assertIn("8 of 8 runs measured", out)
        # The stand-in's speeds are 1000 n^0.9 in each repeat.
        point = next(row for row in self.table("summary.csv") if row["system"] == "go-10k" and row["ranks"] == "2")
        for name in ("speed_up", "speed_up_low", "speed_up_high"):
            self.assertAlmostEqual(float(point[name]), 2**0.9)
        self.assertAlmostEqual(float(point["efficiency"]), 2**-0.1)
        self.assertAlmostEqual(float(point["measured_over_model"]), 2**-0.1)
        # A third repeat extends the study; other ranks are another study.
        self.study("--resume", "--repeats", "3")
        self.assertEqual(len(self.table("runs.csv")), 12)
        _, message = self.study("--resume", "--ranks", "1,2,4", code=1)
        self.assertIn("ranks is [1, 2]", message)
        _, message = self.study(*arguments, code=1)
        self.assertIn("holds a study", message)
        config = json.loads((self.folder / "study/config.json").read_text())
        self.assertEqual(len(config["sessions"]), 3)
        self.assertEqual(config["asked"]["repeats"], 3)

    def test_signal_keeps_finished_measurements(self):
        self.set_failure(system="go-10k", ranks=2, how="sleep")
        arguments = [sys.executable, str(ROOT / "tools/scaling_study"),
                     *self.arguments("--systems", "go-10k", "--ranks", "1,2", "--repeats", "2")]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder,
                              env=self.environment) as study:
            end = time.monotonic() + WAIT_S
            while not (self.folder / "calls").exists() or "go-10k 2" not in self.calls():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            study.send_signal(signal.SIGTERM)
            message, _ = study.communicate(timeout=WAIT_S)
        self.assertEqual(study.returncode, 75, message)
        self.assertIn("stopped by SIGTERM", message)
        self.assertIn("not begun; the same command with --resume goes on", message)
        (self.folder / "failures.json").unlink()
        out, _ = self.study("--resume")
        self.assertIn("4 of 4 runs measured", out)

    def test_slow_run_is_ended(self):
        self.set_failure(system="go-10k", ranks=2, how="sleep")
        self.study("--systems", "go-10k", "--ranks", "1,2", "--repeats", "1", "--limit", "1", code=2)
        reasons = {row["ranks"]: row["reason"] for row in self.table("runs.csv")}
        self.assertEqual(reasons, {"1": "", "2": "not done after 1 s; give a longer --limit"})

    def test_order_is_random_in_blocks_and_fixed_by_the_seed(self):
        arguments = ("--systems", "go-ubq", "go-10k", "droplets-300k", "--ranks", "1,2,4", "--repeats", "2", "--no-model",
                     "--overwrite")
        orders = []
        for seed in ("1", "1", "2"):
            (self.folder / "calls").unlink(missing_ok=True)
            self.study(*arguments, "--seed", seed)
            orders.append(self.calls())
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])
        self.assertNotEqual(orders[0], sorted(orders[0]))
        for order in orders:
            self.assertEqual(len(set(order[:9])), 9)
            self.assertEqual(set(order[:9]), set(order[9:]))

    def test_all_files_and_missing_predictions_are_reported(self):
        out, _ = self.study("--systems", "go-ubq", "droplets-300k", "--ranks", "1,2,4", "--repeats", "1", "--profile",
                            draw=True)
        for name in ("config.json", "runs.csv", "summary.txt", "summary.csv",
                     *(f"{picture}.{ending}" for picture in PICTURES for ending in ("png", "svg"))):
            self.assertGreater((self.folder / "study" / name).stat().st_size, 0, name)
        for message in ("this nfold has no --profile", "no prediction for droplets-300k", "has no such layout",
                        "1 repeat in random order"):
            self.assertIn(message, out)
        rows = self.table("summary.csv")
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual((row["steps_per_second_low"], row["speed_up_high"]), ("", ""))

    def test_named_machine_is_passed_to_bench(self):
        out, _ = self.study("--systems", "droplets-300k", "--ranks", "1,3", "--repeats", "1", "--machine", "h200")
        self.assertEqual({row["model_steps_per_second"] for row in self.table("summary.csv")}, {"500.0"})
        self.assertIn("nfold bench --machine h200", out)
        self.assertNotIn("no prediction", out)

    def test_short_runs_measure_balance_memory_and_waiting(self):
        (self.folder / "has_profile").write_text("")
        out, _ = self.study("--systems", "go-ubq", "--ranks", "1,2", "--repeats", "2", "--profile", "--mode",
                            "synchronisation", "balance", draw=True)
        one, two = [row for row in self.table("summary.csv") if row["kind"] == "run"]
        self.assertEqual((one["balance"], one["wait_us"], one["reason"]), ("", "", ""))
        self.assertAlmostEqual(float(two["wait_us"]), 500)
        self.assertAlmostEqual(float(two["balance"]), 0.75)
        self.assertEqual((float(two["maps_taken"]), float(two["most_residues"])), (1, 39))
        self.assertEqual((float(two["planned_bytes"]), float(two["peak_bytes"])), (2.5 * 2**20, 2 * 2**20))
        self.assertIn("50 %", out)
        self.assertNotIn("no --profile", out)
        # Steps take 90 us on two ranks and 150 us on one. Phases that are always near zero count as rest.
        self.assertRegex(out, r"ranks +a step, us +pair +bonded +wait +rest +start, s\n"
                              r" +1 +150 +100 \(67 %\) +50 \(33 %\) +- +0.001 +0.5\n"
                              r" +2 +115 +50 \(43 %\) +25 \(22 %\) +40 \(35 %\) +0.001 +0.5\n"
                              r"  1 rank: made-up words of 1; made-up advice\n  2 ranks: made-up words of 2;")
        self.assertEqual((one["phase_wait_us"], two["bottleneck"]), ("", "made-up words of 2; made-up advice"))
        self.assertAlmostEqual(float(two["phase_wait_us"]), 40)
        self.assertAlmostEqual(float(two["start_seconds"]), 0.5)
        for name in ("waiting", "exchange", "balance", "phases"):
            self.assertTrue((self.folder / f"study/{name}.svg").is_file(), name)
        self.assertFalse((self.folder / "study/memory.svg").exists())
        runs = list((self.folder / "study/runs").iterdir())
        self.assertTrue(runs)
        for run in runs:
            self.assertIn(" --profile ", (run / "words").read_text())
            self.assertFalse((run / "a.ckpt.h5").exists())
        self.study("--resume", "--repeats", "3", "--mode", "synchronisation", "balance")

    def test_phases_need_a_profile_of_this_version(self):
        (self.folder / "has_profile").write_text("")
        out, _ = self.study("--systems", "go-ubq", "--ranks", "2", "--repeats", "1", "--mode", "balance", draw=True)
        self.assertNotIn("Phases", out)
        self.assertFalse((self.folder / "study/phases.svg").exists())
        made = self.folder / "nfold"
        made.write_text(made.read_text().replace('"format": 1', '"format": 2'))
        out, _ = self.study("--systems", "go-ubq", "--ranks", "2", "--repeats", "1", "--mode", "balance", "--profile",
                            "--overwrite", code=2)
        self.assertIn("no performance of this version (format 2)", out)

    def test_one_rank_is_measured_without_mpirun(self):
        (self.folder / "mpirun").unlink()
        alone = {**self.environment, "PATH": str(self.folder)}
        self.study("--systems", "go-ubq", "--ranks", "1,2", "--repeats", "1", code=2, environment=alone)
        reasons = {row["ranks"]: row["reason"] for row in self.table("runs.csv")}
        self.assertEqual(reasons["1"], "")
        self.assertIn("install an MPI", reasons["2"])
        out, _ = self.study("--validate-setup", code=1, environment=alone)
        self.assertRegex(out, r"(?m)^WRONG +MPI +there is no mpirun")

    def test_launcher_of_another_mpi_is_detected(self):
        self.set_failure(system="go-ubq", ranks=2, how="alone")
        out, _ = self.study("--validate-setup", code=1)
        self.assertRegex(out, r"(?m)^WRONG +MPI .*each nfold found 1: the launcher is not that of the MPI")
        self.assertRegex(out, r"(?m)^ok +GPU ")

    def test_replicas_of_the_suite_grow_with_the_ranks(self):
        crowd = systems.Systems({"go-ubq-1056": 76}, self.folder).grown("go-ubq-1056", 4)
        self.assertEqual(crowd.input, ROOT / "input/go-ubq.yaml")
        self.assertIn("ensemble.ladders=4224", crowd.settings)

    def test_wrong_usage_is_refused(self):
        for arguments, message in ((("--systems", "go-ubk"), "no system of 'nfold bench --list'"),
                                   (("--systems", "absent.yaml"), "there is no such input file"),
                                   (("--systems", "droplets-300k", "--scaling", "weak"), "no replicas that could become more"),
                                   (("--resume",), "--resume needs the --output-dir of a study"),
                                   (("--mpirun", "absent-mpirun"), "no such launcher"),
                                   (("--nfold", str(self.folder / "absent")), "cannot be started")):
            with self.subTest(arguments=arguments):
                _, error = self.study(*arguments, code=1)
                self.assertIn(message, error)
                self.assertEqual(error.count("\n"), 1, error)
                shutil.rmtree(self.folder / "study", ignore_errors=True)
        (self.folder / "study").mkdir()
        (self.folder / "study/mine").write_text("")
        _, error = self.study(code=1)
        self.assertIn("holds no study", error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

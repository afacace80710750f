# Studies of a made-up nfold: failures are rows, --resume does what is missing, the order is random but fixed.
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
from nfold_scaling import figures, measuring, systems  # noqa: E402  (the path had to come first)

loader = SourceFileLoader("scaling_study", str(ROOT / "tools/scaling_study"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("scaling_study", loader))
loader.exec_module(tool)
measuring.LOOK_SECONDS = 0.01  # at how busy the machine is, before each run
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

    def fail(self, **wanted):
        (self.folder / "failures.json").write_text(json.dumps(wanted))

    def words(self, *words):
        return ["--nfold", str(self.folder / "nfold"), "--output-dir", str(self.folder / "study"), *words]

    def study(self, *words, code=0, environment=None, draw=False):
        """(standard output, standard error) of a call, without pictures unless they are asked for."""
        out, error = io.StringIO(), io.StringIO()
        pictures = contextlib.nullcontext() if draw else mock.patch.object(figures, "write_pictures", return_value=[])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error), pictures, \
                mock.patch.dict(os.environ, environment or self.environment, clear=True), \
                mock.patch.object(tool, "stop_on_signals"):
            self.assertEqual(tool.main(self.words(*words)), code, out.getvalue() + error.getvalue())
        return out.getvalue(), error.getvalue()

    def table(self, name):
        with open(self.folder / "study" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def test_one_system_that_fails_is_a_row_and_the_others_go_on(self):
        for how, told in (("row", "the run explodes on purpose"), ("end", "out of memory on purpose"),
                          ("alone", "each nfold found 1")):
            with self.subTest(how=how):
                self.fail(system="go-10k", ranks=2, how=how)
                out, _ = self.study("--systems", "go-ubq", "go-10k", "--ranks", "1,2", "--repeats", "1", "--overwrite",
                                    code=2)
                rows = {row["key"]: row for row in self.table("runs.csv")}
                self.assertEqual(len(rows), 4)
                bad = rows.pop("bench-strong-go-10k-2-mixed-1")
                self.assertEqual(bad["status"], "failed")
                self.assertIn(told, bad["reason"])
                self.assertEqual({row["status"] for row in rows.values()}, {"measured"})
                self.assertIn("Runs without a result", out)
                self.assertIn(told, out)
                for row in (bad, *rows.values()):
                    self.assertIn("nfold bench", (self.folder / "study" / row["log"]).read_text())
                point = next(row for row in self.table("summary.csv") if row["system"] == "go-10k" and row["ranks"] == "2")
                self.assertEqual((point["repeats"], point["failed"], point["speed_up"]), ("0", "1", ""))

    def test_resume_does_what_is_missing(self):
        self.fail(system="go-10k", ranks=2, how="end")
        words = ("--systems", "go-ubq", "go-10k", "--ranks", "1,2", "--repeats", "2")
        self.study(*words, code=2)
        self.assertEqual(len(self.calls()), 8)
        (self.folder / "failures.json").unlink()
        (self.folder / "calls").unlink()
        out, _ = self.study("--resume")
        self.assertEqual(self.calls(), ["go-10k 2"] * 2)
        self.assertIn("6 of them measured before", out)
        self.assertIn("8 of 8 runs measured", out)
        # Made-up speeds are 1000 n^0.9, the same in each repeat.
        point = next(row for row in self.table("summary.csv") if row["system"] == "go-10k" and row["ranks"] == "2")
        for name in ("speed_up", "speed_up_low", "speed_up_high"):
            self.assertAlmostEqual(float(point[name]), 2**0.9)
        self.assertAlmostEqual(float(point["efficiency"]), 2**-0.1)
        self.assertAlmostEqual(float(point["measured_over_model"]), 2**-0.1)
        # A third repeat is more of the same; other ranks are another study.
        self.study("--resume", "--repeats", "3")
        self.assertEqual(len(self.table("runs.csv")), 12)
        _, told = self.study("--resume", "--ranks", "1,2,4", code=1)
        self.assertIn("ranks is [1, 2]", told)
        _, told = self.study(*words, code=1)
        self.assertIn("holds a study", told)
        config = json.loads((self.folder / "study/config.json").read_text())
        self.assertEqual(len(config["sessions"]), 3)
        self.assertEqual(config["asked"]["repeats"], 3)

    def test_a_signal_keeps_what_was_measured(self):
        self.fail(system="go-10k", ranks=2, how="sleep")
        words = [sys.executable, str(ROOT / "tools/scaling_study"),
                 *self.words("--systems", "go-10k", "--ranks", "1,2", "--repeats", "2")]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder,
                              env=self.environment) as study:
            end = time.monotonic() + WAIT_S
            while not (self.folder / "calls").exists() or "go-10k 2" not in self.calls():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            study.send_signal(signal.SIGTERM)
            told, _ = study.communicate(timeout=WAIT_S)
        self.assertEqual(study.returncode, 75, told)
        self.assertIn("stopped by SIGTERM", told)
        self.assertIn("not begun; the same command with --resume goes on", told)
        (self.folder / "failures.json").unlink()
        out, _ = self.study("--resume")
        self.assertIn("4 of 4 runs measured", out)

    def test_what_takes_too_long_is_ended(self):
        self.fail(system="go-10k", ranks=2, how="sleep")
        self.study("--systems", "go-10k", "--ranks", "1,2", "--repeats", "1", "--limit", "1", code=2)
        reasons = {row["ranks"]: row["reason"] for row in self.table("runs.csv")}
        self.assertEqual(reasons, {"1": "", "2": "not done after 1 s; give a longer --limit"})

    def test_the_order_is_random_in_blocks_and_the_same_for_a_seed(self):
        words = ("--systems", "go-ubq", "go-10k", "droplets-300k", "--ranks", "1,2,4", "--repeats", "2", "--no-model",
                 "--overwrite")
        orders = []
        for seed in ("1", "1", "2"):
            (self.folder / "calls").unlink(missing_ok=True)
            self.study(*words, "--seed", seed)
            orders.append(self.calls())
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])
        self.assertNotEqual(orders[0], sorted(orders[0]))
        for order in orders:
            self.assertEqual(len(set(order[:9])), 9)
            self.assertEqual(set(order[:9]), set(order[9:]))

    def test_all_files_and_what_could_not_be_predicted(self):
        out, _ = self.study("--systems", "go-ubq", "droplets-300k", "--ranks", "1,2,4", "--repeats", "1", "--profile",
                            draw=True)
        for name in ("config.json", "runs.csv", "summary.txt", "summary.csv",
                     *(f"{picture}.{ending}" for picture in PICTURES for ending in ("png", "svg"))):
            self.assertGreater((self.folder / "study" / name).stat().st_size, 0, name)
        for told in ("this nfold has no --profile", "no prediction for droplets-300k", "has no such layout",
                     "1 repeat in random order"):
            self.assertIn(told, out)
        for row in self.table("summary.csv"):
            self.assertEqual((row["steps_per_second_low"], row["speed_up_high"]), ("", ""))

    def test_a_named_machine_is_asked_of_bench(self):
        out, _ = self.study("--systems", "droplets-300k", "--ranks", "1,3", "--repeats", "1", "--machine", "h200")
        self.assertEqual({row["model_steps_per_second"] for row in self.table("summary.csv")}, {"500.0"})
        self.assertIn("nfold bench --machine h200", out)
        self.assertNotIn("no prediction", out)

    def test_short_runs_tell_of_balance_memory_and_waiting(self):
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
        # Of 90 us a step on two ranks and 150 on one; what is never seen is in the rest.
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
        for run in (self.folder / "study/runs").iterdir():
            self.assertIn(" --profile ", (run / "words").read_text())
            self.assertFalse((run / "a.ckpt.h5").exists())
        self.study("--resume", "--repeats", "3", "--mode", "synchronisation", "balance")

    def test_no_phases_without_a_profile_and_none_of_another_version(self):
        (self.folder / "has_profile").write_text("")
        out, _ = self.study("--systems", "go-ubq", "--ranks", "2", "--repeats", "1", "--mode", "balance", draw=True)
        self.assertNotIn("Phases", out)
        self.assertFalse((self.folder / "study/phases.svg").exists())
        made = self.folder / "nfold"
        made.write_text(made.read_text().replace('"format": 1', '"format": 2'))
        out, _ = self.study("--systems", "go-ubq", "--ranks", "2", "--repeats", "1", "--mode", "balance", "--profile",
                            "--overwrite", code=2)
        self.assertIn("no performance of this version (format 2)", out)

    def test_without_mpirun_one_rank_is_measured(self):
        (self.folder / "mpirun").unlink()
        alone = {**self.environment, "PATH": str(self.folder)}
        self.study("--systems", "go-ubq", "--ranks", "1,2", "--repeats", "1", code=2, environment=alone)
        reasons = {row["ranks"]: row["reason"] for row in self.table("runs.csv")}
        self.assertEqual(reasons["1"], "")
        self.assertIn("install an MPI", reasons["2"])
        out, _ = self.study("--validate-setup", code=1, environment=alone)
        self.assertRegex(out, r"(?m)^WRONG +MPI +there is no mpirun")

    def test_a_launcher_of_another_mpi_is_found_out(self):
        self.fail(system="go-ubq", ranks=2, how="alone")
        out, _ = self.study("--validate-setup", code=1)
        self.assertRegex(out, r"(?m)^WRONG +MPI .*each nfold found 1: the launcher is not that of the MPI")
        self.assertRegex(out, r"(?m)^ok +GPU ")

    def test_replicas_of_the_suite_grow_with_the_ranks(self):
        crowd = systems.Systems({"go-ubq-1056": 76}, self.folder).grown("go-ubq-1056", 4)
        self.assertEqual(crowd.input, ROOT / "input/go-ubq.yaml")
        self.assertIn("ensemble.ladders=4224", crowd.settings)

    def test_wrong_usage(self):
        for words, told in ((("--systems", "go-ubk"), "no system of 'nfold bench --list'"),
                            (("--systems", "absent.yaml"), "there is no such input file"),
                            (("--systems", "droplets-300k", "--scaling", "weak"), "no replicas that could become more"),
                            (("--resume",), "--resume needs the --output-dir of a study"),
                            (("--mpirun", "absent-mpirun"), "no such launcher"),
                            (("--nfold", str(self.folder / "absent")), "cannot be started")):
            with self.subTest(words=words):
                _, error = self.study(*words, code=1)
                self.assertIn(told, error)
                self.assertEqual(error.count("\n"), 1, error)
                shutil.rmtree(self.folder / "study", ignore_errors=True)
        (self.folder / "study").mkdir()
        (self.folder / "study/mine").write_text("")
        _, error = self.study(code=1)
        self.assertIn("holds no study", error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

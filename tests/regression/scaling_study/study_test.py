# Small study of the real program on one and two ranks in all modes, and --validate-setup.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: study_test.py NFOLD ROOT MPIEXEC [unittest arguments]"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD, ROOT, MPIEXEC = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]


class Study(unittest.TestCase):
    def tool(self, *arguments, code=0):
        done = subprocess.run([sys.executable, str(ROOT / "tools/scaling_study"), "--nfold", str(NFOLD), "--mpirun", MPIEXEC,
                               *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_small_study_in_all_modes_is_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder) / "study"
            out = self.tool("--output-dir", folder, "--systems", "go-ubq", ROOT / "input/protease-dimer.yaml", "--ranks", "1,2",
                            "--mode", "speed", "balance", "memory", "synchronisation", "--seconds", "0.05", "--measurements",
                            "1", "--repeats", "1", "--warm-up", "10", "--run-steps", "1500", "--profile")
            with open(folder / "summary.csv", newline="", encoding="utf-8") as file:
                points = {(row["kind"], row["system"], row["ranks"]): row for row in csv.DictReader(file)}
            self.assertEqual(len(points), 8)
            for system, residues in (("go-ubq", "76"), ("protease-dimer", "198")):
                for ranks in ("1", "2"):
                    point = points["bench", system, ranks]
                    self.assertEqual((point["residues"], point["repeats"], point["failed"]), (residues, "1", "0"), out)
                    self.assertGreater(float(point["steps_per_second"]), 0)
                    self.assertGreater(float(point["model_steps_per_second"]), 0)
                    memory = points["run", system, ranks]
                    self.assertEqual(memory["reason"], "", out)
                    self.assertLess(abs(float(memory["planned_bytes"]) / float(memory["peak_bytes"]) - 1), 0.5)
                two = points["run", system, "2"]
                self.assertTrue(0 < float(two["balance"]) <= 1)
                self.assertTrue(0.5 < float(two["predicted_balance"]) <= 1)
                self.assertTrue(0 <= float(two["wait_us"]) < float(two["step_us"]))
                for ranks, phases in (("1", {"pair", "bonded", "integrate"}), ("2", {"pair", "bonded", "integrate", "wait"})):
                    point = points["run", system, ranks]
                    self.assertLessEqual(phases, {phase for phase in phases if float(point[f"phase_{phase}_us"]) > 0})
                    self.assertIn(f"{point['bottleneck']}\n", (folder / "summary.txt").read_text(encoding="utf-8"))
            for name in ("speed_up", "efficiency", "model", "balance", "memory", "waiting", "phases"):
                self.assertEqual((folder / f"{name}.png").read_bytes()[:4], b"\x89PNG", name)
                self.assertIn("<svg", (folder / f"{name}.svg").read_text(encoding="utf-8"))
            config = json.loads((folder / "config.json").read_text())
            self.assertEqual(config["asked"]["ranks"], [1, 2])
            self.assertIn(config["found"]["version"], (folder / "summary.txt").read_text())
            self.assertEqual(len(list((folder / "logs").glob("*.log"))), 8)
            self.assertEqual(list(folder.glob("runs/*/*.h5")), [])

    def test_ensemble_grows_with_the_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder) / "study"
            out = self.tool("--output-dir", folder, "--systems", ROOT / "input/ubiquitin-kinetics.yaml", "--scaling", "weak",
                            "--ranks", "1,2", "--seconds", "0.05", "--measurements", "1", "--repeats", "1")
            with open(folder / "summary.csv", newline="", encoding="utf-8") as file:
                points = list(csv.DictReader(file))
            self.assertEqual([(point["scaling"], point["failed"]) for point in points], [("weak", "0")] * 2, out)
            self.assertEqual(int(points[1]["residues"]), 2 * int(points[0]["residues"]))

    def test_setup_is_valid(self):
        out = self.tool("--validate-setup")
        for part in ("nfold", "MPI", "build", "bindings", "HDF5", "GPU", "NCCL", "links"):
            self.assertRegex(out, rf"(?m)^(ok|note) +{part} ")
        self.assertRegex(out, r"(?m)^ok +HDF5 .*a run on 2 ranks left its checkpoint")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

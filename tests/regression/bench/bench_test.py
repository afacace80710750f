# nfold bench as a user calls it, on one and three ranks, outside any source folder.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: bench_test.py NFOLD MPIEXEC [unittest arguments]"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD, MPIEXEC = Path(sys.argv[1]).resolve(), sys.argv[2]
SHORT = ("--seconds", "0.05", "--repeats", "1", "--warm-up", "50")


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def bench(self, *arguments, ranks=1, code=0):
        launcher = [] if ranks == 1 else [MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
        done = subprocess.run([*launcher, NFOLD, "bench", *arguments], cwd=self.folder, capture_output=True,
                              text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def write_input(self, sections):
        structure = Path(__file__).resolve().parents[3] / "input/structures/1ubq.pdb.gz"
        (self.folder / "input.yaml").write_text(
            f"system: {{structure: '{structure}'}}\nforce_field: {{contacts: {{map: calpha}}}}\n"
            "dynamics: {steps: 1000, time_step_ps: 0.0005, temperature_kelvin: 100, friction_per_ps: 1}\n" + sections)

    def test_input_of_the_user_is_measured(self):
        timing = ("--seconds", "0.05", "--repeats", "1", "--machine", "h200")
        self.write_input("")
        one = json.loads(self.bench("input.yaml", *timing)[0])
        self.assertEqual((one["residues"], one["ranks"]), (76, 1))
        self.assertGreater(one["neighbour_entries"], 0)
        self.assertNotIn("replicas", one)
        self.write_input("ensemble: {temperatures: 8, lowest_kelvin: 90, highest_kelvin: 120, ladders: 5}\n")
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                ensemble = json.loads(self.bench("input.yaml", *timing, ranks=ranks)[0])
                self.assertEqual((ensemble["replicas"], ensemble["ranks"]), (40, ranks))
                speed = ensemble["steps_per_second"]
                self.assertAlmostEqual(ensemble["replica_steps_per_second"], 40 * speed, delta=1e-6 * 40 * speed)
                self.assertAlmostEqual(ensemble["ns_per_day"], 40 * speed * 0.0005 * 86.4, delta=1e-6 * 40 * speed)
                self.assertIn("resident", ensemble["form"])
                self.assertGreater(ensemble["predicted_steps_per_second"], 0)
        self.write_input("ensemble: {temperatures: 2, lowest_kelvin: 90, highest_kelvin: 120, ladders: 1}\n")
        _, err = self.bench("input.yaml", *timing, ranks=3, code=1)
        self.assertIn("2 replicas on 3 ranks", err)

    def test_table_and_files_agree(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                out, _ = self.bench("--only", "go-ubq", *SHORT, "--json", "a.json", "--csv", "a.csv",
                                    "--overwrite", ranks=ranks)
                lines = [line.split() for line in out.splitlines()]
                table = [line for line in lines if line and line[0] == "go-ubq"]
                self.assertEqual(len(table), 1, out)
                self.assertEqual(table[0][1:3], ["76", str(ranks)])
                document = json.loads((self.folder / "a.json").read_text())
                (row,) = document["measurements"]
                (same,) = self.rows("a.csv")
                self.assertEqual(list(row), list(same))
                self.assertEqual(row["ranks"], ranks)
                self.assertEqual(row["precision"], "mixed")
                self.assertEqual(row["status"], "measured")
                self.assertGreater(row["steps_per_second"], 0)
                for name in ("date", "host", "device", "version"):
                    self.assertTrue(row[name], name)
                self.assertEqual(float(same["steps_per_second"]), row["steps_per_second"])
                for name in ("forces_us", "lists_us", "integrate_us"):
                    if ranks == 1:
                        self.assertGreater(row[name], 0)
                        self.assertEqual(float(same[name]), row[name])
                    else:
                        self.assertIsNone(row[name])
                        self.assertEqual(same[name], "")

    def test_efficiency_is_relative_to_one_rank(self):
        self.bench("--only", "go-ubq", *SHORT, "--csv", "one.csv")
        out, _ = self.bench("--only", "go-ubq", *SHORT, "--against", "one.csv", ranks=2)
        self.assertIn("efficiency", out)
        speed = float(self.rows("one.csv")[0]["steps_per_second"])
        line = next(line for line in out.splitlines() if line.strip().startswith("go-ubq")).split()
        now, ratio, per_cent = float(line[3].replace(",", "")), float(line[-6]), float(line[-5])
        self.assertAlmostEqual(ratio, now / speed, delta=0.02)
        self.assertAlmostEqual(per_cent / 100, ratio / 2, delta=0.02)

    def test_precision_can_be_overridden(self):
        self.bench("--only", "go-ubq", *SHORT, "--set", "dynamics.precision=double", "--csv", "a.csv")
        (row,) = self.rows("a.csv")
        self.assertEqual(row["precision"], "double")
        self.assertEqual(row["overrides"], "dynamics.precision=double")

    def test_failure_is_a_row(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                out, _ = self.bench("--only", "go-ubq", "go-ubq-1.1nm", *SHORT, "--csv", "a.csv", "--overwrite",
                                    "--set", "dynamics.temperature_kelvin=100000", ranks=ranks, code=2)
                self.assertEqual(out.count("failed: the run explodes"), 2)
                rows = self.rows("a.csv")
                self.assertEqual([row["status"] for row in rows], ["failed", "failed"])
                self.assertIn("explodes", rows[1]["reason"])

    def test_list_has_unique_names(self):
        out, _ = self.bench("--list")
        names = [line.split()[0] for line in out.splitlines()]
        self.assertIn("condensate-16m", names)
        self.assertEqual(len(names), len(set(names)))

    def test_wrong_usage_is_refused(self):
        for ranks in (1, 3):
            _, err = self.bench("--only", "go-upq", ranks=ranks, code=1)
            self.assertEqual(err.count("nfold: error"), 1, err)
            self.assertIn("did you mean 'go-ubq'", err)
        _, err = self.bench("--only", "go-ubq", "--set", "system.copies=2", code=1)
        self.assertIn("fixed", err)
        _, err = self.bench("input.yaml", "--json", "a.json", code=1)
        self.assertIn("--json", err)
        (self.folder / "other.csv").write_text("a,b\n1,2\n")
        _, err = self.bench("--only", "go-ubq", "--against", "other.csv", code=1)
        self.assertIn("other.csv", err)
        _, err = self.bench("--only", "go-ubq", "--csv", "no/such/folder.csv", code=1)
        self.assertIn("no/such/folder.csv", err)
        _, err = self.bench("--calibrate", "no/such/machine.yaml", code=1)
        self.assertIn("its folder does not exist", err)
        for seconds in ("nan", "inf", "0", "-1", "1e9", "0x10"):
            _, err = self.bench("--only", "go-ubq", "--seconds", seconds, code=1)
            self.assertIn("is not a number from 0.01 to 3600", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

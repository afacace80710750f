# Pictures of plans: time and cost against GPUs, and predicted against measured steps.
# SPDX-License-Identifier: BSD-3-Clause
import csv
import importlib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NFOLD, ROOT = sys.argv[1], Path(sys.argv[2])


def load_tool(name):
    """Module of a tool."""
    sys.path.insert(0, str(ROOT / "tools"))
    return importlib.import_module(name)


class PicturesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tool(self, name, *arguments):
        done = subprocess.run([sys.executable, ROOT / "tools" / name, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def assert_is_picture(self, name):
        self.assertTrue((self.folder / name).read_bytes().startswith(b"\x89PNG"), name)

    def test_plan_is_drawn(self):
        for machine in ("h100", "cpu-node"):
            done = subprocess.run([NFOLD, "plan", str(ROOT / "input/calvados2-slab.yaml"), "--machine", machine,
                                   "--json"], text=True, capture_output=True, check=True, timeout=60)
            (self.folder / "plan.json").write_text(done.stdout)
            code, _, err = self.tool("plan_picture.py", "plan.json", "--figure", f"{machine}.png")
            self.assertEqual(code, 0, err)
            self.assert_is_picture(f"{machine}.png")

    def test_machines_are_drawn_with_limits(self):
        for goal in (["--deadline", "10m"], ["--budget", "0.01"], ["--objective", "time"]):
            done = subprocess.run([NFOLD, "plan", str(ROOT / "input/calvados2-slab.yaml"), "--machine", "here,h100,rtx4060",
                                   "--json", *goal], text=True, capture_output=True, check=True, timeout=60)
            (self.folder / "plan.json").write_text(done.stdout)
            code, _, err = self.tool("plan_picture.py", "plan.json", "--figure", "machines.png")
            self.assertEqual(code, 0, err)
            self.assert_is_picture("machines.png")

    def test_front_has_what_nothing_beats(self):
        picture = load_tool("plan_picture")
        layouts = [{"seconds": seconds, "cost": cost} for seconds, cost in ((5, 1), (1, 9), (2, 9), (4, 3), (9, 1), (3, 4))]
        front = picture.front_of(layouts, lambda one: one["cost"])
        self.assertEqual([(one["seconds"], one["cost"]) for one in front], [(1, 9), (3, 4), (4, 3), (5, 1)])
        self.assertEqual(picture.format_seconds(5400), "1.5 h")

    def test_sweep_finds_the_best(self):
        code, out, err = self.tool("plan_sweep.py", "--nfold", NFOLD, "--only", "ubiquitin,exchange", "--csv", "sweep.csv")
        self.assertEqual(code, 0, out + err)
        self.assertIn("8 questions", out)
        with open(self.folder / "sweep.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 8)
        self.assertTrue(all(int(row["swept"]) > int(row["compared"]) for row in rows))
        code, out, _ = self.tool("plan_sweep.py", "--nfold", NFOLD, "--only", "ubiquitin", "--tolerance", "-0.01")
        self.assertEqual(code, 1, "each choice is beyond a negative tolerance")
        self.assertIn("4 beyond -1 %", out)

    def test_sweep_compares_by_the_goal(self):
        sweep = load_tool("plan_sweep")
        layouts = [{"possible": True, "cost": 5, "seconds": 10, "chance_in_time": 0.9},
                   {"possible": True, "cost": 7, "seconds": 8, "chance_in_time": 0.99},
                   {"possible": True, "cost": 9, "seconds": 5, "chance_in_time": 1},
                   {"possible": False}]
        for goal, budget, best in (("time", 0, 5), ("cost", 0, 5), ("deadline", 0, 7), ("budget", 7, 8), ("budget", 1, None)):
            self.assertEqual(sweep.best_of(layouts, goal, budget)[1], best, goal)

    def test_whole_jobs_are_planned_run_and_compared(self):
        names = ["go-ubq", "ubiquitin ladder"]
        code, out, err = self.tool("job_accuracy.py", "--nfold", NFOLD, "--machine", ROOT / "input/machines/cpu-node.yaml",
                                   "--seconds", "0.6", "--csv", "jobs.csv", "--only", *names)
        self.assertEqual(code, 0, err)
        self.assertIn("history: median error", out)
        rows = list(csv.DictReader((self.folder / "jobs.csv").open()))
        self.assertEqual([row["job"] for row in rows], names)
        for row in rows:
            self.assertGreater(float(row["measured"]), 0)
            for kind in ("entry", "measured"):
                self.assertGreater(float(row[f"{kind}_steps"]), 0)
            self.assertLess(float(row["history_low"]), float(row["history_high"]))
        code, _, err = self.tool("job_accuracy.py", "--machine", "x.yaml", "--only", "go-ubiquitin")
        self.assertEqual(code, 2)
        self.assertIn("no job is called go-ubiquitin", err)

    def test_parts_of_a_step_add_up_and_speeds_are_drawn(self):
        done = subprocess.run([NFOLD, "plan", str(ROOT / "input/ubiquitin.yaml"), "--machine", "cpu-node", "--json"],
                              text=True, capture_output=True, check=True, timeout=60)
        (self.folder / "plan.json").write_text(done.stdout)
        possible = [layout for layout in json.loads(done.stdout)["layouts"] if layout["possible"]]
        self.assertTrue(possible)
        for layout in possible:
            parts = layout["step_parts_seconds"]
            self.assertAlmostEqual(sum(parts.values()) / layout["step_seconds"], 1, places=9)
            self.assertEqual(parts["exchange"] > 0, layout["ranks_per_node"] > 1, layout["layout"])
        (self.folder / "speeds.json").write_text('{"ranks": 1, "steps_per_second": 5e4}\n\n'
                                                 '{"ranks": 2, "steps_per_second": 4e4}\n')
        code, _, err = self.tool("plan_picture.py", "plan.json", "--figure", "parts.png", "--measured", "speeds.json")
        self.assertEqual(code, 0, err)
        self.assert_is_picture("parts.png")
        (self.folder / "speeds.json").write_text("fast\n")
        code, _, err = self.tool("plan_picture.py", "plan.json", "--figure", "no.png", "--measured", "speeds.json")
        self.assertEqual(code, 1)
        self.assertIn("speeds.json has no speeds", err)

    def test_files_without_a_plan_are_named(self):
        (self.folder / "words.json").write_text("no plan")
        (self.folder / "other.json").write_text("{}")
        for name in ("words.json", "other.json", "missing.json"):
            code, _, err = self.tool("plan_picture.py", name, "--figure", "plan.png")
            self.assertEqual(code, 1)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertIn(f"{name} is no plan", err)
        self.assertFalse((self.folder / "plan.png").exists())

    def write_speeds(self, rows):
        with open(self.folder / "speeds.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["system", "status", "residues", "replicas", "ranks", "precision", "steps_per_second",
                            "predicted_steps_per_second"])
            table.writerows(rows)

    def test_accuracy_is_that_of_the_medians(self):
        self.write_speeds([("a", "measured", 100, 1, 1, "mixed", 1000, 1000),
                           ("a", "measured", 100, 1, 1, "mixed", 1100, 1000),
                           ("a", "measured", 100, 1, 1, "mixed", 9000, 1000),
                           ("b", "measured", 900, 1, 2, "mixed", 80, 100),
                           ("c", "measured", 900, 1, 1, "mixed", 100, 100),
                           ("d", "measured", 900, 1, 1, "mixed", 100, ""),
                           ("e", "skipped", 900, 1, 1, "mixed", "", 5)])
        code, out, err = self.tool("plan_accuracy.py", "speeds.csv", "--figure", "accuracy.png", "--csv", "cases.csv")
        self.assertEqual(code, 0, err)
        self.assertIn("3 cases: median error 10.0 %, largest 20.0 %", out)
        self.assert_is_picture("accuracy.png")
        with open(self.folder / "cases.csv", newline="") as file:
            errors = {row["system"]: float(row["error"]) for row in csv.DictReader(file)}
        self.assertEqual(errors, {"a": 0.1, "b": -0.2, "c": 0})

    def test_speeds_without_predictions_are_refused(self):
        self.write_speeds([("d", "measured", 900, 1, 1, "mixed", 100, "")])
        code, _, err = self.tool("plan_accuracy.py", "speeds.csv")
        self.assertEqual(code, 1)
        self.assertIn("no row has a prediction", err)

    def write_measured(self, rows):
        names = ["system", "status", "overrides", "residues", "replicas", "ranks", "device", "date", "steps",
                 "steps_per_second", "rebuilds", "forces_us", "lists_us", "integrate_us", "predicted_steps_per_second"]
        with open(self.folder / "measured.csv", "w", newline="") as file:
            table = csv.DictWriter(file, names, restval="")
            table.writeheader()
            table.writerows({"status": "measured", "residues": 1000, "device": "a GPU", "date": "2026-11-26T05:00:00Z",
                             "steps": 2000, "rebuilds": 100, **row} for row in rows)

    def test_speed_up_shows_the_excess_over_an_equal_share(self):
        one = {"system": "a", "ranks": 1, "forces_us": 60, "lists_us": 400, "integrate_us": 15,
               "predicted_steps_per_second": 9000}
        two = {"system": "a", "ranks": 2, "forces_us": 35, "lists_us": 300, "integrate_us": 10,
               "predicted_steps_per_second": 16000}
        self.write_measured([{**one, "steps_per_second": speed} for speed in (9000, 10000, 30000)]
                            + [{**two, "steps_per_second": 15000}, {**two, "overrides": "x", "steps_per_second": 1}])
        code, out, err = self.tool("speed_up.py", "measured.csv", "--figure", "speed_up.png", "--csv", "points.csv")
        self.assertEqual(code, 0, err)
        self.assertIn("| `a` | 1,000 | 10,000 | 15,000 (1.50, 75 %) |", out)
        self.assertIn("| `a` | 1 | 100 | 60 | 20 | 15 | 5 |", out)
        self.assertIn("| `a` | 2 | 66.67 | 35 (+5) | 15 (+5) | 10 (+2.5) | 6.67 (+4.2) |", out)
        self.assert_is_picture("speed_up.png")
        with open(self.folder / "points.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["ranks"] for row in rows], ["1", "2"])
        self.assertEqual(float(rows[1]["predicted_steps_per_second"]), 16000)

    def test_speed_up_needs_one_rank_and_more(self):
        self.write_measured([{"system": "a", "ranks": 1, "steps_per_second": 10}])
        code, _, err = self.tool("speed_up.py", "measured.csv")
        self.assertEqual(code, 1)
        self.assertIn("no system was measured on one rank and on more", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

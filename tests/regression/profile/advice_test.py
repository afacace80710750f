# Report's advice on a run's time and on the next run, from synthetic numbers.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: advice_test.py ROOT [unittest arguments]"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_report import performance_figures, style  # noqa: E402  (path set above)
from nfold_report.performance import Performance, make_advice, make_facts, format_bytes  # noqa: E402
from nfold_report.run_folder import RunFolderError, read_performance  # noqa: E402

GIB = 1 << 30


def rank(number, phases, **other):
    return {"name": f"rank {number}", "wall_seconds": sum(phases.values()), "busy_seconds": phases.get("pair", 0),
            "phase_seconds": phases, "waited_in_seconds": {}, "clocked_steps": 100, "lists": 10, "residues": 500, "ghosts": 20,
            "halo_bytes_of_step": None, "memory_planned_bytes": GIB, "memory_peak_bytes": GIB, "memory_there_bytes": 16 * GIB,
            "joules": None, **other}


def run(*phases, **other):
    """A synthetic profile with one rank for each of `phases`."""
    ranks = [rank(number, one) for number, one in enumerate(phases)]
    names = dict.fromkeys(name for one in phases for name in one)
    mean = {name: sum(one.get(name, 0) for one in phases) / len(phases) for name in names}
    most = max((name for name in mean if name != "start"), key=mean.get)
    busy = [one["busy_seconds"] for one in ranks]
    return Performance({
        "format": 1, "version": "0", "name": "droplet", "execution": "OpenMP, 1 thread", "is_profiled": True, "first_step": 0,
        "last_step": 10_000, "replicas": 0, "simulated_ns": 100, "wall_seconds": sum(mean.values()), "step_seconds": 0.01,
        "prediction": None, "mean_phase_seconds": mean, "balance": sum(busy) / len(busy) / max(max(busy), 1e-9),
        "busiest_rank": busy.index(max(busy)), "joules": None, "gpu_part_microseconds": {},
        "bottleneck": {"phase": most, "share": 0.5, "words": f"{most} takes most", "advice": "do less of it"},
        "ranks": ranks, **other})


def predicted(seconds, measured, spread):
    return {"step_seconds": seconds, "spread": spread, "by": "laptop", "compared_step_seconds": measured}


class Advice(unittest.TestCase):
    def has_advice(self, found, part):
        return any(part in one for one in make_advice(found))

    def test_bottleneck_comes_first(self):
        found = run({"start": 1, "pair": 90, "output": 2})
        self.assertEqual(make_advice(found), ["Pair takes most: do less of it."])

    def test_uneven_ranks_are_reported(self):
        even, uneven = run({"pair": 90}, {"pair": 88}), run({"pair": 90, "wait": 1}, {"pair": 60, "wait": 31})
        self.assertFalse(self.has_advice(even, "evenly"))
        self.assertTrue(self.has_advice(uneven, "not evenly busy (balance 0.83; rank 0"))
        # If waiting limits the run, the first line reports it.
        self.assertFalse(self.has_advice(run({"pair": 90}, {"pair": 5, "wait": 190}), "not evenly"))

    def test_even_ranks_that_wait_get_advice(self):
        self.assertTrue(self.has_advice(run({"pair": 50, "wait": 40}, {"pair": 50, "wait": 40}), "fewer ranks would cost less"))
        self.assertFalse(self.has_advice(run({"pair": 50, "wait": 10}, {"pair": 50, "wait": 10}), "fewer ranks"))

    def test_work_beside_steps_gets_advice(self):
        found = run({"pair": 70, "analysis": 15, "frames": 15, "checkpoint": 1})
        self.assertTrue(self.has_advice(found, "Observables take 15% of the time: a larger observables.every_steps"))
        self.assertTrue(self.has_advice(found, "output.trajectory_every_steps"))
        self.assertFalse(self.has_advice(found, "Checkpoints"))
        self.assertFalse(self.has_advice(run({"pair": 10, "analysis": 90}), "Observables take"))  # the first line reports it

    def test_long_start_is_reported(self):
        self.assertTrue(self.has_advice(run({"start": 60, "pair": 40}), "The start took 60%"))
        self.assertFalse(self.has_advice(run({"start": 10, "pair": 90}), "The start"))

    def test_wrong_estimate_is_reported(self):
        for measured, is_reported in ((1.0e-3, False), (1.15e-3, False), (1.3e-3, True), (0.7e-3, True)):
            with self.subTest(measured=measured):
                found = run({"pair": 90}, prediction=predicted(1e-3, measured, 0.1))
                self.assertEqual(self.has_advice(found, "times what was predicted"), is_reported)
        self.assertFalse(self.has_advice(run({"pair": 90}, prediction=predicted(1e-3, None, 0.1)), "predicted"))

    def test_nearly_full_memory_is_reported(self):
        found = run({"pair": 90})
        self.assertFalse(self.has_advice(found, "Memory"))
        found.ranks[0]["memory_peak_bytes"] = 15 * GIB
        self.assertTrue(self.has_advice(found, "Memory was 94% full"))
        found.ranks[0]["memory_there_bytes"] = None
        self.assertFalse(self.has_advice(found, "Memory"))


class Facts(unittest.TestCase):
    def test_energy_is_reported_if_a_gpu_measures_it(self):
        self.assertNotIn("Energy of the GPUs", dict(make_facts(run({"pair": 90}))))
        self.assertEqual(dict(make_facts(run({"pair": 90}, joules=5000.0)))["Energy of the GPUs"], "5,000 J, 50 J per ns")

    def test_estimate_is_compared_with_the_measurement(self):
        facts = dict(make_facts(run({"pair": 90}, prediction=predicted(1e-3, 1.1e-3, 0.1))))
        self.assertEqual(facts["Predicted"], "1,000 µs by laptop; a step took 10% more, and its interval of 90 % reaches 18% up")
        facts = dict(make_facts(run({"pair": 90}, prediction=predicted(1e-3, None, 0.1))))
        self.assertIn("too few steps", facts["Predicted"])

    def test_numbers_have_units(self):
        found = run({"start": 14, "pair": 80, "wait": 6.4}, {"start": 14, "pair": 80, "wait": 6.4})
        found.ranks[0]["halo_bytes_of_step"] = found.ranks[1]["halo_bytes_of_step"] = 1024
        facts = dict(make_facts(found))
        self.assertEqual(facts["Speed"], "100,000 ns of the model a day")
        self.assertEqual(facts["Ghosts"], "2 KiB sent in a step, by all ranks")
        self.assertEqual(facts["Memory of arrays"], "1 GiB at most, 1 GiB planned; 6.2% of what the fullest rank has")
        found.ranks[0]["memory_there_bytes"] = found.ranks[1]["memory_there_bytes"] = 16 << 40
        self.assertIn("; under 0.1% of what", dict(make_facts(found))["Memory of arrays"])
        self.assertTrue(facts["Balance"].startswith("1.00: "))
        self.assertNotIn("Balance", dict(make_facts(run({"pair": 1}))))

    def test_run_of_no_steps_has_no_step_facts(self):
        found = run({"start": 5, "pair": 0}, last_step=0, simulated_ns=0.0, joules=10.0)
        self.assertNotIn("A step", dict(make_facts(found)))
        self.assertNotIn("Energy of the GPUs", dict(make_facts(found)))
        self.assertIn("The start took 100% of the time", make_advice(found)[0])

    def test_bytes_have_binary_units(self):
        self.assertEqual([format_bytes(number) for number in (0, 1023, 1536, 5 << 40)], ["0 B", "1,023 B", "1.5 KiB", "5 TiB"])


class Files(unittest.TestCase):
    def test_wrong_performance_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "droplet.performance.json"
            self.assertIsNone(read_performance(path))
            for text in ("{", "[]", '{"format": 99}'):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(RunFolderError, "droplet.performance.json"):
                    read_performance(path)
            path.write_text(json.dumps(run({"pair": 1}).values), encoding="utf-8")
            self.assertEqual(read_performance(path).phases, {"pair": 1})


class Figures(unittest.TestCase):
    def test_each_rank_has_a_bar_up_to_a_limit(self):
        for ranks, bars in ((1, 1), (3, 3), (100, performance_figures.MOST_BARS)):
            found = run(*({"pair": 100 - number / 10, "wait": number / 10} for number in range(ranks)))
            shown = performance_figures.shown_ranks(found)
            self.assertEqual(len(shown), bars)
            self.assertIn(0, shown)  # the busiest
            self.assertIn(ranks - 1, shown)  # the least busy
            self.assertEqual(len(performance_figures.phases(found).axes[0].get_yticks()), bars)
        style.plt.close("all")

    def test_no_time_gives_no_figure(self):
        self.assertIsNone(performance_figures.phases(run({"pair": 0})))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

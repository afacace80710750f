# Statistics of scaling studies compared with worked examples.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: intervals_test.py ROOT [unittest arguments]"""

import math
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tools"))
from nfold_scaling.intervals import (Estimate, amdahl_fraction, mean_interval, ratio, serial_fraction,  # noqa: E402
                                     student_t, typical, typical_rate)
from nfold_scaling.points import make_series  # noqa: E402
from nfold_scaling.rows import COLUMNS  # noqa: E402
from nfold_scaling.summary import interval_text, speed_lines, summary_csv  # noqa: E402


class Intervals(unittest.TestCase):
    def test_quantiles_equal_those_of_the_table(self):
        for degrees, expected in ((1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980)):
            self.assertAlmostEqual(student_t(degrees), expected, places=3)
        self.assertAlmostEqual(student_t(4, 0.9), 2.132, places=3)

    def test_mean_has_a_student_interval(self):
        # 10, 12, 14: mean 12, standard deviation 2, t = 4.3027 for two degrees of freedom.
        low, high = mean_interval([10, 12, 14])
        self.assertAlmostEqual(low, 12 - 4.3027 * 2 / math.sqrt(3), places=3)
        self.assertAlmostEqual(high, 12 + 4.3027 * 2 / math.sqrt(3), places=3)

    def test_one_value_has_no_interval(self):
        for found in (typical([5.0]), typical_rate([5.0]), ratio([6.0, 6.5], [2.0])):
            self.assertFalse(found.is_known)
            self.assertIsNone(found.high)
            self.assertEqual(interval_text(found), "")
        self.assertEqual(typical([5.0]).value, 5)

    def test_rates_are_medians_with_intervals_of_logarithms(self):
        found = typical_rate([math.exp(1), math.exp(2), math.exp(3)])
        self.assertAlmostEqual(found.value, math.exp(2))
        self.assertAlmostEqual(math.log(found.high), 2 + 4.3027 / math.sqrt(3), places=3)
        self.assertGreater(found.low, 0)

    def test_interval_stays_within_its_bounds(self):
        found = typical([0.2, 1.0], most=1.0)
        self.assertEqual((found.low, found.high), (0.0, 1.0))

    def test_ratio_is_welch_of_logarithms(self):
        # Means 2 and 1, variances 2 of two values each: error sqrt(1 + 1), 2^2 / (1 + 1) = 2 degrees of freedom.
        found = ratio([math.exp(1), math.exp(3)], [1.0, math.exp(2)])
        half = 4.3027 * math.sqrt(2)
        self.assertAlmostEqual(math.log(found.low), 1 - half, places=3)
        self.assertAlmostEqual(math.log(found.high), 1 + half, places=3)
        # Medians of two values are their arithmetic means.
        self.assertAlmostEqual(found.value, (math.exp(1) + math.exp(3)) / (1 + math.exp(2)))

    def test_serial_fraction_matches_karp_and_flatt(self):
        # Their table (Communications of the ACM 33, 539, 1990).
        for ranks, speed_up, expected in ((2, 1.95, 0.024), (3, 2.88, 0.021), (4, 3.76, 0.021), (8, 6.96, 0.021)):
            self.assertAlmostEqual(serial_fraction(Estimate(speed_up), ranks).value, expected, delta=0.002)
        self.assertIsNone(serial_fraction(Estimate(1.0), 1))
        found = serial_fraction(Estimate(1.6, 1.5, 1.8), 2)
        self.assertAlmostEqual(found.value, 0.25)
        self.assertAlmostEqual(found.low, 1 / 9)
        self.assertAlmostEqual(found.high, 1 / 3)
        self.assertLess(serial_fraction(Estimate(2.2), 2).value, 0)

    def test_amdahl_fraction_is_recovered(self):
        self.assertAlmostEqual(amdahl_fraction([(p, 1 / (0.1 + 0.9 / p)) for p in (1, 2, 4, 8)]), 0.1)
        self.assertIsNone(amdahl_fraction([(1, 1.0)]))


def row(ranks, steps, residues=1000, scaling="strong", status="measured", reason=""):
    return {**dict.fromkeys(COLUMNS), "kind": "bench", "scaling": scaling, "series": "s", "system": f"s{residues}",
            "precision": "mixed", "ranks": ranks, "residues": residues, "steps_per_second": steps, "status": status,
            "reason": reason}


class Points(unittest.TestCase):
    def test_strong_scaling_has_speed_up_and_efficiency(self):
        (series,) = make_series([row(1, 100), row(1, 110), row(1, 90), row(4, 300), row(4, 300), row(4, 330)], "bench")
        one, four = series.points
        self.assertEqual((one.speed.value, four.speed.value), (100, 300))
        self.assertEqual((one.speed_up.value, one.speed_up.low), (1, None))
        self.assertAlmostEqual(four.speed_up.value, 3)
        self.assertAlmostEqual(four.efficiency.value, 0.75)
        self.assertAlmostEqual(four.efficiency.low, four.speed_up.low / 4)
        self.assertTrue(four.speed_up.low < 3 < four.speed_up.high)
        self.assertAlmostEqual(four.serial.value, (1 / 3 - 1 / 4) / (3 / 4))
        self.assertAlmostEqual(series.amdahl, four.serial.value)
        self.assertIsNone(one.serial)

    def test_weak_scaling_counts_residue_steps(self):
        (series,) = make_series([row(2, 100, 2000, "weak"), row(4, 90, 4000, "weak")], "bench")
        two, four = series.points
        self.assertAlmostEqual(four.speed_up.value, 1.8)
        self.assertAlmostEqual(four.efficiency.value, 0.9)
        self.assertFalse(four.speed_up.is_known)
        self.assertIsNone(four.serial)
        self.assertIsNone(series.amdahl)
        self.assertIn("counted from 2 ranks", speed_lines(series, "rank"))

    def test_unknown_intervals_are_empty_in_the_table(self):
        found = {"bench": make_series([row(1, 100), row(2, 160), row(4, None, status="failed", reason="full")], "bench")}
        header, *lines = [line.split(",") for line in summary_csv(found).splitlines()]
        rows = [dict(zip(header, line)) for line in lines]
        self.assertEqual([(one["ranks"], one["speed_up"], one["failed"]) for one in rows],
                         [("1", "1.0", "0"), ("2", "1.6", "0"), ("4", "", "1")])
        for one in rows:
            for name in header:
                if name.endswith(("_low", "_high")):
                    self.assertEqual(one[name], "", name)
        self.assertEqual(rows[2]["reason"], "full")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

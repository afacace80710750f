# nfold batch --profile: identical results, a complete timeline, idle time, also if ranks withdraw.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in batch_test.py. nfold_erring (tests/support/posed_error.cpp) poses a device that fails."""
import json
import os
import unittest
from collections import defaultdict

import batch_test  # importing its classes by name would run their tests here too
from nfold_process import NfoldTest


def ladder(steps, ladders=1):
    return (f", protocol: run, input: {{dynamics: {{steps: {steps}}}, ensemble: {{temperatures: 4, lowest_kelvin: 80,"
            f" highest_kelvin: 120, ladders: {ladders}, exchange_every_steps: 500, sample_every_steps: 500}}}}")


class BatchProfileTest(NfoldTest):
    write_batch, rows = batch_test.BatchTest.write_batch, batch_test.BatchTest.rows
    result_files, batch = batch_test.BatchTest.result_files, batch_test.BatchTest.batch
    peptide, plain = staticmethod(batch_test.BatchTest.peptide), staticmethod(batch_test.BatchTest.plain)

    def performance(self, output):
        return json.loads((self.folder / output / "batch.performance.json").read_text())

    def tracks(self, output):
        """{track name: its spans, as (begin, end, name, category) in nanoseconds}"""
        names, tracks = {}, defaultdict(list)
        events = json.loads((self.folder / output / "batch.trace.json").read_text())["traceEvents"]
        for event in events:
            if event["name"] == "thread_name":
                names[event["tid"]] = event["args"]["name"]
            elif event["ph"] == "X":
                begin = round(1000 * event["ts"])
                tracks[event["tid"]].append((begin, begin + round(1000 * event["dur"]), event["name"], event["cat"]))
        return {names[track]: spans for track, spans in tracks.items()}

    def assert_nested(self, track, spans):
        around = []
        for begin, end, name, _ in sorted(spans, key=lambda one: (one[0], -one[1])):
            while around and around[-1] <= begin:
                around.pop()
            if around:
                self.assertLessEqual(end, around[-1], f"{name} of {track} at {begin} ns")
            around.append(end)

    def assert_whole(self, output, ranks, targets):
        """Check that each moment of each rank has one target or none, and that each target is in the timeline."""
        found, tracks = self.performance(output), self.tracks(output)
        self.assertEqual(len(found["ranks"]), ranks)
        without = 0
        for rank in found["ranks"]:
            self.assertAlmostEqual(sum(rank["phase_seconds"].values()), rank["wall_seconds"], delta=1e-6)
            without += sum(rank["without_target_seconds"].values())
        profiles = {target["name"]: target for target in found["targets"]}
        self.assertEqual(set(profiles), set(targets))
        for target in profiles.values():
            self.assertAlmostEqual(sum(target["phase_seconds"].values()), target["rank_seconds"], delta=1e-6)
            self.assertIn("start", target["phase_seconds"])
            self.assertIn("ledger", target["phase_seconds"])
            self.assertLessEqual(target["rank_seconds"],
                                 target["ranks"] * (target["end_seconds"] - target["begin_seconds"]) + 1e-6)
        all_seconds = sum(rank["wall_seconds"] for rank in found["ranks"])
        self.assertAlmostEqual(without + sum(target["rank_seconds"] for target in profiles.values()), all_seconds, delta=1e-5)
        longest = max(rank["wall_seconds"] for rank in found["ranks"])
        seen = defaultdict(set)
        for track, spans in tracks.items():
            self.assert_nested(track, spans)
            self.assertLess(1e-9 * max(end for _, end, *_ in spans), longest + 1e-3)
            for *_, name, category in spans:
                if category == "target":
                    seen[name].add(track.split(",")[0])
        self.assertEqual({name: len(ranks) for name, ranks in seen.items()},
                         {name: target["ranks"] for name, target in profiles.items()})
        log = (self.folder / output / "batch.log").read_text()
        self.assertIn(f"bottleneck: {found['bottleneck']['words']}; {found['bottleneck']['advice']}", log)
        self.assertRegex(log, r"ranks were at work [\d.]+ % of the time, the least [\d.]+ %")
        return found, tracks

    def test_side_by_side_targets_have_phases(self):
        targets = [(f"ladder{k}", self.peptide(ladder(4_000))) for k in range(3)]
        targets += [("fold", self.peptide()), ("plain", self.plain(20_000))]
        self.write_batch(targets)
        for output, options in ("without", ()), ("with", ("--profile",)):
            code, out, err = self.run_nfold("batch", "list.yaml", "--output", output, "--threads", "2", *options)
            self.assertEqual(code, 0, out + err)
        self.assertEqual(self.result_files("without"), self.result_files("with"))
        found, tracks = self.assert_whole("with", 1, dict(targets))
        self.assertTrue(found["is_profiled"])
        self.assertIn("rank 0, beside: 1", tracks)
        profiles = {target["name"]: target["phase_seconds"] for target in found["targets"]}
        for name in "ladder0", "fold":
            self.assertLessEqual({"steps", "exchange", "checkpoint", "analysis", "output"}, set(profiles[name]))
        self.assertGreater(found["ranks"][0]["clocked_steps"], 20)  # the clock runs in the plain run only
        self.assertLessEqual({"pair", "bonded", "integrate", "lists"}, set(profiles["plain"]))
        self.assertGreater(found["ranks"][0]["share_at_work"], 0.5)
        plain = self.performance("without")
        self.assertFalse(plain["is_profiled"])
        self.assertEqual(len(plain["targets"]), 5)
        self.assertFalse((self.folder / "without/batch.trace.json").exists())
        self.assertNotIn("bottleneck", (self.folder / "without/batch.log").read_text())

    def test_idle_ranks_are_in_the_profile(self):
        # A long target that is too small for two ranks, and a short one.
        self.write_batch([("long", self.plain(40_000)), ("short", self.plain(500))])
        code, out, err = self.batch("--profile", ranks=2)
        self.assertEqual(code, 0, out + err)
        found, tracks = self.assert_whole("list.out", 2, ("long", "short"))
        long, = (target for target in found["targets"] if target["name"] == "long")
        for number, rank in enumerate(found["ranks"]):
            spans = [end - begin for begin, end, name, _ in tracks[f"rank {number}"] if name == "idle"]
            self.assertAlmostEqual(1e-9 * sum(spans), rank["without_target_seconds"]["idle"], delta=1e-3)
        self.assertEqual(long["ranks"], 1)
        # The rank of the short target is idle for the rest of the long one.
        ends = sorted(target["end_seconds"] for target in found["targets"])
        idle = sorted(rank["without_target_seconds"]["idle"] for rank in found["ranks"])
        self.assertGreater(idle[-1], 0.5 * (ends[-1] - ends[0]))

    def test_shared_target_has_waits(self):
        self.write_batch([("large", self.peptide(ladder(10_000, ladders=16))), ("small", self.plain(500))])
        code, out, err = self.batch("--profile", ranks=2)
        self.assertEqual(code, 0, out + err)
        found, _ = self.assert_whole("list.out", 2, ("large", "small"))
        large = next(target for target in found["targets"] if target["name"] == "large")
        self.assertGreater(large["ranks"], 1)
        self.assertGreater(large["phase_seconds"]["wait"], 0)
        self.assertGreater(sum(rank["without_target_seconds"].get("join", 0) for rank in found["ranks"]), 0)

    def test_withdrawn_rank_finishes_its_profile(self):
        targets = [(f"t{k}", self.plain(3_000)) for k in range(3)]
        self.write_batch(targets)
        before = dict(os.environ)
        os.environ.update(ERR_RANK="1", ERR_STEP="1000", ERR_PASS="1", ERR_THROWS="1", NFOLD=os.environ["NFOLD_ERRING"])
        try:
            code, out, err = self.batch("--profile", "--set", "reliability.verify_every_steps=500", ranks=2)
        finally:
            os.environ.clear()
            os.environ.update(before)
        self.assertEqual(code, 0, out + err)
        found, _ = self.assert_whole("list.out", 2, dict(targets))
        self.assertGreater(found["ranks"][1]["without_target_seconds"]["idle"], 0)
        self.assertEqual(max(target["ranks"] for target in found["targets"]), 2)

    def test_profile_covers_the_targets_of_its_start(self):
        self.write_batch([("first", self.plain(500))])
        self.assertEqual(self.batch("--profile")[0], 0)
        self.write_batch([("first", self.plain(500)), ("second", self.plain(500))])
        self.assertEqual(self.batch()[0], 0)
        found = self.performance("list.out")
        self.assertEqual([target["name"] for target in found["targets"]], ["second"])
        # A start that finds nothing to do keeps the earlier profile.
        self.assertEqual(self.batch()[0], 0)
        self.assertEqual(self.performance("list.out"), found)


if __name__ == "__main__":
    unittest.main()

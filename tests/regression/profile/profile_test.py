# nfold run --profile on 1, 2 and 3 ranks: same bits, complete timeline, table with the bottleneck.
# SPDX-License-Identifier: BSD-3-Clause
"""usage: profile_test.py NFOLD ROOT TOOL [unittest arguments]    TOOL: a Kokkos Tools library"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

NFOLD, ROOT, TOOL = (Path(argument).resolve() for argument in sys.argv[1:4])
sys.path.insert(0, str(ROOT / "tools"))
import report  # noqa: E402  (path set above)

TAIL = 5 * "GSYGRDEKAQPNTLV"
MIX = f"""\
system:
  species:
    - name: tail
      sequence: {TAIL}
      copies: 12
  box_nm: [12, 12, 20]
force_field:
  model: calvados2
start:
  from: random
dynamics:
  steps: 1500
  temperature_kelvin: 300
partition:
  rebalance_every_steps: 500
output:
  energies_every_steps: 100
  trajectory_every_steps: 250
  checkpoint_every_steps: 500
observables:
  every_steps: 250
"""
ALWAYS = {"start", "pair", "bonded", "integrate", "lists", "checkpoint", "analysis", "output"}
BETWEEN_RANKS = {"wait", "exchange", "pack", "plan", "migrate"}


def nfold(*arguments, ranks=1, **environment):
    arguments = [str(argument) for argument in (NFOLD, *arguments)]
    if ranks > 1:
        arguments = [os.environ["MPIEXEC"], "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), *arguments]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"code {done.returncode} from {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "mix.yaml").write_text(MIX, encoding="utf-8")
        cls.plain = cls.folder / "plain"
        nfold("run", cls.folder / "mix.yaml", "--quiet", "--output", cls.plain)
        cls.profiled = {ranks: cls.folder / f"on-{ranks}" for ranks in (1, 2, 3)}
        for ranks, output in cls.profiled.items():
            nfold("run", cls.folder / "mix.yaml", "--quiet", "--profile", "--output", output, ranks=ranks)

    def performance(self, output, name="mix"):
        return json.loads((output / f"{name}.performance.json").read_text(encoding="utf-8"))

    def tracks(self, output, name="mix"):
        """{rank: its spans, as (begin, end, name) in nanoseconds}, and the names of the tracks."""
        tracks, names = defaultdict(list), {}
        for event in json.loads((output / f"{name}.trace.json").read_text(encoding="utf-8"))["traceEvents"]:
            if event["ph"] == "X":
                begin = round(1000 * event["ts"])
                tracks[event["tid"]].append((begin, begin + round(1000 * event["dur"]), event["name"]))
            elif event["name"] == "thread_name":
                names[event["tid"]] = event["args"]["name"]
        return tracks, names

    def test_bits_are_the_same(self):
        for output in self.profiled.values():
            nfold("compare", self.plain / "mix.ckpt.h5", output / "mix.ckpt.h5")
            nfold("compare", self.plain / "mix.h5md", output / "mix.h5md")
            nfold("compare", self.plain / "mix.observables.h5", output / "mix.observables.h5")

    def test_spans_are_nested_and_cover_the_run(self):
        for ranks, output in self.profiled.items():
            with self.subTest(ranks=ranks):
                tracks, names = self.tracks(output)
                self.assertEqual(sorted(tracks), list(range(ranks)))
                self.assertEqual([names[rank].split()[:2] for rank in range(ranks)],
                                 [["rank", str(rank)] for rank in range(ranks)])
                wall = [rank["wall_seconds"] for rank in self.performance(output)["ranks"]]
                for rank, spans in tracks.items():
                    around, outermost = [], 0
                    for begin, end, name in sorted(spans, key=lambda one: (one[0], -one[1])):
                        while around and around[-1] <= begin:
                            around.pop()
                        if around:
                            self.assertLessEqual(end, around[-1], f"{name} of rank {rank} at {begin} ns")
                        else:
                            outermost += end - begin
                        around.append(end)
                    self.assertGreater(1e-9 * outermost, 0.5 * wall[rank])
                    self.assertLess(1e-9 * outermost, (1 + 1e-9) * wall[rank])

    def test_phases_add_up_to_the_run(self):
        for ranks, output in self.profiled.items():
            with self.subTest(ranks=ranks):
                found = self.performance(output)
                self.assertEqual(len(found["ranks"]), ranks)
                for rank in found["ranks"]:
                    phases = rank["phase_seconds"]
                    self.assertAlmostEqual(sum(phases.values()), rank["wall_seconds"], delta=1e-6 * rank["wall_seconds"])
                    self.assertLess(phases.get("other", 0), 0.5 * rank["wall_seconds"])
                    self.assertNotIn("steps", phases)  # profiled steps are split into their phases
                    self.assertLessEqual(ALWAYS | (BETWEEN_RANKS if ranks > 1 else set()), set(phases))
                    self.assertGreater(rank["clocked_steps"], 20)
                    self.assertEqual(rank["halo_bytes_of_step"] > 0, ranks > 1)
                self.assertEqual(found["last_step"] - found["first_step"], 1500)
                self.assertIsNone(found["joules"])
                self.assertEqual(found["balance"] < 1, ranks > 1)

    def test_table_names_the_bottleneck(self):
        for output in self.profiled.values():
            log = (output / "mix.log").read_text(encoding="utf-8")
            found = self.performance(output)["bottleneck"]
            self.assertIn(f"bottleneck: {found['words']}; {found['advice']}", log)
            self.assertRegex(log, r"  pair +[0-9.e-]+ +[0-9.]+ % ")
            phases = self.performance(output)["mean_phase_seconds"]
            self.assertEqual(found["phase"], max((name for name in phases if name != "start"), key=phases.get))

    def test_steps_are_not_split_without_the_option(self):
        found = self.performance(self.plain)
        self.assertFalse(found["is_profiled"])
        phases = found["mean_phase_seconds"]
        self.assertIn("steps", phases)
        self.assertNotIn("integrate", phases)
        self.assertEqual(found["ranks"][0]["clocked_steps"], 0)
        self.assertFalse((self.plain / "mix.trace.json").exists())
        self.assertNotIn("bottleneck", (self.plain / "mix.log").read_text(encoding="utf-8"))

    def test_resumed_run_profiles_its_own_steps(self):
        output = self.folder / "resumed"
        for steps in (500, 800):
            nfold("run", self.folder / "mix.yaml", "--quiet", "--profile", "--output", output, "--set", f"dynamics.steps={steps}")
        found = self.performance(output)
        self.assertEqual((found["first_step"], found["last_step"]), (500, 800))

    def test_new_start_removes_an_old_profile(self):
        output = self.folder / "anew"
        for arguments in (["--profile"], ["--overwrite"]):
            nfold("run", self.folder / "mix.yaml", "--quiet", "--output", output, "--set", "dynamics.steps=100", *arguments)
        self.assertFalse((output / "mix.trace.json").exists())
        self.assertTrue((output / "mix.performance.json").exists())

    def test_ensemble_has_phases_and_a_report(self):
        for ranks in (1, 2):
            output = self.folder / f"ensemble-{ranks}"
            nfold("run", ROOT / "input/ubiquitin-exchange.yaml", "--quiet", "--profile", "--output", output,
                  "--set", "dynamics.steps=400", "--set", "ensemble.ladders=1", "--set", "ensemble.sample_every_steps=100",
                  "--set", "ensemble.exchange_every_steps=100", "--set", "ensemble.equilibration_steps=200",
                  "--set", "ensemble.tuning_steps=0", ranks=ranks)
            found = self.performance(output, "ubiquitin-exchange")
            phases = found["mean_phase_seconds"]
            self.assertLessEqual({"start", "steps", "exchange", "output", "analysis", "checkpoint"}, set(phases))
            self.assertGreater(found["replicas"], 1)
            self.assertLess(phases.get("other", 0), 0.5 * found["wall_seconds"])
            self.assertEqual(len(self.tracks(output, "ubiquitin-exchange")[0]), ranks)
            self.assertEqual(report.main([str(output)]), 0)
            page = (output / "report/report.html").read_text(encoding="utf-8")
            self.assertIn("Where the time went", page)

    def assert_regions_are_nested(self, lines):
        depth = 0
        for line in lines:
            depth += {"push": 1, "pop": -1}.get(line.split()[0], 0)
            self.assertGreaterEqual(depth, 0)
        self.assertEqual(depth, 0)

    def test_kokkos_tools_receive_targets(self):
        regions_file = self.folder / "told-batch"
        targets = "".join(f"- {{structure: {ROOT}/input/structures/3al1.pdb.gz, name: {name}, chains: [A]}}\n"
                          for name in ("first", "second"))
        (self.folder / "list.yaml").write_text(f"targets:\n{targets}", encoding="utf-8")
        nfold("batch", self.folder / "list.yaml", "--quiet", "--profile", "--threads", "1", "--budget", "0.001", "--output",
              self.folder / "list.out", KOKKOS_TOOLS_LIBS=str(TOOL), TOLD_REGIONS_FILE=str(regions_file))
        lines = regions_file.read_text(encoding="utf-8").splitlines()
        self.assert_regions_are_nested(lines)
        for name in ("first", "second"):
            self.assertEqual(lines[lines.index(f"push {name}") + 1].split()[0], "push")
        for name in ("steps", "ledger", "analysis"):
            self.assertIn(f"push {name}", lines)

    def test_kokkos_tools_receive_regions_and_kernels(self):
        regions_file = self.folder / "told"
        nfold("run", self.folder / "mix.yaml", "--quiet", "--profile", "--threads", "2", "--output", self.folder / "tool",
              "--set", "dynamics.steps=200", KOKKOS_TOOLS_LIBS=str(TOOL), TOLD_REGIONS_FILE=str(regions_file))
        lines = regions_file.read_text(encoding="utf-8").splitlines()
        self.assert_regions_are_nested(lines)
        for name in ("steps", "lists", "pair", "output", "checkpoint", "analysis"):
            self.assertIn(f"push {name}", lines)
        self.assertIn("kernel forces", lines)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

# nfold batch: every target ends with a result or a reason, even if ranks are killed.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in tests/fault/nfold_process.py. That folder must be on PYTHONPATH."""
import csv
import gzip
import os
import pathlib
import re
import signal
import time
import unittest

import h5py
import nfold_process
from nfold_process import NfoldTest, is_long

STRUCTURES = pathlib.Path(os.environ["NFOLD_INPUT"]).resolve() / "structures"
PEPTIDE = STRUCTURES / "3al1.pdb.gz"  # chain A has 12 residues; a target takes a tenth of a second
VERDICTS = ("folds", "partly", "not in this time")


def broken_targets(folder):
    """(name, entry, expected part of the reason), one per kind of damage."""
    (folder / "garbage.pdb").write_bytes(bytes(range(256)) * 20)
    (folder / "cut.pdb.gz").write_bytes((STRUCTURES / "1ubq.pdb.gz").read_bytes()[:9000])
    (folder / "water.pdb").write_text(
        "HETATM    1  O   HOH A   1      10.000  10.000  10.000  1.00  0.00           O\n")
    (folder / "wrong.yaml").write_text("system: {structure: x.pdb}\ndynamics: [1]\n")
    ubq = STRUCTURES / "1ubq.pdb.gz"
    return [
        ("missing", "structure: not-there.pdb", "No such file"),
        ("garbage", "structure: garbage.pdb", "garbage.pdb"),
        ("cut", "structure: cut.pdb.gz", "cut.pdb.gz"),
        ("water", "structure: water.pdb", "water.pdb"),
        ("typo", f"structure: {ubq}, input: {{dynamics: {{time_stp_ps: 0.01}}}}", "time_step_ps"),
        ("range", f"structure: {ubq}, input: {{dynamics: {{friction_per_ps: -1}}}}", "friction_per_ps"),
        ("chain", f"structure: {ubq}, chains: [Q]", "Q"),
        ("sequence", "input: {system: {species: [{name: a, sequence: GGGG, copies: 1}]},"
         " force_field: {model: calvados2}}", "protocol: run"),
        ("nocontacts", f"structure: {ubq}, chains: [\"A:1-4\"]", "contact"),
        ("explodes", f"structure: {ubq}, protocol: run, input: {{force_field: {{mass_amu: 1,"
         " angle_k_per_rad2: 100000}, dynamics: {steps: 2000, time_step_ps: 0.007, temperature_kelvin: 1000}}",
         "explodes"),
        ("noroom", f"structure: {ubq}, protocol: run, input: {{force_field: {{repulsion: {{sigma_nm: 10,"
         " cutoff_nm: 20}}, start: {from: unfolded}}", "finds no room"),
        ("input", "input_file: wrong.yaml, protocol: run", "wrong.yaml"),
        ("unknown", f"structur: {ubq}, input_file: wrong.yaml", "did you mean 'structure'"),
    ]


class BatchTest(NfoldTest):
    def write_batch(self, entries, budget=0.0002):
        """Write list.yaml. Entries are (name, YAML of the other keys)."""
        lines = [f"batch: {{budget_gpu_seconds: {budget}}}", "targets:"]
        lines += [f"- {{name: {name}, {entry}}}" for name, entry in entries]
        path = self.folder / "list.yaml"
        path.write_text("\n".join(lines) + "\n")
        return path

    @staticmethod
    def peptide(extra=""):
        return f"structure: {PEPTIDE}, chains: [A]{extra}"

    @staticmethod
    def plain(steps):
        return (f"structure: {PEPTIDE}, chains: [A], protocol: run, input: {{dynamics: {{steps: {steps}}},"
                " output: {checkpoint_every_steps: 20000, trajectory_every_steps: 100000}}")

    def rows(self, name, output="list.out"):
        with open(self.folder / output / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def batch(self, *arguments, ranks=1, output="list.out"):
        return self.run_nfold("batch", "list.yaml", "--output", output, "--threads", "1", *arguments,
                              ranks=ranks)

    def start_batch(self, ranks):
        return self.start(["batch", "list.yaml", "--output", "list.out", "--threads", "1"], ranks)

    def signal_ranks(self, process, number):
        """Signal the ranks directly. mpirun would pass the signal on and then wait for its ranks to end."""
        for rank in self.ranks_of(process):
            try:
                os.kill(rank, number)
            except ProcessLookupError:
                pass  # the rank has ended already

    def wait_for_start(self, process, begun):
        """Wait until running.csv has more starts than `begun`, or the process has ended."""
        while process.poll() is None and self.start_count() <= begun:
            time.sleep(0.02)

    def start_count(self):
        path = self.folder / "list.out" / "running.csv"
        return sum(row["event"] == "start" for row in self.rows("running.csv")) if path.exists() else 0

    def result_files(self, output):
        """Contents of all files that must not depend on how the batch was run."""
        folder = self.folder / output
        files = sorted([*folder.glob("*/*.result.csv"), *folder.glob("*/*.failed.csv"),
                        *folder.glob("*/*.h5"), folder / "results.csv"])
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    def test_overwrite_replaces_the_batch_but_no_other_files(self):
        self.write_batch([("gone", self.peptide()), ("fails", "structure: not-there.pdb"), ("plain", self.plain(3000))])
        code, _, err = self.batch("--quiet")
        self.assertEqual((code, len(self.nfold_errors(err))), (2, 1), err)
        self.assertIn("1 of 3 targets failed, reasons in list.out/failed.csv", err)
        kept = [self.folder / "list.out" / name for name in ("notes.txt", "gone/mine.yaml", "other/run.yaml")]
        for file in kept:
            file.parent.mkdir(exist_ok=True)
            file.write_text("mine")
        self.write_batch([("plain", self.plain(500))])
        code, out, err = self.batch("--overwrite")
        self.assertEqual(code, 0, out + err)
        self.assertEqual([row["target"] for row in self.rows("results.csv")], ["plain"])
        left = {str(path.relative_to(self.folder / "list.out")) for path in (self.folder / "list.out").iterdir()
                if path.is_dir()}
        self.assertEqual(left, {"plain", "gone", "other"})
        self.assertEqual({path.read_text() for path in kept}, {"mine"})
        self.assertEqual(list((self.folder / "list.out" / "gone").iterdir()), [kept[1]])
        self.assertEqual(self.batch(output="fresh")[0], 0)
        self.assertEqual(self.result_files("list.out"), self.result_files("fresh"))

    def test_broken_targets_are_reported_and_the_others_finish(self):
        broken = broken_targets(self.folder)
        good = [(f"good{k}", self.peptide()) for k in range(3)] + [("plain", self.plain(3000))]
        mixed = []
        for k, (name, entry, _) in enumerate(broken):
            mixed.append((name, entry))
            mixed += good[k:k + 1]
        self.write_batch(mixed)
        code, out, err = self.batch("--log-file", "elsewhere.log")
        self.assertEqual(code, 2, out + err)
        self.assertIn("4 done, 13 failed", (self.folder / "elsewhere.log").read_text())
        self.assertFalse((self.folder / "list.out" / "batch.log").exists())
        times = {row["target"]: row for row in self.rows("times.csv")}
        self.assertGreater(float(times["good0"]["seconds"]), 0)
        self.assertEqual((times["good0"]["starts"], times["good0"]["ranks"]), ("1", "1"))
        results = {row["target"]: row for row in self.rows("results.csv")}
        reasons = {row["target"]: row["reason"] for row in self.rows("failed.csv")}
        self.assertEqual(set(results), {name for name, _ in good})
        self.assertEqual(set(reasons), {name for name, _, _ in broken})
        for name, _, message in broken:
            self.assertIn(message, reasons[name], name)
        self.assertIn("3 attempts", reasons["explodes"])
        self.assertEqual(results["plain"]["verdict"], "done")
        one = results["good0"]
        self.assertEqual((one["protocol"], one["residues"]), ("folding", "12"))
        self.assertIn(one["verdict"], VERDICTS)
        self.assertRegex(one["reason"], r"^(none|\d+) of 4 replicas folded within .*; the free energy is ")
        self.assertIn(one["free_energy"], ("converged", "not converged"))
        self.assertEqual(one["space"], "cpu")
        for name, _ in good[:3]:  # a number, or a bound in the remark
            row = results[name]
            self.assertNotEqual(bool(row["folding_temperature_kelvin"]),
                                row["remark"].startswith(("folding temperature at ",
                                                          "no folding temperature from ")), row)
            self.assertGreater(float(row["folding_temperature_kelvin"] or 51), 50)
        # Each target's name seeds its noise.
        self.assertNotEqual(one["kinetics_kelvin"], results["good1"]["kinetics_kelvin"])
        with h5py.File(self.folder / "list.out" / "good0" / "good0.h5") as file:
            self.assertEqual(set(file), {"scan", "ladder", "kinetics"})
            self.assertIn("free_energy", file["ladder"])
            self.assertNotIn("samples", file["ladder"])
        # A second start has nothing to do and rewrites nothing.
        before = {path: os.stat(self.folder / "list.out" / path).st_mtime_ns
                  for path in self.result_files("list.out") if path != "results.csv"}
        code, out, err = self.batch()
        self.assertEqual(code, 2, out + err)
        for path, time_ns in before.items():
            self.assertEqual(os.stat(self.folder / "list.out" / path).st_mtime_ns, time_ns, path)
        # Three ranks finish targets in another order and write the same bytes.
        code, out, err = self.batch(ranks=3, output="three")
        self.assertEqual(code, 2, out + err)
        self.maxDiff = 2000
        one, three = self.result_files("list.out"), self.result_files("three")
        self.assertEqual(set(one), set(three))
        for path, content in one.items():
            if not path.endswith("failed.csv"):  # names the folder
                self.assertEqual(content, three[path], path)

    def test_retry_failed_repeats_a_failed_target(self):
        self.write_batch([("late", "structure: late.pdb, protocol: run, input: {dynamics: {steps: 500}}")])
        self.assertEqual(self.batch()[0], 2)
        with gzip.open(PEPTIDE) as source:
            (self.folder / "late.pdb").write_bytes(source.read())
        self.assertEqual(self.batch()[0], 2, "a failure must stand until it is asked to be tried again")
        self.assertEqual(self.batch("--retry-failed")[0], 0)
        self.assertEqual(self.rows("failed.csv"), [])

    def test_changed_list_is_reported(self):
        self.write_batch([("kept", self.plain(500)), ("changed", self.plain(500)), ("removed", self.plain(500))])
        self.assertEqual(self.batch()[0], 0)
        code, _, err = self.batch("--quiet")
        self.assertEqual((code, err.count("changed since")), (0, 0), err)
        self.write_batch([("added", self.plain(500)), ("kept", self.plain(500)), ("changed", self.plain(600))],
                         budget=0.0003)
        code, _, err = self.batch("--quiet")
        self.assertEqual(code, 0, err)
        log = (self.folder / "list.out" / "batch.log").read_text(encoding="utf-8")
        for change in ("targets added: added", "targets removed: removed",
                       "batch.budget_gpu_seconds: 0.0002 -> 0.0003",
                       "target 'changed': input.dynamics.steps: 500 -> 600"):
            line = f"list.yaml: changed since the last start: {change}\n"
            self.assertIn(line, err)
            self.assertEqual(log.count(line), 1)
        self.assertEqual(err.count("changed since"), 4, err)
        self.assertEqual([row["target"] for row in self.rows("results.csv")], ["added", "kept", "changed"])

    def test_large_target_gets_several_ranks(self):
        ensemble = (", protocol: run, input: {dynamics: {steps: 60000}, ensemble: {temperatures: 4,"
                    " lowest_kelvin: 80, highest_kelvin: 120, ladders: 12}}")
        self.write_batch([("large", self.peptide(ensemble)), ("small", self.plain(500))])
        self.assertEqual(self.batch(ranks=3)[0], 0)
        log = (self.folder / "list.out" / "large" / "run" / "run.log").read_text(encoding="utf-8")
        self.assertIn("3 ranks", log)
        self.assertEqual(self.batch(output="one")[0], 0)
        self.assertEqual(self.result_files("list.out"), self.result_files("one"))

    def test_short_targets_finish_first_and_get_rows_at_once(self):
        targets = [(f"long{k}", self.plain(10**9)) for k in range(2)]
        targets += [(f"short{k}", self.plain(2000)) for k in range(2)]
        self.write_batch(targets)
        process = self.start_batch(2)
        path = self.folder / "list.out" / "results.csv"
        while not path.exists() or len(self.rows("results.csv")) < 2:
            self.assertIsNone(process.poll(), "ended before two rows were there")
            time.sleep(0.02)
        self.assertEqual(sorted(row["target"] for row in self.rows("results.csv")), ["short0", "short1"])
        self.signal_ranks(process, signal.SIGTERM)
        code, out, err = self.finish(process)
        self.assertEqual(code, 75, out + err)
        ends = [row["target"] for row in self.rows("running.csv") if row["event"] == "end"]
        self.assertEqual(sorted(ends), ["short0", "short1"])
        # The finished table has the order of the list, and the same bytes on one rank.
        self.write_batch([(name, entry.replace(str(10**9), "20000")) for name, entry in targets])
        self.assertEqual(self.batch(output="two", ranks=2)[0], 0)
        self.assertEqual([row["target"] for row in self.rows("results.csv", "two")], [name for name, _ in targets])
        self.assertEqual(self.batch(output="one")[0], 0)
        self.assertEqual(self.result_files("two"), self.result_files("one"))

    def test_log_has_the_protocol_of_each_target(self):
        self.write_batch([("fold", self.peptide()), ("run", self.plain(500))])
        code, out, err = self.batch()
        self.assertEqual(code, 0, out + err)
        log = (self.folder / "list.out" / "batch.log").read_text(encoding="utf-8")
        protocols = re.findall(r"fold: (budget 0.0002 s of an H200, predicted .*)", log)
        self.assertEqual(len(protocols), 1, log)
        self.assertIn("the least that it can be", protocols[0])
        self.assertIn("kinetics 4 replicas, 2e+04 steps", protocols[0])
        self.assertNotIn("run: budget", log)
        # The check before the job and the finished job report the same protocol.
        code, out, err = self.run_nfold("check", "list.yaml")
        self.assertEqual(code, 0, out + err)
        self.assertIn("target 'fold': 12 residues, " + protocols[0], out)
        row = self.rows("results.csv")[0]
        self.assertEqual((row["kinetics_replicas"], row["kinetics_steps"]), ("4", "20000"))

    def test_structure_notes_are_in_the_log_and_the_table(self):
        gap = pathlib.Path(__file__).resolve().parent.parent / "real_files/gap.pdb"
        self.write_batch([("gap", f"structure: {gap}, protocol: run, input: {{dynamics: {{steps: 200}}}}")])
        code, out, err = self.batch()
        self.assertEqual(code, 0, out + err)
        note = "chain A is 2 pieces that no bond joins (1-17, 23-40)"
        self.assertIn(note, self.rows("results.csv")[0]["remark"])
        self.assertIn(note, (self.folder / "list.out" / "batch.log").read_text(encoding="utf-8"))

    def test_check_reports_each_broken_target(self):
        broken = broken_targets(self.folder)
        self.write_batch([(name, entry) for name, entry, _ in broken] + [("good", self.peptide())])
        code, out, err = self.run_nfold("check", "list.yaml")
        self.assertEqual(code, 1, out + err)
        for name, _, message in broken:
            if name not in ("explodes", "noroom"):  # these two fail only in the run
                self.assertIn(f"target '{name}': ", err)
                self.assertIn(message, err)
        self.assertNotIn("target 'good'", err)

    def test_wrong_option_is_reported_once(self):
        self.write_batch([("any", self.plain(500))])
        code, out, err = self.batch("--time-limit", "soon", ranks=2)
        self.assertEqual(code, 1, out + err)
        self.assertEqual(len(self.nfold_errors(err)), 1, err)
        self.assertIn("--time-limit: 'soon'", err)

    def test_rank_that_cannot_write_ends_all_ranks(self):
        # Neither the result nor the failure can be written. The other rank has hours of work.
        text = self.write_batch([("unwritten", self.plain(500)), ("long", self.plain(10**9))]).read_text()
        for kind in ("result", "failed"):
            (self.folder / f"list.out/unwritten/unwritten.{kind}.csv/taken").mkdir(parents=True)
        (self.folder / "list.out/batch.yaml").write_text(text)
        code, out, err = self.batch(ranks=2)
        self.assertNotEqual(code, 0, out + err)
        errors = self.nfold_errors(err)
        self.assertEqual(len(errors), 1, err)
        self.assertRegex(errors[0], r"rank \d: .*unwritten\.failed\.csv")
        self.assertNotIn("did not come to the same end", err)

    def test_device_memory_limit_is_respected(self):
        self.write_batch([("fold", self.peptide()), ("run", self.plain(500))])
        code, out, err = self.batch("--device-memory", "20kB")
        self.assertEqual(code, 2, out + err)
        reasons = {row["target"]: row["reason"] for row in self.rows("failed.csv")}
        self.assertEqual(set(reasons), {"fold", "run"})
        self.assertIn("the limit given is 19.5 KiB", reasons["run"])
        code, out, err = self.batch("--device-memory", "100MB", "--retry-failed")
        self.assertEqual(code, 0, out + err)

    def test_next_start_finishes_after_signals_and_time_limits(self):
        targets = [(f"t{k}", self.plain(400_000)) for k in range(3)] + [("fold", self.peptide())]
        self.write_batch(targets)
        self.assertEqual(self.batch(output="whole", ranks=2)[0], 0)
        code, out, err = self.batch("--time-limit", "1s")
        self.assertEqual(code, 75, out + err)
        begun = self.start_count()
        process = self.start_batch(2)
        self.wait_for_start(process, begun)
        self.signal_ranks(process, signal.SIGTERM)
        code, out, err = self.finish(process)
        self.assertEqual(code, 75, out + err)
        code, out, err = self.batch("--resume", ranks=2)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.result_files("whole"), self.result_files("list.out"))
        code, out, err = self.batch("--resume", "never")
        self.assertEqual(code, 1)
        self.assertIn("resume", err)

    def test_random_kills_lose_nothing(self):
        kills = 20 if is_long() else 5
        targets = [(f"t{k}", self.plain(150_000)) for k in range(8)] + [
            (f"fold{k}", self.peptide()) for k in range(8)] + [("bad", "structure: none.pdb")]
        self.write_batch(targets)
        self.assertEqual(self.batch(output="whole", ranks=2)[0], 2)
        finished, hits = {}, 0
        for _ in range(kills):
            ranks = self.random.choice((1, 2, 3))
            begun = self.start_count()
            process = self.start_batch(ranks)
            self.wait_for_start(process, begun)
            time.sleep(self.random.uniform(0, 1))
            hits += process.poll() is None
            self.kill_one_rank(process, ranks)
            self.finish(process)
            for path in (self.folder / "list.out").glob("*/*.result.csv"):
                stamp = os.stat(path).st_mtime_ns
                self.assertEqual(finished.setdefault(path, stamp), stamp, "a result was written anew")
        self.assertGreater(hits, 0, "each kill came when all was done")
        # A kill may hit a target that runs alone after an earlier kill. That target is then listed as failed.
        code, out, err = self.batch("--retry-failed", ranks=2)
        self.assertEqual(code, 2, out + err)
        self.assertEqual([row["target"] for row in self.rows("failed.csv")], ["bad"])
        whole, killed = self.result_files("whole"), self.result_files("list.out")
        self.assertEqual(set(whole), set(killed))
        for path, content in whole.items():
            self.assertEqual(content, killed[path], path)

    def test_crashing_target_is_retried_alone_and_then_listed(self):
        self.write_batch([("killer", self.plain(100_000_000)), ("good", self.plain(2000))])
        for attempt in range(2):
            process = self.start_batch(1)
            while not any(row["target"] == "killer" for row in self.open_starts()):
                self.assertIsNone(process.poll(), "ended before the killer began")
                time.sleep(0.02)
            if attempt == 1:  # targets that have not crashed come first
                self.assertEqual([row["target"] for row in self.rows("results.csv")], ["good"])
                self.assertEqual(self.open_starts()[-1]["alone"], "1")
            time.sleep(0.3)
            process.send_signal(signal.SIGSEGV)
            self.assertEqual(self.finish(process)[0], -signal.SIGSEGV)
        code, out, err = self.batch()
        self.assertEqual(code, 2, out + err)
        failed = self.rows("failed.csv")
        self.assertEqual([row["target"] for row in failed], ["killer"])
        self.assertIn("SIGSEGV", failed[0]["reason"])

    def open_starts(self):
        """Rows of running.csv for targets that began and did not end."""
        path = self.folder / "list.out" / "running.csv"
        open_rows = {}
        for row in self.rows("running.csv") if path.exists() else []:
            if row["event"] == "start":
                open_rows[row["target"]] = row
            else:
                open_rows.pop(row["target"], None)
        return list(open_rows.values())

    def test_wrong_list_is_refused_as_a_whole(self):
        for text, message in (("targets: []\n", "no list"), ("target:\n- structure: a.pdb\n", "did you mean"),
                              ("targets:\n- {structure: a.pdb}\n- {structure: b/a.pdb}\n", "second target"),
                              ("targets:\n- {name: a/b, structure: a.pdb}\n", "letters"),
                              ("batch: {protocol: fold}\ntargets: [{structure: a.pdb}]\n", "folding, chain, run"),
                              ("batch: {}\n", "missing")):
            (self.folder / "list.yaml").write_text(text)
            code, _, err = self.batch()
            self.assertEqual(code, 1, text)
            self.assertIn(message, err)
            self.assertIn("list.yaml", err)
        code, _, err = self.run_nfold("batch", "no-such-list.yaml")
        self.assertEqual(code, 1)
        self.assertIn("no such file", err)
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine.txt").write_text("mine")
        self.write_batch([("a", self.plain(100))])
        code, _, err = self.batch(output="full")
        self.assertEqual(code, 1)
        self.assertIn("no batch", err)

    def test_folder_of_structures_is_a_batch(self):
        folder = self.folder / "proteins"
        folder.mkdir()
        for name in ("one", "two"):
            with gzip.open(PEPTIDE) as source:
                (folder / f"{name}.pdb").write_bytes(source.read())
        code, out, err = self.run_nfold("batch", "proteins", "--budget", "0.0003", "--set",
                                        "system.chains=[A]", ranks=2)
        self.assertEqual(code, 0, out + err)
        self.assertEqual([row["target"] for row in self.rows("results.csv", "proteins.out")], ["one", "two"])

    def test_every_real_structure_runs(self):
        short = "protocol: run, input: {dynamics: {steps: 200}, force_field: {mass_amu: 100}}"
        entries = {source.name.split(".")[0]: f"structure: {source}, {short}"
                   for source in sorted(STRUCTURES.glob("*.gz"))}
        self.assertGreaterEqual(len(entries), 27)
        self.write_batch(list(entries.items()))
        code, out, err = self.batch(ranks=3)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(sorted(row["target"] for row in self.rows("results.csv")), sorted(entries))

    @unittest.skipUnless(is_long(), "long")
    def test_every_small_structure_folds_or_has_a_reason(self):
        small = ("1a8o", "1adz", "1d3z", "1lcd", "1ubq", "2jo4", "2ofg", "2sdf", "3al1", "4cup")
        entries = [(name, f"structure: {next(STRUCTURES.glob(name + '*'))}") for name in small]
        self.write_batch(entries, budget=0.002)
        code, out, err = self.batch(ranks=2)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(len(self.rows("results.csv")), len(small))
        for row in self.rows("results.csv"):
            self.assertIn(row["verdict"], VERDICTS, row)
            self.assertIn(row["free_energy"], ("converged", "not converged"), row)

    @unittest.skipUnless(is_long(), "long")
    def test_thousand_targets_with_fifty_broken(self):
        broken = broken_targets(self.folder)[:10]
        entries = [(f"{name}{k}", entry) for k in range(5) for name, entry, _ in broken]
        entries += [(f"good{k}", self.plain(1000)) for k in range(950)]
        self.random.shuffle(entries)
        self.write_batch(entries)
        code, out, err = self.batch(ranks=2)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(len(self.rows("results.csv")), 950)
        self.assertEqual(len(self.rows("failed.csv")), 50)


del NfoldTest  # has no tests of its own

if __name__ == "__main__":
    nfold_process.unittest.main(verbosity=2)

# nfold batch on ranks of both kinds: who does what, that the bytes do not depend on it, and what is told.
# SPDX-License-Identifier: BSD-3-Clause
"""As batch_test.py. No GPU is needed: nfold_posed is a CPU program that says it is one."""
import csv
import os
import signal
import time

import h5py
import nfold_process
from batch_test import STRUCTURES, BatchTest
from nfold_process import NfoldTest

FREE = {"space"}  # the only column that may differ between jobs
COMMAND = "mpirun -n 1 nfold batch LIST : -n 4 nfold-cpu batch LIST"


class HybridTest(NfoldTest):
    write_batch, rows = BatchTest.write_batch, BatchTest.rows
    peptide, plain = staticmethod(BatchTest.peptide), staticmethod(BatchTest.plain)

    def hybrid_command(self, *arguments, gpu=1, cpu=2, output="list.out", sources=None):
        """As mpirun -n 1 nfold ... : -n 2 nfold-cpu ..., of one build."""
        nfold = [os.environ["NFOLD_POSED"], "batch", "list.yaml", "--output", output, "--threads", "1", *arguments]
        parts = []
        for space, ranks in (("gpu", gpu), ("cpu", cpu)):
            if ranks:
                posed = [f"POSED_SPACE={space}"]
                if sources and space == "cpu":
                    posed.append(f"POSED_SOURCES={sources}")
                parts += [":", "-np", str(ranks), "env", *posed, *nfold]
        return [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", *parts[1:]]

    def hybrid(self, *arguments, **job):
        return self.finish(self.start_command(self.hybrid_command(*arguments, **job)))

    def log(self, output="list.out"):
        return (self.folder / output / "batch.log").read_text(encoding="utf-8")

    def spaces(self, output="list.out"):
        return {row["target"]: row["space"] for row in self.rows("results.csv", output)}

    def results(self, output):
        """All numbers and tables of an output, without what says where they were computed."""
        rows = [{key: value for key, value in row.items() if key not in FREE}
                for row in self.rows("results.csv", output)]
        tables = {path.name: path.read_bytes() for path in (self.folder / output).glob("*/*.h5")}
        return rows, tables

    def provenance(self, checkpoint):
        with h5py.File(self.folder / checkpoint) as file:
            return file["provenance/space"][()].decode()

    def test_each_target_goes_where_it_ends_sooner(self):
        half = f"structure: {STRUCTURES / '1ubq.pdb.gz'}, chains: ['A:1-40']"
        self.write_batch([("small", self.plain(20_000)), ("fold", half), ("fixed", self.peptide(", execution: cpu")),
                          ("small2", self.plain(4_000)), ("kept", self.plain(4_000) + ", execution: gpu")])
        code, out, err = self.hybrid()
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.spaces(), {"small": "cpu", "fold": "gpu", "fixed": "cpu", "small2": "cpu",
                                         "kept": "gpu"})
        log = self.log()
        self.assertIn("1 GPU rank and 2 CPU ranks", log)
        self.assertRegex(log, r"small: cpu; predicted \S+ s on a CPU rank, \S+ s on a GPU: it takes")
        self.assertRegex(log, r"fold: gpu; predicted .* of 2 CPU ranks against .* of 1 GPU rank")
        self.assertIn("fixed: cpu; execution: cpu", log)
        self.assertIn("2 targets on GPU ranks", log)
        self.assertIn("3 targets on CPU ranks", log)
        with open(self.folder / "list.out" / "running.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                self.assertEqual(row["space"], "gpu" if row["target"] in ("fold", "kept") else "cpu", row)
                self.assertEqual(row["rank"] == "0", row["space"] == "gpu", row)
        for name, space in self.spaces().items():
            folder = self.folder / "list.out" / name
            self.assertIn(f"space: {space}\n", (folder / f"{name}.space.yaml").read_text())
            for stage in folder.glob("*/*.ckpt.h5"):
                self.assertEqual(self.provenance(stage), space)
            for stage in folder.glob("*.yaml"):
                if stage.name != f"{name}.space.yaml":
                    self.assertIn(f"# Space: {space}; ", stage.read_text())
        # One space, or the other, alone: the same numbers.
        for output, job in (("cpu", {"gpu": 0, "cpu": 1}), ("gpu", {"gpu": 2, "cpu": 0})):
            text = (self.folder / "list.yaml").read_text()
            (self.folder / "list.yaml").write_text(text.replace(", execution: cpu", "")
                                                   .replace(", execution: gpu", ""))
            code, out, err = self.hybrid(output=output, **job)
            self.assertEqual(code, 0, out + err)
            (self.folder / "list.yaml").write_text(text)
            self.assertEqual(set(self.spaces(output).values()), {output})
            self.assertRegex(self.log(output), rf"fold: {output}; the job has . {output.upper()} ranks? only")
            self.assertEqual(self.results(output), self.results("list.out"))

    def test_a_space_is_kept_over_a_stop(self):
        self.write_batch([("long", self.plain(10**9) + ", execution: gpu"), ("quick", self.plain(2_000)),
                          ("late", self.plain(20_000))])
        process = self.start_command(self.hybrid_command(cpu=1))
        steps = self.folder / "list.out" / "long" / "run" / "run.status"
        while not (steps.exists() and "\nstep: 0\n" not in steps.read_text() and self.is_done("quick")):
            self.assertIsNone(process.poll(), "ended before there was a checkpoint")
            time.sleep(0.02)
        ranks = [self.status("list.out", f"batch.rank-{rank}") for rank in range(2)]  # each tells that it lives
        self.assertEqual([rank.get("rank") for rank in ranks], ["0", "1"])
        self.assertNotEqual(ranks[0]["process"], ranks[1]["process"])
        process.send_signal(signal.SIGUSR1)
        out, err = self.finish(process)[1:]
        self.assertEqual(self.status("list.out", "batch")["exit_code"], "75", out + err)
        self.assertEqual(list((self.folder / "list.out").glob("batch.rank-*")), [])
        self.assertEqual(self.kept("long"), "gpu")
        kept = (self.folder / "list.out" / "long" / "long.space.yaml").read_bytes()
        # It need not go on for long.
        text = (self.folder / "list.yaml").read_text()
        text = text.replace(str(10**9), str(int(self.status("list.out/long/run", "run")["step"]) + 5_000))
        # `execution` and what the job has now may say what they like.
        (self.folder / "list.yaml").write_text(text.replace("execution: gpu", "execution: cpu"))
        code, out, err = self.hybrid(gpu=0, cpu=1)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(set(self.spaces()), {"quick", "late"})
        self.assertIn("long waits: it began on a GPU, and the job has 1 CPU rank only", self.log())
        self.assertIn("1 of 3 targets wait for ranks of the space where they began", out)
        self.assertIn(COMMAND, out)
        self.assertEqual(self.rows("failed.csv"), [])
        # Where the note was lost, the checkpoint knows.
        (self.folder / "list.out" / "long" / "long.space.yaml").unlink()
        code, out, err = self.hybrid(gpu=0, cpu=1)
        self.assertEqual(code, 2, out + err)
        (self.folder / "list.out" / "long" / "long.space.yaml").write_bytes(kept)
        code, out, err = self.hybrid(cpu=1)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.spaces()["long"], "gpu")
        self.assertIn("long: gpu; it goes on where it began", self.log())
        self.assertEqual((self.folder / "list.out" / "long" / "long.space.yaml").read_bytes(), kept)
        code, out, err = self.hybrid(gpu=0, cpu=1, output="whole")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.results("whole"), self.results("list.out"))

    def is_done(self, target):
        return (self.folder / "list.out" / target / f"{target}.result.csv").exists()

    def kept(self, target):
        text = (self.folder / "list.out" / target / f"{target}.space.yaml").read_text()
        return text.split("space: ")[1].split("\n")[0]

    def write_machine(self, of_gpu, of_core):
        """mine.yaml: of steps/s that do not depend on replicas, so that ranks share them well."""
        curve = "{{most_steps_per_second: {0}, points: [{{residues: 76, steps_per_second: {0}}}]}}"
        sections = "resident: {0}, go: {0}, condensate: {0}"
        gpu, core = curve.format(of_gpu), curve.format(of_core)
        (self.folder / "mine.yaml").write_text(
            "description: no machine that exists\nscaled_from: h200\n"
            "node: {gpus: 1, cores: 4, memory_gb: 8}\n"
            "gpu: {name: none, memory_gb: 8, memory_gb_per_s: 100, multiprocessors: 1, clock_mhz: 1000,\n"
            f"  speeds: {{resident_chains: {gpu}, {sections.format(gpu)}}}}}\n"
            "cpu_core: {name: none, memory_gb_per_s: 10, floats_in_vector: 8, clock_mhz: 4000,\n"
            f"  speeds: {{{sections.format(core)}}}}}\n")

    def test_groups_form_among_ranks_of_one_space(self):
        self.write_machine(of_gpu="1", of_core="1")
        ensemble = (", protocol: run, input: {dynamics: {steps: 4000}, ensemble: {temperatures: 4,"
                    " lowest_kelvin: 80, highest_kelvin: 120, ladders: 4}}")
        self.write_batch([("one", self.peptide(f"{ensemble}, execution: cpu")),
                          ("two", self.peptide(f"{ensemble}, execution: gpu"))])
        code, out, err = self.hybrid("--machine", "mine.yaml", gpu=2, cpu=2)
        self.assertEqual(code, 0, out + err)
        for name in ("one", "two"):
            self.assertRegex(self.log(), rf"{name}: 2 ranks share it, predicted \S+ s \(\S+ s on one\)")
            log = (self.folder / "list.out" / name / "run" / "run.log").read_text(encoding="utf-8")
            self.assertIn(" 2 ranks", log)

    def test_who_kills_its_process_is_tried_alone_in_its_space(self):
        self.write_batch([("killer", self.plain(100_000_000) + ", execution: cpu"),
                          ("good", self.plain(2000) + ", execution: gpu")])
        for _ in range(2):
            process = self.start_command(self.hybrid_command(cpu=1))
            path = self.folder / "list.out" / "killer" / "run" / "run.log"
            began = path.stat().st_size if path.exists() else 0
            while not path.exists() or path.stat().st_size == began:
                self.assertIsNone(process.poll(), "ended before the killer began")
                time.sleep(0.02)
            time.sleep(0.5)
            os.kill(max(self.ranks_of(process)), signal.SIGSEGV)  # the last: the CPU rank
            self.finish(process)
        code, out, err = self.hybrid(cpu=1)
        self.assertEqual(code, 2, out + err)
        self.assertEqual([row["target"] for row in self.rows("failed.csv")], ["killer"])
        self.assertEqual(self.spaces(), {"good": "gpu"})

    def test_a_space_that_is_not_there_is_told(self):
        self.write_batch([("wants", self.plain(500) + ", execution: gpu"), ("any", self.plain(500))])
        code, out, err = self.hybrid(gpu=0, cpu=2)
        self.assertEqual(code, 2, out + err)
        failed = self.rows("failed.csv")
        self.assertEqual([row["target"] for row in failed], ["wants"])
        self.assertIn("execution: gpu, and the job has 2 CPU ranks only", failed[0]["reason"])
        self.assertIn(COMMAND, failed[0]["reason"])
        # With such ranks it is done.
        code, out, err = self.hybrid("--retry-failed")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.spaces(), {"wants": "gpu", "any": "cpu"})
        # Of all targets: nothing is begun.
        path = self.folder / "list.yaml"
        path.write_text(path.read_text().replace("batch: {", "batch: {execution: gpu, "))
        code, out, err = self.hybrid(gpu=0, cpu=2, output="none")
        self.assertEqual(code, 1, out + err)
        self.assertIn("batch.execution = gpu, and the job has 2 CPU ranks only", err)
        self.assertEqual(len(self.nfold_errors(err)), 1, err)
        self.assertFalse((self.folder / "none").exists())

    def test_programs_of_unlike_sources_do_not_go_together(self):
        self.write_batch([("any", self.plain(500))])
        code, out, err = self.hybrid(sources="0123456789abcdef")
        self.assertEqual(code, 1, out + err)
        self.assertEqual(len(self.nfold_errors(err)), 1, err)
        self.assertRegex(err, r"rank 0 is of sources [0-9a-f]{16} \(gpu build\), rank 1 of 0123456789abcdef")
        self.assertIn("from one checkout", err)
        self.assertFalse((self.folder / "list.out").exists())

    def test_one_run_has_one_kind_of_ranks(self):
        for name in ("run", "bench"):
            arguments = [name, str(self.input)]
            command = [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", "-np", "1", "env",
                       "POSED_SPACE=gpu", os.environ["NFOLD_POSED"], *arguments,
                       ":", "-np", "1", os.environ["NFOLD"], *arguments]
            code, out, err = self.finish(self.start_command(command))
            self.assertEqual(code, 1, out + err)
            self.assertIn(f"nfold {name}: the job has 1 GPU rank and 1 CPU rank", err)
        self.assertFalse((self.folder / "ubq.out").exists())

    def test_speeds_of_another_machine_decide_otherwise(self):
        self.write_machine(of_gpu="1", of_core="1e9")
        (self.folder / "wrong.yaml").write_text("gpu: 1\n")
        path = self.write_batch([("fold", self.peptide())])
        path.write_text(path.read_text().replace("batch: {", "batch: {machine: mine.yaml, "))
        code, out, err = self.hybrid()
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.spaces(), {"fold": "cpu"})
        code, out, err = self.hybrid("--machine", "wrong.yaml", output="wrong")
        self.assertEqual(code, 1, out + err)
        self.assertIn("wrong.yaml:1:", err)


del NfoldTest, BatchTest  # have no tests of their own here

if __name__ == "__main__":
    nfold_process.unittest.main(verbosity=2)

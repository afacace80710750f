# nfold batch on GPU and CPU ranks: assignment of targets, identical results, messages.
# SPDX-License-Identifier: BSD-3-Clause
"""Environment as in batch_test.py. No GPU is needed: nfold_posed is a CPU program that reports a posed backend."""
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
        """Command `mpirun -n 1 nfold ... : -n 2 nfold-cpu ...` with one build for both programs."""
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
        """Rows without the column of the backend, and all HDF5 tables of an output."""
        rows = [{key: value for key, value in row.items() if key not in FREE}
                for row in self.rows("results.csv", output)]
        tables = {path.name: path.read_bytes() for path in (self.folder / output).glob("*/*.h5")}
        return rows, tables

    def provenance(self, checkpoint):
        with h5py.File(self.folder / checkpoint) as file:
            return file["provenance/space"][()].decode()

    def test_target_runs_where_it_finishes_sooner(self):
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
        events = self.rows("running.csv")
        self.assertEqual({row["target"] for row in events}, set(self.spaces()))
        for row in events:
            self.assertEqual(row["space"], "gpu" if row["target"] in ("fold", "kept") else "cpu", row)
            self.assertEqual(row["rank"] == "0", row["space"] == "gpu", row)
        checkpoints = inputs = 0
        for name, space in self.spaces().items():
            folder = self.folder / "list.out" / name
            self.assertIn(f"space: {space}\n", (folder / f"{name}.space.yaml").read_text())
            for stage in folder.glob("*/*.ckpt.h5"):
                self.assertEqual(self.provenance(stage), space)
                checkpoints += 1
            for stage in folder.glob("*.yaml"):
                if stage.name != f"{name}.space.yaml":
                    self.assertIn(f"# Space: {space}; ", stage.read_text())
                    inputs += 1
        self.assertGreater(checkpoints, 0)
        self.assertGreater(inputs, 0)
        # One backend alone gives the same numbers.
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

    def test_resumed_target_keeps_its_backend(self):
        self.write_batch([("long", self.plain(10**9) + ", execution: gpu"), ("quick", self.plain(2_000)),
                          ("late", self.plain(20_000))])
        process = self.start_command(self.hybrid_command(cpu=1))
        steps = self.folder / "list.out" / "long" / "run" / "run.status"
        while not (steps.exists() and "\nstep: 0\n" not in steps.read_text() and self.is_done("quick")):
            self.assertIsNone(process.poll(), "ended before there was a checkpoint")
            time.sleep(0.02)
        ranks = [self.status("list.out", f"batch.rank-{rank}") for rank in range(2)]  # heartbeat of each rank
        self.assertEqual([rank.get("rank") for rank in ranks], ["0", "1"])
        self.assertNotEqual(ranks[0]["process"], ranks[1]["process"])
        process.send_signal(signal.SIGUSR1)
        out, err = self.finish(process)[1:]
        self.assertEqual(self.status("list.out", "batch")["exit_code"], "75", out + err)
        self.assertEqual(list((self.folder / "list.out").glob("batch.rank-*")), [])
        self.assertEqual(self.kept("long"), "gpu")
        kept = (self.folder / "list.out" / "long" / "long.space.yaml").read_bytes()
        # A shorter target is enough for the rest of the test.
        text = (self.folder / "list.yaml").read_text()
        text = text.replace(str(10**9), str(int(self.status("list.out/long/run", "run")["step"]) + 5_000))
        # Neither `execution` nor the job's ranks may override the backend.
        (self.folder / "list.yaml").write_text(text.replace("execution: gpu", "execution: cpu"))
        code, out, err = self.hybrid(gpu=0, cpu=1)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(set(self.spaces()), {"quick", "late"})
        self.assertIn("long waits: it began on a GPU, and the job has 1 CPU rank only", self.log())
        self.assertIn("1 of 3 targets wait for ranks of the space where they began", out)
        self.assertIn(COMMAND, out)
        self.assertEqual(self.rows("failed.csv"), [])
        # If the note is lost, the checkpoint has the backend.
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

    def write_machine(self, gpu_speed, core_speed):
        """Write mine.yaml. Speeds in steps/s do not depend on the replicas, so ranks share targets well."""
        curve = "{{most_steps_per_second: {0}, points: [{{residues: 76, steps_per_second: {0}}}]}}"
        sections = "resident: {0}, resident_chains: {0}, go: {0}, condensate: {0}"
        gpu, core = curve.format(gpu_speed), curve.format(core_speed)
        (self.folder / "mine.yaml").write_text(
            "description: no machine that exists\nscaled_from: h200\n"
            "node: {gpus: 1, cores: 4, memory_gb: 8}\n"
            "gpu: {name: none, memory_gb: 8, memory_gb_per_s: 100, multiprocessors: 1, clock_mhz: 1000,\n"
            f"  speeds: {{{sections.format(gpu)}}}}}\n"
            "cpu_core: {name: none, memory_gb_per_s: 10, floats_in_vector: 8, clock_mhz: 4000,\n"
            f"  speeds: {{{sections.format(core)}}}}}\n")

    def test_groups_form_among_ranks_of_one_backend(self):
        self.write_machine(gpu_speed="1", core_speed="1")
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

    def test_crashing_target_is_retried_alone_on_its_backend(self):
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
            os.kill(max(self.ranks_of(process)), signal.SIGSEGV)  # the last is the CPU rank
            self.finish(process)
        code, out, err = self.hybrid(cpu=1)
        self.assertEqual(code, 2, out + err)
        self.assertEqual([row["target"] for row in self.rows("failed.csv")], ["killer"])
        starts = [row for row in self.rows("running.csv") if (row["event"], row["target"]) == ("start", "killer")]
        self.assertEqual([(row["alone"], row["space"]) for row in starts], [("0", "cpu"), ("1", "cpu")])
        self.assertEqual(self.spaces(), {"good": "gpu"})

    def test_missing_backend_is_reported(self):
        self.write_batch([("wants", self.plain(500) + ", execution: gpu"), ("any", self.plain(500))])
        code, out, err = self.hybrid(gpu=0, cpu=2)
        self.assertEqual(code, 2, out + err)
        failed = self.rows("failed.csv")
        self.assertEqual([row["target"] for row in failed], ["wants"])
        self.assertIn("execution: gpu, and the job has 2 CPU ranks only", failed[0]["reason"])
        self.assertIn(COMMAND, failed[0]["reason"])
        # A job with such ranks runs it.
        code, out, err = self.hybrid("--retry-failed")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.spaces(), {"wants": "gpu", "any": "cpu"})
        # If all targets need the missing backend, none begins.
        path = self.folder / "list.yaml"
        path.write_text(path.read_text().replace("batch: {", "batch: {execution: gpu, "))
        code, out, err = self.hybrid(gpu=0, cpu=2, output="none")
        self.assertEqual(code, 1, out + err)
        self.assertIn("batch.execution = gpu, and the job has 2 CPU ranks only", err)
        self.assertEqual(len(self.nfold_errors(err)), 1, err)
        self.assertFalse((self.folder / "none").exists())

    def test_programs_of_different_sources_are_refused(self):
        self.write_batch([("any", self.plain(500))])
        code, out, err = self.hybrid(sources="0123456789abcdef")
        self.assertEqual(code, 1, out + err)
        self.assertEqual(len(self.nfold_errors(err)), 1, err)
        self.assertRegex(err, r"rank 0 is of sources [0-9a-f]{16} \(gpu build\), rank 1 of 0123456789abcdef")
        self.assertIn("from one checkout", err)
        self.assertFalse((self.folder / "list.out").exists())

    def test_single_run_refuses_mixed_ranks(self):
        for name in ("run", "bench"):
            arguments = [name, str(self.input)]
            command = [os.environ["MPIEXEC"], "--oversubscribe", "--bind-to", "none", "-np", "1", "env",
                       "POSED_SPACE=gpu", os.environ["NFOLD_POSED"], *arguments,
                       ":", "-np", "1", os.environ["NFOLD"], *arguments]
            code, out, err = self.finish(self.start_command(command))
            self.assertEqual(code, 1, out + err)
            self.assertIn(f"nfold {name}: the job has 1 GPU rank and 1 CPU rank", err)
        self.assertFalse((self.folder / "ubq.out").exists())

    def test_machine_file_decides_the_backend(self):
        self.write_machine(gpu_speed="1", core_speed="1e9")
        (self.folder / "wrong.yaml").write_text("gpu: 1\n")
        path = self.write_batch([("fold", self.peptide())])
        path.write_text(path.read_text().replace("batch: {", "batch: {machine: mine.yaml, "))
        code, out, err = self.hybrid()
        self.assertEqual(code, 0, out + err)
        self.assertEqual(self.spaces(), {"fold": "cpu"})
        code, out, err = self.hybrid("--machine", "wrong.yaml", output="wrong")
        self.assertEqual(code, 1, out + err)
        self.assertIn("wrong.yaml:1:", err)


del NfoldTest, BatchTest  # these have no tests of their own here

if __name__ == "__main__":
    nfold_process.unittest.main(verbosity=2)

# nfold launch: whatever fails, the run ends with the bits of one that nothing happened to.
# SPDX-License-Identifier: BSD-3-Clause
"""Six failures in the short form, thirty in the long one; then what must not be tried again.

On a machine with GPUs (tests/gpu/README.md) NFOLD_RANKS is how many there are, NFOLD_STEPS makes runs
long enough to be hit, and NFOLD_ROUNDS=1 takes each of the ten kinds of failure once."""
import json
import os
import pathlib
import signal
import stat
import subprocess
import time
import unittest

from nfold_process import PATIENCE_SECONDS, NfoldTest, is_long

RANKS = int(os.environ.get("NFOLD_RANKS", "4"))
STEPS = int(os.environ.get("NFOLD_STEPS", "16000"))
ROUNDS = int(os.environ.get("NFOLD_ROUNDS", "3" if is_long() else "0"))
WAIT_LIMIT_SECONDS = 3  # a loaded machine may hold up one rank at the start


class LaunchTest(NfoldTest):
    OPTIONS = ["--quiet", "--set", f"dynamics.steps={STEPS}", "--set",
               f"partition.wait_limit_seconds={WAIT_LIMIT_SECONDS}"]

    def setUp(self):
        super().setUp()
        self.input.write_text(self.input.read_text().replace("checkpoint_every_steps: 200",
                                                             "checkpoint_every_steps: 500"))
        self.output = "ubq.out"

    def launch(self, *of_launch, command=None, **options):
        """launch on four ranks with a short pause; its standard error goes to a file that may be read."""
        words = command or ["run", self.input, *self.OPTIONS, "--output", self.output]
        self.said = self.folder / "said"
        with open(self.said, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [os.environ["NFOLD"], "launch", "-n", str(RANKS), "--pause", "0.2",
                 *map(str, of_launch), *map(str, words)],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=file, text=True, **options)
        process.status_before = self.status(self.output).get("process")
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        process.communicate()

    def finish_launch(self, process):
        """(exit code, what it said)"""
        process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, self.said.read_text()

    def wait_for(self, process, what, seconds=PATIENCE_SECONDS):
        """what() that is true, or None if the process has ended before."""
        began = time.monotonic()
        while process.poll() is None:
            found = what()
            if found:
                return found
            self.assertLess(time.monotonic() - began, seconds, self.said.read_text())
            time.sleep(0.005)
        return None

    def wait_for_any_step(self, process, step):
        """As wait_for_step(), of the output folder of this test."""
        def is_there():
            status = self.status(self.output)
            is_its_own = status.get("process") not in (None, process.status_before)
            return is_its_own and int(status["step"]) >= step
        self.wait_for(process, is_there)

    def mpirun_of(self, launch):
        children = self.ranks_of(launch)
        return children[0] if children else None

    def ranks_below(self, launch):
        mpirun = self.mpirun_of(launch)
        return self.ranks_of(type("Process", (), {"pid": mpirun})) if mpirun else []

    @staticmethod
    def signal_all(processes, number):
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def incidents(self):
        path = self.folder / self.output / "ubq.incidents.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


class Failures(LaunchTest):
    """Each injects one failure into a run and returns launch's process."""

    def begin(self, *of_launch):
        process = self.launch(*of_launch)
        self.wait_for_any_step(process, self.random.randrange(400, STEPS // 2))
        return process

    def a_killed_rank(self):
        process = self.begin()
        self.signal_all(self.random.sample(self.ranks_below(process), 1), signal.SIGKILL)
        return process

    def a_stopped_rank(self):
        process = self.begin()
        self.signal_all(self.random.sample(self.ranks_below(process), 1), signal.SIGSTOP)
        return process

    def all_ranks_stopped(self):
        """None is left to wait for others: the status file alone tells."""
        process = self.begin("--heartbeat-limit", "8")
        self.signal_all(self.ranks_below(process), signal.SIGSTOP)
        return process

    def all_ranks_of_a_node_gone(self):
        process = self.begin()
        self.signal_all(self.ranks_below(process), signal.SIGKILL)
        return process

    def mpirun_gone(self):
        process = self.begin()
        ranks = self.ranks_below(process)
        before = len(self.incidents())  # on a busy machine a run may have had one of its own
        self.signal_all([self.mpirun_of(process)], signal.SIGKILL)
        self.wait_for(process, lambda: len(self.incidents()) > before)
        for rank in ranks:
            self.assertFalse(pathlib.Path(f"/proc/{rank}").exists(), "a rank outlives mpirun")
        return process

    def exhausted_memory(self):
        """Others have it when the run starts, and give it back."""
        launcher = self.script("mpirun_in_need", f"""\
[ "$1" = --version ] && exec "{os.environ["MPIEXEC"]}" --version
[ -e "{self.output}.was_in_need" ] && exec "{os.environ["MPIEXEC"]}" "$@"
touch "{self.output}.was_in_need"
exec "{os.environ["MPIEXEC"]}" "$@" --device-memory 20kB
""")
        return self.launch("--launcher", launcher)

    def a_damaged_newest_checkpoint(self):
        process = self.begin()
        process.send_signal(signal.SIGSTOP)  # launch itself, so that the damage comes before its restart
        mpirun = self.mpirun_of(process)
        self.signal_all([mpirun, *self.ranks_below(process)], signal.SIGKILL)
        newest = self.folder / self.output / "ubq.ckpt.h5"
        if newest.exists():  # else the kill came between two renames, and the one before serves anyway
            content = bytearray(newest.read_bytes())
            content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
            newest.write_bytes(content)
        process.send_signal(signal.SIGCONT)
        return process

    def a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk],
                          capture_output=True, check=False).returncode != 0:
            return None
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        self.output = "disk/ubq.out"
        process = self.begin()
        ballast = disk / "ballast"
        subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=64k"], capture_output=True,
                       check=False)
        self.wait_for(process, lambda: "launch: incident" in self.said.read_text())
        ballast.unlink()
        return process

    def a_device_hidden_at_the_restart(self):
        real = subprocess.run([os.environ["NFOLD"], "devices", "--json"], capture_output=True, text=True, check=False)
        node = json.loads(real.stdout)["nodes"][0]
        if not node["gpus"]:
            node = {"host": "here", "gpus": [{"index": k, "uuid": f"GPU-{k}", "verdict": "healthy", "reasons": []}
                                             for k in range(RANKS)]}
        sick = node["gpus"][1]
        self.sick_gpu = f'GPU 1 ({sick["uuid"]}) of {node["host"]} is unfit: fell off the bus'

        def report(verdict):
            sick.update(verdict=verdict, reasons=["fell off the bus"])
            return json.dumps({"nodes": [node]})
        devices = self.folder / "devices.json"
        devices.write_text(report("healthy"))
        process = self.begin("--devices-command", f"cat {devices}")
        devices.write_text(report("unfit"))
        self.signal_all(self.random.sample(self.ranks_below(process), 1), signal.SIGKILL)
        return process

    SHORT = (("a_killed_rank", "crash"), ("a_stopped_rank", "hang"), ("exhausted_memory", "memory"),
             ("a_damaged_newest_checkpoint", "crash"), ("a_full_disk", "disk"),
             ("a_device_hidden_at_the_restart", "crash"))
    LONG = SHORT + (("all_ranks_stopped", "hang"), ("all_ranks_of_a_node_gone", "crash"),
                    ("mpirun_gone", "crash"), ("a_killed_rank", "crash"))

    def test_the_bits_are_those_of_an_unbroken_run(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        for number, (name, kind) in enumerate(self.LONG * ROUNDS or self.SHORT):
            with self.subTest(failure=name, number=number):
                self.output = f"out{number}"
                process = getattr(self, name)()
                if process is None:
                    print(f"{name}: left out, no tmpfs can be mounted here")
                    continue
                code, said = self.finish_launch(process)
                self.assertEqual(code, 0, said)
                self.assert_same_output("whole", self.output)
                self.assert_was_kept(kind, said)
                if name == "a_device_hidden_at_the_restart":
                    self.assertIn(self.sick_gpu, said)
                    self.assertRegex(said, f"launch: {RANKS - 1} ranks? on this node")

    def assert_was_kept(self, kind, said):
        """The incident's record, on the disk and in words."""
        incidents = self.incidents()
        self.assertGreaterEqual(len(incidents), 1, said)
        self.assertEqual(incidents[0]["what"], kind, said)
        last = incidents[-1]
        if "woken, its ranks came to their end" in said:  # so near to it that no restart was needed
            self.assertEqual((kind, len(incidents)), ("hang", 1), said)
            self.assertNotIn("resumed_at_step", last, said)
            return
        self.assertIn("resumed_at_step", last, said)
        print(f"{self.output}: {kind}: {last['details'][:70]}; {last['lost_steps']} steps lost, first new step "
              f"after {last['seconds_to_first_new_step']:.1f} s")
        if kind == "crash" and "rank" in said and last["rank"] is not None:
            self.assertIn(f"rank {last['rank']}", said)


class InputThatIsGone(LaunchTest):
    def test_it_goes_on_from_the_input_in_the_folder(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        for how in "removed", "edited":
            with self.subTest(how):
                self.output = how
                text = self.input.read_text()
                process = self.launch()
                self.wait_for_any_step(process, STEPS // 4)
                if how == "removed":
                    self.input.unlink()
                else:
                    self.input.write_text(text.replace("steps: 2000", "stps: 1"))
                self.signal_all(self.ranks_below(process)[:1], signal.SIGKILL)
                code, said = self.finish_launch(process)
                self.input.write_text(text)
                self.assertEqual(code, 0, said)
                self.assertGreaterEqual(len(self.incidents()), 1, said)
                for name in "ubq.energies.csv", "ubq.dcd":  # a checkpoint names the input's files
                    if name.endswith(".dcd"):
                        for folder in "whole", how:
                            self.run_well("export", f"{folder}/ubq.h5md", "--dcd", "--overwrite")
                    self.assertEqual((self.folder / "whole" / name).read_bytes(), (self.folder / how / name).read_bytes())


class NotTriedAgain(LaunchTest):
    def attempts(self, said):
        return said.count("on this node: nfold")

    def test_wrong_input_is_told_once(self):
        process = self.launch(command=["run", "nothing.yaml"])
        code, said = self.finish_launch(process)
        self.assertEqual((code, self.attempts(said)), (1, 1), said)

    def test_an_explosion_is_tried_once_more_and_then_it_is_the_input(self):
        hot = ["dynamics.time_step_ps=0.0705", "dynamics.temperature_kelvin=10000"]
        process = self.launch(command=["run", self.input, "--quiet", "--set", hot[0], "--set", hot[1]])
        code, said = self.finish_launch(process)
        self.assertEqual((code, self.attempts(said)), (3, 2), said)
        self.assertIn("the input, not the machine", said)

    def test_a_lack_of_memory_that_stays(self):
        process = self.launch(command=["run", self.input, "--quiet", "--device-memory", "20kB"])
        code, said = self.finish_launch(process)
        self.assertEqual((code, self.attempts(said)), (3, 2), said)
        self.assertIn("take more GPUs", said)

    def test_a_launcher_that_starts_no_run(self):
        """A status that another job writes meanwhile is not this one's."""
        self.run_well("run", self.input, "--quiet")
        status = self.folder / "ubq.out" / "ubq.status"
        other = self.script("other", f'sed "s/^written: .*/written: now/" "{status}" > s && mv s "{status}"\n')
        for launcher in "true", other, "/nosuch/mpirun":
            with self.subTest(launcher=str(launcher)):
                code, said = self.finish_launch(self.launch("--launcher", launcher))
                self.assertEqual((code, self.attempts(said)), (3, 1), said)
                self.assertIn("no rank could be started", said)

    def test_damage_of_both_checkpoints(self):
        self.run_well("run", self.input, "--quiet")
        for file in (self.folder / "ubq.out").glob("ubq.ckpt*.h5"):
            file.write_bytes(file.read_bytes()[:100])
        process = self.launch(command=["run", self.input, "--quiet", "--set", "dynamics.steps=2200"])
        code, said = self.finish_launch(process)
        self.assertEqual((code, self.attempts(said)), (3, 1), said)
        self.assertIn("no attempt can read a checkpoint", said)

    def test_a_folder_of_another_run_is_not_replaced(self):
        self.run_well("run", self.input, "--quiet")
        before = (self.folder / "ubq.out" / "ubq.ckpt.h5").read_bytes()
        process = self.launch(command=["run", self.input, "--quiet", "--set", "dynamics.seed=7"])
        code, said = self.finish_launch(process)
        self.assertEqual((code, self.attempts(said)), (1, 1), said)
        self.assertEqual((self.folder / "ubq.out" / "ubq.ckpt.h5").read_bytes(), before)

    def test_an_overwrite_counts_for_the_first_attempt_only(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        self.run_well("run", self.input, "--quiet", "--set", "dynamics.seed=7")
        process = self.launch(command=["run", self.input, *self.OPTIONS, "--overwrite"])
        self.wait_for_any_step(process, STEPS // 4)
        self.signal_all(self.ranks_below(process)[:1], signal.SIGKILL)
        code, said = self.finish_launch(process)
        self.assertEqual((code, said.count("--overwrite")), (0, 1), said)
        self.assertGreater(self.incidents()[0]["resumed_at_step"], 0, said)
        self.assert_same_output("whole", "ubq.out")

    def test_a_signal_ends_it_with_a_checkpoint(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(signal=number.name):
                process = self.launch(command=["run", self.input, "--quiet", "--set",
                                               "dynamics.steps=1000000000"])
                self.wait_for_any_step(process, int(self.status().get("step", 0)) + 200)
                ranks = self.ranks_below(process)
                process.send_signal(number)
                code, said = self.finish_launch(process)
                self.assertEqual((code, self.attempts(said)), (75, 1), said)
                self.assertEqual(self.status()["state"], "stopped")
                for rank in ranks:
                    self.assertFalse(pathlib.Path(f"/proc/{rank}").exists())

    def test_ranks_do_not_outlive_launch(self):
        process = self.launch(command=["run", self.input, "--quiet", "--set",
                                       "dynamics.steps=1000000000"])
        self.wait_for_any_step(process, 200)
        ranks = self.ranks_below(process)
        self.assertEqual(len(ranks), RANKS, self.said.read_text())
        process.kill()
        process.wait()
        until = time.monotonic() + 60
        while any(pathlib.Path(f"/proc/{rank}/exe").exists() for rank in ranks):
            self.assertLess(time.monotonic(), until, "ranks go on")
            time.sleep(0.1)


class Slurm(LaunchTest):
    """A stand-in plays srun on two nodes that are both this one; a node is lost when a file appears."""

    def test_a_lost_node_is_named_for_the_requeue(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        self.script("srun", f"""\
[ "$1" = --mpi=list ] && {{ echo "    pmix"; exit; }}
echo "$@" >> "{self.folder}/started"
while [ "$1" != "{os.environ["NFOLD"]}" ]; do shift; done
"{os.environ["MPIEXEC"]}" --oversubscribe --bind-to none -np 4 "$@" 2>/dev/null &
while kill -0 $! 2>/dev/null; do
  if [ -e "{self.folder}/lost" ]; then
    kill -9 $!
    echo "srun: error: Node failure on n2" >&2
    exit 1
  fi
  sleep 0.1
done
wait $!
""")
        job = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", SLURM_JOB_ID="17",
                   SLURM_NTASKS="4", SLURM_JOB_NODELIST="n[1-2]", SLURM_TASKS_PER_NODE="2(x2)")
        process = self.launch("--sick-nodes", "sick", env=job)
        self.wait_for_any_step(process, STEPS // 4)
        (self.folder / "lost").touch()
        code, said = self.finish_launch(process)
        self.assertEqual(code, 75, said)
        self.assertEqual((self.folder / "sick").read_text(), "n2\n")
        self.assertIn("ExcNodeList=n2", said)
        self.assertEqual(self.incidents()[0]["what"], "lost node")
        self.assertIn("-n 4 -N 2 -w n1,n2", (self.folder / "started").read_text())
        (self.folder / "lost").unlink()
        code, said = self.finish_launch(self.launch("--sick-nodes", "sick", env=job))
        self.assertEqual(code, 0, said)
        self.assert_same_output("whole", "ubq.out")


    def test_a_job_whose_only_node_is_sick_names_it(self):
        """It gives up, and the job script may try another node. Slurm calls the node by its own name."""
        gpus = [{"index": 0, "uuid": "GPU-0", "verdict": "unfit", "reasons": ["fell off the bus"]}]
        devices = self.folder / "devices.json"
        devices.write_text(json.dumps({"nodes": [{"host": "here", "gpus": gpus}]}))
        job = dict(os.environ, SLURM_JOB_ID="17", SLURM_NTASKS="1", SLURM_JOB_NODELIST="n7",
                   SLURM_TASKS_PER_NODE="1")
        code, said = self.finish_launch(self.launch("--sick-nodes", "sick", "--devices-command", f"cat {devices}",
                                                    env=job))
        self.assertEqual(code, 3, said)
        self.assertEqual((self.folder / "sick").read_text(), "n7\n")


class Others(LaunchTest):
    """Ensembles and batches."""

    def test_an_ensemble(self):
        ensemble = ("ensemble:\n  temperatures_kelvin: [100, 105, 110, 115]\n  exchange_every_steps: 200\n"
                    "  sample_every_steps: 200\n  equilibration_steps: 200\n")
        self.input.write_text(self.input.read_text() + ensemble)
        options = ["--quiet", "--set", "dynamics.steps=20000"]
        self.run_well("run", self.input, *options, "--output", "whole")
        process = self.launch(command=["run", self.input, *options])
        self.wait_for_any_step(process, 5000)
        self.signal_all(self.ranks_below(process)[:1], signal.SIGKILL)
        code, said = self.finish_launch(process)
        self.assertEqual(code, 0, said)
        self.assertEqual(len(self.incidents()), 1, said)
        for file in ("ubq.ckpt.h5", "ubq.ensemble.h5"):
            code, out, err = self.run_nfold("compare", f"whole/{file}", f"ubq.out/{file}")
            self.assertEqual(code, 0, out + err)

    def test_a_batch(self):
        structure = pathlib.Path(os.environ["NFOLD_INPUT"]) / "structures" / "1ubq.pdb.gz"
        names = [f"t{k}" for k in range(6)]
        (self.folder / "list.yaml").write_text("targets:\n" + "".join(
            f"- {{name: {name}, structure: {structure}, protocol: run, input: {{dynamics: {{steps: 80000, "
            f"seed: {k + 1}}}, output: {{checkpoint_every_steps: 5000}}}}}}\n"
            for k, name in enumerate(names)))
        self.run_well("batch", "list.yaml", "--quiet", "--output", "whole")
        process = self.launch(command=["batch", "list.yaml", "--quiet", "--output", "parts"])
        self.wait_for(process, lambda: len(list((self.folder / "parts").glob("t*/run/run.status"))) >= 3)
        self.signal_all(self.ranks_below(process)[1:2], signal.SIGKILL)
        code, said = self.finish_launch(process)
        self.assertEqual(code, 0, said)
        self.assertTrue((self.folder / "parts" / "batch.incidents.jsonl").exists(), said)
        for name in names:
            file = f"{name}/run/run.ckpt.h5"
            code, out, err = self.run_nfold("compare", f"whole/{file}", f"parts/{file}")
            self.assertEqual(code, 0, out + err)


if __name__ == "__main__":
    unittest.main()

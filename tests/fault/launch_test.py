# nfold launch: after any failure the run ends with the bits of an undisturbed one.
# SPDX-License-Identifier: BSD-3-Clause
"""Six failures in the short form, thirty in the long one.

On a machine with GPUs (tests/gpu/README.md) NFOLD_RANKS is their number, NFOLD_STEPS makes runs
long enough to be hit, and NFOLD_ROUNDS=1 injects each of the ten kinds of failure once."""
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
STEPS = int(os.environ.get("NFOLD_STEPS", "8000"))
ROUNDS = int(os.environ.get("NFOLD_ROUNDS", "3" if is_long() else "0"))
WAIT_LIMIT_SECONDS = 3  # a loaded machine may delay one rank at the start


class LaunchTest(NfoldTest):
    OPTIONS = ["--quiet", "--set", f"dynamics.steps={STEPS}", "--set",
               f"partition.wait_limit_seconds={WAIT_LIMIT_SECONDS}"]

    def setUp(self):
        super().setUp()
        self.input.write_text(self.input.read_text().replace("checkpoint_every_steps: 200",
                                                             "checkpoint_every_steps: 500"))
        self.output = "ubq.out"

    def launch(self, *launch_options, command=None, **options):
        """Starts launch on RANKS ranks with a short pause. Its standard error goes to the file self.messages."""
        command_line = command or ["run", self.input, *self.OPTIONS, "--output", self.output]
        self.messages = self.folder / "messages"
        with open(self.messages, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [os.environ["NFOLD"], "launch", "-n", str(RANKS), "--pause", "0.2",
                 *map(str, launch_options), *map(str, command_line)],
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
        """(exit code, standard error)"""
        process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, self.messages.read_text()

    def wait_for(self, process, what, seconds=PATIENCE_SECONDS):
        """First true value of what(), or None if the process ends before."""
        began = time.monotonic()
        while process.poll() is None:
            found = what()
            if found:
                return found
            self.assertLess(time.monotonic() - began, seconds, self.messages.read_text())
            time.sleep(0.005)
        return None

    def wait_for_any_step(self, process, step):
        """wait_for_step() for the output folder of this test. Fails if the process ends before."""
        def is_there():
            status = self.status(self.output)
            is_its_own = status.get("process") not in (None, process.status_before)
            return is_its_own and int(status["step"]) >= step
        self.assertTrue(self.wait_for(process, is_there), self.messages.read_text())

    def find_mpirun(self, launch):
        children = self.ranks_of(launch)
        return children[0] if children else None

    def ranks_below(self, launch):
        mpirun = self.find_mpirun(launch)
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

    def begin(self, *launch_options):
        process = self.launch(*launch_options)
        self.wait_for_any_step(process, self.random.randrange(400, STEPS // 4))
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
        """No rank is left to wait for others, so only the status file shows the stall."""
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
        before = len(self.incidents())  # a busy machine may have caused an incident already
        self.signal_all([self.find_mpirun(process)], signal.SIGKILL)
        self.assertTrue(self.wait_for(process, lambda: len(self.incidents()) > before), self.messages.read_text())
        for rank in ranks:
            self.assertFalse(pathlib.Path(f"/proc/{rank}").exists(), "a rank outlives mpirun")
        return process

    def exhausted_memory(self):
        """Memory is short at the first start only."""
        launcher = self.script("mpirun_in_need", f"""\
[ "$1" = --version ] && exec "{os.environ["MPIEXEC"]}" --version
[ -e "{self.output}.was_in_need" ] && exec "{os.environ["MPIEXEC"]}" "$@"
touch "{self.output}.was_in_need"
exec "{os.environ["MPIEXEC"]}" "$@" --device-memory 20kB
""")
        return self.launch("--launcher", launcher)

    def a_damaged_newest_checkpoint(self):
        process = self.begin()
        process.send_signal(signal.SIGSTOP)  # stops launch itself, so that the damage comes before its restart
        mpirun = self.find_mpirun(process)
        self.signal_all([mpirun, *self.ranks_below(process)], signal.SIGKILL)
        newest = self.folder / self.output / "ubq.ckpt.h5"
        if newest.exists():  # otherwise the kill came between two renames, and the previous one is used
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
            self.skipTest("no tmpfs can be mounted here")  # skips the subtest only
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        self.output = "disk/ubq.out"
        process = self.begin()
        ballast = disk / "ballast"
        subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=64k"], capture_output=True,
                       check=False)
        self.wait_for(process, lambda: "launch: incident" in self.messages.read_text())
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

    def test_bits_match_an_undisturbed_run(self):
        self.run_well("run", self.input, *self.OPTIONS, "--output", "whole")
        for number, (name, kind) in enumerate(self.LONG * ROUNDS or self.SHORT):
            with self.subTest(failure=name, number=number):
                self.output = f"out{number}"
                process = getattr(self, name)()
                code, messages = self.finish_launch(process)
                self.assertEqual(code, 0, messages)
                self.assert_same_output("whole", self.output)
                self.assert_incident_recorded(kind, messages)
                if name == "a_device_hidden_at_the_restart":
                    self.assertIn(self.sick_gpu, messages)
                    self.assertRegex(messages, f"launch: {RANKS - 1} ranks? on this node")

    def assert_incident_recorded(self, kind, messages):
        """Checks the incident's record in the file and in the messages."""
        incidents = self.incidents()
        self.assertGreaterEqual(len(incidents), 1, messages)
        self.assertEqual(incidents[0]["what"], kind, messages)
        last = incidents[-1]
        if "woken, its ranks came to their end" in messages:  # a run near its end needs no restart
            self.assertEqual((kind, len(incidents)), ("hang", 1), messages)
            self.assertNotIn("resumed_at_step", last, messages)
            return
        self.assertIn("resumed_at_step", last, messages)
        print(f"{self.output}: {kind}: {last['details'][:70]}; {last['lost_steps']} steps lost, first new step "
              f"after {last['seconds_to_first_new_step']:.1f} s")
        if kind == "crash" and "rank" in messages and last["rank"] is not None:
            self.assertIn(f"rank {last['rank']}", messages)


if __name__ == "__main__":
    unittest.main()

# Measured program: its properties, and runs of it with a log and a time limit.
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import re
import signal
import subprocess
import time
from datetime import datetime, timezone
from pathlib import Path

QUESTION_SECONDS = 60


class StudyError(Exception):
    """The study cannot continue; the message has one line with the value found and the remedy."""


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def find_reason(text, code):
    """Line of a program's output with the reason of its end."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b", line, re.I)]
    line = (errors or lines or [f"exit code {code}, and no word why"])[0 if errors else -1]
    return line.removeprefix("nfold: error: ")[:500]


def run_logged(command, log, limit_seconds, cwd=None, environment=None):
    """(exit code, seconds, output). Code None means that the time limit was exceeded and all processes were ended.
    The log has the command, the output and the outcome."""
    arguments = [str(word) for word in command]
    began = time.monotonic()
    with open(log, "w+", encoding="utf-8", errors="replace") as file:
        file.write(f"# {now()}\n# {' '.join(arguments)}\n")
        file.flush()
        try:
            child = subprocess.Popen(arguments, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=cwd,
                                     start_new_session=True, env={**os.environ, **(environment or {})})
        except OSError as failure:
            file.write(f"error: {arguments[0]} cannot be started: {failure.strerror}\n")
            code = 127
        else:
            code = ended(child, limit_seconds)
        taken = time.monotonic() - began
        file.seek(0, os.SEEK_END)
        file.write(f"# {'ended by the limit' if code is None else f'exit code {code}'} after {taken:.2f} s\n")
        file.seek(0)
        output = "".join(line for line in file if not line.startswith("# "))
    return code, taken, output


def ended(child, limit_seconds):
    """Exit code of the child, None if it had to be killed. Any exception during the wait ends the child too."""
    try:
        return child.wait(limit_seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)  # mpirun then ends its ranks
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


class Program:
    """An nfold program, queried once for each fact."""

    def __init__(self, path):
        self.path = Path(path).absolute()
        version = self.query("--version").strip()
        found = re.fullmatch(r"nfold (\S+) \((\w+), sources (\w+)\)", version)
        if not found:
            raise StudyError(f"{self.path}: --version says {version[:100]!r}, expected that of nfold; give --nfold PATH")
        self.version_text = version
        self.space = found.group(2)
        self._devices, self._help = None, {}

    def query(self, *arguments):
        """Output of a command. Raises StudyError if it fails."""
        command = [str(word) for word in (self.path, *arguments)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=QUESTION_SECONDS)
        except OSError as failure:
            raise StudyError(f"{self.path}: cannot be started ({failure.strerror}); build nfold, or give --nfold "
                             "PATH") from failure
        except subprocess.TimeoutExpired as failure:
            raise StudyError(f"'{' '.join(command)}' has not answered in {QUESTION_SECONDS} s") from failure
        if done.returncode != 0:
            raise StudyError(f"nfold {command[1]}: {find_reason(done.stderr or done.stdout, done.returncode)}")
        return done.stdout

    def query_json(self, *arguments):
        text = self.query(*arguments)
        try:
            return json.loads(text)
        except ValueError as failure:
            raise StudyError(f"'{self.path.name} {' '.join(map(str, arguments))}' printed no JSON: {failure}") from failure

    @property
    def on_gpu(self):
        return self.space != "cpu"

    @property
    def unit(self):
        return "GPU" if self.on_gpu else "rank"

    def devices(self):
        """Devices of this node, as printed by nfold devices; exit code 2 (an unfit GPU) is valid."""
        if self._devices is None:
            done = subprocess.run([str(self.path), "devices", "--json"], capture_output=True, text=True, check=False,
                                  timeout=QUESTION_SECONDS)
            try:
                self._devices = json.loads(done.stdout)
            except ValueError as failure:
                raise StudyError(f"nfold devices --json: {find_reason(done.stderr, done.returncode)}") from failure
        return self._devices

    def units_here(self):
        """Number of GPUs available to the job, or of cores, on this node."""
        node = self.devices()["nodes"][0]
        if not self.on_gpu:
            return min(node["cpu"]["cores"] or os.cpu_count(), len(os.sched_getaffinity(0)))
        return sum(1 for gpu in node["gpus"] if gpu["is_visible"] and gpu["verdict"] != "unfit")

    def has_option(self, command, option):
        if command not in self._help:
            self._help[command] = self.query(command, "--help")
        return re.search(rf"^\s*{option}\b", self._help[command], re.M) is not None

    def has_profile(self):
        return self.has_option("run", "--profile")

    def suite(self):
        """{name: residues} of nfold bench --list."""
        found = {}
        for line in self.query("bench", "--list").splitlines():
            fields = line.split()
            if len(fields) > 1 and fields[1].replace(",", "").isdigit():
                found[fields[0]] = int(fields[1].replace(",", ""))
        return found

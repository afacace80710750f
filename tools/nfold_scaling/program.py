# The program that a study measures: what it is, what it can do, and a run of it with a log and a limit.
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
    """The study cannot go on; one line says what was found and what to do."""


def now():
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def reason_of(text, code):
    """The line of a program's words that says why it ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b", line, re.I)]
    told = (errors or lines or [f"exit code {code}, and no word why"])[0 if errors else -1]
    return told.removeprefix("nfold: error: ")[:500]


def run_logged(command, log, limit_seconds, cwd=None, environment=None):
    """(exit code, seconds, its words); code None: it took longer than its limit and was ended with all it started.
    The log has the command, then all words, then how it ended."""
    words = [str(word) for word in command]
    began = time.monotonic()
    with open(log, "w+", encoding="utf-8", errors="replace") as file:
        file.write(f"# {now()}\n# {' '.join(words)}\n")
        file.flush()
        try:
            child = subprocess.Popen(words, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=cwd,
                                     start_new_session=True, env={**os.environ, **(environment or {})})
        except OSError as failure:
            file.write(f"error: {words[0]} cannot be started: {failure.strerror}\n")
            code = 127
        else:
            code = ended(child, limit_seconds)
        taken = time.monotonic() - began
        file.seek(0, os.SEEK_END)
        file.write(f"# {'ended by the limit' if code is None else f'exit code {code}'} after {taken:.2f} s\n")
        file.seek(0)
        said = "".join(line for line in file if not line.startswith("# "))
    return code, taken, said


def ended(child, limit_seconds):
    """Its exit code; None where it had to be killed. Whatever interrupts the wait ends it, too."""
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
    """An nfold, asked once for each fact."""

    def __init__(self, path):
        self.path = Path(path).absolute()
        told = self.ask("--version").strip()
        found = re.fullmatch(r"nfold (\S+) \((\w+), sources (\w+)\)", told)
        if not found:
            raise StudyError(f"{self.path}: --version says {told[:100]!r}, expected that of nfold; give --nfold PATH")
        self.version_text = told
        self.space = found.group(2)
        self._devices, self._help = None, {}

    def ask(self, *words):
        """What it prints. StudyError if it fails."""
        command = [str(word) for word in (self.path, *words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=QUESTION_SECONDS)
        except OSError as failure:
            raise StudyError(f"{self.path}: cannot be started ({failure.strerror}); build nfold, or give --nfold "
                             "PATH") from failure
        except subprocess.TimeoutExpired as failure:
            raise StudyError(f"'{' '.join(command)}' has not answered in {QUESTION_SECONDS} s") from failure
        if done.returncode != 0:
            raise StudyError(f"nfold {command[1]}: {reason_of(done.stderr or done.stdout, done.returncode)}")
        return done.stdout

    def ask_json(self, *words):
        text = self.ask(*words)
        try:
            return json.loads(text)
        except ValueError as failure:
            raise StudyError(f"'{self.path.name} {' '.join(map(str, words))}' printed no JSON: {failure}") from failure

    @property
    def on_gpu(self):
        return self.space != "cpu"

    @property
    def unit(self):
        return "GPU" if self.on_gpu else "rank"

    def devices(self):
        """Of this node, as nfold devices tells; exit code 2 (an unfit GPU) is an answer as well."""
        if self._devices is None:
            done = subprocess.run([str(self.path), "devices", "--json"], capture_output=True, text=True, check=False,
                                  timeout=QUESTION_SECONDS)
            try:
                self._devices = json.loads(done.stdout)
            except ValueError as failure:
                raise StudyError(f"nfold devices --json: {reason_of(done.stderr, done.returncode)}") from failure
        return self._devices

    def units_here(self):
        """GPUs that the job may use, or cores, of this node."""
        node = self.devices()["nodes"][0]
        if not self.on_gpu:
            return min(node["cpu"]["cores"] or os.cpu_count(), len(os.sched_getaffinity(0)))
        return sum(1 for gpu in node["gpus"] if gpu["is_visible"] and gpu["verdict"] != "unfit")

    def has_option(self, command, option):
        if command not in self._help:
            self._help[command] = self.ask(command, "--help")
        return re.search(rf"^\s*{option}\b", self._help[command], re.M) is not None

    def has_profile(self):
        return self.has_option("run", "--profile")

    def suite(self):
        """{name: residues} of nfold bench --list."""
        found = {}
        for line in self.ask("bench", "--list").splitlines():
            words = line.split()
            if len(words) > 1 and words[1].replace(",", "").isdigit():
                found[words[0]] = int(words[1].replace(",", ""))
        return found

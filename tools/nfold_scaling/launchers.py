# How ranks are started: mpirun or srun, by its own words, as nfold launch starts them.
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .program import StudyError, reason_of, run_logged

PROBE_SECONDS = 120


@dataclass(frozen=True)
class Launcher:
    """kind: "mpirun", "srun", or "" where ranks cannot be started and one rank runs alone."""

    kind: str
    words: tuple = ()
    implementation: str = ""

    def command(self, ranks, program, oversubscribed=False):
        if not self.kind:
            return list(program)
        more = ["--oversubscribe"] if oversubscribed and self.is_open_mpi and "--oversubscribe" not in self.words else []
        return [*self.words, *more, "-n" if self.kind == "srun" else "-np", str(ranks), *map(str, program)]

    @property
    def is_open_mpi(self):
        return self.kind == "mpirun" and ("Open MPI" in self.implementation or "OpenRTE" in self.implementation)

    @property
    def in_words(self):
        if not self.kind:
            return "no launcher, one rank"
        return f"'{' '.join(self.words)}'" + (f" ({self.implementation})" if self.implementation else "")


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ((done.stdout or done.stderr).strip().splitlines() or [""])[0]


def mpirun(words):
    """Open MPI binds each of two ranks to one core unless told otherwise; nfold finds its own cores."""
    told = first_line(words[0], "--version")
    launcher = Launcher("mpirun", tuple(words), told)
    if launcher.is_open_mpi:
        if os.geteuid() == 0 and "--allow-run-as-root" not in words:
            words = [*words, "--allow-run-as-root"]
        if "--bind-to" not in words:
            words = [*words, "--bind-to", "none"]
    return Launcher("mpirun", tuple(words), told)


def srun(words):
    return Launcher("srun", tuple(words), first_line(words[0], "--version"))


def probe(launcher, program, ranks=2, oversubscribed=True):
    """(the row of a measurement of a moment on so many ranks, what is wrong): one of them is None."""
    with tempfile.TemporaryDirectory() as folder:
        table, log = Path(folder) / "probe.json", Path(folder) / "probe.log"
        words = [program.path, "bench", "--only", "go-ubq", "--seconds", "0.01", "--repeats", "1", "--warm-up", "1",
                 "--threads", "1", "--json", table]
        code, _, said = run_logged(launcher.command(ranks, words, oversubscribed), log, PROBE_SECONDS, cwd=folder)
        if code is None:
            return None, f"{ranks} ranks were not done after {PROBE_SECONDS} s"
        try:
            row = json.loads(table.read_text(encoding="utf-8"))["measurements"][0]
        except (OSError, ValueError, LookupError):
            return None, reason_of(said, code)
    if row["ranks"] != ranks:
        return None, wrong_ranks(ranks, row["ranks"])
    if row["status"] != "measured":
        return None, row["reason"]
    return row, None


def wrong_ranks(wanted, found):
    return (f"{wanted} ranks were started, but each nfold found {found}: the launcher is not that of the MPI that nfold "
            "was built with; give the right one by --mpirun, or --srun 'srun --mpi=pmix'")


def found_launcher(program, mpirun_words="", srun_words="", environment=os.environ):
    """What the user names; in a Slurm job the first of srun and mpirun that can start two ranks; else mpirun."""
    for named, make in ((mpirun_words, mpirun), (srun_words, srun)):
        if named:
            words = shlex.split(named)
            if not words or shutil.which(words[0]) is None:
                raise StudyError(f"'{named}': there is no such launcher on PATH")
            return make(words)
    if "SLURM_JOB_ID" in environment:
        for words in (["srun", "--mpi=pmix"], ["srun"], ["mpirun"]):
            if shutil.which(words[0]):
                launcher = (mpirun if words[0] == "mpirun" else srun)(words)
                if probe(launcher, program)[1] is None:
                    return launcher
    for name in ("mpirun", "mpiexec"):
        if shutil.which(name):
            return mpirun([name])
    return Launcher("")

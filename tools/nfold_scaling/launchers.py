# Launchers of ranks: mpirun or srun with their arguments, as nfold launch uses them.
# SPDX-License-Identifier: BSD-3-Clause

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .program import StudyError, find_reason, run_logged

PROBE_SECONDS = 120


@dataclass(frozen=True)
class Launcher:
    """Launcher of kind "mpirun", "srun", or "" if only one rank can run."""

    kind: str
    arguments: tuple = ()
    implementation: str = ""

    def command(self, ranks, program, oversubscribed=False):
        if not self.kind:
            return list(program)
        more = ["--oversubscribe"] if oversubscribed and self.is_open_mpi and "--oversubscribe" not in self.arguments else []
        return [*self.arguments, *more, "-n" if self.kind == "srun" else "-np", str(ranks), *map(str, program)]

    @property
    def is_open_mpi(self):
        return self.kind == "mpirun" and ("Open MPI" in self.implementation or "OpenRTE" in self.implementation)

    @property
    def describe(self):
        if not self.kind:
            return "no launcher, one rank"
        return f"'{' '.join(self.arguments)}'" + (f" ({self.implementation})" if self.implementation else "")


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ((done.stdout or done.stderr).strip().splitlines() or [""])[0]


def mpirun(arguments):
    """mpirun launcher. Open MPI would bind each of two ranks to one core; nfold finds its own cores."""
    version = first_line(arguments[0], "--version")
    launcher = Launcher("mpirun", tuple(arguments), version)
    if launcher.is_open_mpi:
        if os.geteuid() == 0 and "--allow-run-as-root" not in arguments:
            arguments = [*arguments, "--allow-run-as-root"]
        if "--bind-to" not in arguments:
            arguments = [*arguments, "--bind-to", "none"]
    return Launcher("mpirun", tuple(arguments), version)


def srun(arguments):
    return Launcher("srun", tuple(arguments), first_line(arguments[0], "--version"))


def probe(launcher, program, ranks=2, oversubscribed=True):
    """(row of a short measurement on this many ranks, error); one of them is None."""
    with tempfile.TemporaryDirectory() as folder:
        table, log = Path(folder) / "probe.json", Path(folder) / "probe.log"
        arguments = [program.path, "bench", "--only", "go-ubq", "--seconds", "0.01", "--repeats", "1", "--warm-up", "1",
                     "--threads", "1", "--json", table]
        code, _, output = run_logged(launcher.command(ranks, arguments, oversubscribed), log, PROBE_SECONDS, cwd=folder)
        if code is None:
            return None, f"{ranks} ranks were not done after {PROBE_SECONDS} s"
        try:
            row = json.loads(table.read_text(encoding="utf-8"))["measurements"][0]
        except (OSError, ValueError, LookupError):
            return None, find_reason(output, code)
    if row["ranks"] != ranks:
        return None, wrong_ranks(ranks, row["ranks"])
    if row["status"] != "measured":
        return None, row["reason"]
    return row, None


def wrong_ranks(started, found):
    return (f"{started} ranks were started, but each nfold found {found}: the launcher is not that of the MPI that nfold "
            "was built with; give the right one by --mpirun, or --srun 'srun --mpi=pmix'")


def find_launcher(program, mpirun_words="", srun_words="", environment=os.environ):
    """Launcher given by the user; in a Slurm job, the first of srun and mpirun that starts two ranks; else mpirun."""
    for named, make in ((mpirun_words, mpirun), (srun_words, srun)):
        if named:
            arguments = shlex.split(named)
            if not arguments or shutil.which(arguments[0]) is None:
                raise StudyError(f"'{named}': there is no such launcher on PATH")
            return make(arguments)
    if "SLURM_JOB_ID" in environment:
        for arguments in (["srun", "--mpi=pmix"], ["srun"], ["mpirun"]):
            if shutil.which(arguments[0]):
                launcher = (mpirun if arguments[0] == "mpirun" else srun)(arguments)
                if probe(launcher, program)[1] is None:
                    return launcher
    for name in ("mpirun", "mpiexec"):
        if shutil.which(name):
            return mpirun([name])
    return Launcher("")

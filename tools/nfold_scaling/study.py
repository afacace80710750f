# Study from its options to its output folder: settings, runs, results.
# SPDX-License-Identifier: BSD-3-Clause
"""DIR/config.json has all settings; DIR/runs.csv has one row per start and is written after each, so that
--resume continues from any end. DIR/summary.txt, summary.csv and the pictures are made from them."""

import json
import os
import platform
import shutil
import signal
import sys
from pathlib import Path

from .cases import BENCH, make_cases
from .launchers import find_launcher
from .measuring import Measuring
from .model import Model
from .options import ASKED, MAY_GROW, resolve_options, find_nfold, given_options
from .points import all_series
from .program import Program, StudyError, now
from .rows import FAILED, MEASURED, read_rows, write_atomically, write_rows
from .summary import summary_csv, summary_text
from .systems import Systems

FORMAT = 1
DONE, WRONG, SOME_FAILED, STOPPED = 0, 1, 2, 75  # exit codes, equal to nfold's
DEFAULT_FOLDER = Path("scaling-study.out")
OWN = ("config.json", "runs.csv", "summary.txt", "summary.csv", "logs", "inputs", "runs", "plans")
ENVIRONMENT = ("OMP_", "CUDA_", "NCCL_", "SLURM_", "OMPI_", "UCX_", "NFOLD_", "LD_LIBRARY_PATH", "KOKKOS_")


class Stopped(Exception):
    """A signal ends the study; finished measurements are kept."""


def stop_on_signals():
    def stop(number, _frame):
        raise Stopped(signal.Signals(number).name)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(one, stop)


def describe_machine(program, launcher, units):
    """Facts about this machine that a repetition needs beside the settings."""
    node = program.devices()["nodes"][0]
    gpus = [gpu["name"] for gpu in node["gpus"]]
    machine = f"{node['cpu']['model']}, {node['cpu']['cores']} cores" + (
        f", {len(gpus)} x {gpus[0]}" if gpus else "")
    return {"nfold": str(program.path), "version": program.version_text, "unit": program.unit, "units": units,
            "cores_here": os.cpu_count() or 1, "machine_here": machine, "launcher": f"ranks started by {launcher.describe}",
            "launcher_words": list(launcher.arguments)}


def session(program):
    return {"started": now(), "host": platform.node(), "command": sys.argv, "folder": os.getcwd(),
            "python": platform.python_version(), "devices": program.devices(),
            "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(ENVIRONMENT)}}


def count_units(program):
    """GPUs or cores of all nodes of the job, which are taken to be alike, at most the ranks that Slurm gives."""
    units = program.units_here() * int(os.environ.get("SLURM_JOB_NUM_NODES", "1"))
    return min(units, int(os.environ.get("SLURM_NTASKS", units)))


class Study:
    def __init__(self, options):
        self.folder = (options.output_dir or DEFAULT_FOLDER).resolve()
        self.program = Program(find_nfold(options))
        units = count_units(self.program)
        if self.program.on_gpu and units == 0:
            raise StudyError("this nfold is for GPUs, and 'nfold devices' finds none that is fit; give --nfold with a build "
                             "for CPUs")
        sessions = self.begin(options, units)
        launcher = find_launcher(self.program, options.mpirun, options.srun)
        found = describe_machine(self.program, launcher, units)
        self.config = {**self.asked, **found}
        self.notes = []
        if self.config["profile"] and not self.program.has_profile():
            self.notes.append("--profile: this nfold has no --profile, so there are no profiles")
            self.config["profile"] = False
        self.cases = make_cases(self.config, Systems(self.program.suite(), self.folder / "inputs"))
        self.keep(found, sessions + [session(self.program)])
        self.measuring = Measuring(self.config, self.program, launcher, self.folder)

    def begin(self, options, units):
        """Set the settings and the rows so far. Return the earlier sessions."""
        path = self.folder / "config.json"
        self.rows = []
        if options.resume:
            return self.resumed(options, path)
        if path.exists() and not options.overwrite:
            raise StudyError(f"{self.folder}: holds a study; give --resume to go on with it, --overwrite to replace it, or "
                             "another --output-dir")
        if not path.exists() and self.folder.is_dir() and any(self.folder.iterdir()):
            raise StudyError(f"{self.folder}: is not empty and holds no study; give another --output-dir")
        for name in OWN if path.exists() else ():
            shutil.rmtree(self.folder / name) if (self.folder / name).is_dir() else (self.folder / name).unlink(True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.asked = resolve_options(options, self.program.on_gpu, units)
        return []

    def resumed(self, options, path):
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            self.asked = {name: kept["asked"][name] for name in ASKED}
            version, sessions = kept["found"]["version"], kept["sessions"]
        except OSError as failure:
            raise StudyError(f"{path}: {failure.strerror}; --resume needs the --output-dir of a study") from failure
        except (ValueError, LookupError, TypeError) as failure:
            raise StudyError(f"{path}: is not that of a study ({failure}); begin anew in another folder") from failure
        if version != self.program.version_text:
            raise StudyError(f"{self.folder}: was begun with {version}, and this is {self.program.version_text}; give that "
                             "one by --nfold, or another --output-dir")
        if options.form:
            raise StudyError("--resume goes on with the options of config.json; leave --quick and --full out")
        for name, value in given_options(options).items():
            grows = name in MAY_GROW and value >= self.asked[name]
            if value != self.asked[name] and not grows:
                raise StudyError(f"{name} is {self.asked[name]} in {path}, and {value} now; leave it out, or give another "
                                 "--output-dir")
            self.asked[name] = value
        if (self.folder / "runs.csv").exists():
            self.rows = read_rows(self.folder / "runs.csv")
        return sessions

    def keep(self, found, sessions):
        text = json.dumps({"format": FORMAT, "asked": self.asked, "found": found, "sessions": sessions,
                           "order": [case.key for case in self.cases]}, indent=1)
        write_atomically(self.folder / "config.json", text + "\n")

    def run(self):
        """Run the study and return an exit code. Measurements are summarised after any end."""
        done = {row["key"] for row in self.rows if row["status"] == MEASURED}
        left = [(order, case) for order, case in enumerate(self.cases, 1) if case.key not in done]
        earlier = f", {len(done)} of them measured before" if done else ""
        print(f"scaling_study: {len(self.cases)} runs{earlier}, into {self.folder}", flush=True)
        for note in self.notes:
            print(f"scaling_study: {note}", flush=True)
        code = DONE
        try:
            for order, case in left:
                self.add(self.measuring.row(case, order))
        except Stopped as stopped:
            print(f"scaling_study: stopped by {stopped}; the same command with --resume goes on", file=sys.stderr)
            code = STOPPED
        pictures = self.sum_up()
        print(f"\n{(self.folder / 'summary.txt').read_text(encoding='utf-8')}", end="")
        print(f"\nscaling_study: summary.txt, summary.csv and {', '.join(pictures) or 'no pictures'} in {self.folder}")
        if code == DONE and any(row["status"] == FAILED for row in self.rows):
            code = SOME_FAILED
        return code

    def add(self, row):
        self.rows = [old for old in self.rows if old["key"] != row["key"]] + [row]
        write_rows(self.folder / "runs.csv", self.rows)
        what = f"{row['steps_per_second']:,.1f} steps/s" if row.get("steps_per_second") else row["status"]
        why = f": {row['reason']}" if row["reason"] else ""
        unit = self.config["unit"] + ("s" if row["ranks"] > 1 else "")
        print(f"{row['order']:4}/{len(self.cases)} {row['kind']} {row['scaling']} {row['system']}, {row['ranks']} {unit}, "
              f"{row['precision']}, repeat {row['repeat']}: {what}{why}", flush=True)

    def sum_up(self):
        rows = read_rows(self.folder / "runs.csv") if self.rows else []
        model = Model(self.program, self.config, self.folder / "plans")
        systems = {case.system.name: case.system for case in self.cases}
        found = all_series(rows, lambda name, precision, ranks: model.steps_per_second(systems[name], precision, ranks)
                           if "speed" in self.config["modes"] else None)
        missing = len(self.cases) - len({row["key"] for row in rows})
        write_atomically(self.folder / "summary.csv", summary_csv(found))
        write_atomically(self.folder / "summary.txt",
                         summary_text(self.config, rows, found, self.notes + self.beside(rows) + model.notes, missing))
        from .figures import write_pictures  # imported late, since drawing takes a second to load
        return write_pictures(self.folder, self.config, found)

    def beside(self, rows):
        """Notes on what the rank counts mean here."""
        many = sorted({row["ranks"] for row in rows if row["ranks"] > self.config["units"]})
        what = "GPUs" if self.program.on_gpu else "cores"
        notes = []
        if many:
            notes.append(f"ranks shared {what} on {', '.join(map(str, many))} {self.config['unit']}s: there are "
                         f"{self.config['units']} {what} only, and such speeds are no scaling")
        if any(row["predicted_steps_per_second"] for row in rows):
            notes.append(f"predictions are those of nfold bench --machine {self.config['machine']}")
        if self.config["profile"] and any(row["kind"] != BENCH for row in rows):
            notes.append("tables and timelines of profiles are in runs/, a folder a case")
        return notes

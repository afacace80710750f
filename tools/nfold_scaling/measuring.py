# Start of nfold for a case, and the row of its result.
# SPDX-License-Identifier: BSD-3-Clause

import csv
import json
import os
import platform
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from . import run_output
from .cases import BENCH
from .launchers import wrong_ranks
from .program import StudyError, now, find_reason, run_logged
from .rows import FAILED, LEFT_OUT, MEASURED

MOST_PARTITION_RANKS = 64  # limit of nfold check --partitions
LARGE = (".h5", ".h5md", ".dcd", ".psf")  # endings of a run's output that are deleted
LOAD_SECONDS = 0.2
# Chains on a lattice do not overlap at any density; a strong thermostat brings them to the temperature.
START_SETTINGS = ("start.from=lattice", "dynamics.friction_per_ps=1")
ASSESSMENTS = 10  # largest number of load comparisons in a short run


def processor_times():
    """(idle, all) ticks of this node's processors; None without Linux' table."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
    except (OSError, ValueError):
        return None
    return ticks[3] + ticks[4], sum(ticks)


def busy_cores():
    """Processors of this node kept busy by others, while no run of the study is active; None if unknown."""
    before = processor_times()
    time.sleep(LOAD_SECONDS)
    after = processor_times()
    if before is None or after is None or after[1] == before[1]:
        return None
    return (1 - (after[0] - before[0]) / (after[1] - before[1])) * (os.cpu_count() or 1)


class Measuring:
    """Starts nfold for a `config`. Logs, inputs and runs go below `folder`."""

    def __init__(self, config, program, launcher, folder):
        self.config, self.program, self.launcher, self.folder = config, program, launcher, folder
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.threads = ["--threads", config["threads"]] if config["threads"] else []  # empty: nfold chooses
        by_bench = config["model"] and config["machine"] and program.has_option("bench", "--machine")
        self.predicting = ["--machine", config["machine"]] if by_bench else []
        self.failed_starts = {}  # {input: reason why it has no start}, so that it is tried once

    def start(self, case, arguments, log):
        oversubscribed = case.ranks > self.config["units"]
        command = ([*map(str, arguments)] if case.ranks == 1 and not self.launcher.kind
                   else self.launcher.command(case.ranks, arguments, oversubscribed))
        return run_logged(command, log, self.config["limit_seconds"])

    def row(self, case, order):
        """Row of a case; a failed one has its reason."""
        log = self.logs / f"{order:04d}-{case.key}.log"
        row = {"key": case.key, "kind": case.kind, "scaling": case.scaling, "series": case.series,
               "system": case.system.name, "residues": case.system.residues, "ranks": case.ranks,
               "precision": case.precision, "repeat": case.repeat, "order": order, "status": MEASURED, "reason": "",
               "started": now(), "host": platform.node(), "device": "", "transport": "", "bottleneck": "",
               "busy_cores_before": busy_cores(), "log": str(log.relative_to(self.folder))}
        try:
            if case.ranks > 1 and not self.launcher.kind:
                raise StudyError("there is no mpirun and no srun on PATH; install an MPI, or give --mpirun")
            found = self.bench(case, log) if case.kind == BENCH else self.run(case, log)
            row.update(found)
        except (StudyError, OSError) as failure:
            row.update({"status": FAILED, "reason": str(failure)})
        return row

    def settings(self, case, *more):
        return ["--set", f"dynamics.precision={case.precision}", *more, *self.config["settings"]]

    def input_arguments(self, case):
        """(input, its settings). A condensate of the study resumes from a start that is made once."""
        system = case.system
        if not system.is_condensate:
            return system.input, system.settings
        checkpoint = system.input.parent / "start.ckpt.h5"
        if system.input in self.failed_starts:
            raise StudyError(self.failed_starts[system.input])
        if not checkpoint.exists():
            self.make_start(case, checkpoint)
        return system.input, (*system.settings, "start.from=checkpoint", f"start.checkpoint={checkpoint}",
                              "start.minimise_steps=0")

    def make_start(self, case, checkpoint):
        log, out = self.logs / f"start-{checkpoint.parent.name}.log", checkpoint.parent / "start.out"
        arguments = [self.program.path, "run", case.system.input, "--quiet", "--overwrite", *self.threads, "--output", out,
                     "--set", f"dynamics.steps={self.config['start_steps']}", *START_SETTINGS]
        code, _, output = self.start(case, arguments, log)
        made = out / f"{case.system.input.stem}.ckpt.h5"
        if code != 0 or not made.exists():
            self.failed_starts[case.system.input] = (f"the start of {case.system.name} could not be made: "
                                                     f"{self.failure_reason(code, output)} ({log.relative_to(self.folder)})")
            raise StudyError(self.failed_starts[case.system.input])
        os.replace(made, checkpoint)
        shutil.rmtree(out)

    def failure_reason(self, code, output):
        if code is None:
            return f"not done after {self.config['limit_seconds']:g} s; give a longer --limit"
        return find_reason(output, code)

    def bench(self, case, log):
        config, table = self.config, log.with_suffix(".json")
        arguments = [self.program.path, "bench"]
        if case.system.in_suite:
            arguments += ["--only", case.system.name, "--json", table, "--overwrite"]
            arguments += [] if config["warm_up"] is None else ["--warm-up", config["warm_up"]]
            arguments += self.timing() + self.settings(case)
        else:
            path, settings = self.input_arguments(case)
            arguments += [path, *self.timing(), *self.settings(case, *settings)]
        code, seconds, output = self.start(case, arguments, log)
        found = {"wall_seconds": seconds}
        try:
            measured = parse_table(table) if case.system.in_suite else parse_line(output)
        except (OSError, ValueError, LookupError, StopIteration):
            raise StudyError(self.failure_reason(code, output)) from None
        if measured["ranks"] != case.ranks:
            raise StudyError(wrong_ranks(case.ranks, measured["ranks"]))
        if code != 0:
            raise StudyError(measured.get("reason") or self.failure_reason(code, output))
        return {**found, **{name: value for name, value in measured.items() if name not in ("ranks", "reason")}}

    def timing(self):
        config = self.config
        return ["--seconds", config["seconds"], "--repeats", config["measurements"], *self.threads, *self.predicting]

    def run(self, case, log):
        if case.system.input is None:
            return {"status": LEFT_OUT, "reason": f"nfold's suite has no input file of {case.system.name} that could be "
                                                  "run; give an INPUT.yaml"}
        config, out = self.config, self.folder / "runs" / case.key
        border = max(1, config["run_steps"] // ASSESSMENTS)  # ranks are compared between blocks of steps
        path, settings = self.input_arguments(case)
        arguments = [self.program.path, "run", path, "--quiet", "--overwrite", *self.threads, "--output", out,
                     *(["--profile"] if config["profile"] else []),
                     *self.settings(case, *settings, f"dynamics.steps={config['run_steps']}",
                                    "partition.rebalance_every_steps=100", "output.trajectory_every_steps=0",
                                    f"output.energies_every_steps={border}")]
        code, seconds, output = self.start(case, arguments, log)
        if code != 0:
            raise StudyError(self.failure_reason(code, output))
        found = {"wall_seconds": seconds}
        for name in out.glob("*.log"):
            found.update(run_output.of_log(name.read_text(encoding="utf-8", errors="replace")))
        if found.pop("ranks", case.ranks) != case.ranks:
            raise StudyError(f"asked for {case.ranks} ranks, but the log of {out} tells of others")
        for name in out.glob("*.balance.csv"):
            found.update(run_output.of_balance(name))
        if config["profile"]:
            for name in out.glob("*.performance.json"):
                found.update(run_output.of_performance(name))
        if "balance" in config["modes"]:
            found["predicted_balance"] = self.predicted_balance(case, settings)
        if "memory" in config["modes"]:
            found.update(self.checked_memory(case, settings))
        for name in out.iterdir():
            if name.name.endswith(LARGE):
                name.unlink()
        return found

    def predicted_balance(self, case, settings):
        """Predicted balance of the method taken by auto; None if the program does not print it."""
        if not 1 < case.ranks <= MOST_PARTITION_RANKS:
            return None
        with tempfile.TemporaryDirectory() as folder:
            try:
                self.program.query("check", case.system.input, "--partitions", case.ranks, "--output",
                                   Path(folder) / "owners", *self.settings(case, *settings))
                with open(Path(folder) / "owners/partitions.csv", newline="", encoding="utf-8") as file:
                    return next(float(row["balance"]) for row in csv.DictReader(file) if row["is_auto"] == "1")
            except (StudyError, OSError, LookupError, StopIteration):
                return None

    def checked_memory(self, case, settings):
        """Memory planned by nfold check; the log's own plan is used if it prints none."""
        text = self.program.query("check", case.system.input, "--memory", "--ranks", case.ranks,
                                  *self.settings(case, *settings))
        planned = run_output.planned_by_check(text)
        return {} if planned is None else {"planned_bytes": planned}


def parse_table(path):
    """Median of the measurements in a suite's table with one system."""
    rows = json.loads(path.read_text(encoding="utf-8"))["measurements"]
    first = rows[0]
    found = {"ranks": first["ranks"], "residues": first["residues"], "device": first["device"],
             "reason": first["reason"]}
    if first["status"] != "measured":
        return found
    speeds = [row["steps_per_second"] for row in rows]
    per_residue = first["memory_bytes_per_residue"]
    found.update({"steps_per_second": statistics.median(speeds), "slowest_steps_per_second": min(speeds),
                  "fastest_steps_per_second": max(speeds), "transport": first["transport"] or "",
                  "memory_bytes": round(per_residue * first["residues"]) if per_residue else None})
    found["predicted_steps_per_second"] = first.get("predicted_steps_per_second")
    found.update({name: first[name] for name in ("skin_nm", "forces_us", "lists_us", "integrate_us", "exchange_us")})
    return found


def parse_line(output):
    """Values of the JSON line at the end of nfold bench INPUT's output."""
    line = next(line for line in reversed(output.splitlines()) if line.startswith("{"))
    values = json.loads(line)
    found = {name: values[name] for name in ("ranks", "steps_per_second", "slowest_steps_per_second",
                                             "fastest_steps_per_second", "memory_bytes")}
    found.update({"device": values["space"], "residues": values["residues"] * values.get("replicas", 1),
                  **{name: values.get(name) for name in ("skin_nm", "predicted_steps_per_second")}})
    return found

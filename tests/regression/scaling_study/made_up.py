#!/usr/bin/env python3
# Stand-in for nfold and mpirun, which answers a scaling study and fails on request.
# SPDX-License-Identifier: BSD-3-Clause
"""Called as mpirun (-np N ARGUMENTS...), it starts ARGUMENTS once with N in the environment; as nfold, it answers. The
file failures.json beside it names failing ranks or systems: {"system": ..., "ranks": ..., "how": "row" | "end" | "sleep"}."""

import json
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SYSTEMS = {"go-ubq": 76, "go-10k": 10_032, "droplets-300k": 299_992}
DEVICES = {"nodes": [{"host": "made-up", "cpu": {"model": "made-up", "cores": 4}, "driver": None, "gpus": [], "links": [],
                      "notes": []}], "verdict": "healthy"}


def option_value(option, arguments):
    return arguments[arguments.index(option) + 1]


def planned_failure(system, ranks):
    path = HERE / "failures.json"
    failure = json.loads(path.read_text()) if path.exists() else {}
    return failure.get("how") if failure.get("system") == system and failure.get("ranks") in (None, ranks) else None


def bench(arguments, ranks):
    system = option_value("--only", arguments)
    with open(HERE / "calls", "a", encoding="utf-8") as file:
        file.write(f"{system} {ranks}\n")
    how = planned_failure(system, ranks)
    if how == "end":
        print("nfold: error: out of memory on purpose", file=sys.stderr)
        return 3
    if how == "sleep":
        time.sleep(60)
    if how == "alone":
        ranks = 1
    row = {"ranks": ranks, "residues": SYSTEMS[system], "device": "made-up", "status": "failed" if how == "row" else
           "measured", "reason": "the run explodes on purpose" if how == "row" else "",
           "steps_per_second": 1000.0 * ranks**0.9, "memory_bytes_per_residue": 1000, "transport": "MPI",
           "skin_nm": 0.4, "forces_us": None, "lists_us": None, "integrate_us": None, "exchange_us": 5.0,
           "predicted_steps_per_second": 500.0 if "--machine" in arguments else None}
    Path(option_value("--json", arguments)).write_text(json.dumps({"measurements": [row]}), encoding="utf-8")
    return 2 if how == "row" else 0


def run(arguments, ranks):
    out = Path(option_value("--output", arguments))
    out.mkdir(parents=True)
    (out / "words").write_text(" ".join(arguments), encoding="utf-8")
    (out / "a.ckpt.h5").write_text("large", encoding="utf-8")
    (out / "a.log").write_text(f"info: nfold: a.yaml, 76 residues, 1 chain, {ranks} ranks, made-up\n"
                               "info: memory: planned 2.5 MiB, peak 2 MiB (ratio 1.250)\n", encoding="utf-8")
    if "--profile" in arguments:
        # Times of 1000 steps. Waits grow with the ranks.
        phases = {"start": 0.5, "pair": 0.1 / ranks, "bonded": 0.05 / ranks, "migrate": 1e-6, **({"wait": 0.04} if ranks > 1 else {})}
        (out / "a.performance.json").write_text(json.dumps({
            "format": 1, "first_step": 0, "last_step": 1000, "mean_phase_seconds": phases,
            "bottleneck": {"words": f"made-up words of {ranks}", "advice": "made-up advice"}}), encoding="utf-8")
    # The second comparison moved residues. It and the ones before do not count.
    table = "step,balance,step_milliseconds,has_moved,rank,busy_milliseconds,residues,ghosts\n"
    for step, moved, busy in ((100, 0, 0.1), (200, 1, 0.1), (300, 0, 0.4), (400, 0, 0.6)):
        for rank in range(ranks):
            table += f"{step},{0.5 + busy / 2},1,{moved},{rank},{busy},{38 + rank},5\n"
    (out / "a.balance.csv").write_text(table if ranks > 1 else table.splitlines()[0] + "\n", encoding="utf-8")
    return 0


def nfold(arguments):
    ranks = int(os.environ.get("MADE_UP_RANKS", "1"))
    if arguments == ["--version"]:
        print("nfold 0.1.0 (cpu, sources 0123456789abcdef)")
    elif arguments[:2] == ["bench", "--list"]:
        for name, residues in SYSTEMS.items():
            print(f"{name:<18} {residues:>11,}  made up")
    elif arguments == ["bench", "--help"]:
        print("Options:\n  --machine NAME|FILE   Predict")
    elif arguments[0] == "bench":
        return bench(arguments, ranks)
    elif arguments[:2] == ["devices", "--json"]:
        print(json.dumps(DEVICES))
    elif arguments[:2] == ["run", "--help"]:
        print("Options:\n  --output DIR   Folder" + ("\n  --profile      Times" if (HERE / "has_profile").exists() else ""))
    elif arguments[0] == "run":
        return run(arguments, ranks)
    elif arguments[0] == "plan":
        print(json.dumps({"machine": {"name": "made-up", "speeds_are": "made up"},
                          "layouts": [{"nodes": 1, "ranks_per_node": n, "on_gpu": False, "possible": True,
                                       "step_seconds": 1e-3 / n} for n in (1, 2)]}))
    else:
        print(f"nfold: error: unknown words {arguments}", file=sys.stderr)
        return 1
    return 0


def mpirun(arguments):
    if arguments == ["--version"]:
        print("made-up MPI 1.0")
        return 0
    os.environ["MADE_UP_RANKS"] = arguments[arguments.index("-np") + 1]
    program = arguments[arguments.index("-np") + 2:]
    os.execv(program[0], program)


if __name__ == "__main__":
    sys.exit((mpirun if Path(sys.argv[0]).name == "mpirun" else nfold)(sys.argv[1:]))

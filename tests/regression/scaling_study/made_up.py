#!/usr/bin/env python3
# A made-up nfold and mpirun: they answer a scaling study as the real ones do, and fail where a test wants it.
# SPDX-License-Identifier: BSD-3-Clause
"""Called as mpirun (-np N WORDS...) it starts WORDS once and tells them N; called as nfold it answers. Which ranks or
systems fail stands in a file beside it, failures.json: {"system": ..., "ranks": ..., "how": "row" | "end" | "sleep"}."""

import json
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SYSTEMS = {"go-ubq": 76, "go-10k": 10_032, "droplets-300k": 299_992}
DEVICES = {"nodes": [{"host": "made-up", "cpu": {"model": "made-up", "cores": 4}, "driver": None, "gpus": [], "links": [],
                      "notes": []}], "verdict": "healthy"}


def after(option, words):
    return words[words.index(option) + 1]


def planned_failure(system, ranks):
    path = HERE / "failures.json"
    wanted = json.loads(path.read_text()) if path.exists() else {}
    return wanted.get("how") if wanted.get("system") == system and wanted.get("ranks") in (None, ranks) else None


def bench(words, ranks):
    system = after("--only", words)
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
           "predicted_steps_per_second": 500.0 if "--machine" in words else None}
    Path(after("--json", words)).write_text(json.dumps({"measurements": [row]}), encoding="utf-8")
    return 2 if how == "row" else 0


def run(words, ranks):
    out = Path(after("--output", words))
    out.mkdir(parents=True)
    (out / "words").write_text(" ".join(words), encoding="utf-8")
    (out / "a.ckpt.h5").write_text("large", encoding="utf-8")
    (out / "a.log").write_text(f"info: nfold: a.yaml, 76 residues, 1 chain, {ranks} ranks, made-up\n"
                               "info: memory: planned 2.5 MiB, peak 2 MiB (ratio 1.250)\n", encoding="utf-8")
    if "--profile" in words:
        # Of 1000 steps, whose waits grow with ranks.
        phases = {"start": 0.5, "pair": 0.1 / ranks, "bonded": 0.05 / ranks, "migrate": 1e-6, **({"wait": 0.04} if ranks > 1 else {})}
        (out / "a.performance.json").write_text(json.dumps({
            "format": 1, "first_step": 0, "last_step": 1000, "mean_phase_seconds": phases,
            "bottleneck": {"words": f"made-up words of {ranks}", "advice": "made-up advice"}}), encoding="utf-8")
    # The second assessment moved residues: what was before it, and it, do not count.
    table = "step,balance,step_milliseconds,has_moved,rank,busy_milliseconds,residues,ghosts\n"
    for step, moved, busy in ((100, 0, 0.1), (200, 1, 0.1), (300, 0, 0.4), (400, 0, 0.6)):
        for rank in range(ranks):
            table += f"{step},{0.5 + busy / 2},1,{moved},{rank},{busy},{38 + rank},5\n"
    (out / "a.balance.csv").write_text(table if ranks > 1 else table.splitlines()[0] + "\n", encoding="utf-8")
    return 0


def nfold(words):
    ranks = int(os.environ.get("MADE_UP_RANKS", "1"))
    if words == ["--version"]:
        print("nfold 0.1.0 (cpu, sources 0123456789abcdef)")
    elif words[:2] == ["bench", "--list"]:
        for name, residues in SYSTEMS.items():
            print(f"{name:<18} {residues:>11,}  made up")
    elif words == ["bench", "--help"]:
        print("Options:\n  --machine NAME|FILE   Predict")
    elif words[0] == "bench":
        return bench(words, ranks)
    elif words[:2] == ["devices", "--json"]:
        print(json.dumps(DEVICES))
    elif words[:2] == ["run", "--help"]:
        print("Options:\n  --output DIR   Folder" + ("\n  --profile      Times" if (HERE / "has_profile").exists() else ""))
    elif words[0] == "run":
        return run(words, ranks)
    elif words[0] == "plan":
        print(json.dumps({"machine": {"name": "made-up", "speeds_are": "made up"},
                          "layouts": [{"nodes": 1, "ranks_per_node": n, "on_gpu": False, "possible": True,
                                       "step_seconds": 1e-3 / n} for n in (1, 2)]}))
    else:
        print(f"nfold: error: unknown words {words}", file=sys.stderr)
        return 1
    return 0


def mpirun(words):
    if words == ["--version"]:
        print("made-up MPI 1.0")
        return 0
    os.environ["MADE_UP_RANKS"] = words[words.index("-np") + 1]
    program = words[words.index("-np") + 2:]
    os.execv(program[0], program)


if __name__ == "__main__":
    sys.exit((mpirun if Path(sys.argv[0]).name == "mpirun" else nfold)(sys.argv[1:]))

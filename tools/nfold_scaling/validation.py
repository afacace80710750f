# --validate-setup: a line for each part of the machine that a study needs.
# SPDX-License-Identifier: BSD-3-Clause
"""A line begins with `ok`, `note` (worth knowing) or `WRONG` and has the remedy."""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .launchers import find_launcher, probe
from .measuring import busy_cores
from .options import find_nfold
from .program import Program, StudyError, find_reason, run_logged
from .summary import QUIET
from .systems import GO_INPUT

OK, NOTE, WRONG = "ok", "note", "WRONG"
LIMIT_SECONDS = 120


def started(launcher, ranks, arguments):
    """(exit code, lines printed by the ranks)."""
    with tempfile.TemporaryDirectory() as folder:
        code, _, output = run_logged(launcher.command(ranks, arguments, True), Path(folder) / "log", LIMIT_SECONDS, cwd=folder)
    return code, output.strip().splitlines()


def check_mpi(program, launcher):
    """(printed line, row of the two started ranks), the row None if they did not start."""
    if not launcher.kind:
        return WRONG, "there is no mpirun and no srun on PATH; install an MPI (Debian: openmpi-bin), load its module, or " \
                      "give --mpirun", None
    row, wrong = probe(launcher, program)
    if wrong:
        return WRONG, f"two ranks by {launcher.describe}: {wrong}", None
    return OK, f"two ranks by {launcher.describe}, on {row['device']}", row


def check_same_build(program, launcher):
    code, lines = started(launcher, 2, ["sha256sum", program.path])
    sums = {found.group() for found in (re.match(r"[0-9a-f]{64}", line) for line in lines) if found}
    count = sum(bool(re.match(r"[0-9a-f]{64}", line)) for line in lines)
    if code != 0 or count != 2:
        return WRONG, f"{program.path} cannot be read by both ranks: {find_reason(chr(10).join(lines), code)}; put it into a " \
                      "folder that all nodes share"
    if len(sums) > 1:
        return WRONG, f"{program.path} is another file on another node; put one build into a folder that all nodes share"
    return OK, f"{program.path} is the same file on both ranks"


def check_bindings(launcher, cores):
    """Check the processors that the launcher leaves to each rank, from which nfold takes its own."""
    code, lines = started(launcher, 2, ["grep", "Cpus_allowed_list", "/proc/self/status"])
    allowed = [line.split()[-1] for line in lines if line.startswith("Cpus_allowed_list")]
    if code != 0 or len(allowed) != 2:
        return NOTE, "which processors ranks may use could not be told"
    if allowed[0] == allowed[1] and cores > 1 and re.fullmatch(r"\d+", allowed[0]):
        return WRONG, f"both ranks are bound to processor {allowed[0]}; give --mpirun 'mpirun --bind-to none', or srun more " \
                      "--cpus-per-task"
    return OK, f"ranks may use processors {allowed[0]} and {allowed[1]}; each takes its own of them"


def check_gpus(program):
    node = program.devices()["nodes"][0]
    if not program.on_gpu:
        return OK, "this nfold is for CPUs and needs none" + (
            f"; there are {len(node['gpus'])}: give --nfold with a build for GPUs" if node["gpus"] else "")
    fit = program.units_here()
    bad = [f"GPU {gpu['index']} is {gpu['verdict']}: {', '.join(gpu['reasons'])}" for gpu in node["gpus"]
           if gpu["is_visible"] and gpu["verdict"] != "healthy"]
    if fit == 0:
        return WRONG, f"none that is fit; {'; '.join([*bad, *node['notes']]) or 'nfold devices says more'}"
    return (NOTE if bad else OK), "; ".join([f"{fit} x {node['gpus'][0]['name']}", *bad])


def check_links(program):
    node = program.devices()["nodes"][0]
    if not program.on_gpu or len(node["gpus"]) < 2:
        return OK, "one GPU or none on this node: there are no links between GPUs"
    nvlinks = [link for link in node["links"] if link["nvlink_links"]]
    if not nvlinks:
        return NOTE, "no NVLink between the GPUs of this node: borders travel over PCIe, and small systems will not scale"
    return OK, f"NVLink between {len(nvlinks)} of {len(node['links'])} pairs of GPUs"


def check_nccl(program, row):
    if not program.on_gpu or program.units_here() < 2:
        return OK, "one GPU or none: it is not needed"
    if row and row.get("nccl_trial_us") is not None:
        return OK, f"an exchange between two GPUs took {row['nccl_trial_us']:.1f} us"
    try:
        ctypes.CDLL("libnccl.so.2")
    except OSError as failure:
        return WRONG, f"{failure}; install NCCL (libnccl2), or add its folder to LD_LIBRARY_PATH"
    return NOTE, "libnccl.so.2 is there, and nfold did not take it between two ranks; its log says why"


def check_hdf5(program, launcher):
    """Check that a short run on two ranks leaves a checkpoint."""
    linked = subprocess.run(["ldd", str(program.path)], capture_output=True, text=True, check=False).stdout \
        if shutil.which("ldd") else ""
    name = re.search(r"libhdf5\S*", linked)
    kind = "not told by ldd" if not name else ("parallel" if re.search("mpi", name.group()) else "serial")
    with tempfile.TemporaryDirectory() as folder:
        arguments = [program.path, "run", GO_INPUT, "--quiet", "--threads", "1", "--output", Path(folder) / "out", "--set",
                     "dynamics.steps=10"]
        ranks = 2 if launcher.kind else 1
        code, _, output = run_logged(launcher.command(ranks, arguments, True), Path(folder) / "log", LIMIT_SECONDS)
        if code != 0 or not (Path(folder) / "out" / f"{GO_INPUT.stem}.ckpt.h5").exists():
            return WRONG, f"a run of 10 steps left no checkpoint: {find_reason(output, code)}"
    return OK, f"{kind}; a run on {ranks} rank{'s' * (ranks > 1)} left its checkpoint"


def check_load():
    busy, cores = busy_cores(), os.cpu_count() or 1
    if busy is None:
        return NOTE, "how busy this node is cannot be told"
    if busy > QUIET * cores:
        return NOTE, f"others keep {busy:.1f} of {cores} cores busy: speeds will be too low and vary"
    return OK, f"the {cores} cores of this node are free"


def validate(options):
    """Print a line for each part; exit code 1 if something is wrong."""
    lines = []

    def tell(part, state, text):
        lines.append(state)
        print(f"{state:<5} {part:<9} {text}", flush=True)

    print(f"setup of {platform.node()}")
    try:
        program = Program(find_nfold(options))
        tell("nfold", OK, f"{program.version_text}: {program.path}")
        launcher = find_launcher(program, options.mpirun, options.srun)
    except StudyError as failure:
        tell("nfold", WRONG, str(failure))
        return 1
    state, text, row = check_mpi(program, launcher)
    tell("MPI", state, text)
    if row:
        tell("build", *check_same_build(program, launcher))
        tell("bindings", *check_bindings(launcher, program.devices()["nodes"][0]["cpu"]["cores"] or 1))
    tell("GPU", *check_gpus(program))
    tell("links", *check_links(program))
    tell("NCCL", *check_nccl(program, row))
    if row or not launcher.kind:
        tell("HDF5", *check_hdf5(program, launcher))
    tell("profile", OK if program.has_profile() else NOTE,
         "nfold run --profile is there" if program.has_profile() else "this nfold has no --profile")
    tell("load", *check_load())
    return 1 if WRONG in lines else 0
